/* See ending_waves.h. A partition that does not know that the crawl is over waits for ever; so who knows stays until
 * all do, for half a minute at most, and says it again: an emptied server forgets it.
 *
 * All must believe in the lives that replied. A directory that begins a new life says so with its first messages, which
 * may be lost, and are not sent again to who has sent nothing to it; so the reply itself counts as such a message. */
#include "crawler/cluster/ending_waves.h"

#include "frontier/base/machine.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LOOK_MS = 100,
  DRAW_AGAIN_MS = 1000,
  TELL_MS = 30000,
  NUMBER_SIZE = 24,
  /* All P replies are read by those of the first partitions, who draw waves, whenever they look, and by each other one
   * every 16 * P ms: they are P * 75 bytes, so that P partitions read some 5 kB a second each, whatever P is. */
  DRAWERS = 4,
  READ_ALL_MS = 16,
};

struct ending_waves {
  frontier *frontier;
  broker *broker;
  carrier *carrier; /* is told of the lives that replies are of */
  frontier_life life;
  frontier_wave wave;                      /* the last one heard of; 0: none */
  frontier_reply *replies;                 /* to it */
  uint64_t wave_ms;                        /* when it was heard of first */
  uint64_t look_at_ms, read_at_ms, now_ms; /* the wave, and all replies */
  uint64_t asked;                          /* answers that are to come; of the last look */
  bool is_done;
  uint64_t over_ms; /* since when it is known; 0: not */
  uint64_t beliefs; /* for which it is over: of those who replied, not what is believed now */
  uint32_t told;    /* partitions that know */
};

ending_waves *ending_waves_create(frontier *f, broker *b, carrier *c)
{
  ending_waves *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->frontier = f;
  w->broker = b;
  w->carrier = c;
  frontier_life_read(f, &w->life);
  w->replies = calloc(w->life.partitions, sizeof *w->replies);
  if (w->replies)
    return w;
  free(w);
  return NULL;
}

void ending_waves_free(ending_waves *w)
{
  if (w)
    free(w->replies);
  free(w);
}

bool ending_waves_is_over(const ending_waves *w)
{
  return w->over_ms && (w->told == w->life.partitions || w->now_ms - w->over_ms > TELL_MS);
}

static void put(const ending_waves *w, broker_command command, const char *key, const char *field, const void *bytes,
                size_t size)
{
  broker_key k = broker_key_of(w->broker, key);
  broker_word words[3] = {broker_text(k.text)};
  size_t count = 1;
  if (field)
    words[count++] = broker_text(field);
  words[count++] = (broker_word){bytes, size};
  broker_send(w->broker, command, words, count, NULL, NULL);
}

/* ---- it is over ----------------------------------------------------------------------------------------- */

static void tell_over(const ending_waves *w)
{
  char beliefs[NUMBER_SIZE], field[NUMBER_SIZE];
  snprintf(beliefs, sizeof beliefs, "%016" PRIx64, w->beliefs);
  snprintf(field, sizeof field, "%" PRIu32, w->life.partition);
  put(w, BROKER_SET, "over", NULL, beliefs, strlen(beliefs));
  put(w, BROKER_HSET, "done", field, beliefs, strlen(beliefs));
}

static void know_over(ending_waves *w, uint64_t beliefs)
{
  w->over_ms = w->now_ms ? w->now_ms : 1;
  w->beliefs = beliefs;
  tell_over(w);
}

static void over_came(void *context, const redisReply *reply)
{
  ending_waves *w = context;
  char beliefs[NUMBER_SIZE];
  uint64_t ours = frontier_beliefs(w->frontier);
  snprintf(beliefs, sizeof beliefs, "%016" PRIx64, ours);
  bool is_idle = w->is_done || frontier_idle(w->frontier, NULL);
  if (reply && reply->type == REDIS_REPLY_STRING && strcmp(reply->str, beliefs) == 0 && is_idle && !w->over_ms)
    know_over(w, ours);
}

static void done_came(void *context, const redisReply *reply)
{
  ending_waves *w = context;
  char beliefs[NUMBER_SIZE];
  uint32_t told = 0;
  snprintf(beliefs, sizeof beliefs, "%016" PRIx64, w->beliefs);
  for (size_t i = 1; reply && reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i += 2)
    told += reply->element[i]->type == REDIS_REPLY_STRING && strcmp(reply->element[i]->str, beliefs) == 0;
  w->told = told;
}

/* ---- waves ---------------------------------------------------------------------------------------------- */

static bool have_all_replied(const ending_waves *w)
{
  for (uint32_t p = 0; p < w->life.partitions; p++)
    if (w->replies[p].wave != w->wave.number)
      return false;
  return true;
}

