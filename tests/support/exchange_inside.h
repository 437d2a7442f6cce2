/* What the files of the exchange's world share: exchange_world.h. */
#ifndef STRATA_TESTS_EXCHANGE_INSIDE_H
#define STRATA_TESTS_EXCHANGE_INSIDE_H

#include "frontier/exchange.h"
#include "tests/site/random.h"
#include "tests/support/exchange_carrier.h"
#include "tests/support/exchange_world.h"
#include "tests/support/scratch.h"

enum { HOSTS = 8, OF_HOST = 5, PAGES = HOSTS * OF_HOST, LINKS = 3, LEASES = 3, COPIES = 3 };
enum { CHAOS = 500, CALM = 30000, CHAIN = 14, SLOWNESS = 24, FILLING = 600 };

/* One process, with its directory. */
typedef struct actor {
  frontier *f; /* NULL: the process is not running */
  uint32_t own;
  char directory[SCRATCH_PATH];
  uint64_t after[WORLD_PARTITIONS], life_of[WORLD_PARTITIONS];
  uint64_t heard, replied;    /* the last wave, and the one that it replied to */
  uint64_t patience;          /* turns until it reads a wave */
  frontier_reply early, held; /* for a lie; and one that is on its way */
  struct in_work {
    uint64_t id;
    unsigned page;
  } work[LEASES];
  size_t working;
  uint64_t highest[WORLD_PARTITIONS]; /* numbers taken, for lies */
  frontier_parcel last_taken[WORLD_PARTITIONS];
} actor;

typedef struct copy {
  char directory[SCRATCH_PATH];
  uint64_t incarnation;
} copy;

typedef struct world {
  uint64_t dice;
  exchange_lie lie;
  const char *root;
  exchange_result *result;
  uint32_t partitions;
  bool is_exact, is_slow /* to read waves */, is_terse /* says only what is news */, is_over, was_over;
  uint64_t now_ms;
  unsigned names; /* of directories */
  actor current[WORLD_PARTITIONS], ghosts[WORLD_PARTITIONS];
  copy copies[WORLD_PARTITIONS][COPIES]; /* the oldest first */
  size_t copy_count[WORLD_PARTITIONS];
  uint64_t lives[WORLD_PARTITIONS];                       /* the highest incarnation, ever */
  uint64_t kept_told[WORLD_PARTITIONS][WORLD_PARTITIONS]; /* for lies */
  uint8_t sent_ever[WORLD_PARTITIONS][PAGES];             /* for lies */
  uint16_t links[PAGES][LINKS];
  bool is_reachable[PAGES];
  carrier carrier;
} world;

static inline uint64_t world_roll(world *w, uint64_t sides)
{
  return random_next(&w->dice) % sides;
}

static inline bool world_is_well(const world *w)
{
  return !w->result->fault[0];
}

static inline bool world_is_of_waves(const world *w)
{
  return w->lie >= LIE_ONE_WAVE;
}

void world_fault(world *w, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the first is kept */

/* exchange_pages.c: the web. */
void world_make_pages(world *w);
unsigned world_page_of(const char *text); /* PAGES: none */
void world_add_page(world *w, actor *a, unsigned page, frontier_origin origin);

/* exchange_disks.c: processes, their directories, and copies of these. */
void world_name_directory(world *w, char directory[SCRATCH_PATH]);
void world_open(world *w, actor *a);
void world_close(actor *a);
void world_kill(world *w, actor *a); /* and start it again */
void world_take_copy(world *w, uint32_t p);
void world_copy_arrives(world *w, uint32_t p);
void world_drop_copies(world *w, uint32_t p, size_t count); /* the oldest ones */
void world_restore(world *w, uint32_t p);

/* exchange_over.c: one turn of one who wants to know whether the crawl is over; if it is, everything is checked. */
void world_wave(world *w, actor *a);

#endif
