/* See ownership.h. The server decides, in one script. */
#include "crawler/cluster/ownership.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RENEW_MS = 5000, ASK_AGAIN_MS = 500, NUMBER_SIZE = 24 };

/* KEYS: own, boot, known. ARGV: worker, incarnation, since, had it, lease, partition, directory. An empty server waits
 * as long as a lease is, so that those who own something say so before somebody new does. */
static const char claim[] =
  "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
  "local boot = redis.call('GET', KEYS[2])\n"
  "if not boot then boot = string.format('%.0f', now) redis.call('SET', KEYS[2], boot) end\n"
  "local v = redis.call('GET', KEYS[1])\n"
  "if v then\n"
  "  local w, i, s = string.match(v, '^(%S+) (%d+) (%d+)$')\n"
  "  if w then\n"
  "    i = tonumber(i) s = tonumber(s)\n"
  "    local mine, born = tonumber(ARGV[2]), tonumber(ARGV[3])\n"
  "    if i > mine or (w ~= ARGV[1] and i == mine and s <= born) then return v end\n"
  "  end\n"
  "elseif ARGV[4] == '0' and now - tonumber(boot) < tonumber(ARGV[5]) then return 'wait' end\n"
  "redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3], 'PX', ARGV[5])\n"
  "redis.call('HSET', KEYS[3], ARGV[6], ARGV[1] .. ' ' .. ARGV[7])\n"
  "return 'ours'\n";

/* KEYS: own. ARGV: worker. */
static const char leave[] = "local v = redis.call('GET', KEYS[1])\n"
                            "if v and string.match(v, '^(%S+) ') == ARGV[1] then redis.call('DEL', KEYS[1]) end\n"
                            "return 1\n";

bool ownership_worker(const char *directory, char worker[OWNERSHIP_WORKER_SIZE])
{
  struct stat info;
  char host[HOST_NAME_MAX + 1];
  if (stat(directory, &info) != 0)
    return false;
  if (gethostname(host, sizeof host) != 0)
    snprintf(host, sizeof host, "host");
  host[sizeof host - 1] = '\0';
  for (char *c = host; *c; c++)
    *c = *c > ' ' && *c < 0x7F ? *c : '-';
  snprintf(worker, OWNERSHIP_WORKER_SIZE, "%.48s/%" PRIx64 "-%" PRIx64, host, (uint64_t)info.st_dev,
           (uint64_t)info.st_ino);
  return true;
}

/* "WORKER INCARNATION SINCE" of another. */
static void hear_of_holder(ownership *o, const char *said)
{
  const char *space = strchr(said, ' ');
  uint64_t incarnation = space ? strtoull(space + 1, NULL, 10) : 0;
  snprintf(o->holder, sizeof o->holder, "%s", said);
  o->state = incarnation > o->incarnation ? OWNERSHIP_SUPERSEDED : OWNERSHIP_OTHERS;
}

static void claim_answered(void *context, const redisReply *reply)
{
  ownership *o = context;
  if (!reply || reply->type != REDIS_REPLY_STRING) {
    o->asked_ms = 0;
    return;
  }
  if (strcmp(reply->str, "ours") == 0)
    o->state = OWNERSHIP_OURS, o->had_it = true;
  else if (strcmp(reply->str, "wait") == 0)
    o->state = OWNERSHIP_WAITS;
  else
    hear_of_holder(o, reply->str);
}

void ownership_turn(ownership *o, uint64_t now_ms)
{
  char incarnation[NUMBER_SIZE], since[NUMBER_SIZE], lease[NUMBER_SIZE], partition[NUMBER_SIZE];
  uint64_t again_ms = o->state == OWNERSHIP_OURS ? RENEW_MS : ASK_AGAIN_MS;
  if (!broker_is_up(o->broker) || (o->asked_ms && now_ms - o->asked_ms < again_ms))
    return;
  broker_key own = broker_key_of_number(o->broker, "own", o->partition), boot = broker_key_of(o->broker, "boot"),
             known = broker_key_of(o->broker, "known");
  snprintf(incarnation, sizeof incarnation, "%" PRIu64, o->incarnation);
  snprintf(since, sizeof since, "%" PRIu64, o->since_ms);
  snprintf(lease, sizeof lease, "%d", OWNERSHIP_LEASE_MS);
  snprintf(partition, sizeof partition, "%" PRIu32, o->partition);
  broker_word words[] = {broker_text(claim),       broker_text("3"),        broker_text(own.text),
                         broker_text(boot.text),   broker_text(known.text), broker_text(o->worker),
                         broker_text(incarnation), broker_text(since),      broker_text(o->had_it ? "1" : "0"),
                         broker_text(lease),       broker_text(partition),  broker_text(o->directory)};
  o->asked_ms = now_ms ? now_ms : 1;
  broker_send(o->broker, BROKER_EVAL, words, sizeof words / sizeof *words, claim_answered, o);
}

void ownership_leave(ownership *o)
{
  broker_key own = broker_key_of_number(o->broker, "own", o->partition);
  broker_word words[] = {broker_text(leave), broker_text("1"), broker_text(own.text), broker_text(o->worker)};
  if (o->state == OWNERSHIP_OURS)
    broker_send(o->broker, BROKER_EVAL, words, 4, NULL, NULL);
}