/* Not all at once: who has a higher number waits a little longer. */
static void draw(ending_waves *w)
{
  uint64_t later_ms = (w->life.partition < 20 ? w->life.partition : 20) * LOOK_MS;
  bool is_answered = w->wave.number && have_all_replied(w);
  uint64_t age_ms = w->now_ms - w->wave_ms, patience_ms = (is_answered ? 0 : DRAW_AGAIN_MS) + later_ms;
  frontier_wave next;
  uint8_t bytes[FRONTIER_WAVE_SIZE];
  uint64_t random = 0;
  if ((w->wave_ms && age_ms < patience_ms) || !machine_random(&random, sizeof random) || !random)
    return;
  frontier_wave_next(w->wave.number ? &w->wave : NULL, w->replies, w->life.partitions, random, &next);
  frontier_wave_write(&next, bytes);
  put(w, BROKER_SET, "wave", NULL, bytes, sizeof bytes);
  w->wave_ms = w->now_ms; /* if it is lost, another is drawn */
}

static void replies_came(void *context, const redisReply *reply)
{
  ending_waves *w = context;
  frontier_reply said;
  if (!reply || reply->type != REDIS_REPLY_ARRAY || w->over_ms)
    return;
  memset(w->replies, 0, w->life.partitions * sizeof *w->replies);
  for (size_t i = 1; i < reply->elements; i += 2)
    if (reply->element[i]->type == REDIS_REPLY_STRING &&
        frontier_reply_read(reply->element[i]->str, reply->element[i]->len, &said) &&
        said.partition < w->life.partitions && said.wave == w->wave.number) {
      w->replies[said.partition] = said;
      carrier_learn(w->carrier, said.partition, said.incarnation);
    }
  uint64_t beliefs = w->replies[w->life.partition].beliefs;
  if (w->wave.number && frontier_wave_is_over(&w->wave, w->replies, w->life.partitions) &&
      beliefs == frontier_beliefs(w->frontier))
    know_over(w, beliefs);
  else
    draw(w);
}

/* At a cap it fetches nothing more, and what waits does not count; what it owes others does. */
static void reply_to(ending_waves *w)
{
  frontier_reply reply;
  frontier_exchange_stats stats;
  uint8_t bytes[FRONTIER_REPLY_SIZE];
  char field[NUMBER_SIZE];
  if (frontier_wave_reply(w->frontier, &w->wave, &reply) != FRONTIER_OK)
    return;
  if (w->is_done && frontier_exchange_stats_read(w->frontier, &stats) == FRONTIER_OK && !stats.waiting)
    reply.is_idle = true;
  snprintf(field, sizeof field, "%" PRIu32, w->life.partition);
  frontier_reply_write(&reply, bytes);
  put(w, BROKER_HSET, "replies", field, bytes, sizeof bytes);
}

static void wave_came(void *context, const redisReply *reply)
{
  ending_waves *w = context;
  frontier_wave wave = {0};
  broker_key key = broker_key_of(w->broker, "replies");
  broker_word word = broker_text(key.text);
  if (!reply || w->over_ms)
    return;
  if (reply->type == REDIS_REPLY_STRING && !frontier_wave_read(reply->str, reply->len, &wave))
    return;
  if (wave.number && wave.number != w->wave.number) {
    w->wave = wave;
    w->wave_ms = w->now_ms;
    reply_to(w);
  } else if (!wave.number) {
    w->wave = wave; /* forgotten */
  }
  if (w->life.partition >= DRAWERS && w->now_ms < w->read_at_ms)
    return;
  w->read_at_ms = w->now_ms + (uint64_t)READ_ALL_MS * w->life.partitions;
  broker_send(w->broker, BROKER_HGETALL, &word, 1, replies_came, w);
}

void ending_waves_turn(ending_waves *w, bool is_done, uint64_t now_ms)
{
  w->now_ms = now_ms;
  w->is_done = is_done;
  if (now_ms < w->look_at_ms || !broker_is_up(w->broker))
    return;
  w->look_at_ms = now_ms + (w->over_ms || is_done || frontier_idle(w->frontier, NULL) ? LOOK_MS : DRAW_AGAIN_MS);
  broker_key wave = broker_key_of(w->broker, "wave"), over = broker_key_of(w->broker, "over"),
             done = broker_key_of(w->broker, "done");
  broker_word of_wave = broker_text(wave.text), of_over = broker_text(over.text), of_done = broker_text(done.text);
  if (w->over_ms) {
    tell_over(w);
    broker_send(w->broker, BROKER_HGETALL, &of_done, 1, done_came, w);
  } else {
    broker_send(w->broker, BROKER_GET, &of_over, 1, over_came, w);
    broker_send(w->broker, BROKER_GET, &of_wave, 1, wave_came, w);
  }
}
