/* strata cluster: what operators of a crawl on many machines ask and do. */
#include "crawler/base/crawl_dir.h"
#include "crawler/base/json.h"
#include "crawler/base/message.h"
#include "crawler/cluster/definition.h"
#include "crawler/cluster/partition_stat.h"
#include "crawler/commands/cluster_connect.h"
#include "crawler/commands/cmd.h"
#include "frontier/base/machine.h"
#include "frontier/exchange.h"

#include <getopt.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
  bool is_json;
  const char *password_file;
} request;

/* ---- stat ----------------------------------------------------------------------------------------------- */

typedef struct overview {
  partition_stat *partitions;
  bool *has_said, *has_owner;
  uint32_t count;
} overview;

static void stat_came(void *context, const redisReply *reply)
{
  const overview *o = context;
  partition_stat s;
  for (size_t i = 1; reply && reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i += 2)
    if (reply->element[i]->type == REDIS_REPLY_STRING &&
        partition_stat_read(reply->element[i]->str, reply->element[i]->len, &s) && s.partition < o->count) {
      o->partitions[s.partition] = s;
      o->has_said[s.partition] = true;
    }
}

static void owner_came(void *context, const redisReply *reply)
{
  bool *has_owner = context;
  *has_owner = reply && reply->type == REDIS_REPLY_STRING;
}

static bool ask_all(broker *b, overview *o)
{
  char *text, value[16];
  if (!cluster_get(b, "def", &text))
    return false;
  bool is_known = text && definition_get(text, "partitions", value, sizeof value);
  unsigned long count = is_known ? strtoul(value, NULL, 10) : 0;
  free(text);
  o->count = count <= FRONTIER_PARTITIONS_MAX ? (uint32_t)count : 0;
  o->partitions = calloc(o->count + 1, sizeof *o->partitions);
  o->has_said = calloc(o->count + 1, sizeof *o->has_said);
  o->has_owner = calloc(o->count + 1, sizeof *o->has_owner);
  if (!o->partitions || !o->has_said || !o->has_owner)
    return false;
  broker_key key = broker_key_of(b, "stat");
  broker_word word = broker_text(key.text);
  broker_send(b, BROKER_HGETALL, &word, 1, stat_came, o);
  for (uint32_t p = 0; p < o->count; p++) {
    broker_key own = broker_key_of_number(b, "own", p);
    broker_word of = broker_text(own.text);
    broker_send(b, BROKER_GET, &of, 1, owner_came, &o->has_owner[p]);
  }
  return broker_settle(b, CLUSTER_ANSWER_MS);
}

static void print_json(const overview *o)
{
  json text = {0};
  for (uint32_t p = 0; p < o->count; p++)
    if (o->has_said[p]) {
      json_clear(&text);
      partition_stat_write(&o->partitions[p], &text);
      printf("%.*s\n", (int)text.size, text.text ? text.text : "");
    }
  json_free(&text);
}

/* "12 s", or `none` if it never was. */
static const char *say_age(uint64_t age_ms, bool was, const char *none, char text[SAY_SIZE])
{
  return was ? say_seconds((double)age_ms / 1000, text) : none;
}

static void print_partition(const partition_stat *s, bool has_owner)
{
  char done[SAY_SIZE], waiting[SAY_SIZE], oldest[SAY_SIZE], copied[SAY_SIZE], heard[SAY_SIZE];
  uint64_t now_ms = machine_wall_ms(), age_ms = now_ms > s->at_ms ? now_ms - s->at_ms : 0;
  printf("%9" PRIu32 "  %-22.22s %12s %12s %8.1f %7" PRIu64 " %7" PRIu64 " %9s %12s%s%s\n", s->partition, s->worker,
         say_count(s->done, done), say_count(s->waiting, waiting), has_owner ? s->rate : 0, s->outbox,
         s->unacknowledged, say_age(s->oldest_ms, s->oldest_ms, "-", oldest),
         say_age(now_ms > s->copied_ms ? now_ms - s->copied_ms : 0, s->copied_ms, "none", copied),
         has_owner ? "" : "  no owner, last heard of before ",
         has_owner ? "" : say_seconds((double)age_ms / 1000, heard));
}

static void print_sum(const overview *o)
{
  char done[SAY_SIZE], waiting[SAY_SIZE];
  partition_stat sum = {0};
  uint32_t owned = 0, copied = 0;
  for (uint32_t p = 0; p < o->count; p++) {
    const partition_stat *s = &o->partitions[p];
    sum.done += s->done;
    sum.waiting += s->waiting;
    sum.outbox += s->outbox;
    sum.unacknowledged += s->unacknowledged;
    sum.rate += o->has_owner[p] ? s->rate : 0;
    owned += o->has_owner[p];
    copied += s->copied_ms > 0;
  }
  printf("%9s  %-22s %12s %12s %8.1f %7" PRIu64 " %7" PRIu64 "\n", "all", "", say_count(sum.done, done),
         say_count(sum.waiting, waiting), sum.rate, sum.outbox, sum.unacknowledged);
  printf("%" PRIu32 " of %" PRIu32 " partitions have an owner", owned, o->count);
  printf(owned < o->count ? "; the crawl cannot be over until all have one\n" : "\n");
  if (copied && copied < o->count)
    printf("of %" PRIu32 " partitions ", o->count - copied);
  if (copied < o->count)
    puts("no snapshot exists: if a directory is lost for good, the partition's URLs that its own start URLs do not "
         "lead to are lost");
  puts("budgets of domains are kept by partition: a domain of many hosts may get up to that many times its budget");
}

