/* tests/contract/web/witness.h: who watches a crawl on the simulated machine, and breaks it off (sim_fail) as soon as a
 * promise is broken. It lies in shared memory, so it knows what went before a kill.
 *
 *     asked     never what robots.txt forbids, nor before it was read; never what is done and committed; never what
 *               nobody links to; no host before its delay, nor before Retry-After is over, nor more of it at once than
 *               --per-host, for whatever it is asked: pages, robots.txt, what the robots.txt of another host leads to
 *     again     only what failed or was skipped, and what was done where --recrawl-after asks for that; and all of it
 *               that is due as a run begins, in this run
 *     leased    no host that is due waits for long while others are leased from; none before its time, by the clock as
 *               the crawl read it, to the millisecond; of its URLs those of a larger priority first (witness_turns.c)
 *
 * What is done is what the frontier was told, and committed when its commit returned. */
#ifndef STRATA_TESTS_WEB_WITNESS_H
#define STRATA_TESTS_WEB_WITNESS_H

#include "crawler/http/fetch.h"
#include "frontier/frontier.h"
#include "tests/contract/web/web.h"

typedef struct witness_rules {
  uint64_t delay_ms;
  unsigned per_host, connections;
  uint16_t max_depth;
  bool ignores_robots;
  bool fetches_again;                       /* what was done may be asked for again: --recrawl-after, --retry-failed */
  uint64_t recrawl_least_s, recrawl_most_s; /* what --recrawl-after says; 0: it is not given */
  bool is_ordered;                          /* links get priorities (witness_wrap.c) */
  bool has_endless;                         /* the web has URLs without end */
  bool is_tiny;                             /* the frontier's memory has room for few URLs */
  web_rules truth;
} witness_rules;

/* What became of a URL. */
typedef enum witness_state { WITNESS_UNKNOWN, WITNESS_ACCEPTED, WITNESS_LEASED, WITNESS_ENDED } witness_state;

/* When a page ended last. */
typedef struct witnessed_visit {
  uint32_t at_s; /* by the wall clock; 0: never, or not known */
  uint16_t life, count;
} witnessed_visit;

typedef struct witnessed_url {
  uint64_t identity; /* 0: free */
  uint32_t host;     /* among the watched hosts */
  uint16_t depth;
  uint8_t state, committed; /* witness_state: now, and as of the last commit */
  uint8_t outcome;          /* frontier_state, once it ended */
  bool has_news;            /* since the last commit */
  bool is_again;            /* ended before, and queued again since: its end on disk counts no more */
  bool is_doubted;          /* it was unconfirmed: it may be called seen before it is accepted */
  bool was_met;
  int8_t priority;
  uint16_t asked;                    /* how often, in all lives */
  witnessed_visit visit, kept_visit; /* now, and as of the last commit */
} witnessed_url;

/* Priorities that are given: -2 to 2. */
enum { WITNESS_RANKS = 5, WITNESS_RANK_0 = WITNESS_RANKS / 2 };

typedef struct witnessed_host {
  char name[96];     /* host[:port]; "": free */
  uint32_t active;   /* requests under way */
  bool knows_robots; /* in this life */
  bool has_news;
  uint64_t started_ms;            /* the last request of this life; 0: none yet */
  uint64_t delay_ms;              /* Crawl-delay, once robots.txt came */
  uint64_t rests_until_ms;        /* Retry-After */
  uint64_t rests_until_wall_ms;   /* the same by the wall clock of that moment, */
  uint64_t kept_until_wall_ms;    /* and as it was committed: it outlives a life */
  uint64_t told_ms;               /* when its last lease was given or its page let go, by that clock */
  uint64_t next_ms;               /* no lease before, by the clock as the frontier is told it */
  uint32_t waiting;               /* URLs that may be leased, */
  uint32_t ranked[WITNESS_RANKS]; /* and how many of them have each priority */
  uint32_t asked;                 /* requests for its URLs, in all lives */
  bool is_due;                    /* when it was looked at last */
  uint64_t passed;                /* leases of others while it was due, since its own last one */
} witnessed_host;

enum { WITNESS_HOSTS = 1 << 17, WITNESS_URLS = 1 << 18 }; /* enough for a small crawl */

/* Memory that is shared, for so many hosts and URLs, powers of two that are never half full; once in a program. */
void witness_create(size_t hosts, size_t urls);
void witness_begin(void);                             /* a new crawl: all is forgotten */
void witness_life_begins(const witness_rules *rules); /* one more run of it, after a death or an end */

/* What the simulated fetcher tells. */
void witness_asked(const char *address, const web_place *place);
void witness_answered(const char *address, const web_place *place, const fetch_response *response);

/* What calls of the frontier tell (witness_wrap.c). */
void witness_added(const char *address, size_t size, frontier_origin origin, int32_t priority,
                   frontier_outcome outcome);
void witness_leased(frontier *f, uint64_t now_ms, const frontier_lease *leases, size_t count);
void witness_ranked(const frontier_lease *lease); /* all that wait for its host are of its class */
void witness_host_next(const char *host, uint64_t now_ms, uint64_t wait_ms);
void witness_released(const char *address, size_t size);
void witness_ended(const char *address, size_t size, frontier_state state);
void witness_again(const char *address, size_t size, frontier_state state); /* it had ended so, and waits again */
void witness_committed(void);

/* Between two lives: what is on disk of a URL, and in the end which of those heard of were not met. */
void witness_meet(const frontier_record *record);
bool witness_misses(const char **what); /* is there one that was committed, and not met since the last call? */

/* After a life that ended by itself: all is done that was due as it began. false: `*late` was not. */
bool witness_was_in_time(const char **late);

/* A number for what a URL stands for, never 0: all spellings of one page have the same. */
uint64_t witness_identity(const char *address, size_t size);

/* NULL: never heard of. */
const witnessed_url *witness_find(const char *address, size_t size);
witnessed_host *witness_host(const char *name, size_t size); /* made if it is not there */
witnessed_host *witness_host_at(size_t index);               /* NULL past the last */
size_t witness_hosts(void);                                  /* that were made */
size_t witness_urls(void);
uint64_t witness_waiting(void); /* URLs that may be leased, of all hosts */
const witness_rules *witness_rules_now(void);

#endif
