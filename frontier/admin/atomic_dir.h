/* Makes a new directory completely or not at all: it is built as TO.partial, and renamed at the end.
 *
 *     atomic_dir_begin -> files into `partial`, each on disk by itself -> atomic_dir_finish
 *                                                                 -> atomic_dir_abandon */
#ifndef STRATA_FRONTIER_ATOMIC_DIR_H
#define STRATA_FRONTIER_ATOMIC_DIR_H

#include "frontier/frontier.h"

enum { FRESH_PATH_SIZE = 4096 };

/* BAD_ARGUMENT: `to` exists, and is no empty directory. Files left by an earlier try are removed. */
frontier_status atomic_dir_begin(const char *to, char partial[FRESH_PATH_SIZE], char message[FRONTIER_MESSAGE_SIZE]);
frontier_status atomic_dir_finish(const char *to, const char *partial, char message[FRONTIER_MESSAGE_SIZE]);
void atomic_dir_abandon(const char *partial); /* and the files that a frontier can have */

/* The first `size` bytes of an open file as a new one, on disk when this returns; else an error number. */
int atomic_dir_copy(int from, uint64_t size, const char *to);

#endif
