/* See broker.h. hiredis formats and parses; its sockets are non-blocking, but for sentinels, who are asked once a
 * connection, and for names of servers, which the C library looks up. */
#include "crawler/cluster/broker.h"

#include "frontier/base/machine.h"

#include <assert.h>
#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum {
  FIRST_RETRY_MS = 100, /* doubled up to: */
  LAST_RETRY_MS = 2000,
  ANSWER_MS = 5000, /* a server that says nothing for so long is left */
  SENTINEL_MS = 500,
  AWAITED_FIRST = 64,
};

static const char *const command_names[BROKER_COMMANDS] = {
  [BROKER_AUTH] = "AUTH",       [BROKER_ROLE] = "ROLE",       [BROKER_PING] = "PING", [BROKER_GET] = "GET",
  [BROKER_SET] = "SET",         [BROKER_DEL] = "DEL",         [BROKER_HGET] = "HGET", [BROKER_HSET] = "HSET",
  [BROKER_HDEL] = "HDEL",       [BROKER_HGETALL] = "HGETALL", [BROKER_EVAL] = "EVAL", [BROKER_TIME] = "TIME",
  [BROKER_PEXPIRE] = "PEXPIRE", [BROKER_XADD] = "XADD",       [BROKER_XLEN] = "XLEN", [BROKER_XREAD] = "XREAD",
  [BROKER_XTRIM] = "XTRIM",
};

typedef struct awaited {
  broker_taker *take;
  void *context;
} awaited;

struct broker {
  cluster_name name;
  char *password;
  redisContext *link; /* NULL: no connection */
  bool is_up;
  uint64_t life;
  int server; /* the one to try next */
  uint64_t retry_at_ms, retry_ms, answer_by_ms;
  awaited *awaited; /* a ring */
  size_t first, count, room;
  char trouble[BROKER_MESSAGE], fault[BROKER_MESSAGE];
};

void broker_rights(const char *name, char *text, size_t room)
{
  size_t size = (size_t)snprintf(text, room, "resetkeys ~%s:* resetchannels -@all", name);
  for (int i = 0; i < BROKER_COMMANDS && size < room; i++) {
    size += (size_t)snprintf(text + size, room - size, " +");
    for (const char *c = command_names[i]; *c && size + 1 < room; c++)
      text[size++] = (char)(*c | 0x20);
    text[size < room ? size : room - 1] = '\0';
  }
}

broker *broker_create(const cluster_name *name, const char *password)
{
  broker *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  b->name = *name;
  b->awaited = calloc(AWAITED_FIRST, sizeof *b->awaited);
  b->room = AWAITED_FIRST;
  b->password = password && *password ? strdup(password) : NULL;
  if (b->awaited && (!password || !*password || b->password))
    return b;
  broker_free(b);
  return NULL;
}

void broker_free(broker *b)
{
  if (!b)
    return;
  if (b->link)
    redisFree(b->link);
  if (b->password)
    explicit_bzero(b->password, strlen(b->password));
  free(b->password);
  free(b->awaited);
  free(b);
}

bool broker_is_up(const broker *b)
{
  return b->is_up;
}

uint64_t broker_life(const broker *b)
{
  return b->life;
}

const char *broker_trouble(const broker *b)
{
  return b->trouble;
}

const char *broker_fault(const broker *b)
{
  return b->fault;
}

/* ---- answers -------------------------------------------------------------------------------------------- */

static awaited take_first(broker *b)
{
  awaited a = b->awaited[b->first];
  b->first = (b->first + 1) % b->room;
  b->count--;
  return a;
}

/* Always: room > 0. */
static bool await(broker *b, broker_taker *take, void *context)
{
  assert(b->room > 0);
  if (b->count == b->room) {
    awaited *grown = calloc(b->room * 2, sizeof *grown);
    if (!grown)
      return false;
    for (size_t i = 0; i < b->count; i++)
      grown[i] = b->awaited[(b->first + i) % b->room];
    free(b->awaited);
    b->awaited = grown;
    b->first = 0;
    b->room *= 2;
  }
  b->awaited[(b->first + b->count++) % b->room] = (awaited){take, context};
  return true;
}

