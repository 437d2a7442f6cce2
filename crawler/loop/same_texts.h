/* What the pages of a host say again and again: a soft 404 answers with one text whatever is asked for, but for the few
 * words that repeat the URL, a time, a number.
 *
 * Two texts are the same if they are equal, or if they have at most 8 pairs of neighbouring words each that the other
 * has not (mlbf/pairs.h), and at least as many in common: room for seven words in one place, or for three in each of
 * two. Of made shops whose pages have ten words of their own, 4 pages in 1,000 are the same as another of the last
 * ones; of the manuals of PostgreSQL and Python none, of CMake's 13 in 1,000, of Boost's 161 (bench_suspects).
 *
 * Of each host the last three texts are kept, those that were said again before others: 440 bytes. There is room for
 * 8,192 hosts; among more, those with the most pages keep their places (after Misra and Gries, 1982). */
#ifndef STRATA_CRAWLER_SAME_TEXTS_H
#define STRATA_CRAWLER_SAME_TEXTS_H

#include "mlbf/pairs.h"
#include "mlbf/secret.h"

typedef struct same_text {
  uint64_t text; /* mlbf_shingles.text */
  mlbf_pairs pairs;
} same_text;

bool same_text_is(const same_text *a, const same_text *b);

typedef struct same_texts same_texts;

same_texts *same_texts_create(const mlbf_hasher *hasher); /* which outlives it; NULL: out of memory */
void same_texts_free(same_texts *t);                      /* NULL is fine */

/* One more page of a host: how many of its pages said the same before, as far as that is remembered. */
uint32_t same_texts_note(same_texts *t, const char *host, size_t size, const same_text *text);

#endif
