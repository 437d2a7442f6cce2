/* crawler/base/input.h: a file a command was given, in memory. */
#ifndef STRATA_CRAWLER_INPUT_H
#define STRATA_CRAWLER_INPUT_H

#include <stddef.h>

/* The first `size_max` bytes of the file `name`, or of standard input for "-"; the caller frees them. NULL if it could
 * not be read, which was then said in the name of `command`. */
char *input_read(const char *command, const char *name, size_t size_max, size_t *size);

#endif