/* The connection is of no use. All that was asked is told so, in order. */
static void leave(broker *b, uint64_t now_ms, const char *why)
{
  const cluster_server *s = &b->name.servers[b->server % b->name.server_count];
  snprintf(b->trouble, sizeof b->trouble, "%s at %s:%d: %s", b->name.is_sentinel ? "Redis, by the sentinel" : "Redis",
           s->host, s->port, why);
  if (b->link)
    redisFree(b->link);
  b->link = NULL;
  b->is_up = false;
  b->server = (b->server + 1) % b->name.server_count;
  b->retry_ms = b->retry_ms ? (b->retry_ms < LAST_RETRY_MS / 2 ? b->retry_ms * 2 : LAST_RETRY_MS) : FIRST_RETRY_MS;
  b->retry_at_ms = now_ms + b->retry_ms;
  for (size_t left = b->count; left > 0; left--) {
    awaited a = take_first(b);
    if (a.take)
      a.take(a.context, NULL);
  }
}

static bool begins(const char *text, const char *word)
{
  return strncmp(text, word, strlen(word)) == 0;
}

/* An error that is none of the command's own: the server is to be left, waited for, or of no use at all. */
static bool judge_error(broker *b, const redisReply *reply, uint64_t now_ms)
{
  const char *said = reply->str;
  if (begins(said, "MOVED") || begins(said, "ASK ") || begins(said, "CROSSSLOT") || begins(said, "CLUSTERDOWN"))
    snprintf(b->fault, sizeof b->fault,
             "this is a Redis Cluster, which spreads keys over servers; a crawl needs one server and its replicas");
  else if (begins(said, "WRONGPASS") || begins(said, "NOAUTH") || begins(said, "ERR invalid password") ||
           begins(said, "ERR Client sent AUTH"))
    snprintf(b->fault, sizeof b->fault,
             "Redis refuses the user or password (%.80s); STRATA_CLUSTER_PASSWORD or --cluster-password-file has it",
             said);
  else if (begins(said, "NOPERM"))
    snprintf(b->fault, sizeof b->fault, "Redis: %.200s; strata cluster rights %s prints what its user needs", said,
             b->name.name);
  else if (!begins(said, "LOADING") && !begins(said, "READONLY") && !begins(said, "MASTERDOWN") &&
           !begins(said, "OOM") && !begins(said, "MISCONF") && !begins(said, "NOREPLICAS") && !begins(said, "BUSY"))
    return false;
  leave(b, now_ms, said);
  return true;
}

static void role_came(void *context, const redisReply *reply)
{
  broker *b = context;
  if (!reply || reply->type == REDIS_REPLY_ERROR)
    return;
  bool is_master = reply->type == REDIS_REPLY_ARRAY && reply->elements > 0 && reply->element[0]->str &&
                   strcmp(reply->element[0]->str, "master") == 0;
  if (!is_master) {
    snprintf(b->trouble, sizeof b->trouble, "replica");
    return;
  }
  b->is_up = true;
  b->life++;
  b->retry_ms = 0;
  b->trouble[0] = '\0';
}

/* ---- the connection ------------------------------------------------------------------------------------- */

static broker_word word_of(const void *bytes, size_t size)
{
  return (broker_word){bytes, size};
}

broker_word broker_text(const char *text)
{
  return word_of(text, strlen(text));
}

static void append(broker *b, broker_command command, const broker_word *words, size_t count, broker_taker *take,
                   void *context)
{
  const char *texts[BROKER_WORDS_MAX + 1] = {command_names[command]};
  size_t sizes[BROKER_WORDS_MAX + 1] = {strlen(command_names[command])};
  for (size_t i = 0; i < count && i < BROKER_WORDS_MAX; i++) {
    texts[i + 1] = words[i].bytes;
    sizes[i + 1] = words[i].size;
  }
  bool is_queued = await(b, take, context);
  if (is_queued && redisAppendCommandArgv(b->link, (int)count + 1, texts, sizes) == REDIS_OK)
    return;
  if (is_queued)
    b->count--;
  if (take)
    take(context, NULL);
}

void broker_send(broker *b, broker_command command, const broker_word *words, size_t count, broker_taker *take,
                 void *context)
{
  if (b->is_up)
    append(b, command, words, count, take, context);
  else if (take)
    take(context, NULL);
}

/* Where the sentinel says the master is. */
static redisContext *connect_by_sentinel(broker *b, const cluster_server *sentinel)
{
  struct timeval patience = {SENTINEL_MS / 1000, SENTINEL_MS % 1000 * 1000};
  redisContext *asked = redisConnectWithTimeout(sentinel->host, sentinel->port, patience), *link = NULL;
  if (!asked || asked->err) {
    snprintf(b->trouble, sizeof b->trouble, "%s", asked ? asked->errstr : "out of memory");
  } else {
    redisSetTimeout(asked, patience);
    redisReply *reply = redisCommand(asked, "SENTINEL get-master-addr-by-name %s", b->name.master);
    if (reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 && reply->element[0]->str &&
        reply->element[1]->str)
      link = redisConnectNonBlock(reply->element[0]->str, (int)strtol(reply->element[1]->str, NULL, 10));
    else
      snprintf(b->trouble, sizeof b->trouble, "the sentinel knows no master named %s", b->name.master);
    freeReplyObject(reply);
  }
  redisFree(asked);
  return link;
}

