/* tests/support/faults.h: system calls that fail when told to. The linker puts them in the place of the real ones
 * (--wrap), in our rooms and in LMDB; tests/CMakeLists.txt has the list. Nothing waits for the disk here. */
#ifndef STRATA_TESTS_FAULTS_H
#define STRATA_TESTS_FAULTS_H

#include <stdbool.h>

typedef enum fault_class {
  FAULT_NONE,
  FAULT_WRITE, /* write, pwrite, writev, ftruncate, rename, link, unlink, mkdir, rmdir */
  FAULT_SYNC,  /* fsync, fdatasync */
  FAULT_ALLOC, /* malloc, calloc, realloc, posix_memalign, strdup, mmap */
} fault_class;

enum {
  FAULT_SHORT = -1, /* for an error: what is written is cut short instead */
  FAULT_DEATH = -2, /* the process dies of SIGKILL before the call */
};

/* From now on the `number`-th call (from 1) of that class fails with `error`; all that follow too if it stays. */
void faults_set(fault_class what, unsigned number, int error, bool stays);
void faults_end(void);         /* the cause is gone */
bool faults_have_struck(void); /* since faults_set */

#endif
