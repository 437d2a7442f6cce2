/* Waves and replies of an exchange's world, and what must be true when it is over. */
#include "tests/support/exchange_inside.h"

#include <string.h>
#include <xxhash.h>

/* frontier_beliefs of incarnations, one after the other in order of partition: all machines of a crawl make this number
 * of them, whatever version each has. */
static uint64_t beliefs_add(uint64_t before, uint64_t incarnation)
{
  uint8_t bytes[8];
  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(incarnation >> 8 * i);
  return XXH3_64bits_withSeed(bytes, sizeof bytes, before);
}

static bool note_done(void *context, const frontier_record *r)
{
  bool *is_done = context;
  unsigned page = world_page_of(r->url);
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
      world_fault(w, "reading: %s", frontier_message(w->current[p].f));
  for (unsigned page = 0; page < PAGES; page++) {
    lost += w->is_reachable[page] && !is_done[page];
    others += !w->is_reachable[page] && is_done[page];
  }
  if (lost || others)
    world_fault(w, "over, and %u pages are lost, %u not to be there", lost, others);
}

/* It was over, and then a disk was lost: the crawl goes on where the copy was. The carrier may bring "over" back. */
static void lose_after_all(world *w)
{
  carrier_save(&w->carrier);
  world_restore(w, (uint32_t)world_roll(w, w->partitions));
  memset(w->carrier.now.replies, 0, sizeof w->carrier.now.replies);
  w->carrier.now.has_over = w->carrier.now.has_wave = false;
  if (world_roll(w, 2))
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
  for (uint32_t p = 0; p < w->partitions && world_is_well(w); p++)
    world_kill(w, &w->current[p]); /* what is not on disk is not done */
  check_done(w);
  w->is_over = w->was_over || !world_roll(w, 2);
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
    world_fault(w, "a reply: %s", frontier_message(a->f));
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
    a->patience = w->is_slow ? world_roll(w, SLOWNESS) : 0;
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
  if (a->held.wave && world_roll(w, 2)) {
    carrier_post_reply(&w->carrier, &a->held);
    a->held.wave = 0;
  }
  if (!w->carrier.is_faithful && world_roll(w, 8) == 0)
    carrier_repeat_reply(&w->carrier, a->own);
  if (!has_read(w, a) || a->replied == now->wave.number || a->held.wave)
    return;
  if (w->lie != LIE_EARLY_REPLY || !a->early.boot || world_roll(w, 2))
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

/* A partition takes the incarnations of others from their replies, too: the acknowledgment that told of a new one may
 * be lost, and is not sent again to a partition that sends no parcels. Either way is enough in the end, so
 * LIE_TELL_SOME_ONLY closes both. */
static void learn_lives(world *w, actor *a)
{
  frontier_life life;
  if (w->lie == LIE_LIVES_UNHEARD || w->lie == LIE_TELL_SOME_ONLY)
    return;
  frontier_life_read(a->f, &life);
  for (uint32_t p = 0; p < w->partitions; p++) {
    const frontier_reply *r = &w->carrier.now.replies[p];
    const frontier_ack ack = {.crawl = life.crawl, .from = p, .to = a->own, .incarnation = r->incarnation};
    if (r->wave && p != a->own && frontier_outbox_heard(a->f, &ack) != FRONTIER_OK)
      world_fault(w, "a life: %s", frontier_message(a->f));
  }
}

void world_wave(world *w, actor *a)
{
  const carried *now = &w->carrier.now;
  learn_lives(w, a);
  publish_over(w, a);
  if (!now->has_wave || all_replied(w) || world_roll(w, w->is_slow ? 50 * SLOWNESS : 50) == 0)
    draw(w);
  reply(w, a);
  publish_over(w, a);
  if (now->has_over && (w->lie == LIE_OVER_FOR_ALL || now->over == frontier_beliefs(a->f)))
    conclude(w);
}
