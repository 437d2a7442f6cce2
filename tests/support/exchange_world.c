/* See exchange_world.h.
 *
 *     chaos   a step: one partition works, commits, sends, takes, tells, or replies; now and then one is killed,
 *             copied, restored, or the carrier forgets
 *     calm    nothing more goes wrong: now the crawl must be found to be over
 *
 * A kill: the directory's file is copied as it is, which is what a crash would leave, and opened; the old handle and
 * its directory go. */
#include "tests/support/exchange_world.h"

#include "frontier/admin.h"
#include "frontier/exchange/wave.h"
#include "frontier/exchange/wire.h"
#include "tests/site/random.h"
#include "tests/support/exchange_carrier.h"
#include "tests/support/scratch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HOSTS = 8, OF_HOST = 5, PAGES = HOSTS * OF_HOST, LINKS = 3, LEASES = 3, COPIES = 3 };
enum { CHAOS = 500, CALM = 30000, CHAIN = 14, SLOWNESS = 24, FILLING = 600 };

/* One process, with its directory. */
typedef struct actor {
  frontier *f; /* NULL: there is none */
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
  bool is_exact, is_slow /* to read waves */, is_over, was_over;
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

static uint64_t roll(world *w, uint64_t sides)
{
  return random_next(&w->dice) % sides;
}

__attribute__((format(printf, 2, 3))) static void fault(world *w, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (!w->result->fault[0])
    vsnprintf(w->result->fault, sizeof w->result->fault, format, arguments);
  va_end(arguments);
}

static bool is_well(const world *w)
{
  return !w->result->fault[0];
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

/* Pages that give each other's link, one after the other, are work for one partition at a time: most of the time all
 * others are idle. */
static unsigned next_in_chain(unsigned page)
{
  unsigned at = page % OF_HOST * HOSTS + page / OF_HOST + 1;
  return at >= CHAIN ? page : at % HOSTS * OF_HOST + at / HOSTS;
}

static bool is_of_waves(const world *w)
{
  return w->lie >= LIE_ONE_WAVE;
}

static void make_pages(world *w)
{
  unsigned waiting[PAGES + 1], count = 0;
  bool is_chain = roll(w, 2) || is_of_waves(w);
  for (unsigned page = 0; page < PAGES; page++)
    for (unsigned i = 0; i < LINKS; i++)
      w->links[page][i] = (uint16_t)(is_chain ? next_in_chain(page) : roll(w, PAGES));
  w->is_reachable[waiting[count++] = 0] = true;
  while (count) {
    const uint16_t *links = w->links[waiting[--count]];
    for (unsigned i = 0; i < LINKS; i++)
      if (!w->is_reachable[links[i]])
        w->is_reachable[waiting[count++] = links[i]] = true;
  }
}

static unsigned page_of(const char *text)
{
  unsigned host = 0, page = 0;
  return sscanf(text, "http://h%u.example/%u", &host, &page) == 2 && host < HOSTS && page < OF_HOST
           ? host * OF_HOST + page
           : PAGES;
}

static void add_page(world *w, actor *a, unsigned page, frontier_origin origin)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://h%u.example/%u", page / OF_HOST, page % OF_HOST);
  if (url_parse(text, (size_t)size, URL_STRICT, &u) != URL_OK)
    fault(w, "%s is no URL", text);
  bool is_elsewhere = frontier_partition_of(a->f, &u) != a->own;
  if (w->lie == LIE_SENT_LATELY_BY_OTHERS && is_elsewhere && w->sent_ever[a->own][page])
    return;
  w->sent_ever[a->own][page] = 1;
  frontier_status status = frontier_add(a->f, &u, origin, w->now_ms, &verdict);
  if (status != FRONTIER_OK || (verdict.outcome == FRONTIER_ELSEWHERE) != is_elsewhere)
    fault(w, "adding a page: %d, %s", (int)status, frontier_message(a->f));
}

/* ---- directories ----------------------------------------------------------------------------------------- */

static void name_directory(world *w, char directory[SCRATCH_PATH])
{
  char name[32];
  snprintf(name, sizeof name, "d%u", w->names++);
  scratch_join(w->root, name, directory);
}

static void open_actor(world *w, actor *a)
{
  static const uint8_t key[FRONTIER_ROUTE_KEY_BYTES] = "an exchange key";
  static const uint8_t secret[MLBF_SECRET_BYTES] = "the secret of a test";
  char message[FRONTIER_MESSAGE_SIZE];
  const frontier_options options = {.filter = MLBF_KIND_BLOOM,
                                    .expected_urls = 16,
                                    .rate = w->is_exact ? 0.6 : 1e-9,
                                    .exact = w->is_exact,
                                    .per_host = 2,
                                    .depth_cap = UINT16_MAX,
                                    .secret = secret,
                                    .map_size = FRONTIER_MAP_MIN,
                                    .partitions = w->partitions,
                                    .partition = a->own,
                                    .route_key = key,
                                    .linger_ms = 100,
                                    .keeps_copies = w->lie != LIE_DROPPED_AT_HAVE};
  frontier_life life;
  frontier_status status = frontier_open(a->directory, &options, &a->f, message);
  if (status != FRONTIER_OK) {
    a->f = NULL;
    fault(w, "opening: %d, %.200s", (int)status, message);
    return;
  }
  frontier_life_read(a->f, &life);
  if (life.incarnation > w->lives[a->own])
    w->lives[a->own] = life.incarnation;
}

static void close_actor(actor *a)
{
  if (a->f) {
    frontier_close(a->f);
    scratch_remove(a->directory);
  }
  *a = (actor){.own = a->own};
}

/* As a crash would leave it. */
static void copy_file(const char *from, const char *to)
{
  char path[SCRATCH_PATH];
  size_t size;
  scratch_join(from, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  mkdir(to, 0700);
  scratch_join(to, "data.mdb", path);
  scratch_write(path, bytes, size);
  free(bytes);
}

static void kill_it(world *w, actor *a)
{
  actor next = {.own = a->own};
  name_directory(w, next.directory);
  copy_file(a->directory, next.directory);
  close_actor(a);
  *a = next;
  open_actor(w, a);
  w->result->kills++;
}

/* ---- copies elsewhere ------------------------------------------------------------------------------------ */

static void drop_copies(world *w, uint32_t p, size_t count)
{
  for (size_t i = 0; i < count; i++)
    scratch_remove(w->copies[p][i].directory);
  memmove(w->copies[p], w->copies[p] + count, (w->copy_count[p] - count) * sizeof **w->copies);
  w->copy_count[p] -= count;
}

static void say_kept(world *w, actor *a, const copy *c)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_life life;
  frontier_life_read(a->f, &life);
  frontier_status wanted = c->incarnation == life.incarnation ? FRONTIER_OK : FRONTIER_MISMATCH;
  if (frontier_inbox_kept(a->f, c->directory, message) != wanted)
    fault(w, "kept: %.200s", message);
}

/* It is told of some time later, and then older ones may be removed. */
static void take_copy(world *w, uint32_t p)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_life life;
  actor *a = &w->current[p];
  if (w->copy_count[p] == COPIES)
    return;
  copy *c = &w->copies[p][w->copy_count[p]];
  name_directory(w, c->directory);
  frontier_life_read(a->f, &life);
  c->incarnation = life.incarnation;
  if (frontier_snapshot(a->f, c->directory, NULL, message) != FRONTIER_OK) {
    fault(w, "a snapshot: %.200s", message);
    return;
  }
  if (w->lie == LIE_KEPT_TOO_SOON) {
    say_kept(w, a, c); /* and it never arrives elsewhere */
    if (w->copy_count[p] > 0) {
      scratch_remove(c->directory);
      return;
    }
  }
  w->copy_count[p]++;
}

