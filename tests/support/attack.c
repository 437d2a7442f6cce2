#include "tests/support/attack.h"

#include "tests/support/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Twice the size may take so much more, as sorting has its logarithm; and takes so much, or the attack is not read. */
static const double most_growth = 2.2, least_growth = 1.5;

static void add_piece(text *t, const char *piece, unsigned number)
{
  for (; piece && *piece; piece++)
    if (*piece == ATTACK_NUMBER)
      text_addf(t, "%u", number);
    else
      text_add_byte(t, *piece);
}

void attack_make(const attack *a, size_t size, text *t)
{
  size_t turn = a->back ? size / 2 : size;
  unsigned number = 0;
  text_clear(t);
  add_piece(t, a->begin, 0);
  while (t->size < turn)
    add_piece(t, a->repeat, number++);
  while (a->back && t->size < size)
    add_piece(t, a->back, number--);
  add_piece(t, a->end, number);
}

static uint64_t steps_of(const attack *a, size_t size, size_t piece)
{
  text t = {0};
  attack_make(a, size, &t);
  uint64_t before = steps_taken();
  a->read(t.bytes ? t.bytes : "", t.size, piece);
  uint64_t taken = steps_taken() - before;
  text_free(&t);
  return taken;
}

int attack_judge(const attack *a, size_t piece)
{
  uint64_t nothing = steps_of(a, 0, piece); /* what it takes to begin */
  uint64_t once = steps_of(a, a->size, piece) - nothing, twice = steps_of(a, 2 * a->size, piece) - nothing;
  double growth = (double)twice / (double)once, each = (double)twice / (double)(2 * a->size);
  bool is_bad = !(growth <= most_growth && (growth >= least_growth || a->growth == LIMITED)); /* of 0 / 0, too */
  if (is_bad || getenv("STRATA_STEPS"))
    print_message("%s%s, pieces of %zu: %.2f times the steps for twice %zu bytes, %.1f a byte\n",
                  is_bad ? "NOT LINEAR: " : "", a->name, piece, growth, a->size, each);
  return is_bad;
}
