/* tests/contract/web/sim.h: a machine for a crawl to run on, of which a test decides everything: what time it is, when
 * the disk is full, when it dies. SIMULATION.md tells the whole.
 *
 *     crawl loop, frontier, LMDB, WARC          as they are
 *        |                |
 *     fetch.h        machine.h                  the two seams, and the system calls of tests/support/faults.h
 *        |                |
 *     sim_fetch.c    sim_machine.c  <-- agenda: at this moment, that happens
 *        |
 *     web.h                                     the web in a box
 *
 * There is one machine to a program, and its state lies in memory that a process shares with those it forks: a crawl
 * may be killed in a child, and the next life goes on at the same moment of virtual time. */
#ifndef STRATA_TESTS_WEB_SIM_H
#define STRATA_TESTS_WEB_SIM_H

#include "tests/contract/web/web.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What happens to the machine at a moment. */
typedef enum sim_deed {
  SIM_KILL,      /* SIGKILL */
  SIM_STOP,      /* SIGTERM: the crawl is to end cleanly */
  SIM_WALL,      /* the wall clock is set by `amount_ms`, either way */
  SIM_SUSPEND,   /* the machine sleeps for `amount_ms`: both clocks leap */
  SIM_DISK_ILL,  /* `number` calls of class `what` from now, and all that follow, fail with `error` */
  SIM_DISK_WELL, /* and no more */
} sim_deed;

typedef struct sim_happening {
  uint64_t at_ms; /* of the monotonic clock */
  sim_deed deed;
  int64_t amount_ms;
  int what, error; /* as faults_set wants them */
  unsigned number;
} sim_happening;

enum { SIM_AGENDA = 24, SIM_TEXT = 1024 };

typedef struct sim {
  uint64_t seed, dice;       /* the dice are thrown while it runs */
  uint64_t us;               /* the monotonic clock */
  uint64_t read_ms;          /* what it said when it was read last: the crawl knows no later time */
  int64_t wall_ms;           /* of the wall clock over it */
  uint64_t steps, steps_max; /* readings of a clock: a crawl that goes round in circles reads it, too */
  uint64_t end_ms;           /* by then every crawl should have ended */
  unsigned life;             /* from 1 */
  sim_happening agenda[SIM_AGENDA];
  unsigned agenda_count, agenda_done;
  uint64_t trace, trace_lines; /* a hash of all that happened, line by line */
  bool is_silent;              /* nothing is traced */
  uint64_t requests, answers;
  uint64_t requests_max; /* more are a failure */
  bool has_failed;
  char failure[SIM_TEXT];
} sim;

extern sim *the_sim;         /* this program's */
extern web *sim_web;         /* and what its crawls see */
extern FILE *sim_trace_file; /* gets the trace in words; NULL: only the hash is kept */

void sim_create(uint64_t seed); /* ends the program if it cannot; again: all begins anew */

/* What follows is the same whatever is drawn elsewhere, for the same seed and the same calls before. */
uint64_t sim_throw(uint64_t sides); /* 0 .. sides - 1 */

/* Time passes, and what stands in the agenda by then happens on the way. */
void sim_pass_us(uint64_t us);
uint64_t sim_ms(void); /* the monotonic clock, unread: nothing passes */

/* A line of the trace, without its end. */
__attribute__((format(printf, 1, 2))) void sim_trace(const char *format, ...);

/* A promise is broken: said once, and this life ends at once. */
enum { SIM_BROKEN = 99 }; /* its exit code */
__attribute__((format(printf, 1, 2), noreturn)) void sim_fail(const char *format, ...);

#endif
