/* crawler/base/input.h: reads an input file of a command into memory. */
#ifndef STRATA_CRAWLER_INPUT_H
#define STRATA_CRAWLER_INPUT_H

#include <stddef.h>

/* The first `size_max` bytes of the file `name`, or of standard input for "-"; the caller frees them. NULL if it could
 * not be read, which was then said in the name of `command`. */
char *input_read(const char *command, const char *name, size_t size_max, size_t *size);

#endif
