/* A file without a name, which is gone with its descriptor: for what does not fit in memory, for a moment. */
#ifndef STRATA_CRAWLER_NAMELESS_H
#define STRATA_CRAWLER_NAMELESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int nameless_open(const char *directory); /* for reading and writing; -1: errno says why */

/* How many bytes could be written there, fewer than `size` if the disk takes no more. */
size_t nameless_write(int fd, const char *from, size_t size, uint64_t offset);
bool nameless_read(int fd, char *to, size_t size, uint64_t offset); /* false: errno says why */

#endif
