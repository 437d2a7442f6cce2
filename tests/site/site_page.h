/* tests/site/site_page.h: the HTML of a generated site. */
#ifndef STRATA_TESTS_SITE_PAGE_H
#define STRATA_TESTS_SITE_PAGE_H

#include "tests/site/site.h"

/* Append the page of entry `index`: all its links, and look-alikes between them. The same bytes every time. */
void page_write(text *out, const site *s, uint32_t index);

/* Append what looks like HTML with links, for files that are not HTML. */
void page_write_file(text *out, uint32_t index);

#endif
