/* crawler/cluster/broker.h: a connection to a Redis server that never waits.
 *
 * Commands are queued and answered in order; broker_turn sends and receives what the socket takes and has. A connection
 * that is lost is made anew, to the next server, until one says that it is the master; commands without an answer by
 * then are told so. A server that is loading, out of memory, or a replica now, is waited for: whoever sent the command
 * sends it again, as after a loss. What no waiting mends ends in broker_fault. */
#ifndef STRATA_CRAWLER_BROKER_H
#define STRATA_CRAWLER_BROKER_H

#include "crawler/cluster/cluster_name.h"

#include <stddef.h>
#include <stdint.h>

enum { BROKER_MESSAGE = 512, BROKER_WORDS_MAX = 16 };

/* All that is ever asked of the server: the rights of its user are made of this (broker_rights). */
typedef enum broker_command {
  BROKER_AUTH,
  BROKER_ROLE,
  BROKER_PING,
  BROKER_GET,
  BROKER_SET,
  BROKER_DEL,
  BROKER_HGET,
  BROKER_HSET,
  BROKER_HDEL,
  BROKER_HGETALL,
  BROKER_EVAL,
  BROKER_TIME,
  BROKER_PEXPIRE,
  BROKER_XADD,
  BROKER_XLEN,
  BROKER_XREAD,
  BROKER_XTRIM,
  BROKER_COMMANDS,
} broker_command;

/* The rest of a line "ACL SETUSER name on >password ..." for the crawl `name`. */
void broker_rights(const char *name, char *text, size_t room);

typedef struct broker broker;
struct redisReply;

/* What the server said; an error is one, too. NULL: it is not known whether the command was carried out. Valid during
 * the call; may send commands. */
typedef void broker_taker(void *context, const struct redisReply *reply);

/* `password`: NULL or "": none. Both are copied. NULL: out of memory. Nothing is connected yet. */
broker *broker_create(const cluster_name *name, const char *password);
void broker_free(broker *b);

void broker_turn(broker *b, uint64_t now_ms);
/* For `wait_ms` at most, until something can be read. */
void broker_wait(const broker *b, int wait_ms);

bool broker_is_up(const broker *b);
uint64_t broker_life(const broker *b); /* counts connections that came up */
size_t broker_unsent(const broker *b); /* bytes that wait to be sent, about */
/* Why it is not up, or ""; and why it never will be, or "". */
const char *broker_trouble(const broker *b);
const char *broker_fault(const broker *b);

/* A word of a command. */
typedef struct broker_word {
  const void *bytes;
  size_t size;
} broker_word;

broker_word broker_text(const char *text);

/* The crawl's key NAME:suffix, for one command. */
typedef struct broker_key {
  char text[CLUSTER_WORD_SIZE + 32];
} broker_key;
broker_key broker_key_of(const broker *b, const char *suffix);
broker_key broker_key_of_number(const broker *b, const char *suffix, unsigned number);

/* `words` follow the command's name. Not up: dropped, and `take` (may be NULL) gets NULL at once. */
void broker_send(broker *b, broker_command command, const broker_word *words, size_t count, broker_taker *take,
                 void *context);

/* Waits, `wait_ms` at most, until what was sent is answered. false: it was not. */
bool broker_settle(broker *b, uint64_t wait_ms);

#endif
