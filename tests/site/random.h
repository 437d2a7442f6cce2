/* tests/site/random.h: numbers that a printed seed brings back (splitmix64, Steele, Lea and Flood 2014). */
#ifndef STRATA_TESTS_SITE_RANDOM_H
#define STRATA_TESTS_SITE_RANDOM_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* STRATA_SEED=N takes N in place of the usual one. It is printed. */
static inline uint64_t random_seed_or(uint64_t usual)
{
  const char *given = getenv("STRATA_SEED");
  uint64_t seed = given ? strtoull(given, NULL, 10) : usual;
  printf("STRATA_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

/* Of the commit that is checked out: each commit draws others, and a run of it again is the same run. Where git knows
 * of no commit it is a constant. */
static inline uint64_t random_commit_seed(void)
{
  enum { DIGITS = 7 };
  char hash[DIGITS + 1] = "";
  FILE *git = popen("git rev-parse HEAD 2>/dev/null", "r"); /* NOLINT(cert-env33-c): no word of it is from outside */
  bool is_known = git && fgets(hash, sizeof hash, git);
  if (git)
    pclose(git);
  return is_known ? strtoull(hash, NULL, 16) : 1;
}

static inline uint64_t random_seed(void)
{
  return random_seed_or(getenv("STRATA_SEED") ? 0 : random_commit_seed());
}

static inline uint64_t random_next(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* 0 .. limit-1; the bias of % is below 2^-32 for the limits tests use. */
static inline unsigned random_below(uint64_t *state, unsigned limit)
{
  assert(limit > 0);
  return (unsigned)(random_next(state) % limit);
}

/* From 0 to less than 1. */
static inline double random_share(uint64_t *state)
{
  return (double)(random_next(state) >> 11) / 0x1p53;
}

static inline bool random_one_in(uint64_t *state, unsigned n)
{
  return random_below(state, n) == 0;
}

/* A stream of its own for the thing numbered `index`: the same whoever asks, in whatever order. */
static inline uint64_t random_stream(uint64_t seed, uint64_t index)
{
  uint64_t state = seed ^ (index * 0xD6E8FEB86659FD93u);
  return random_next(&state);
}

#endif
