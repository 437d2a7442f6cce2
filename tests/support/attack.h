/* tests/support/attack.h: bytes made to be slow to read, and whether a reader takes steps in proportion to them
 * (steps.h). */
#ifndef STRATA_TESTS_ATTACK_H
#define STRATA_TESTS_ATTACK_H

#include "tests/site/grown_text.h"

#include <stddef.h>

enum { NETWORK_PIECE = 16384, SMALL_PIECE = 61, ATTACK_NUMBER = 1 };

#define N "\1" /* the number of the repetition */

typedef void reader(const char *bytes, size_t size, size_t piece);

/* `begin`, `repeat` again and again, as often `back`, and `end`. */
typedef struct attack {
  const char *name;
  reader *read;
  size_t size;
  const char *begin, *repeat, *back, *end;
  enum { LINEAR, LIMITED } growth; /* limited: twice the size may take fewer than twice the steps */
} attack;

void attack_make(const attack *a, size_t size, text *t);

/* 1 if twice its size takes more than twice the steps, or is not read at all. With STRATA_STEPS in the environment it
 * prints a line. */
int attack_judge(const attack *a, size_t piece);

#endif
