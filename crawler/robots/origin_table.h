/* crawler/robots/origin_table.h: the origins that robots_cache.c knows, in bounded memory. Private to that file. */
#ifndef STRATA_CRAWLER_ORIGIN_TABLE_H
#define STRATA_CRAWLER_ORIGIN_TABLE_H

#include "crawler/robots/robots_cache.h"

typedef struct waiter {
  struct waiter *next;
  void *visit;
} waiter;

typedef enum origin_state { UNKNOWN, ON_ITS_WAY, MOVED, KNOWN, UNAVAILABLE, UNREACHABLE } origin_state;

typedef struct origin {
  struct origin *newer, *older; /* by when they were asked for last */
  robots_cache *owner;
  size_t cost; /* bytes, as origin_table_weigh found them last */
  bool is_large;
  origin_state state;
  robots *rules;
  uint64_t known_ms;
  bool is_stored;                   /* the rules are in the file, as they are here */
  bool is_given_up;                 /* UNAVAILABLE, and none waits for it any more */
  bool lacks_memory;                /* what came is not all here */
  bool is_cut;                      /* there was more than is read, or its end was lost */
  unsigned cuts;                    /* since the last rules, answers whose end was lost */
  unsigned hops;                    /* redirects that led to `address` */
  unsigned failed;                  /* answers of 5xx, 429, 408 since the last rules */
  uint64_t rest_until_ms, stale_ms; /* of UNAVAILABLE */
  uint64_t not_before_ms;           /* no request for robots.txt, as its address has enough of them */
  fetch_error error;
  char *explanation; /* of UNREACHABLE; NULL: out of memory */
  waiter *waiting, **last_waiting;
  robots_turn turn;
  char *address; /* where robots.txt is being fetched from, or is to be (MOVED); else it may be NULL */
  char *body;    /* of robots.txt while it comes */
  size_t body_size;
  char name[];
} origin;

typedef struct origin_table origin_table;

/* Of `memory_bytes` a fifth, at most, is for finding rules in the file, which grows to 16 times as many. NULL: out of
 * memory. Without `directory` or `secret`, or where there can be no file, what memory has no room for is forgotten. */
origin_table *origin_table_create(uint64_t memory_bytes, const char *directory, const uint8_t *secret,
                                  robots_cache *owner);
void origin_table_free(origin_table *t); /* NULL is fine */

/* NULL: not in memory. */
origin *origin_table_find(origin_table *t, const char *name, size_t size);

/* Made UNKNOWN, or with the rules that the file has, if it is not in memory. Others may be forgotten for it, but none
 * on its way. NULL: out of memory. */
origin *origin_table_find_or_add(origin_table *t, const char *name, size_t size);

/* What it holds has changed. */
void origin_table_weigh(origin_table *t, origin *one);

uint64_t origin_table_bytes(const origin_table *t);

#endif