static int print_overview(broker *b, bool is_json)
{
  overview o = {0};
  int code = ask_all(b, &o) ? EXIT_DONE : cluster_say_broker("cluster", b);
  if (code == EXIT_DONE && !o.count) {
    say_error("cluster", "no crawl of that name is in this Redis");
    code = EXIT_FAILED;
  } else if (code == EXIT_DONE && is_json) {
    print_json(&o);
  } else if (code == EXIT_DONE) {
    printf("%9s  %-22s %12s %12s %8s %7s %7s %9s %12s\n", "partition", "worker", "done", "waiting", "pages/s", "outbox",
           "unacked", "oldest", "snapshot");
    for (uint32_t p = 0; p < o.count; p++)
      if (o.has_said[p])
        print_partition(&o.partitions[p], o.has_owner[p]);
    print_sum(&o);
  }
  free(o.partitions);
  free(o.has_said);
  free(o.has_owner);
  return code;
}

/* ---- the others ----------------------------------------------------------------------------------------- */

static int stop(broker *b)
{
  broker_key key = broker_key_of(b, "stop");
  broker_word words[] = {broker_text(key.text), broker_text("1")};
  broker_send(b, BROKER_SET, words, 2, NULL, NULL);
  if (!broker_settle(b, CLUSTER_ANSWER_MS))
    return cluster_say_broker("cluster", b);
  say_note("All workers stop within a second or two; the same commands go on");
  return EXIT_DONE;
}

/* A directory that was restored or copied, and that is to go on in place of a lost one. */
static int adopt(const char *directory)
{
  char path[CRAWL_PATH_SIZE], message[FRONTIER_MESSAGE_SIZE];
  uint64_t incarnation;
  if (!crawl_dir_frontier("cluster", directory, path))
    return EXIT_FAILED;
  frontier_status status = frontier_incarnate(path, machine_wall_ms(), &incarnation, message);
  if (status != FRONTIER_OK) {
    say_error("cluster", "adopt %s: %s", directory, message);
    return EXIT_FAILED;
  }
  say_note("%s begins a new life, number %" PRIu64 "; start its crawl here, and never the one it was copied from",
           directory, incarnation);
  return EXIT_DONE;
}

static int print_rights(const char *name)
{
  char rights[1024];
  broker_rights(name, rights, sizeof rights);
  printf("ACL SETUSER strata on >PASSWORD %s\n", rights);
  return EXIT_DONE;
}

static int run(const request *r, const char *verb, const char *what)
{
  cluster_name name;
  char message[CLUSTER_NAME_MESSAGE], *password;
  if (strcmp(verb, "adopt") == 0)
    return adopt(what);
  if (strcmp(verb, "stat") != 0 && strcmp(verb, "stop") != 0 && strcmp(verb, "rights") != 0) {
    say_error("cluster", "there is no \"%.40s\"; stat, stop, adopt or rights, please", verb);
    return EXIT_USAGE;
  }
  if (!cluster_name_read(what, &name, message)) {
    say_error("cluster", "%s", message);
    return EXIT_USAGE;
  }
  if (strcmp(verb, "rights") == 0)
    return print_rights(name.name);
  if (!cluster_password("cluster", r->password_file, &password))
    return EXIT_FAILED;
  broker *b = cluster_connect("cluster", &name, password);
  int code = !b ? EXIT_FAILED : strcmp(verb, "stop") == 0 ? stop(b) : print_overview(b, r->is_json);
  broker_free(b);
  free(password);
  return code;
}

#define FIELD(member) OPTION_FIELD(request, member)

static const option_row option_rows[] = {
  {"json", NULL, OPTION_FLAG, FIELD(is_json), .help = "stat: one JSON object per partition and line"},
  {"cluster-password-file", "FILE", OPTION_STRING, FIELD(password_file),
   .help = "its first line is the password for Redis (or the environment's STRATA_CLUSTER_PASSWORD)"},
};

const option_table cmd_cluster_options = {
  .command = "cluster",
  .column = 31,
  OPTION_ROWS(option_rows),
  .before =
    "Usage: strata cluster stat redis://HOST:PORT/NAME [--json]\n"
    "       strata cluster stop redis://HOST:PORT/NAME\n"
    "       strata cluster adopt DIR\n"
    "       strata cluster rights redis://HOST:PORT/NAME\n"
    "A crawl on many machines (strata crawl --cluster): how its partitions are; stop all of its workers, which the\n"
    "same commands go on from; let a directory that was restored from a copy go on in place of a lost one; print what\n"
    "its user in Redis needs.\n"
    "\n"
    "  strata cluster stat redis://127.0.0.1/demo\n"
    "  strata cluster adopt strata-demo/p-003\n",
  .least_words = 2,
  .most_words = 2,
  .wanted = "a verb and what it is about, please: strata cluster stat redis://HOST:PORT/NAME",
};

int cmd_cluster(int argc, char **argv)
{
  request r = {0};
  int code = options_read(&cmd_cluster_options, argc, argv, &r);
  return code == OPTIONS_READ ? run(&r, argv[optind], argv[optind + 1]) : code;
}
