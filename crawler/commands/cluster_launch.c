/* See cluster_launch.h.
 *
 *     def in Redis, or put there --> scope in Redis, or a scout finds it and puts it there
 *         --> which partitions? --> fork a worker for each --> panel, signals, exit codes
 *
 * All processes of a crawl use one scope: links are judged by whoever finds them, so a start URL's redirect that only
 * one of them knew of would cost the others' links. A scout fetches the start URLs first, and the scope it ends with
 * stays. */
#include "crawler/commands/cluster_launch.h"

#include "crawler/base/body_hash.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/commands/cluster_connect.h"
#include "crawler/commands/cluster_place.h"
#include "crawler/commands/cluster_workers.h"
#include "crawler/commands/cmd.h"
#include "crawler/commands/seeds.h"
#include "frontier/base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCOUT_MS = 60000, SCOPE_MAX = 16 << 20 };

/* ---- asking the server ---------------------------------------------------------------------------------- */

/* Puts it there unless there is one; then the one that is there, to be freed. */
static bool agree(broker *b, const char *name, const char *ours, char **theirs)
{
  broker_key key = broker_key_of(b, name);
  broker_word words[] = {broker_text(key.text), broker_text(ours), broker_text("NX")};
  broker_send(b, BROKER_SET, words, 3, NULL, NULL);
  return cluster_get(b, name, theirs);
}

/* ---- what is crawled ------------------------------------------------------------------------------------ */

/* How many start URLs, and a digest of all. */
static int digest_starts(const crawl_args *args, char *text, size_t room)
{
  url *start = malloc(sizeof *start);
  body_hash *hash = body_hash_create(BODY_HASH_SHA256);
  seeds *s = start && hash ? seeds_open(args) : NULL;
  char digest[BODY_HASH_TEXT] = "";
  uint64_t count = 0;
  seeds_next_result next = SEEDS_BAD;
  if (s) {
    body_hash_begin(hash);
    for (; (next = seeds_next(s, start)) == SEEDS_URL; count++)
      body_hash_add(hash, start->key, start->key_size + 1);
    body_hash_end(hash, digest);
  }
  snprintf(text, room, "%" PRIu64 " URLs (%.12s)", count, digest);
  seeds_close(s);
  body_hash_free(hash);
  free(start);
  return next == SEEDS_NONE_LEFT ? EXIT_DONE : EXIT_USAGE;
}

static void put_cap(definition *d, const char *name, uint64_t cap)
{
  if (cap == UINT64_MAX)
    definition_put(d, name, "none");
  else
    definition_put(d, name, "%" PRIu64, cap);
}

static int define(const crawl_args *a, cluster_place *place)
{
  definition *d = &place->definition;
  char profile[URL_PROFILE_NAME_SIZE], starts[96], key[2 * FRONTIER_ROUTE_KEY_BYTES + 1];
  static const char *const sitemaps[] = {"none", "robots", "guess"};
  int code = digest_starts(a, starts, sizeof starts);
  if (code != EXIT_DONE)
    return code;
  url_profile_name(a->profile, profile);
  for (size_t i = 0; i < sizeof place->route_key; i++)
    snprintf(key + 2 * i, 3, "%02x", place->route_key[i]);
  const char *written = patterns_text(a->patterns);
  body_hash *hash = body_hash_create(BODY_HASH_SHA256);
  char expressions[BODY_HASH_TEXT] = "";
  if (!hash)
    return EXIT_FAILED;
  body_hash_begin(hash);
  body_hash_add(hash, written, strlen(written));
  body_hash_end(hash, expressions);
  body_hash_free(hash);
  definition_put(d, "cluster-protocol", "1");
  definition_put(d, "partitions", "%" PRIu32, place->partitions);
  definition_put(d, "seeds", "%s", starts);
  definition_put(d, "scope", "%s", scope_kind_name(a->scope));
  definition_put(d, "include", "%.12s", *written ? expressions : "none");
  definition_put(d, "filter", "%s", crawl_filter_name(a->filter, a->exact));
  definition_put(d, "fp", "%g", a->rate);
  definition_put(d, "profile", "%s", profile);
  put_cap(d, "max-pages", a->crawl.max_pages);
  put_cap(d, "max-bytes", a->crawl.max_bytes);
  definition_put(d, "max-depth", "%u", a->crawl.max_depth);
  definition_put(d, "sitemaps", "%s", sitemaps[a->crawl.sitemaps]);
  definition_put(d, "ignore-robots", "%d", a->crawl.ignore_robots);
  definition_put(d, "follow-nofollow", "%d", a->crawl.follows_nofollow);
  definition_put(d, "images", "%d", a->crawl.wants_images);
  put_cap(d, "trap-budget", a->trap_budget);
  put_cap(d, "domain-budget", a->crawl.domain_budget);
  definition_put(d, ".route-key", "%s", key);
  return d->is_cut ? EXIT_FAILED : EXIT_DONE;
}

