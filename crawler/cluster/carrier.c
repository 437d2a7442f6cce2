/* See carrier.h, and frontier/exchange.h for why this loses nothing. */
#include "crawler/cluster/carrier.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  READ_AGAIN_MS = 20,     /* of a stream that was empty; twice as long each time it is again, */
  READ_LATEST_MS = 160,   /* up to this: 1,024 partitions ask for 6,400 streams a second then */
  LOOK_MS = 50,           /* at what is to be sent */
  SEND_AGAIN_MS = 30000,  /* without an acknowledgment */
  LENGTH_AGAIN_MS = 1000, /* of a stream that is full */
  STREAM_MAX = 500,       /* unread messages of a stream, and */
  FLYING_ALL = 32 << 20,  /* unacknowledged bytes, beyond which a sender waits: all senders to one partition, which */
  FLYING_MAX = 4 << 20,   /* may be dead, together; one of few; */
  FLYING_MIN = 128 << 10, /* one of many */
  UNSENT_MAX = 1 << 20,   /* bytes that the socket did not take yet */
  MESSAGES_A_READ = 32,
  ID_SIZE = 48,
};

/* To one other partition. */
typedef struct lane {
  carrier *owner;
  uint32_t other;
  uint64_t after;       /* parcels up to this number were sent over this connection */
  uint64_t have;        /* and acknowledged */
  uint64_t incarnation; /* of the other when they were sent */
  uint64_t sent_ms;     /* the first without an acknowledgment; 0: none */
  uint64_t owed_ms;     /* the same, over any connection */
  uint64_t flying;      /* bytes sent since the last acknowledgment */
  uint64_t length;      /* of its stream, as last heard */
  uint64_t length_ms;
} lane;

struct carrier {
  frontier *frontier;
  broker *broker;
  frontier_life life;
  lane *lanes;          /* one a partition */
  uint64_t broker_life; /* for which the rest holds */
  char read[ID_SIZE];   /* the last message that was taken */
  char trim[ID_SIZE];   /* up to it all is taken, and committed with: */
  uint64_t trim_commit; /* 0: nothing to trim */
  bool is_reading;
  uint64_t flying_max; /* of a lane */
  uint64_t read_wait_ms, read_at_ms, look_at_ms;
  uint64_t now_ms;                   /* of the turn; for answers */
  const frontier_inbox_rules *rules; /* the same */
  bool is_turn;                      /* else nothing is taken */
  frontier_status status;
  uint64_t refused;
  char why[BROKER_MESSAGE];
  bool is_mismatched;
};

carrier *carrier_create(frontier *f, broker *b)
{
  carrier *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->frontier = f;
  c->broker = b;
  frontier_life_read(f, &c->life);
  c->flying_max = FLYING_ALL / (c->life.partitions + 1);
  c->flying_max = c->flying_max < FLYING_MIN ? FLYING_MIN : c->flying_max > FLYING_MAX ? FLYING_MAX : c->flying_max;
  c->lanes = c->life.partitions ? calloc(c->life.partitions, sizeof *c->lanes) : NULL;
  for (uint32_t q = 0; c->lanes && q < c->life.partitions; q++)
    c->lanes[q] = (lane){.owner = c, .other = q};
  if (c->lanes)
    return c;
  free(c);
  return NULL;
}

void carrier_free(carrier *c)
{
  if (c)
    free(c->lanes);
  free(c);
}

uint64_t carrier_refused(const carrier *c, const char **why)
{
  *why = c->why;
  return c->refused;
}

uint64_t carrier_oldest(const carrier *c, uint64_t now_ms)
{
  uint64_t longest = 0;
  for (uint32_t q = 0; q < c->life.partitions; q++) {
    uint64_t since = c->lanes[q].owed_ms, age_ms = since && now_ms > since ? now_ms - since : 0;
    longest = age_ms > longest ? age_ms : longest;
  }
  return longest;
}

bool carrier_is_mismatched(const carrier *c)
{
  return c->is_mismatched;
}

/* ---- taking --------------------------------------------------------------------------------------------- */

static void refuse(carrier *c, const char *why)
{
  c->refused++;
  snprintf(c->why, sizeof c->why, "%s", why);
}

static void hear(carrier *c, const frontier_ack *ack)
{
  frontier_lane known;
  frontier_status status = frontier_outbox_heard(c->frontier, ack);
  if (status == FRONTIER_BAD_ARGUMENT)
    refuse(c, frontier_message(c->frontier));
  else if (status == FRONTIER_MISMATCH)
    c->is_mismatched = true;
  else if (status != FRONTIER_OK)
    c->status = status;
  if (status != FRONTIER_OK || frontier_lane_read(c->frontier, ack->from, &known) != FRONTIER_OK)
    return;
  lane *l = &c->lanes[ack->from];
  if (known.incarnation != l->incarnation)
    l->after = 0; /* what the earlier life had is not this one's */
  if (known.incarnation != l->incarnation || known.have > l->have) {
    l->sent_ms = l->owed_ms = l->after > known.have ? c->now_ms : 0;
    l->flying = 0;
  }
  l->incarnation = known.incarnation;
  l->have = known.have;
}

