/* See cluster.h. */
#include "crawler/cluster/cluster.h"

#include "crawler/base/json.h"
#include "crawler/base/message.h"
#include "crawler/cluster/carrier.h"
#include "crawler/cluster/ending_waves.h"
#include "crawler/cluster/last_copy.h"
#include "crawler/cluster/ownership.h"
#include "crawler/cluster/partition_stat.h"
#include "frontier/base/machine.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_MS = 1000, TURN_MS = 5, LEAVE_MS = 1000, NUMBER_SIZE = 24 };

struct cluster {
  frontier *frontier;
  broker *broker;
  carrier *carrier;
  ending_waves *waves;
  ownership ownership;
  frontier_life life;
  char *definition, *scope;
  uint64_t turn_at_ms, look_at_ms, now_ms;
  uint64_t pages, pages_ms; /* for the rate */
  double rate;
  bool keeps_copies, is_stopped, is_settled;
  uint64_t copied_ms, looked_at_ms; /* the last copy elsewhere; the last one that was looked at */
  char message[BROKER_MESSAGE];
};

/* Of a directory: when it was made, and that it was this worker's last. */
static bool remember(const cluster *c, const char *name, const char *value)
{
  return frontier_setting_put(c->frontier, name, value, strlen(value)) == FRONTIER_OK;
}

static bool recall(const cluster *c, const char *name, char *value, size_t room)
{
  const void *text;
  size_t size;
  if (frontier_setting_get(c->frontier, name, &text, &size) != FRONTIER_OK || size >= room)
    return false;
  memcpy(value, text, size);
  value[size] = '\0';
  return true;
}

static bool begin_ownership(cluster *c, const cluster_options *options)
{
  char text[OWNERSHIP_WORKER_SIZE];
  ownership *o = &c->ownership;
  *o = (ownership){.broker = c->broker, .partition = c->life.partition, .incarnation = c->life.incarnation};
  if (!ownership_worker(options->directory, o->worker))
    return false;
  snprintf(o->directory, sizeof o->directory, "%s", options->directory);
  if (recall(c, "cluster-since", text, sizeof text)) {
    o->since_ms = strtoull(text, NULL, 10);
    o->had_it = recall(c, "cluster-worker", text, sizeof text) && strcmp(text, o->worker) == 0;
    return true;
  }
  o->since_ms = machine_wall_ms();
  o->had_it = options->is_new;
  snprintf(text, sizeof text, "%" PRIu64, o->since_ms);
  return remember(c, "cluster-since", text);
}

cluster *cluster_create(frontier *f, const cluster_options *options)
{
  cluster *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->frontier = f;
  c->keeps_copies = options->keeps_copies;
  frontier_life_read(f, &c->life);
  c->broker = broker_create(options->name, options->password);
  c->definition = strdup(options->definition);
  c->scope = options->scope ? strdup(options->scope) : NULL;
  c->carrier = c->broker ? carrier_create(f, c->broker) : NULL;
  c->waves = c->carrier ? ending_waves_create(f, c->broker, c->carrier) : NULL;
  if (c->carrier && c->waves && c->definition && (c->scope || !options->scope) && begin_ownership(c, options))
    return c;
  cluster_free(c);
  return NULL;
}

void cluster_free(cluster *c)
{
  if (!c)
    return;
  carrier_free(c->carrier);
  ending_waves_free(c->waves);
  broker_free(c->broker);
  free(c->definition);
  free(c->scope);
  free(c);
}

const char *cluster_message(const cluster *c)
{
  return c->message;
}

/* ---- the partition -------------------------------------------------------------------------------------- */

static void say_held(cluster *c)
{
  const char *space = strchr(c->ownership.holder, ' ');
  int size = space ? (int)(space - c->ownership.holder) : 0;
  snprintf(c->message, sizeof c->message, "partition %" PRIu32 " is crawled by another process, %.*s",
           c->life.partition, size, c->ownership.holder);
}

/* false: not yet. */
static bool is_decided(cluster *c)
{
  if (*broker_fault(c->broker))
    snprintf(c->message, sizeof c->message, "%s", broker_fault(c->broker));
  else if (c->ownership.state == OWNERSHIP_OTHERS)
    say_held(c);
  else if (c->ownership.state == OWNERSHIP_SUPERSEDED)
    snprintf(c->message, sizeof c->message, "a later life of this directory is crawled by %s", c->ownership.holder);
  else
    return c->ownership.state == OWNERSHIP_OURS;
  return true;
}

bool cluster_claim(cluster *c, void (*say)(const char *sentence), char message[BROKER_MESSAGE])
{
  bool has_said = false;
  while (!is_decided(c)) {
    uint64_t now_ms = machine_monotonic_ms();
    broker_turn(c->broker, now_ms);
    ownership_turn(&c->ownership, now_ms);
    if (!has_said && (c->ownership.state == OWNERSHIP_WAITS || *broker_trouble(c->broker))) {
      say(*broker_trouble(c->broker) ? broker_trouble(c->broker)
                                     : "Redis was empty: for 15 seconds those who had partitions come first");
      has_said = true;
    }
    broker_wait(c->broker, 10);
  }
  snprintf(message, BROKER_MESSAGE, "%s", c->message);
  return c->ownership.state == OWNERSHIP_OURS && !*c->message && remember(c, "cluster-worker", c->ownership.worker);
}

/* ---- once a second -------------------------------------------------------------------------------------- */