static bool read_route_key(const char *text, uint8_t key[FRONTIER_ROUTE_KEY_BYTES])
{
  char hex[2 * FRONTIER_ROUTE_KEY_BYTES + 1];
  if (!definition_get(text, ".route-key", hex, sizeof hex) || strlen(hex) != sizeof hex - 1)
    return false;
  if (strspn(hex, "0123456789abcdef") != strlen(hex))
    return false;
  for (size_t i = 0; i < FRONTIER_ROUTE_KEY_BYTES; i++) {
    char byte[3] = {hex[2 * i], hex[2 * i + 1]};
    key[i] = (uint8_t)strtoul(byte, NULL, 16);
  }
  return true;
}

static char *read_all(int fd)
{
  size_t size = 0, room = 4096;
  char *text = malloc(room);
  for (ssize_t got = 1; text && got > 0 && size < SCOPE_MAX; size += (size_t)got) {
    if (room - size < 2048) {
      char *grown = realloc(text, room *= 2);
      if (!grown)
        break;
      text = grown;
    }
    do
      got = read(fd, text + size, room - size - 1);
    while (got < 0 && errno == EINTR);
    got = got < 0 ? 0 : got;
  }
  if (text)
    text[size] = '\0';
  return text;
}

/* What is agreed on is kept here, too: the server may forget it. NULL: this directory knows nothing of it. */
static char *recall(const char *directory, const char *name)
{
  char path[CRAWL_PATH_SIZE + 16];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  char *text = fd < 0 ? NULL : read_all(fd);
  if (fd >= 0)
    close(fd);
  if (text && !*text) {
    free(text);
    text = NULL;
  }
  return text;
}

static int keep(const char *directory, const char *name, const char *text)
{
  char path[CRAWL_PATH_SIZE + 16], made[CRAWL_PATH_SIZE + 24];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  snprintf(made, sizeof made, "%s.new", path);
  unlink(made);
  int fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  size_t size = strlen(text);
  bool is_written = fd >= 0 && write(fd, text, size) == (ssize_t)size;
  if ((fd >= 0 && close(fd) != 0) || !is_written || rename(made, path) != 0) {
    say_error("crawl", "%s: %s", path, strerror(errno));
    return EXIT_FAILED;
  }
  return EXIT_DONE;
}

static int refuse_definition(const cluster_place *place)
{
  say_error("crawl", "--cluster: the definition of %s cannot be read: another program's, or a later version's?",
            place->name.name);
  return EXIT_FAILED;
}

static int compare_definition(const char *said, const cluster_place *place)
{
  char message[DEFINITION_MESSAGE];
  if (definition_agrees(said, place->definition.text, message))
    return EXIT_DONE;
  say_error("crawl", "%s; one crawl, one definition: the same options on each machine, or another NAME", message);
  return EXIT_USAGE;
}

