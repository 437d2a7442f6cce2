/* The swarm: many small crawls on the simulated machine, each drawn from its seed.
 *
 *     swarm_draw.c    seed -> web, options of the crawl, lives and what ends each of them
 *     swarm_life.c    one life: strata crawl, in a child process
 *     swarm_polite.c  instead of many small ones, a long one
 *     swarm_judge.c   what it left: pages.jsonl after each life; the truth, and strata check, at the end */
#ifndef STRATA_TESTS_WEB_SWARM_H
#define STRATA_TESTS_WEB_SWARM_H

#include "tests/support/scratch.h"
#include "tests/contract/web/sim.h"
#include "tests/contract/web/witness.h"

#include <sys/types.h>

#define SWARM_RECRAWL "--recrawl-after=1h..2h"

enum { SWARM_LIVES = 8, SWARM_ARGS = 40, SWARM_ARG = 96 };

/* How a life is disturbed. */
typedef struct swarm_life {
  sim_happening agenda[SIM_AGENDA]; /* times count from its beginning */
  unsigned agenda_count;
  int fatal_class; /* of faults.h: its `fatal_call`-th call kills; 0: none does */
  unsigned fatal_call;
  bool may_fail;         /* an I/O error that lasts may end it: exit code 1 */
  bool is_capped;        /* it ends before all is done */
  char extra[SWARM_ARG]; /* one more option: a cap; "": none */
  bool again;            /* what was done, or failed, is asked for again */
  bool is_compacted;     /* before it, by strata compact */
  uint64_t pause_ms;     /* before it */
} swarm_life;

typedef struct swarm_plan {
  uint64_t seed;
  char web[768]; /* its options in words */
  web_options options;
  char args[SWARM_ARGS][SWARM_ARG];
  bool has_endless;       /* its web has URLs without end, some of which wait in the end */
  unsigned domain_budget; /* URLs of a domain; more wait in the end; 0: all are fetched */
  int arg_count;
  uint32_t starts[8]; /* hosts, each "/" a start URL */
  unsigned start_count;
  witness_rules rules;
  swarm_life lives[SWARM_LIVES];
  unsigned life_count; /* the last is not disturbed, and ends when all is done */
  bool has_truth;      /* what should come of each page is known; else there are traps, or too few tries */
  bool again;          /* in one of its lives */
} swarm_plan;

/* `more_of_web`: words behind those that are drawn for the web, ""; later ones win. */
void swarm_draw(uint64_t seed, const char *more_of_web, bool is_tiny, swarm_plan *plan);

/* The directory of a seed: root/crawl, root/said, root/summary. */
typedef struct swarm_place {
  char root[SCRATCH_PATH], crawl[SCRATCH_PATH], said[SCRATCH_PATH], summary[SCRATCH_PATH];
} swarm_place;

void swarm_make_place(swarm_place *place); /* a new, empty directory, in memory where possible */

pid_t swarm_begin_life(const swarm_plan *plan, unsigned life, const swarm_place *place);
/* The same to its end. false: the_sim->failure says what is wrong. */
bool swarm_live(const swarm_plan *plan, unsigned life, const swarm_place *place);
typedef int swarm_main(int argc, char **argv);
bool swarm_command(swarm_main *command, const swarm_place *place); /* strata check: must find nothing; and others */
__attribute__((format(printf, 1, 2))) bool swarm_broken(const char *format, ...); /* false; the first one stays */

/* One long crawl, and how it went on stdout; after so many real seconds it is told to stop. false: a promise broken. */
bool swarm_polite(uint32_t hosts, uint64_t pages, const char *more_of_web, unsigned within_s);

typedef struct swarm_lines swarm_lines; /* of pages.jsonl, as they were read last */
swarm_lines *swarm_lines_create(void);
void swarm_lines_free(swarm_lines *l);
/* What is there now, against what was. `is_over`: all must be there. */
bool swarm_judge_lines(swarm_lines *l, const swarm_plan *plan, const swarm_place *place);
/* What the frontier says it has on disk, against what the witness heard committed. The witness learns from it what a
 * death kept from it: a commit that was done, and did not return. */
bool swarm_judge_kept(const swarm_place *place);
/* In the end. */
bool swarm_judge_truth(const swarm_lines *l, const swarm_plan *plan, const swarm_place *place);

#endif
