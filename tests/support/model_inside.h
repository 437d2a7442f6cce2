/* Inside the model: its world, and what its parts do to it. */
#ifndef STRATA_TESTS_MODEL_INSIDE_H
#define STRATA_TESTS_MODEL_INSIDE_H

#include "tests/support/frontier_model.h"
#include "tests/support/scratch.h"

#include <stddef.h>
#include <stdint.h>

enum { MODEL_BATCH = 6 /* links added together, at most */ };

typedef enum page_life {
  QUEUED,
  DONE = FRONTIER_DONE,
  FAILED = FRONTIER_FAILED,
  SKIPPED = FRONTIER_SKIPPED,
  NOTED = FRONTIER_NOTED,
  IN_FLIGHT
} page_life;

typedef struct page {
  char *fetch, *key;
  size_t host;
  frontier_origin origin;
  frontier_verdict verdict;
  page_life life, committed_life;
  bool is_forgotten, was_forgotten; /* its key, since it was accepted; and at the last commit */
  size_t payload_size;
  uint8_t payload_byte; /* all of them */
  uint16_t code;
} page;

typedef struct host_line { /* of sequences: the first is next */
  uint64_t *at;
  size_t begin, end, room;
} host_line;

typedef struct model_host {
  char name[64];
  host_line line;
  uint64_t due_ms, delay_ms;
  uint64_t ready; /* the round in which it was first found to be due, 0: it is not; see note_ready */
  unsigned in_flight;
} model_host;

/* What a commit makes last. */
typedef struct books {
  size_t pages; /* sequences 1..pages are given */
  size_t hosts;
  uint64_t verdicts[FRONTIER_OUTCOMES], counter, setting, forced;
  size_t journal_size;
} books;

typedef struct model {
  const model_run *run;
  uint64_t dice, now_ms;
  frontier *f;
  frontier_options options;
  char root[SCRATCH_PATH], directory[SCRATCH_PATH], journal_path[SCRATCH_PATH];
  page *pages; /* by sequence */
  size_t page_room;
  model_host *hosts;
  size_t host_room;
  void *keys, *segments; /* trees of strings */
  char *journal;
  size_t journal_room;
  uint64_t round; /* hosts found to be due in one round go by due time */
  /* Since it was opened: how many pages it has met in its queues, at least; whether that was all, so that what is added
   * is known at once, and not with the next commit; and in which round. Those due by then may be in any order. */
  size_t read_to;
  bool is_read;
  uint64_t read_round;
  books now, committed;
  frontier_lease *leases; /* those in flight, as the frontier gave them */
  size_t lease_count, lease_room;
  bool has_lied;
  char difference[MODEL_TEXT];
  url urls[MODEL_BATCH], *u; /* u: the one in hand */
} model;

/* ---- model_world.c ------------------------------------------------------------------------------------- */

/* The first difference is kept. */
__attribute__((format(printf, 2, 3))) void model_differ(model *m, const char *format, ...);
bool model_holds(model *m, frontier_status status, const char *doing); /* a difference unless it is OK */
bool model_lies(model *m, model_lie lie);                              /* now, when it can be told? */
uint64_t model_roll(model *m, uint64_t sides);                         /* the dice */

/* Room for one more element; `array`, or where it is now. */
void *model_enough(void *array, size_t count, size_t *room, size_t element);

bool model_set_has(void *const *set, const char *text);
void model_set_put(void **set, const char *text);
void model_set_drop(void **set, const char *text);
void model_set_empty(void **set);

void model_remember_key(model *m, const url *u);                 /* and its segments, */
bool model_segment_is_known(model *m, const url *u, uint32_t i); /* from 0, at its depth */

void model_line_push(host_line *l, uint64_t sequence);
void model_line_push_front(host_line *l, uint64_t sequence);
size_t model_line_take(host_line *l, uint64_t sequence);
bool model_line_is_empty(const host_line *l);
size_t model_host_number(model *m, const char *name, size_t size); /* made if there is none */
void model_line_up(model *m);

uint64_t model_count_of(const model *m, page_life life);
uint64_t model_deferred(const model *m);
void model_note_commit(model *m); /* all there is now lasts */

/* ---- model_in.c ---------------------------------------------------------------------------------------- */

void model_add_links(model *m); /* alone, together, forced and noted */
void model_look_up(model *m);
void model_forget_one(model *m);
void model_forget_many(model *m);

/* ---- model_out.c --------------------------------------------------------------------------------------- */

void model_take_leases(model *m, size_t max);
void model_end_one(model *m);
void model_release_one(model *m);
void model_slow_one(model *m);
void model_end_what_is_not_leased(model *m);

/* ---- model_auditor.c ----------------------------------------------------------------------------------- */

void model_check_stats(model *m);
uint64_t model_unconfirmed(model *m); /* links that wait to be confirmed, as the frontier says */
void model_check_values(model *m);
void model_put_values(model *m);
void model_check_journal(model *m, bool is_all); /* else the last lines may be owed */
void model_sync_now(model *m);                   /* and check what lasts */
void model_check_directory(model *m);            /* while no handle has it open */

#endif
