/* The fields of a line of pages.jsonl, whose object has no other objects in it: some forty times as fast as to build
 * them in memory, by callgrind. Strings are given as they stand, with their escapes. */
#ifndef STRATA_CRAWLER_FLAT_LINE_H
#define STRATA_CRAWLER_FLAT_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct flat_field {
  const char *name, *value; /* without quotes; of a number, true, false or null the word */
  size_t name_size, size;
} flat_field;

/* The next field of the line [*at, end): start with *at at its first byte. false: no more, or it is no such object. */
bool flat_line_next(const char **at, const char *end, flat_field *field);

#endif