/* Of a new crawl nobody has a partition, so that nobody waits for those who had one (cluster/ownership.h). */
static void begin_new(broker *b)
{
  broker_key key = broker_key_of(b, "boot");
  broker_word words[] = {broker_text(key.text), broker_text("0"), broker_text("NX")};
  broker_send(b, BROKER_SET, words, 3, NULL, NULL);
}

/* What Redis or this directory knows, or what we were told; `*theirs` is then what is in Redis. */
static int agree_on_definition(const crawl_args *args, broker *b, const char *directory, char **theirs)
{
  cluster_place *place = args->place;
  char *known;
  if (!cluster_get(b, "def", &known))
    return cluster_say_broker("crawl", b);
  if (!known)
    known = recall(directory, "cluster");
  place->is_new = !known;
  bool has_key = known ? read_route_key(known, place->route_key)
                       : machine_random(place->route_key, sizeof place->route_key);
  int code = has_key ? define(args, place) : refuse_definition(place);
  if (code == EXIT_DONE && known)
    code = compare_definition(known, place);
  if (code == EXIT_DONE && place->is_new)
    begin_new(b);
  if (code == EXIT_DONE && (!agree(b, "def", known ? known : place->definition.text, theirs) || !*theirs))
    code = cluster_say_broker("crawl", b);
  free(known);
  return code == EXIT_DONE ? compare_definition(*theirs, place) : code;
}

static int settle_definition(const crawl_args *args, broker *b, const char *directory)
{
  cluster_place *place = args->place;
  char *theirs = NULL;
  int code = agree_on_definition(args, b, directory, &theirs);
  if (code == EXIT_DONE && (!theirs || !read_route_key(theirs, place->route_key) || strlen(theirs) >= DEFINITION_SIZE))
    code = refuse_definition(place);
  if (code == EXIT_DONE && theirs) {
    place->definition.size = (size_t)snprintf(place->definition.text, sizeof place->definition.text, "%s", theirs);
    code = keep(directory, "cluster", theirs);
  }
  free(theirs);
  return code;
}

/* ---- the scope ------------------------------------------------------------------------------------------ */

/* OPTIONS_READ in the scout. */
static int scout(crawl_args *args, char **found)
{
  int ends[2];
  *found = NULL;
  if (pipe(ends) != 0) {
    say_error("crawl", "no pipe: %s", strerror(errno));
    return EXIT_FAILED;
  }
  if (!args->quiet)
    say_note("Looking where the start URLs lead");
  pid_t child = cluster_fork();
  if (child == 0) {
    close(ends[0]);
    args->place->is_scout = true;
    args->place->scope_fd = ends[1];
    args->no_store = args->quiet = true;
    args->warc = args->digests = args->crawl.near_last = false;
    args->crawl.recrawl_least_s = 0;
    args->directory = NULL;
    args->summary = NULL;
    args->crawl.max_depth = 0;
    args->crawl.sitemaps = SITEMAPS_NONE;
    args->crawl.max_ms = args->crawl.max_ms < SCOUT_MS ? args->crawl.max_ms : SCOUT_MS;
    return OPTIONS_READ;
  }
  close(ends[1]);
  *found = child > 0 ? read_all(ends[0]) : NULL;
  close(ends[0]);
  cluster_reap(child);
  if (*found && **found)
    return EXIT_DONE;
  say_error("crawl", "the start URLs could not be looked at");
  return EXIT_FAILED;
}

static int settle_scope(crawl_args *args, broker *b, const char *directory)
{
  cluster_place *place = args->place;
  if (args->scope == SCOPE_ANY)
    return EXIT_DONE;
  if (!cluster_get(b, "scope", &place->scope))
    return cluster_say_broker("crawl", b);
  char *found = place->scope ? NULL : recall(directory, "scope");
  int code = place->scope || found ? EXIT_DONE : scout(args, &found);
  if (code == EXIT_DONE && !place->scope && (!agree(b, "scope", found, &place->scope) || !place->scope))
    code = cluster_say_broker("crawl", b);
  free(found);
  return code == EXIT_DONE && place->scope ? keep(directory, "scope", place->scope) : code;
}

