/* tests/support/tls_site.h: a crawl's directory beside https servers, whose authority is in a file. */
#ifndef STRATA_TESTS_TLS_SITE_H
#define STRATA_TESTS_TLS_SITE_H

#include "tests/site/small.h"
#include "tests/site/tls_server.h"
#include "tests/support/scratch.h"

extern small tls_site;            /* of one page, by http */
extern char tls_ca[SCRATCH_PATH]; /* for --ca-file */

int tls_group_begin(void **state); /* before and after all cases: makes the authority */
int tls_group_end(void **state);
int tls_site_begin(void **state); /* before and after each case */
int tls_site_end(void **state);

#endif