static void copy_arrives(world *w, uint32_t p)
{
  if (!w->copy_count[p] || w->lie == LIE_KEPT_TOO_SOON)
    return;
  size_t which = roll(w, w->copy_count[p]);
  frontier_life life;
  say_kept(w, &w->current[p], &w->copies[p][which]);
  frontier_life_read(w->current[p].f, &life);
  if (w->copies[p][which].incarnation == life.incarnation)
    drop_copies(w, p, which);
}

/* The disk is lost, or is thought to be lost: then the old process goes on for a while. */
static void restore(world *w, uint32_t p)
{
  char message[FRONTIER_MESSAGE_SIZE];
  actor *a = &w->current[p];
  if (!w->copy_count[p])
    return;
  size_t which = roll(w, w->copy_count[p]);
  close_actor(&w->ghosts[p]);
  if (roll(w, 2)) {
    w->ghosts[p] = *a;
    *a = (actor){.own = p};
  } else {
    close_actor(a);
  }
  name_directory(w, a->directory);
  copy_file(w->copies[p][which].directory, a->directory);
  uint64_t least = w->lie == LIE_LIFE_OF_COPY ? 0 : ++w->now_ms; /* no two lives begin in one millisecond */
  if (w->lie != LIE_NO_NEW_LIFE && frontier_incarnate(a->directory, least, NULL, message) != FRONTIER_OK)
    fault(w, "a new life: %.200s", message);
  open_actor(w, a);
  w->result->restores++;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static void finish_one(world *w, actor *a)
{
  size_t i = roll(w, a->working);
  struct in_work at = a->work[i];
  a->work[i] = a->work[--a->working];
  bool is_early = w->lie == LIE_PAGE_BEFORE_ITS_LINKS;
  if (is_early && (frontier_done(a->f, at.id, FRONTIER_DONE, 200, NULL, 0, w->now_ms) || frontier_sync(a->f)))
    fault(w, "done: %s", frontier_message(a->f));
  if (is_early && roll(w, 4) == 0) {
    kill_it(w, a);
    return;
  }
  for (unsigned l = 0; l < LINKS; l++)
    add_page(w, a, w->links[at.page][l], (frontier_origin){.via = at.id, .depth = 1});
  if (!is_early && frontier_done(a->f, at.id, FRONTIER_DONE, 200, NULL, 0, w->now_ms) != FRONTIER_OK)
    fault(w, "done: %s", frontier_message(a->f));
}

static void work(world *w, actor *a)
{
  frontier_lease leases[LEASES];
  size_t count = 0;
  int64_t wait_ms;
  if (a->working && roll(w, 2)) {
    finish_one(w, a);
    return;
  }
  frontier_status status = frontier_next(a->f, w->now_ms, leases, LEASES - a->working, &count, &wait_ms);
  if (status != FRONTIER_OK)
    fault(w, "next: %d, %s", (int)status, frontier_message(a->f));
  for (size_t i = 0; i < count; i++)
    a->work[a->working++] = (struct in_work){leases[i].id, page_of(leases[i].url)};
}

static void send(world *w, actor *a, uint32_t to)
{
  frontier_parcel parcel;
  frontier_lane lane;
  frontier_status status = frontier_lane_read(a->f, to, &lane);
  if (lane.incarnation != a->life_of[to] || roll(w, 4) == 0)
    a->after[to] = w->lie == LIE_NEVER_AGAIN ? a->after[to] : 0;
  a->life_of[to] = lane.incarnation;
  for (int i = 0; i < 3 && status == FRONTIER_OK; i++) {
    status = frontier_outbox_next(a->f, to, a->after[to], w->now_ms, &parcel, NULL);
    if (status != FRONTIER_OK)
      continue;
    w->result->again += parcel.number <= a->after[to];
    a->after[to] = parcel.number;
    carrier_post(&w->carrier, to, parcel.bytes, parcel.size);
  }
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    fault(w, "sending: %d, %s", (int)status, frontier_message(a->f));
}

static void post_ack(world *w, const frontier_ack *ack)
{
  uint8_t bytes[FRONTIER_ACK_SIZE];
  frontier_ack_write(ack, bytes);
  carrier_post(&w->carrier, ack->to, bytes, sizeof bytes);
}

static void tell(world *w, actor *a, uint32_t to)
{
  frontier_ack ack;
  bool is_news;
  if (frontier_inbox_tell(a->f, to, &ack, &is_news) != FRONTIER_OK)
    fault(w, "telling: %s", frontier_message(a->f));
  if (!is_news && roll(w, 8))
    return;
  uint64_t *told = &w->kept_told[a->own][to];
  if (ack.kept > *told)
    *told = ack.kept;
  const frontier_parcel *last = &a->last_taken[to];
  bool has_taken = last->number && last->incarnation >= ack.sender_incarnation;
  if (w->lie == LIE_KEPT_OF_OTHER_LIFE)
    ack.kept = *told;
  if ((w->lie == LIE_ACK_BEFORE_COMMIT || w->lie == LIE_ACK_OVER_GAPS) && has_taken)
    ack.sender_incarnation = last->incarnation;
  if (w->lie == LIE_ACK_BEFORE_COMMIT && has_taken && last->number == ack.have + 1)
    ack.have = last->number;
  if (w->lie == LIE_ACK_OVER_GAPS && has_taken)
    ack.have = a->highest[to] > ack.have ? a->highest[to] : ack.have;
  if (w->lie == LIE_TELL_SOME_ONLY && !ack.have)
    return;
  post_ack(w, &ack);
}

static void hear(world *w, actor *a, frontier_ack *ack)
{
  frontier_life life;
  frontier_life_read(a->f, &life);
  if (w->lie == LIE_ACKS_OF_DEAD)
    ack->incarnation = w->lives[ack->from];
  if ((w->lie == LIE_ACKS_FOR_DEAD || w->lie == LIE_DROP_BY_NUMBER) && ack->sender_incarnation)
    ack->sender_incarnation = life.incarnation;
  frontier_status status = frontier_outbox_heard(a->f, ack);
  bool is_ghost = a == &w->ghosts[a->own];
  if (status == FRONTIER_MISMATCH && is_ghost)
    close_actor(a);
  else if (status != FRONTIER_OK)
    fault(w, "hearing: %d, %s", (int)status, frontier_message(a->f));
}

static void change_head(const world *w, const struct message *m)
{
  frontier_parcel p;
  if ((w->lie != LIE_DROP_BY_NUMBER && w->lie != LIE_BASE_UNSAID) || !frontier_parcel_read(m->bytes, m->size, &p))
    return;
  if (w->lie == LIE_DROP_BY_NUMBER)
    p.incarnation = 1;
  else
    p.base = 1;
  parcel_head_write(&p, m->bytes, m->size - PARCEL_HEAD);
}

static void take(world *w, actor *a)
{
  const struct message *m = carrier_get(&w->carrier, a->own);
  frontier_ack ack;
  frontier_taken taken;
  if (!m)
    return;
  if (frontier_ack_read(m->bytes, m->size, &ack)) {
    hear(w, a, &ack);
    return;
  }
  change_head(w, m);
  if (frontier_inbox_take(a->f, m->bytes, m->size, NULL, w->now_ms, &taken) != FRONTIER_OK) {
    fault(w, "taking: %s", frontier_message(a->f));
    return;
  }
  if (taken.lost && a != &w->ghosts[a->own]) /* an old life may lack what the new one has acknowledged */
    fault(w, "%llu parcels are lost", (unsigned long long)taken.lost);
  uint32_t from = taken.parcel.from;
  if (taken.parcel.incarnation > a->last_taken[from].incarnation)
    a->highest[from] = 0;
  if (taken.parcel.number > a->highest[from])
    a->highest[from] = taken.parcel.number;
  a->last_taken[from] = taken.parcel;
  w->result->messages++;
}

/* ---- is it over? ----------------------------------------------------------------------------------------- */

static bool note_done(void *context, const frontier_record *r)
{
  bool *is_done = context;
  unsigned page = page_of(r->url);
  if (page < PAGES && !r->is_queued && r->state == FRONTIER_DONE)
    is_done[page] = true;
  return true;
}

static void check_done(world *w)
{
  bool is_done[PAGES] = {false};
  unsigned lost = 0, others = 0;
  for (uint32_t p = 0; p < w->partitions; p++)
    if (frontier_each(w->current[p].f, note_done, is_done) != FRONTIER_OK)
      fault(w, "reading: %s", frontier_message(w->current[p].f));
  for (unsigned page = 0; page < PAGES; page++) {
    lost += w->is_reachable[page] && !is_done[page];
    others += !w->is_reachable[page] && is_done[page];
  }
  if (lost || others)
    fault(w, "over, and %u pages are lost, %u not to be there", lost, others);
}

/* It was over, and then a disk was lost: the crawl goes on where the copy was. The carrier may bring "over" back. */
static void lose_after_all(world *w)
{
  carrier_save(&w->carrier);
  restore(w, (uint32_t)roll(w, w->partitions));
  memset(w->carrier.now.replies, 0, sizeof w->carrier.now.replies);
  w->carrier.now.has_over = w->carrier.now.has_wave = false;
  if (roll(w, 2))
    carrier_turn_back(&w->carrier);
}

/* For those who believe in the lives that there are. Others have not heard of a restored one yet. */
static void conclude(world *w)
{
  uint64_t actual = 0;
  frontier_life life;
  for (uint32_t p = 0; p < w->partitions; p++) {
    frontier_life_read(w->current[p].f, &life);
    actual = beliefs_add(actual, life.incarnation);
  }
  if (w->carrier.now.over != actual && w->lie != LIE_OVER_FOR_ALL)
    return;
  for (uint32_t p = 0; p < w->partitions && is_well(w); p++)
    kill_it(w, &w->current[p]); /* what is not on disk is not done */
  check_done(w);
  w->is_over = w->was_over || !roll(w, 2);
  w->was_over = true;
  if (!w->is_over)
    lose_after_all(w);
}

/* All of frontier_idle but what the lie leaves out. */
static bool lies_idle(const world *w, actor *a)
{
  frontier_stats s;
  if (w->lie < LIE_IDLE_AT_WORK || w->lie > LIE_IDLE_UNCONFIRMED || frontier_stats_read(a->f, &s) != FRONTIER_OK)
    return false;
  bool is_acked = true;
  for (uint32_t q = 0; q < w->partitions; q++) {
    frontier_lane lane;
    if (q != a->own && frontier_lane_read(a->f, q, &lane) == FRONTIER_OK)
      is_acked &= lane.have == lane.next - 1;
  }
  if (w->lie == LIE_IDLE_UNCONFIRMED && frontier_sync(a->f) != FRONTIER_OK) /* so that nothing else is missing */
    return false;
  bool is_committed = frontier_committed(a->f) >= frontier_commit_number(a->f);
  return !s.queued && (w->lie == LIE_IDLE_AT_WORK || !s.in_flight) &&
         (w->lie == LIE_IDLE_UNCONFIRMED || !s.unconfirmed) && (w->lie == LIE_IDLE_UNSENT || is_acked) &&
         (w->lie == LIE_IDLE_UNCOMMITTED || is_committed);
}

static frontier_reply make_reply(world *w, actor *a, const frontier_wave *wave)
{
  frontier_reply reply;
  if (frontier_wave_reply(a->f, wave, &reply) != FRONTIER_OK)
    fault(w, "a reply: %s", frontier_message(a->f));
  reply.is_idle |= lies_idle(w, a);
  if (w->lie == LIE_BELIEFS_UNASKED)
    reply.beliefs = 0;
  if (w->lie == LIE_VERSIONS_UNASKED)
    reply.version = 0;
  return reply;
}

/* A lie that does not ask for beliefs makes them agree. */
static void agree(const world *w, frontier_reply replies[WORLD_PARTITIONS])
{
  uint64_t beliefs = 0;
  if (w->lie != LIE_BELIEFS_UNASKED)
    return;
  for (uint32_t p = 0; p < w->partitions; p++)
    beliefs = beliefs_add(beliefs, replies[p].incarnation);
  for (uint32_t p = 0; p < w->partitions; p++)
    replies[p].beliefs = beliefs;
}

static void draw(world *w)
{
  carried *now = &w->carrier.now;
  frontier_reply replies[WORLD_PARTITIONS];
  frontier_wave next;
  memcpy(replies, now->replies, sizeof replies);
  agree(w, replies);
  uint64_t number = random_next(&w->dice) | 1;
  frontier_wave_next(now->has_wave ? &now->wave : NULL, replies, w->partitions, number, &next);
  now->wave = next;
  now->has_wave = true;
}

static bool all_replied(const world *w)
{
  const carried *now = &w->carrier.now;
  for (uint32_t p = 0; p < w->partitions; p++)
    if (now->replies[p].wave != now->wave.number)
      return false;
  return true;
}

static bool is_over(const world *w)
{
  const carried *now = &w->carrier.now;
  frontier_reply replies[WORLD_PARTITIONS];
  frontier_wave one;
  memcpy(replies, now->replies, sizeof replies);
  agree(w, replies);
  if (w->lie != LIE_ONE_WAVE)
    return frontier_wave_is_over(&now->wave, replies, w->partitions);
  frontier_wave_next(&now->wave, replies, w->partitions, 1, &one);
  return one.digest != 0;
}

/* After some turns, if it is slow. */
static bool has_read(world *w, actor *a)
{
  const carried *now = &w->carrier.now;
  if (a->heard != now->wave.number) {
    a->heard = now->wave.number;
    a->patience = w->is_slow ? roll(w, SLOWNESS) : 0;
  }
  if (a->patience == 0)
    return true;
  a->patience--;
  return false;
}

/* It is on its way for a while. */
static void reply(world *w, actor *a)
{
  carried *now = &w->carrier.now;
  if (a->held.wave && roll(w, 2)) {
    carrier_post_reply(&w->carrier, &a->held);
    a->held.wave = 0;
  }
  if (!w->carrier.is_faithful && roll(w, 8) == 0)
    carrier_repeat_reply(&w->carrier, a->own);
  if (!has_read(w, a) || a->replied == now->wave.number || a->held.wave)
    return;
  if (w->lie != LIE_EARLY_REPLY || !a->early.boot || roll(w, 2))
    a->early = make_reply(w, a, &now->wave);
  a->held = a->early;
  a->held.wave = a->replied = now->wave.number;
}

static void publish_over(world *w, actor *a)
{
  carried *now = &w->carrier.now;
  if (!now->has_wave || !is_over(w))
    return;
  now->over = w->lie == LIE_BELIEFS_UNASKED ? frontier_beliefs(a->f) : now->replies[0].beliefs;
  now->has_over = true;
}

static void wave(world *w, actor *a)
{
  const carried *now = &w->carrier.now;
  publish_over(w, a);
  if (!now->has_wave || all_replied(w) || roll(w, w->is_slow ? 50 * SLOWNESS : 50) == 0)
    draw(w);
  reply(w, a);
  publish_over(w, a);
  if (now->has_over && (w->lie == LIE_OVER_FOR_ALL || now->over == frontier_beliefs(a->f)))
    conclude(w);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* These show while nothing else goes wrong. */
static bool is_quiet(const world *w)
{
  return w->lie == LIE_VERSIONS_UNASKED || w->lie == LIE_EARLY_REPLY || w->lie == LIE_IDLE_UNCONFIRMED;
}

/* These show if there are many waves. */
static bool is_eager(const world *w)
{
  return w->lie >= LIE_IDLE_AT_WORK && w->lie <= LIE_IDLE_UNCONFIRMED && w->lie != LIE_IDLE_UNSENT;
}

static void step(world *w, actor *a)
{
  uint32_t other = (uint32_t)roll(w, w->partitions);
  w->now_ms += roll(w, 60);
  if (is_eager(w) && roll(w, w->lie == LIE_IDLE_UNCONFIRMED ? 20 : 3)) {
    wave(w, a);
    return;
  }
  switch (roll(w, 8)) {
  case 0:
  case 1: work(w, a); break;
  case 2:
  case 3:
    for (int i = 0; i < 4 && a->f && is_well(w); i++)
      take(w, a);
    break;
  case 4:
    if (other != a->own)
      send(w, a, other);
    break;
  case 5:
    if (other != a->own)
      tell(w, a, other);
    break;
  case 6:
    for (uint64_t i = roll(w, 3); i < 3 && a->f && is_well(w) && !w->is_over; i++)
      wave(w, a);
    break;
  default:
    if (roll(w, 2) && frontier_sync(a->f) != FRONTIER_OK)
      fault(w, "sync: %s", frontier_message(a->f));
  }
}

static void disturb(world *w)
{
  uint32_t p = (uint32_t)roll(w, w->partitions);
  switch (roll(w, 300)) {
  case 0:
  case 1:
  case 2: kill_it(w, &w->current[p]); break;
  case 3:
  case 4:
  case 5:
  case 6: take_copy(w, p); break;
  case 7:
  case 8:
  case 9: copy_arrives(w, p); break;
  case 10:
  case 11:
  case 12: restore(w, p); break;
  case 13:
    carrier_empty(&w->carrier);
    w->result->emptied++;
    break;
  case 14:
  case 15:
  case 16: carrier_save(&w->carrier); break;
  case 17:
  case 18: w->result->turned_back += carrier_turn_back(&w->carrier); break;
  case 19: close_actor(&w->ghosts[p]); break;
  default: break;
  }
}

/* Keys that are no pages: then a filter, which has 512 bits at least, takes many a page for seen, and each such link is
 * to be confirmed. */
static void fill_filter(world *w, actor *a)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  for (unsigned i = 0; i < FILLING; i++) {
    int size = snprintf(text, sizeof text, "http://h%u.example/%u", i % HOSTS, OF_HOST + i);
    if (url_parse(text, (size_t)size, URL_STRICT, &u) != URL_OK)
      fault(w, "%s is no URL", text);
    else if (frontier_partition_of(a->f, &u) == a->own &&
             frontier_note(a->f, &(frontier_link){.target = &u}, w->now_ms, &verdict) != FRONTIER_OK)
      fault(w, "noting: %s", frontier_message(a->f));
  }
}

static void begin(world *w)
{
  w->partitions = 2 + (uint32_t)roll(w, WORLD_PARTITIONS - 1);
  w->is_exact = roll(w, 4) == 0 || w->lie == LIE_IDLE_UNCONFIRMED;
  w->is_slow = roll(w, 4) == 0 || (w->lie >= LIE_VERSIONS_UNASKED && w->lie <= LIE_EARLY_REPLY);
  w->now_ms = 1700000000000;
  w->carrier.dice = &w->dice;
  make_pages(w);
  for (uint32_t p = 0; p < w->partitions && is_well(w); p++) {
    w->current[p].own = w->ghosts[p].own = p;
    name_directory(w, w->current[p].directory);
    open_actor(w, &w->current[p]);
    if (w->lie == LIE_IDLE_UNCONFIRMED && is_well(w))
      fill_filter(w, &w->current[p]);
  }
  actor *first = &w->current[roll(w, w->partitions)];
  if (is_well(w))
    add_page(w, first, 0, (frontier_origin){0});
  if (is_well(w) && frontier_sync(first->f) != FRONTIER_OK)
    fault(w, "sync: %s", frontier_message(first->f));
}

static void end(world *w)
{
  for (uint32_t p = 0; p < w->partitions; p++) {
    frontier_stats s = {0};
    if (w->current[p].f && frontier_stats_read(w->current[p].f, &s) == FRONTIER_OK)
      w->result->late += (unsigned)s.late;
    close_actor(&w->current[p]);
    close_actor(&w->ghosts[p]);
    drop_copies(w, p, w->copy_count[p]);
  }
  carrier_free(&w->carrier);
}

void exchange_world_run(uint64_t seed, exchange_lie lie, const char *root, exchange_result *result)
{
  world *w = calloc(1, sizeof *w);
  *result = (exchange_result){0};
  *w = (world){.dice = seed * 2654435761 + 1, .lie = lie, .root = root, .result = result};
  begin(w);
  unsigned chaos = is_of_waves(w) ? 4 * CHAOS : CHAOS;
  for (unsigned i = 0; i < chaos && is_well(w) && !w->is_over; i++) {
    actor *a = roll(w, 4) ? &w->current[roll(w, w->partitions)] : &w->ghosts[roll(w, w->partitions)];
    if (a->f)
      step(w, a);
    if (is_well(w) && !is_quiet(w))
      disturb(w);
  }
  for (uint32_t p = 0; p < w->partitions; p++)
    close_actor(&w->ghosts[p]);
  w->carrier.is_faithful = true;
  unsigned calm = w->is_slow || is_eager(w) ? 8 * CALM : CALM;
  for (unsigned i = 0; i < calm && is_well(w) && !w->is_over; i++)
    step(w, &w->current[roll(w, w->partitions)]);
  if (is_well(w) && !w->is_over)
    fault(w, "never over");
  end(w);
  free(w);
}
