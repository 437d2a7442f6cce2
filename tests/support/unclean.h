/* tests/support/unclean.h: a judge of what is shown to people. */
#ifndef STRATA_TESTS_UNCLEAN_H
#define STRATA_TESTS_UNCLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Where the first byte stands that should not reach a terminal: of a control character (C0 but line feed and tab, DEL,
 * C1), a mark that turns text round, a separator of lines or paragraphs, or of what is no UTF-8; with `is_ascii` of
 * any character past 0x7E. `size` if there is none. Written from the Unicode standard alone. */
size_t first_unclean(const char *bytes, size_t size, bool is_ascii);

#endif