/* ---- copies --------------------------------------------------------------------------------------------- */

/* One crawl's copies and no other's lie there, since the next one takes the place of the last. */
static int settle_copies(crawl_args *args, const char *directory)
{
  cluster_place *place = args->place;
  enum { A_DAY_MS = 24 * 3600 * 1000 };
  char own[CRAWL_PATH_SIZE];
  if (!args->snapshot_to)
    return EXIT_DONE;
  if ((mkdir(args->snapshot_to, 0777) != 0 && errno != EEXIST) || !realpath(args->snapshot_to, place->copies) ||
      !realpath(directory, own)) {
    say_error("crawl", "--snapshot-to %s: %s", args->snapshot_to, strerror(errno));
    return EXIT_FAILED;
  }
  size_t size = strlen(own);
  if (strncmp(place->copies, own, size) == 0 && (!place->copies[size] || place->copies[size] == '/')) {
    say_error("crawl", "--snapshot-to %s: it is in the crawl's own directory; another disk, please", args->snapshot_to);
    return EXIT_USAGE;
  }
  char *known = recall(place->copies, "cluster");
  bool is_another = known && strcmp(known, place->definition.text) != 0;
  int code = known ? EXIT_DONE : keep(place->copies, "cluster", place->definition.text);
  free(known);
  if (is_another)
    say_error("crawl", "--snapshot-to %s: it has copies of another crawl", args->snapshot_to);
  args->snapshot_to = place->copies;
  args->snapshot_ms = args->snapshot_ms ? args->snapshot_ms : A_DAY_MS;
  return is_another ? EXIT_FAILED : code;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

/* What an earlier run left behind, if nobody is crawling: an old "over", and that it was to stop. */
static void forget_last_end(broker *b)
{
  static const char *const names[] = {"over", "done", "wave", "replies", "stop"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    broker_key key = broker_key_of(b, names[i]);
    broker_word word = broker_text(key.text);
    broker_send(b, BROKER_DEL, &word, 1, NULL, NULL);
  }
  broker_settle(b, CLUSTER_ANSWER_MS);
}

static int prepare(crawl_args *args, broker *b, const char *directory, partition_list *mine)
{
  int code = settle_definition(args, b, directory);
  if (code == EXIT_DONE)
    code = settle_copies(args, directory);
  if (code == EXIT_DONE)
    code = settle_scope(args, b, directory);
  if (code == EXIT_DONE)
    code = partitions_choose(args, b, directory, mine);
  if (code == EXIT_DONE && !mine->is_crawled)
    forget_last_end(b);
  return code;
}

static int launch(crawl_args *args, const char *directory)
{
  cluster_place *place = args->place;
  partition_list mine = {0};
  broker *b = cluster_connect("crawl", &place->name, place->password);
  int code = b ? prepare(args, b, directory, &mine) : EXIT_FAILED;
  if (code == EXIT_DONE)
    code = cluster_run_workers(args, b, directory, &mine);
  broker_free(b);
  free(mine.numbers);
  return code;
}

int cluster_launch(crawl_args *args)
{
  static cluster_place *place; /* of this process, and of a worker that it becomes, to its end */
  char message[CLUSTER_NAME_MESSAGE], directory[CRAWL_PATH_SIZE];
  place = args->place = calloc(1, sizeof *place);
  if (!place) {
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  place->partitions = args->partitions;
  if (!cluster_name_read(args->cluster, &place->name, message)) {
    say_error("crawl", "--cluster: %s", message);
    return EXIT_USAGE;
  }
  snprintf(directory, sizeof directory, "%s%s", args->directory ? args->directory : "strata-",
           args->directory ? "" : place->name.name);
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
    say_error("crawl", "%s: %s", directory, strerror(errno));
    return EXIT_FAILED;
  }
  bool is_known = cluster_password("crawl", args->cluster_password_file, &place->password);
  return is_known ? launch(args, directory) : EXIT_FAILED;
}
