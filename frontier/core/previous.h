/* The filter of an earlier crawl, asked about what is new in this one. */
#ifndef STRATA_FRONTIER_PREVIOUS_H
#define STRATA_FRONTIER_PREVIOUS_H

#include "frontier/seen/tombstones.h"

typedef struct previous previous;

/* The directory or filter file `path`, for the frontier in `directory` (NULL: it keeps nothing). A directory is asked
 * with its own secret; a filter file that does not hold its secret is tried with `secret`. On failure `message` holds
 * one sentence. BAD_ARGUMENT: it is the same frontier; else as frontier_open. */
frontier_status previous_open(const char *directory, const char *path, const uint8_t *secret, previous **out,
                              char message[FRONTIER_MESSAGE_SIZE]);
void previous_close(previous *p); /* NULL is fine */

/* How its keys were made: the profile, and of a directory options.key_scheme (NULL of a file, which does not say). */
url_profile previous_profile(const previous *p);
const char *previous_key_scheme(const previous *p);

bool previous_knows(const previous *p, const frontier_link *link);

#endif