/* false: it is to be taken again later. */
static bool take(carrier *c, const redisReply *message)
{
  frontier_ack ack;
  frontier_taken taken;
  if (message->type != REDIS_REPLY_STRING) {
    refuse(c, "a message is no text");
    return true;
  }
  if (frontier_ack_read(message->str, message->len, &ack)) {
    if (ack.to == c->life.partition && ack.from < c->life.partitions && ack.crawl == c->life.crawl)
      hear(c, &ack);
    else
      refuse(c, "an acknowledgment is of another crawl");
    return c->status == FRONTIER_OK;
  }
  frontier_status status = frontier_inbox_take(c->frontier, message->str, message->len, c->rules, c->now_ms, &taken);
  if (status == FRONTIER_BAD_ARGUMENT)
    refuse(c, frontier_message(c->frontier));
  else
    c->status = status;
  return c->status == FRONTIER_OK;
}

void carrier_learn(carrier *c, uint32_t other, uint64_t incarnation)
{
  frontier_lane known;
  frontier_ack ack = {
    .crawl = c->life.crawl, .from = other, .to = c->life.partition, .incarnation = incarnation}; /* no numbers */
  if (other < c->life.partitions && other != c->life.partition &&
      frontier_lane_read(c->frontier, other, &known) == FRONTIER_OK && incarnation > known.incarnation)
    hear(c, &ack);
}

static bool is_pair(const redisReply *r)
{
  return r->type == REDIS_REPLY_ARRAY && r->elements == 2;
}

/* [[stream, [[id, [field, value]], ...]]], or nothing. */
static void messages_came(void *context, const redisReply *reply)
{
  carrier *c = context;
  c->is_reading = false;
  c->read_at_ms = c->now_ms + c->read_wait_ms;
  c->read_wait_ms = 2 * c->read_wait_ms < READ_LATEST_MS ? 2 * c->read_wait_ms : READ_LATEST_MS;
  if (!c->is_turn || !reply || reply->type != REDIS_REPLY_ARRAY || reply->elements != 1 || !is_pair(reply->element[0]))
    return;
  const redisReply *messages = reply->element[0]->element[1];
  for (size_t i = 0; messages->type == REDIS_REPLY_ARRAY && i < messages->elements && c->status == FRONTIER_OK; i++) {
    const redisReply *m = messages->element[i];
    if (!is_pair(m) || m->element[0]->type != REDIS_REPLY_STRING || m->element[0]->len >= ID_SIZE)
      return;
    if (is_pair(m->element[1]) ? !take(c, m->element[1]->element[1]) : (refuse(c, "a message has no field"), false))
      return;
    memcpy(c->read, m->element[0]->str, m->element[0]->len + 1);
    c->read_at_ms = c->now_ms; /* there may be more */
    c->read_wait_ms = READ_AGAIN_MS;
  }
}

static void read_stream(carrier *c)
{
  char count[16];
  broker_key stream = broker_key_of_number(c->broker, "in", c->life.partition);
  if (c->is_reading || c->now_ms < c->read_at_ms)
    return;
  snprintf(count, sizeof count, "%d", MESSAGES_A_READ);
  broker_word words[] = {broker_text("COUNT"), broker_text(count), broker_text("STREAMS"), broker_text(stream.text),
                         broker_text(c->read)};
  c->is_reading = true;
  broker_send(c->broker, BROKER_XREAD, words, 5, messages_came, c);
}

/* The number behind an id: all below it goes. */
static void id_after(const char *id, char next[ID_SIZE])
{
  char *end;
  uint64_t ms = strtoull(id, &end, 10), sequence = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;
  snprintf(next, ID_SIZE, "%" PRIu64 "-%" PRIu64, ms, sequence + 1);
}

/* What was taken may go from the stream when it is committed, and no sooner. */
static void trim_stream(carrier *c)
{
  char least[ID_SIZE];
  broker_key stream = broker_key_of_number(c->broker, "in", c->life.partition);
  if (c->trim_commit && frontier_committed(c->frontier) >= c->trim_commit) {
    id_after(c->trim, least);
    broker_word words[] = {broker_text(stream.text), broker_text("MINID"), broker_text(least)};
    broker_send(c->broker, BROKER_XTRIM, words, 3, NULL, NULL);
    c->trim_commit = 0;
  } else if (!c->trim_commit && strcmp(c->trim, c->read) != 0) {
    memcpy(c->trim, c->read, sizeof c->trim);
    c->trim_commit = frontier_commit_number(c->frontier);
  }
}

