/* tests/support/unclean.h: a judge of what is shown to people. */
#ifndef STRATA_TESTS_UNCLEAN_H
#define STRATA_TESTS_UNCLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* The place of the first byte that should not reach a terminal; `size` if all may. These may not: control characters
 * (C0 except line feed and tab, DEL, C1), bidi controls, separators of lines and paragraphs, invalid UTF-8; with
 * `is_ascii` also every character past 0x7E. Follows the Unicode standard alone, not the product's tables. */
size_t first_unclean(const char *bytes, size_t size, bool is_ascii);

#endif
