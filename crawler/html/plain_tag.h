/* crawler/html/plain_tag.h: where a tag ends of which nothing else matters, found 32 bytes at a time.
 *
 * Most tags of a page are no links (span, td, end tags). Their states, byte by byte, cost more than all else that is
 * done with a page: each byte that ends a name or a value is a branch nobody can predict. */
#ifndef STRATA_CRAWLER_PLAIN_TAG_H
#define STRATA_CRAWLER_PLAIN_TAG_H

#include <stdint.h>

/* Which names of start tags may matter: bit n of [c - 'a'] says that some name of n letters that begins with c does. */
typedef uint16_t plain_tag_names[26];

/* Past the '>' of the tag whose '<' is before `at`; NULL: its name may matter, it is longer than the bytes looked at,
 * written in a way that the states of the tokenizer must sort out, or no tag. End tags never matter. */
const char *plain_tag_end(const char *at, const char *end, const plain_tag_names matter);

#endif
