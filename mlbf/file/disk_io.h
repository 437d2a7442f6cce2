/* mlbf/file/disk_io.h: whole reads, whole writes, and files replaced as a whole. Internal to mlbf/. */
#ifndef STRATA_MLBF_DISK_IO_H
#define STRATA_MLBF_DISK_IO_H

#include "mlbf/filter.h"

bool mlbf_disk_write(int file, const void *bytes, uint64_t size);

/* These bytes begin their way to the disk, so that a later fsync has less to wait for. Promises nothing. */
void mlbf_disk_begin_sync(int file, uint64_t offset, uint64_t size);

/* So that a crash does not take the name away: the directory of `path`. */
bool mlbf_disk_sync_directory_of(const char *path);

/* MLBF_DAMAGED if the file ends before: it shrank since its length was asked for. */
mlbf_status mlbf_disk_read(int file, void *bytes, uint64_t size, uint64_t offset);

/* For reading; a FIFO is not waited for. -1: errno says why. */
int mlbf_disk_open(const char *path);

/* A file of a directory that others may have filled, which is there. No link is followed (errno is ELOOP), nothing but
 * a regular file is opened (ENXIO), and none is opened for writing that belongs to another user (EPERM) or has a second
 * name (EMLINK). */
int mlbf_disk_open_in(int directory, const char *name, int flags);

const char *mlbf_disk_text(int error); /* for a sentence */

/* A new empty file, instead of one that has this name; -1: errno says why. `directory` as of openat(). */
int mlbf_disk_create(int directory, const char *path, unsigned mode);

/* What `write` puts into a new file beside `path` takes its place: fsync, rename, fsync of the directory. A crash
 * leaves the old file or the new one, whole; so does a failure, and then nothing of the new one is left. `directory`
 * and `mode` as of openat(). */
typedef mlbf_status (*mlbf_disk_writer)(int file, const void *context);
mlbf_status mlbf_disk_replace(int directory, const char *path, unsigned mode, mlbf_disk_writer write,
                              const void *context);

#endif
