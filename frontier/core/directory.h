/* The directory that a frontier keeps: whose it is, and who may write. The lock is a part of the handle (part.h). */
#ifndef STRATA_FRONTIER_DIRECTORY_H
#define STRATA_FRONTIER_DIRECTORY_H

#include "frontier/frontier.h"

typedef struct directory_lock {
  int fd;        /* of the file LOCK; -1 */
  bool is_noted; /* LOCK says that data.mdb is what a writer left (left_file.h) */
} directory_lock;

static inline void directory_lock_begin(directory_lock *l)
{
  l->fd = -1;
}

frontier_status directory_make(frontier *f);    /* if it is not there; NOT_OURS: it holds something else */
frontier_status directory_lock_it(frontier *f); /* as the writer */
/* Before LMDB sees data.mdb: may it? Else a sentence that names the file. */
frontier_status directory_check_data(frontier *f);
/* The writer has it open, and its names are on disk, so LOCK says that data.mdb is ours to trust, until it is copied or
 * the machine goes down. */
frontier_status directory_note_open(frontier *f);
/* Whole, closed and not to be changed by others any more: LOCK says so. */
void directory_note_left(frontier *f);
void directory_unlock(frontier *f);
bool directory_is_locked(const frontier *f);

/* So that a power cut does not take the names away from files that are safely on disk. */
frontier_status directory_sync_names(frontier *f); /* of a directory that is new; cannot fail */
void directory_sync_parent(const char *path);

#endif
