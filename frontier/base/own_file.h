/* Opens the files of a directory that others may have filled: no link is followed, nothing but a regular file is
 * opened, and nothing is written that belongs to another user or has a second name. Where one of these is the reason,
 * errno is ELOOP (a link), ENXIO (no regular file), EPERM (another user's) or EMLINK (a second name). */
#ifndef STRATA_FRONTIER_OWN_FILE_H
#define STRATA_FRONTIER_OWN_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* As open(2), with O_CLOEXEC. -1: see errno. */
int own_file_open(const char *path, int flags, mode_t mode);

/* As fopen, in "r", "r+" and the like; "w" makes a new file in place of an old one, which is unlinked. `mode` is that
 * of a file that is made. */
FILE *own_file_stream(const char *path, const char *how, mode_t mode);

/* A new file of this name, open for writing; an old one is unlinked, if it is a regular file of ours. */
int own_file_create(const char *path, mode_t mode);

/* May a library open it by its name? It is not there, or regular, and ours alone if it is to be written. */
bool own_file_is_plain(const char *path, bool to_write);

/* false with EMLINK: the file at `path` has a second name (a hard link). Its owner does not matter here. */
bool own_file_has_one_name(const char *path);

/* Does the directory belong to the effective user? false: see errno. */
bool own_file_is_our_directory(const char *path);

bool own_file_is_refusal(int error);   /* one of these: no waiting mends it */
const char *own_file_words(int error); /* for a sentence */

#endif