static void begin(broker *b, uint64_t now_ms)
{
  const cluster_server *s = &b->name.servers[b->server % b->name.server_count];
  b->trouble[0] = '\0';
  b->link = b->name.is_sentinel ? connect_by_sentinel(b, s) : redisConnectNonBlock(s->host, s->port);
  if (!b->link || b->link->err) {
    char why[BROKER_MESSAGE];
    snprintf(why, sizeof why, "%s", b->link ? b->link->errstr : *b->trouble ? b->trouble : "out of memory");
    leave(b, now_ms, why);
    return;
  }
  b->answer_by_ms = now_ms + ANSWER_MS;
  if (b->password) {
    broker_word words[2] = {broker_text(b->name.user), broker_text(b->password)};
    bool has_user = *b->name.user;
    append(b, BROKER_AUTH, has_user ? words : words + 1, has_user ? 2 : 1, NULL, NULL);
  }
  append(b, BROKER_ROLE, NULL, 0, role_came, b);
}

/* One answer to whom it is for. false: the connection was left. */
static bool hand_out(broker *b, redisReply *reply, uint64_t now_ms)
{
  b->answer_by_ms = now_ms + ANSWER_MS;
  if (!b->count) /* nothing was asked */
    return leave(b, now_ms, "it says what it was not asked"), false;
  awaited a = take_first(b);
  if (reply->type == REDIS_REPLY_ERROR && judge_error(b, reply, now_ms)) {
    if (a.take)
      a.take(a.context, NULL);
    return false;
  }
  if (a.take)
    a.take(a.context, reply);
  if (b->is_up || strcmp(b->trouble, "replica") != 0)
    return true;
  leave(b, now_ms, "it is a replica, and no master");
  return false;
}

static void receive(broker *b, uint64_t now_ms)
{
  void *reply = NULL;
  if (redisBufferRead(b->link) != REDIS_OK) {
    char why[BROKER_MESSAGE];
    snprintf(why, sizeof why, "%s", b->link->errstr);
    leave(b, now_ms, why);
    return;
  }
  while (b->link) {
    if (redisGetReplyFromReader(b->link, &reply) != REDIS_OK) {
      leave(b, now_ms, "it does not speak Redis's protocol");
      return;
    }
    if (!reply)
      return;
    hand_out(b, reply, now_ms);
    freeReplyObject(reply);
  }
}

void broker_turn(broker *b, uint64_t now_ms)
{
  int done;
  if (*b->fault)
    return;
  if (!b->link && now_ms >= b->retry_at_ms)
    begin(b, now_ms);
  if (!b->link)
    return;
  if (!b->count)
    b->answer_by_ms = now_ms + ANSWER_MS;
  if (redisBufferWrite(b->link, &done) != REDIS_OK) {
    char why[BROKER_MESSAGE];
    snprintf(why, sizeof why, "%s", b->link->errstr);
    leave(b, now_ms, why);
    return;
  }
  receive(b, now_ms);
  if (b->link && b->count && now_ms > b->answer_by_ms)
    leave(b, now_ms, "it does not answer");
}

void broker_wait(const broker *b, int wait_ms)
{
  struct pollfd fd = {.fd = b->link ? b->link->fd : -1, .events = POLLIN};
  (void)poll(&fd, 1, wait_ms);
}

size_t broker_unsent(const broker *b)
{
  return b->link ? sdslen((const sds)b->link->obuf) : 0;
}

bool broker_settle(broker *b, uint64_t wait_ms)
{
  uint64_t until = machine_monotonic_ms() + wait_ms, now_ms = until - wait_ms, life = b->life;
  bool was_up = b->is_up;
  for (; now_ms < until && !*b->fault; now_ms = machine_monotonic_ms()) {
    broker_turn(b, now_ms);
    if (b->is_up && !b->count)
      return !was_up || life == b->life;
    broker_wait(b, 10);
  }
  return false;
}

broker_key broker_key_of(const broker *b, const char *suffix)
{
  broker_key key;
  snprintf(key.text, sizeof key.text, "%s:%s", b->name.name, suffix);
  return key;
}

broker_key broker_key_of_number(const broker *b, const char *suffix, unsigned number)
{
  broker_key key;
  snprintf(key.text, sizeof key.text, "%s:%s:%u", b->name.name, suffix, number);
  return key;
}