static void stop_came(void *context, const redisReply *reply)
{
  cluster *c = context;
  if (reply && reply->type == REDIS_REPLY_STRING)
    c->is_stopped = true;
}

/* The server was emptied, if it lacks these. */
static void put_back(const cluster *c, const char *name, const char *text)
{
  broker_key key = broker_key_of(c->broker, name);
  broker_word words[] = {broker_text(key.text), broker_text(text), broker_text("NX")};
  broker_send(c->broker, BROKER_SET, words, 3, NULL, NULL);
}

static void say_how_it_is(cluster *c)
{
  char field[NUMBER_SIZE];
  frontier_stats stats;
  frontier_exchange_stats exchange;
  json text = {0};
  broker_key key = broker_key_of(c->broker, "stat");
  if (frontier_stats_read(c->frontier, &stats) != FRONTIER_OK ||
      frontier_exchange_stats_read(c->frontier, &exchange) != FRONTIER_OK)
    return;
  uint64_t pages = frontier_counter(c->frontier, "pages");
  if (c->pages_ms)
    c->rate = 0.5 * c->rate + 0.5 * (double)(pages - c->pages) * 1000 / (double)(c->now_ms - c->pages_ms + 1);
  c->pages = pages;
  c->pages_ms = c->now_ms;
  partition_stat said = {.partition = c->life.partition,
                         .incarnation = c->life.incarnation,
                         .pages = pages,
                         .done = stats.done,
                         .waiting = stats.queued,
                         .hosts = stats.hosts,
                         .outbox = exchange.held,
                         .unacknowledged = exchange.waiting,
                         .oldest_ms = carrier_oldest(c->carrier, c->now_ms),
                         .copied_ms = c->copied_ms,
                         .at_ms = machine_wall_ms(),
                         .rate = c->rate};
  snprintf(said.worker, sizeof said.worker, "%s", c->ownership.worker);
  snprintf(said.directory, sizeof said.directory, "%.1000s", c->ownership.directory);
  partition_stat_write(&said, &text);
  snprintf(field, sizeof field, "%" PRIu32, c->life.partition);
  broker_word words[] = {broker_text(key.text), broker_text(field), {text.text, text.size}};
  if (!text.failed)
    broker_send(c->broker, BROKER_HSET, words, 3, NULL, NULL);
  json_free(&text);
}

/* What it has of others' parcels is told to them from now on, so that they drop these. */
static void look_for_copy(cluster *c)
{
  last_copy copy;
  char path[sizeof copy.path + 16], message[FRONTIER_MESSAGE_SIZE];
  if (!c->keeps_copies || !last_copy_read(c->ownership.directory, &copy) || copy.at_ms == c->looked_at_ms)
    return;
  c->looked_at_ms = copy.at_ms;
  snprintf(path, sizeof path, "%s/frontier", copy.path);
  if (frontier_inbox_kept(c->frontier, path, message) == FRONTIER_OK)
    c->copied_ms = copy.at_ms;
  else
    say_error("crawl", "%s: the copy does not count: %s", c->ownership.directory, message);
}

static void look(cluster *c)
{
  broker_key stop = broker_key_of(c->broker, "stop");
  broker_word word = broker_text(stop.text);
  broker_send(c->broker, BROKER_GET, &word, 1, stop_came, c);
  put_back(c, "def", c->definition);
  if (c->scope)
    put_back(c, "scope", c->scope);
  say_how_it_is(c);
}

frontier_status cluster_turn(cluster *c, const frontier_inbox_rules *rules, bool is_done, uint64_t now_ms)
{
  if (now_ms < c->turn_at_ms)
    return FRONTIER_OK;
  c->turn_at_ms = now_ms + TURN_MS;
  c->now_ms = now_ms;
  frontier_status status = carrier_turn(c->carrier, rules, now_ms);
  ownership_turn(&c->ownership, now_ms);
  ending_waves_turn(c->waves, is_done, now_ms);
  if (broker_is_up(c->broker) && now_ms >= c->look_at_ms) {
    c->look_at_ms = now_ms + LOOK_MS;
    look_for_copy(c);
    look(c);
  }
  return status;
}

cluster_state cluster_state_of(cluster *c)
{
  switch (c->ownership.state) {
  case OWNERSHIP_SUPERSEDED: return CLUSTER_SUPERSEDED;
  case OWNERSHIP_OTHERS: say_held(c); return CLUSTER_FAILED;
  default: break;
  }
  if (carrier_is_mismatched(c->carrier)) {
    snprintf(
      c->message, sizeof c->message,
      "others know of a later life of this directory: is it a copy? strata cluster adopt %.250s, if the other one is "
      "lost",
      c->ownership.directory);
    return CLUSTER_FAILED;
  }
  if (*broker_fault(c->broker)) {
    snprintf(c->message, sizeof c->message, "%s", broker_fault(c->broker));
    return CLUSTER_FAILED;
  }
  if (c->is_stopped)
    return CLUSTER_STOPPED;
  return ending_waves_is_over(c->waves) ? CLUSTER_OVER : CLUSTER_GOES_ON;
}

void cluster_end(cluster *c)
{
  c->now_ms = machine_monotonic_ms();
  say_how_it_is(c);
  c->is_settled = broker_settle(c->broker, LEAVE_MS);
}

void cluster_leave(cluster *c)
{
  if (!c->is_settled) /* what is still to be answered would ask the frontier */
    return;
  ownership_leave(&c->ownership);
  broker_settle(c->broker, LEAVE_MS);
}
