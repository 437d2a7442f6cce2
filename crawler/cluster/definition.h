/* crawler/cluster/definition.h: what all machines of a crawl must agree on, in NAME:def and in each directory.
 *
 * A text, a line for each option: its name, a blank, its value. The first machine puts it there; another one that was
 * started with other options is refused, naming the option. */
#ifndef STRATA_CRAWLER_DEFINITION_H
#define STRATA_CRAWLER_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>

enum { DEFINITION_SIZE = 2048, DEFINITION_MESSAGE = 320 };

typedef struct definition {
  char text[DEFINITION_SIZE];
  size_t size;
  bool is_cut; /* it did not fit */
} definition;

void definition_put(definition *d, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The value of a line, into `value`; false: no such line, or no room. */
bool definition_get(const char *text, const char *name, char *value, size_t room);

/* The same but for lines that are not to be compared, which begin with '.'; false: `message` names the first option
 * that differs, and both values. */
bool definition_agrees(const char *theirs, const char *ours, char message[DEFINITION_MESSAGE]);

#endif
