/* tests/contract/crash/power_disk.h: a disk that keeps only what it must, when its power goes.
 *
 *     what was synced          is there
 *     written since            each sector of 512 or of 4096 bytes is old or new, whatever its neighbours are
 *     the length since         old or new
 *     names since the sync     made, renamed and removed in order up to some point: a file system has a journal for
 *     of their directory       them. A name says nothing about what is in the file
 */
#ifndef STRATA_TESTS_CRASH_DISK_H
#define STRATA_TESTS_CRASH_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/contract/crash/write_log.h"

typedef struct disk disk;

/* A disk that holds what is in the directory `root`, all of it synced. Of a file named `lie`, unless that is NULL, it
 * keeps nothing new, whatever it says: the program believes that it is synced. `lie` must outlive it. */
disk *disk_open(const char *root, const char *lie);
void disk_free(disk *d);

/* The event happens; `bytes` are those behind it. False: it is of no file of this disk. */
bool disk_play(disk *d, const event *e, const uint8_t *bytes);

/* The power goes, now: what is left is put into the directory `to`, new and empty. `dice`: any number; it moves on. */
void disk_lose_power(disk *d, uint64_t *dice, const char *to);

/* True if `root` holds what a disk would that lost nothing: else something happened that was not recorded. Files whose
 * bytes come by memory maps (lock.mdb) are not compared. */
bool disk_agrees(const disk *d);

#endif
