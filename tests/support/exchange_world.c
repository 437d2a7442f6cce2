/* See exchange_world.h.
 *
 *     chaos   a step: one partition works, commits, sends, takes, tells, or replies; now and then one is killed,
 *             copied, restored, or the carrier forgets
 *     calm    nothing more goes wrong: now the crawl must be found to be over */
#include "tests/support/exchange_inside.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void world_fault(world *w, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (!w->result->fault[0])
    vsnprintf(w->result->fault, sizeof w->result->fault, format, arguments);
  va_end(arguments);
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static void finish_one(world *w, actor *a)
{
  size_t i = world_roll(w, a->working);
  struct in_work at = a->work[i];
  a->work[i] = a->work[--a->working];
  bool is_early = w->lie == LIE_PAGE_BEFORE_ITS_LINKS;
  if (is_early && (frontier_done(a->f, at.id, FRONTIER_DONE, 200, NULL, 0, w->now_ms) || frontier_sync(a->f)))
    world_fault(w, "done: %s", frontier_message(a->f));
  if (is_early && world_roll(w, 4) == 0) {
    world_kill(w, a);
    return;
  }
  for (unsigned l = 0; l < LINKS; l++)
    world_add_page(w, a, w->links[at.page][l], (frontier_origin){.via = at.id, .depth = 1});
  if (!is_early && frontier_done(a->f, at.id, FRONTIER_DONE, 200, NULL, 0, w->now_ms) != FRONTIER_OK)
    world_fault(w, "done: %s", frontier_message(a->f));
}

static void work(world *w, actor *a)
{
  frontier_lease leases[LEASES];
  size_t count = 0;
  int64_t wait_ms;
  if (a->working && world_roll(w, 2)) {
    finish_one(w, a);
    return;
  }
  frontier_status status = frontier_next(a->f, w->now_ms, leases, LEASES - a->working, &count, &wait_ms);
  if (status != FRONTIER_OK)
    world_fault(w, "next: %d, %s", (int)status, frontier_message(a->f));
  for (size_t i = 0; i < count; i++)
    a->work[a->working++] = (struct in_work){leases[i].id, world_page_of(leases[i].url)};
}

static void send(world *w, actor *a, uint32_t to)
{
  frontier_parcel parcel;
  frontier_lane lane;
  frontier_status status = frontier_lane_read(a->f, to, &lane);
  if (lane.incarnation != a->life_of[to] || world_roll(w, 4) == 0)
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
    world_fault(w, "sending: %d, %s", (int)status, frontier_message(a->f));
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
    world_fault(w, "telling: %s", frontier_message(a->f));
  if (!is_news && (w->is_terse || world_roll(w, 8)))
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
    world_close(a);
  else if (status != FRONTIER_OK)
    world_fault(w, "hearing: %d, %s", (int)status, frontier_message(a->f));
}

/* Where a parcel has its checksum, seeded with its first bytes; what that is of; and two of its numbers. */
enum { SUM_AT = 4, SUMMED_FROM = 8, INCARNATION_AT = 24, BASE_AT = 32 };

static void change_head(const world *w, const struct message *m)
{
  static const uint8_t one[8] = {1};
  frontier_parcel p;
  uint32_t seed;
  if ((w->lie != LIE_DROP_BY_NUMBER && w->lie != LIE_BASE_UNSAID) || !frontier_parcel_read(m->bytes, m->size, &p))
    return;
  memcpy(m->bytes + (w->lie == LIE_DROP_BY_NUMBER ? INCARNATION_AT : BASE_AT), one, sizeof one);
  memcpy(&seed, m->bytes, sizeof seed);
  uint32_t sum = (uint32_t)XXH3_64bits_withSeed(m->bytes + SUMMED_FROM, m->size - SUMMED_FROM, seed);
  memcpy(m->bytes + SUM_AT, &sum, sizeof sum);
  assert(frontier_parcel_read(m->bytes, m->size, &p));
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
    world_fault(w, "taking: %s", frontier_message(a->f));
    return;
  }
  if (taken.lost && a != &w->ghosts[a->own]) /* an old life may lack what the new one has acknowledged */
    world_fault(w, "%llu parcels are lost", (unsigned long long)taken.lost);
  uint32_t from = taken.parcel.from;
  if (taken.parcel.incarnation > a->last_taken[from].incarnation)
    a->highest[from] = 0;
  if (taken.parcel.number > a->highest[from])
    a->highest[from] = taken.parcel.number;
  a->last_taken[from] = taken.parcel;
  w->result->messages++;
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
  uint32_t other = (uint32_t)world_roll(w, w->partitions);
  w->now_ms += world_roll(w, 60);
  if (is_eager(w) && world_roll(w, w->lie == LIE_IDLE_UNCONFIRMED ? 20 : 3)) {
    world_wave(w, a);
    return;
  }
  switch (world_roll(w, 8)) {
  case 0:
  case 1: work(w, a); break;
  case 2:
  case 3:
    for (int i = 0; i < 4 && a->f && world_is_well(w); i++)
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
    for (uint64_t i = world_roll(w, 3); i < 3 && a->f && world_is_well(w) && !w->is_over; i++)
      world_wave(w, a);
    break;
  default:
    if (world_roll(w, 2) && frontier_sync(a->f) != FRONTIER_OK)
      world_fault(w, "sync: %s", frontier_message(a->f));
  }
}