/* ---- sending -------------------------------------------------------------------------------------------- */

static void append(const carrier *c, uint32_t to, const void *bytes, size_t size)
{
  broker_key stream = broker_key_of_number(c->broker, "in", to);
  broker_word words[] = {broker_text(stream.text), broker_text("*"), broker_text("m"), {bytes, size}};
  broker_send(c->broker, BROKER_XADD, words, 4, NULL, NULL);
}

static void length_came(void *context, const redisReply *reply)
{
  lane *l = context;
  if (reply && reply->type == REDIS_REPLY_INTEGER && reply->integer >= 0)
    l->length = (uint64_t)reply->integer;
}

static void ask_length(carrier *c, lane *l)
{
  broker_key stream = broker_key_of_number(c->broker, "in", l->other);
  broker_word word = broker_text(stream.text);
  l->length_ms = c->now_ms;
  broker_send(c->broker, BROKER_XLEN, &word, 1, length_came, l);
}

static bool has_room(const carrier *c, const lane *l)
{
  return l->length < STREAM_MAX && l->flying < c->flying_max && broker_unsent(c->broker) < UNSENT_MAX;
}

static void send_parcels(carrier *c, lane *l)
{
  bool has_sent = false;
  if (l->sent_ms && c->now_ms - l->sent_ms > SEND_AGAIN_MS) {
    l->after = l->sent_ms = l->flying = 0;
  }
  while (has_room(c, l)) {
    frontier_parcel p;
    frontier_status status = frontier_outbox_next(c->frontier, l->other, l->after, c->now_ms, &p, NULL);
    if (status == FRONTIER_OK) {
      append(c, l->other, p.bytes, p.size);
      l->after = p.number;
      l->flying += p.size;
      l->length++;
      l->sent_ms = l->sent_ms ? l->sent_ms : c->now_ms;
      l->owed_ms = l->owed_ms ? l->owed_ms : c->now_ms;
      has_sent = true;
    } else {
      c->status = status == FRONTIER_NOT_FOUND ? c->status : status;
      break;
    }
  }
  if (has_sent || (l->length >= STREAM_MAX && c->now_ms - l->length_ms > LENGTH_AGAIN_MS))
    ask_length(c, l);
}

static void send_ack(carrier *c, const lane *l)
{
  frontier_ack ack;
  bool is_news = false;
  uint8_t bytes[FRONTIER_ACK_SIZE];
  if (frontier_inbox_tell(c->frontier, l->other, &ack, &is_news) != FRONTIER_OK || !is_news)
    return;
  frontier_ack_write(&ack, bytes);
  append(c, l->other, bytes, sizeof bytes);
}

static void send_all(carrier *c)
{
  if (c->now_ms < c->look_at_ms)
    return;
  c->look_at_ms = c->now_ms + LOOK_MS;
  for (uint32_t q = 0; q < c->life.partitions && c->status == FRONTIER_OK; q++) {
    if (q == c->life.partition || !broker_is_up(c->broker))
      continue;
    send_ack(c, &c->lanes[q]);
    send_parcels(c, &c->lanes[q]);
  }
}

/* What was on its way over the last connection may be lost, and the streams another server's. */
static void begin_connection(carrier *c)
{
  c->broker_life = broker_life(c->broker);
  c->is_reading = false;
  c->trim_commit = 0;
  c->read_at_ms = c->look_at_ms = 0;
  c->read_wait_ms = READ_AGAIN_MS;
  snprintf(c->read, sizeof c->read, "0-0");
  snprintf(c->trim, sizeof c->trim, "0-0");
  for (uint32_t q = 0; q < c->life.partitions; q++) {
    lane *l = &c->lanes[q];
    l->after = l->sent_ms = l->flying = 0;
    l->length = STREAM_MAX; /* until the answer: what others sent over the last connection may lie there */
    ask_length(c, l);
  }
}

frontier_status carrier_turn(carrier *c, const frontier_inbox_rules *rules, uint64_t now_ms)
{
  c->now_ms = now_ms;
  c->rules = rules;
  c->status = FRONTIER_OK;
  c->is_turn = true;
  broker_turn(c->broker, now_ms);
  if (broker_is_up(c->broker)) {
    if (c->broker_life != broker_life(c->broker))
      begin_connection(c);
    read_stream(c);
    trim_stream(c);
    send_all(c);
    broker_turn(c->broker, now_ms);
  }
  c->is_turn = false;
  return c->status;
}
