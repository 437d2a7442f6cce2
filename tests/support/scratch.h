/* tests/support/scratch.h: directories that a test makes and leaves nothing of. */
#ifndef STRATA_TESTS_SCRATCH_H
#define STRATA_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRATCH_PATH = 4096 };

void scratch_make(char path[SCRATCH_PATH]);      /* a new, empty directory; ends the test program if it cannot */
void scratch_make_fast(char path[SCRATCH_PATH]); /* in memory where possible: small, and nothing waits for a disk */
void scratch_remove(const char *path);           /* the directory with all that is in it; none is fine */

/* `path` = directory/name. */
void scratch_join(const char *directory, const char *name, char path[SCRATCH_PATH]);

/* Copies the plain files of one directory into another, which exists. */
void scratch_copy(const char *from, const char *to);

/* The whole file, NUL-terminated (free it); NULL if there is none. */
char *scratch_read(const char *path, size_t *size);
void scratch_write(const char *path, const void *bytes, size_t size);

#endif