static void disturb(world *w)
{
  uint32_t p = (uint32_t)world_roll(w, w->partitions);
  switch (world_roll(w, 300)) {
  case 0:
  case 1:
  case 2: world_kill(w, &w->current[p]); break;
  case 3:
  case 4:
  case 5:
  case 6: world_take_copy(w, p); break;
  case 7:
  case 8:
  case 9: world_copy_arrives(w, p); break;
  case 10:
  case 11:
  case 12: world_restore(w, p); break;
  case 13:
    carrier_empty(&w->carrier);
    w->result->emptied++;
    break;
  case 14:
  case 15:
  case 16: carrier_save(&w->carrier); break;
  case 17:
  case 18: w->result->turned_back += carrier_turn_back(&w->carrier); break;
  case 19: world_close(&w->ghosts[p]); break;
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
      world_fault(w, "%s is no URL", text);
    else if (frontier_partition_of(a->f, &u) == a->own &&
             frontier_note(a->f, &(frontier_link){.target = &u}, w->now_ms, &verdict) != FRONTIER_OK)
      world_fault(w, "noting: %s", frontier_message(a->f));
  }
}

static void begin(world *w)
{
  w->partitions = 2 + (uint32_t)world_roll(w, WORLD_PARTITIONS - 1);
  w->is_exact = world_roll(w, 4) == 0 || w->lie == LIE_IDLE_UNCONFIRMED;
  w->is_slow = world_roll(w, 4) == 0 || (w->lie >= LIE_VERSIONS_UNASKED && w->lie <= LIE_EARLY_REPLY);
  w->now_ms = 1700000000000;
  w->carrier.dice = &w->dice;
  world_make_pages(w);
  for (uint32_t p = 0; p < w->partitions && world_is_well(w); p++) {
    w->current[p].own = w->ghosts[p].own = p;
    world_name_directory(w, w->current[p].directory);
    world_open(w, &w->current[p]);
    if (w->lie == LIE_IDLE_UNCONFIRMED && world_is_well(w))
      fill_filter(w, &w->current[p]);
  }
  actor *first = &w->current[world_roll(w, w->partitions)];
  if (world_is_well(w))
    world_add_page(w, first, 0, (frontier_origin){0});
  if (world_is_well(w) && frontier_sync(first->f) != FRONTIER_OK)
    world_fault(w, "sync: %s", frontier_message(first->f));
}

static void end(world *w)
{
  for (uint32_t p = 0; p < w->partitions; p++) {
    frontier_stats s = {0};
    if (w->current[p].f && frontier_stats_read(w->current[p].f, &s) == FRONTIER_OK)
      w->result->late += (unsigned)s.late;
    world_close(&w->current[p]);
    world_close(&w->ghosts[p]);
    world_drop_copies(w, p, w->copy_count[p]);
  }
  carrier_free(&w->carrier);
}

void exchange_world_run(uint64_t seed, exchange_lie lie, const char *root, exchange_result *result)
{
  world *w = calloc(1, sizeof *w);
  *result = (exchange_result){0};
  *w = (world){.dice = seed * 2654435761 + 1,
               .lie = lie,
               .root = root,
               .result = result,
               .is_terse = lie == LIE_LIVES_UNHEARD || (lie == TRUTH && seed % 2)};
  begin(w);
  unsigned chaos = world_is_of_waves(w) ? 4 * CHAOS : CHAOS;
  for (unsigned i = 0; i < chaos && world_is_well(w) && !w->is_over; i++) {
    actor *a = world_roll(w, 4) ? &w->current[world_roll(w, w->partitions)] : &w->ghosts[world_roll(w, w->partitions)];
    if (a->f)
      step(w, a);
    if (world_is_well(w) && !is_quiet(w))
      disturb(w);
  }
  for (uint32_t p = 0; p < w->partitions; p++)
    world_close(&w->ghosts[p]);
  w->carrier.is_faithful = true;
  unsigned calm = w->is_slow || is_eager(w) ? 8 * CALM : CALM;
  for (unsigned i = 0; i < calm && world_is_well(w) && !w->is_over; i++)
    step(w, &w->current[world_roll(w, w->partitions)]);
  if (world_is_well(w) && !w->is_over)
    world_fault(w, "never over");
  end(w);
  free(w);
}
