/* See crawl_job.h. Everything that can be checked beforehand is checked before any file is made, and what a directory
 * keeps is changed when no check is left: a run that is refused leaves it as it was. */
#include "crawler/commands/crawl_job.h"

#include "crawler/commands/cluster_place.h"
#include "crawler/commands/cmd.h"
#include "crawler/commands/kept_options.h"
#include "crawler/http/name_tries.h"
#include "crawler/loop/requeue.h"
#include "crawler/base/confine.h"
#include "crawler/base/message.h"
#include "frontier/base/machine.h"
#include "frontier/base/own_file.h"
#include "frontier/recrawl.h"
#include "frontier/traps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESOLV_CONF "/etc/resolv.conf"

/* How many connections are kept for later, by the memory that one takes: bench_https.sh measures it. */
static rlim_t kept_connections(const crawl_args *args)
{
  enum { HTTP1_BYTES = 40 << 10, HTTP2_BYTES = 80 << 10, MOST = 1 << 20 };
  uint64_t kept = args->keep_bytes / (args->crawl.fetch.multiplexes ? HTTP2_BYTES : HTTP1_BYTES);
  return kept < MOST ? kept : MOST;
}

/* A connection that finds no descriptor would be a page called unreachable. Ask for what --connections can need, which
 * with two address families and a name being looked up is four each, and refuse to begin without one each. What is
 * allowed beyond that is for connections kept for later. */
static int reserve_descriptors(crawl_job *job)
{
  enum { BASE = 32, METRICS = 16, EACH_AT_WORST = 4 };
  fetch_options *fetch = &job->args.crawl.fetch;
  rlim_t connections = fetch->connections, kept = kept_connections(&job->args);
  rlim_t ours = BASE + (job->args.metrics ? METRICS : 0), needed = connections + ours;
  rlim_t in_use = connections * EACH_AT_WORST + ours, wanted = in_use + kept;
  fetch->kept = (unsigned)kept;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return EXIT_DONE;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur < wanted)
    fetch->kept = limit.rlim_cur > in_use ? (unsigned)(limit.rlim_cur - in_use) : 0;
  if (limit.rlim_cur >= needed)
    return EXIT_DONE;
  say_error("crawl", "--connections %u needs %ju open files, but only %ju are allowed here (ulimit -n)",
            fetch->connections, (uintmax_t)needed, (uintmax_t)limit.rlim_cur);
  return EXIT_FAILED;
}

static int find_directory(crawl_job *job)
{
  if (job->args.no_store)
    return EXIT_DONE;
  if (job->args.directory)
    snprintf(job->directory, sizeof job->directory, "%s", job->args.directory);
  else
    crawl_dir_default(job->start, job->args.audit, job->directory);
  if (!job->has_start && !crawl_dir_exists(job->directory) && errno != ELOOP) {
    say_error("crawl", "%s holds no crawl to go on with; give a start URL", job->directory);
    return EXIT_FAILED;
  }
  return crawl_dir_prepare(job->directory) ? EXIT_DONE : EXIT_FAILED;
}

static int refuse_change(const crawl_job *job, const char *option, const char *was)
{
  say_error("crawl", "--%s: %s was made with %s, which cannot change; choose another --dir", option, job->directory,
            was);
  return EXIT_USAGE;
}

static int say_frontier(const crawl_job *job)
{
  say_error("crawl", "%s", frontier_message(job->frontier));
  return EXIT_FAILED;
}

/* What was asked for by name must be what the directory has. */
static int check_identity(crawl_job *job)
{
  frontier_stats stats;
  char name[URL_PROFILE_NAME_SIZE];
  if (frontier_stats_read(job->frontier, &stats) != FRONTIER_OK)
    return say_frontier(job);
  bool is_exact = frontier_is_exact(job->frontier);
  if (job->args.filter_given && (stats.filter.kind != job->args.filter || is_exact != job->args.exact))
    return refuse_change(job, "filter", crawl_filter_name(stats.filter.kind, is_exact));
  if (job->args.profile_given && stats.profile != job->args.profile) {
    url_profile_name(stats.profile, name);
    return refuse_change(job, "profile", name);
  }
  if (job->args.rate_given && stats.filter.promised_rate != job->args.rate) {
    snprintf(name, sizeof name, "%g", stats.filter.promised_rate);
    return refuse_change(job, "fp", name);
  }
  job->args.profile = stats.profile; /* start URLs get their keys by it */
  return EXIT_DONE;
}

/* Only while it is opened, which may take long; later the panel is there. */
static void say_while_opening(void *context, const char *sentence)
{
  const crawl_job *job = context;
  if (!job->frontier && !job->args.quiet)
    say_note("%s", sentence);
}

/* Pages that have ended and make a commit due. A crash costs fewer than twice so many, and what was in flight. */
enum { ENDED_IN_A_BATCH = 24 };

/* Its frontier, if it is a crawl. Nothing of it is read before the crawl is confined; but its file of locks, which
 * readers write to, must be there by then. */
static int find_previous(crawl_job *job)
{
  const char *named = job->args.previous;
  struct stat info;
  if (!named)
    return EXIT_DONE;
  if (stat(named, &info) != 0) {
    say_error("crawl", "--previous %s: %s", named, strerror(errno));
    return EXIT_FAILED;
  }
  snprintf(job->previous, sizeof job->previous, "%s", named);
  if (!S_ISDIR(info.st_mode))
    return EXIT_DONE;
  if (!crawl_dir_frontier("crawl", named, job->previous))
    return EXIT_FAILED;
  crawl_dir_file(job->previous, "lock.mdb", job->previous_lock);
  int fd = own_file_open(job->previous_lock, O_RDWR | O_CREAT, 0600);
  if (fd >= 0)
    close(fd);
  return EXIT_DONE;
}

/* With --no-store the filter begins with room for so many, as in a directory: one for a million is 6 MB, and the first
 * use of each of its pages of memory costs a small crawl more than its keys. To grow costs 50 ns a key. */
enum { NO_STORE_FIRST = 1 << 15 };

static int open_frontier(crawl_job *job)
{
  char path[CRAWL_PATH_SIZE + 16], journal[CRAWL_PATH_SIZE + 16], message[FRONTIER_MESSAGE_SIZE];
  snprintf(path, sizeof path, "%s/frontier", job->directory);
  snprintf(journal, sizeof journal, "%s/pages.jsonl", job->directory);
  bool keeps = *job->directory;
  frontier_options options = {
    .filter = job->args.filter,
    .exact = job->args.exact,
    .profile = job->args.profile,
    .expected_urls = keeps || job->args.expect < NO_STORE_FIRST ? job->args.expect : NO_STORE_FIRST,
    .rate = job->args.rate,
    .delay_ms = job->args.crawl.delay_ms,
    .per_host = job->args.per_host,
    .depth_cap = job->args.crawl.max_depth,
    .journal_path = keeps ? journal : NULL,
    .previous_path = *job->previous ? job->previous : NULL,
    .keep_identity = true,
    .secret = job->args.hash_secret_given ? job->args.hash_secret : NULL,
    .group_readable = job->args.group_readable,
    .commit_thread = keeps,
    .commit_after_ended = ENDED_IN_A_BATCH,
    .log = say_while_opening,
    .log_context = job,
  };
  const cluster_place *place = job->args.place;
  if (place && place->is_worker) {
    options.partitions = place->partitions;
    options.partition = place->partition;
    options.route_key = place->route_key;
    options.keeps_copies = job->args.snapshot_to;
    options.incarnation = place->was_lost ? machine_wall_ms() : 0;
  }
  frontier_status status = frontier_open(keeps ? path : NULL, &options, &job->frontier, message);
  if (status == FRONTIER_MISMATCH && options.secret)
    return refuse_change(job, "secret", "another");
  if (status != FRONTIER_OK) {
    say_error("crawl", "%s", message);
    return EXIT_FAILED;
  }
  if (frontier_watch_traps(job->frontier, job->args.trap_budget) != FRONTIER_OK)
    return say_frontier(job);
  return check_identity(job);
}

/* What the last run that began left; "" if it left nothing. An exit code. */
static int kept_before(const crawl_job *job, const void **text, size_t *size)
{
  *text = "";
  *size = 0;
  frontier_status status = frontier_setting_get(job->frontier, "options", text, size);
  return status == FRONTIER_OK || status == FRONTIER_NOT_FOUND ? EXIT_DONE : say_frontier(job);
}

/* What an earlier run was given and this one was not. The frontier and the limit on descriptors were made by what the
 * command line alone says. */
static int read_options(crawl_job *job)
{
  const void *before;
  size_t size;
  if (!*job->directory)
    return EXIT_DONE;
  int code = kept_before(job, &before, &size);
  if (code == EXIT_DONE && size)
    code = kept_options_read(&job->args, job->directory, before, size);
  if (code == EXIT_DONE)
    code = reserve_descriptors(job);
  if (code != EXIT_DONE)
    return code;
  name_tries_limit(RESOLV_CONF, job->args.crawl.fetch.timeout_ms);
  if (frontier_host_defaults(job->frontier, job->args.crawl.delay_ms, job->args.per_host) != FRONTIER_OK)
    return say_frontier(job);
  return EXIT_DONE;
}

/* For the next run, once nothing can refuse this one any more. */
static int keep_options(crawl_job *job)
{
  const void *before;
  size_t before_size, size;
  int code = *job->directory ? kept_before(job, &before, &before_size) : EXIT_DONE;
  if (!*job->directory || code != EXIT_DONE)
    return code;
  char *now = kept_options_write(&job->args, &size);
  if (!now) {
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  bool is_same = size == before_size && memcmp(now, before, size) == 0;
  if (size > KEPT_OPTIONS_MAX) {
    say_error("crawl", "the options that a directory keeps are %zu bytes long, and it keeps %d: shorter ones, please",
              size, KEPT_OPTIONS_MAX);
    code = EXIT_USAGE;
  } else if (!is_same && frontier_setting_put(job->frontier, "options", now, size) != FRONTIER_OK)
    code = say_frontier(job);
  free(now);
  return code;
}

/* What is old enough when the run begins; what grows old meanwhile is for the next. */
static int ask_for_old_pages(crawl_job *job)
{
  uint64_t least_s = job->args.crawl.recrawl_least_s, most_s = job->args.crawl.recrawl_most_s;
  if (!least_s || frontier_recrawl(job->frontier, least_s, most_s, machine_wall_ms() / 1000) == FRONTIER_OK)
    return EXIT_DONE;
  return say_frontier(job);
}

/* The scope the directory has, or a new one of the kind asked for. */
static int open_scope(crawl_job *job)
{
  const void *text;
  size_t size;
  const char *fixed = job->args.place ? job->args.place->scope : NULL;
  job->is_resumed = frontier_setting_get(job->frontier, "scope", &text, &size) == FRONTIER_OK;
  if (fixed)
    job->scope = scope_read(fixed, strlen(fixed));
  else if (job->is_resumed)
    job->scope = scope_read(text, size);
  else
    job->scope = scope_create(job->args.scope);
  if (!job->scope) {
    say_error("crawl", "%s: the scope it was made with cannot be read", job->directory);
    return EXIT_FAILED;
  }
  if (job->args.scope_given && scope_kind_of(job->scope) != job->args.scope)
    return refuse_change(job, "scope", scope_kind_name(scope_kind_of(job->scope)));
  return EXIT_DONE;
}

/* The expressions the directory has; those asked for must be the same. */
static int open_patterns(crawl_job *job)
{
  const void *text = "";
  size_t size = 0;
  const char *asked = patterns_text(job->args.patterns);
  bool is_known = frontier_setting_get(job->frontier, "patterns", &text, &size) == FRONTIER_OK;
  if (*asked && job->is_resumed && (strlen(asked) != size || memcmp(asked, text, size) != 0))
    return refuse_change(job, *asked == '+' ? "include" : "exclude", size ? "other expressions" : "none");
  if (*asked && !job->is_resumed &&
      frontier_setting_put(job->frontier, "patterns", asked, strlen(asked)) != FRONTIER_OK)
    return say_frontier(job);
  if (*asked || !is_known || patterns_read(job->args.patterns, text, size))
    return EXIT_DONE;
  say_error("crawl", "%s: the expressions it was made with cannot be read", job->directory);
  return EXIT_FAILED;
}

/* Who may be told a password: scheme, host and port of all start URLs, ever. Older directories know no schemes: theirs
 * are not believed, and start URLs are to be given again. */
static int open_trusted(crawl_job *job)
{
  const void *text;
  size_t size;
  bool is_known = frontier_setting_get(job->frontier, "trusted", &text, &size) == FRONTIER_OK;
  job->trusted = is_known ? scope_read(text, size) : scope_create(SCOPE_ORIGIN);
  if (job->trusted && scope_kind_of(job->trusted) != SCOPE_ORIGIN) {
    scope_free(job->trusted);
    job->trusted = scope_create(SCOPE_ORIGIN);
  }
  job->args.crawl.trusted = job->trusted;
  if (job->trusted)
    return EXIT_DONE;
  say_error("crawl", "%s: its start URLs cannot be read", job->directory);
  return EXIT_FAILED;
}

/* Counts order things and decide nothing, so damaged ones are no reason not to crawl. */
static int open_counts(crawl_job *job)
{
  char path[CRAWL_PATH_SIZE];
  uint8_t secret[MLBF_SECRET_BYTES];
  if (!*job->directory)
    return EXIT_DONE;
  crawl_dir_file(job->directory, "inlinks", path);
  frontier_secret(job->frontier, secret);
  mlbf_status status = inlinks_open_with(path, job->args.expect, secret, &job->args.crawl.counts);
  if (status != MLBF_OK)
    say_error("crawl", "%s.*: %s; links to pages are not counted in this run", path,
              status == MLBF_IO ? own_file_words(errno) : mlbf_status_text(status));
  return EXIT_DONE;
}

/* Every URL on the command line is good before anything is made on disk; the first start URL stays in job->start. */
static int read_first_start(crawl_job *job)
{
  for (int i = job->args.url_count; i-- > 0;) {
    crawl_args one = job->args;
    one.urls += i;
    one.url_count = 1;
    one.seeds = NULL;
    seeds *s = seeds_open(&one);
    seeds_next_result next = s ? seeds_next(s, job->start) : SEEDS_BAD;
    seeds_close(s);
    if (next != SEEDS_URL)
      return EXIT_USAGE;
  }
  job->seeds = seeds_open(&job->args);
  if (!job->seeds)
    return EXIT_FAILED;
  seeds_next_result next = seeds_next(job->seeds, job->start);
  job->has_start = next == SEEDS_URL;
  if (job->has_start || (job->args.directory && !job->args.seeds))
    return EXIT_DONE;
  if (next == SEEDS_NONE_LEFT) {
    seeds_report(job->seeds);
    say_error("crawl", "%s: no start URL in it", job->args.seeds);
  }
  return EXIT_FAILED;
}

/* Start URLs that are named get a fresh try, however they ended. */
static frontier_status retry_starts(const crawl_job *job, uint64_t *count)
{
  size_t named = (size_t)job->args.url_count, known = 0;
  url *start = malloc(sizeof *start);
  char **keys = calloc(named, sizeof *keys);
  frontier_status status = start && keys ? FRONTIER_OK : FRONTIER_NO_MEMORY;
  for (size_t i = 0; i < named && status == FRONTIER_OK; i++)
    if (url_parse(job->args.urls[i], strlen(job->args.urls[i]), job->args.profile, start) == URL_OK &&
        !(keys[known++] = strdup(start->key)))
      status = FRONTIER_NO_MEMORY;
  if (status == FRONTIER_OK)
    status = requeue_starts(job->frontier, job->args.crawl.max_depth, keys, known, count);
  for (size_t i = 0; keys && i < known; i++)
    free(keys[i]);
  free(keys);
  free(start);
  return status;
}

/* --retry-failed, and start URLs that are named once more; a directory that was just made has nothing to retry. */
static int queue_failed_again(crawl_job *job)
{
  uint64_t count = 0;
  char text[SAY_MANY_SIZE];
  frontier_status status = FRONTIER_OK;
  uint16_t max_depth = job->args.crawl.max_depth;
  if (!job->is_resumed)
    return EXIT_DONE;
  if (job->args.retry_failed)
    status = requeue_failed(job->frontier, max_depth, &count);
  else if (job->args.url_count)
    status = retry_starts(job, &count);
  job->args.crawl.looks_back = count > 0;
  if (status == FRONTIER_OK && job->args.retry_failed)
    say_note("%s that failed %s queued again", say_many(count, "URL", text), count == 1 ? "is" : "are");
  if (status == FRONTIER_OK)
    return EXIT_DONE;
  const char *why = frontier_message(job->frontier);
  say_error("crawl", "%s", *why ? why : "out of memory for what is to be tried again");
  return EXIT_FAILED;
}

static int open_warc(crawl_job *job)
{
  char message[WARC_MESSAGE_SIZE];
  warc_options options = {.directory = job->directory,
                          .file_bytes = job->args.warc_bytes,
                          .user_agent = job->args.crawl.fetch.user_agent,
                          .robots = job->args.crawl.ignore_robots ? "ignore" : "obey"};
  if (!*job->directory)
    return EXIT_DONE;
  if (!crawl_warc_open(&job->warc, job->frontier, &options, job->args.warc, message)) {
    say_error("crawl", "%s", message);
    return EXIT_FAILED;
  }
  job->args.crawl.warc = job->warc.warc;
  job->args.crawl.fetch.exchange_directory = job->args.warc ? job->directory : NULL;
  return EXIT_DONE;
}

/* A crawl is audited from its first page on, or not at all. */
static int open_edges(crawl_job *job)
{
  char message[FRONTIER_MESSAGE_SIZE];
  bool is_kept = edge_log_is_kept(job->frontier);
  if (job->args.audit && job->is_resumed && !is_kept) {
    say_error("crawl", "%s is no audit, and cannot become one: its links were not kept; choose another --dir",
              job->directory);
    return EXIT_USAGE;
  }
  if (!*job->directory || (!job->args.audit && !is_kept))
    return EXIT_DONE;
  job->args.audit = true;
  job->args.crawl.edges = job->edges = edge_log_open(job->frontier, job->directory, message);
  if (job->edges)
    return EXIT_DONE;
  say_error("crawl", "%s", message);
  return EXIT_FAILED;
}

/* An old one stays as it is until the crawl begins. */
static int open_summary(crawl_job *job)
{
  if (!job->args.summary || (job->summary_file = fopen(job->args.summary, "a")))
    return EXIT_DONE;
  say_error("crawl", "--summary %s: %s", job->args.summary, strerror(errno));
  return EXIT_FAILED;
}

static int empty_summary(crawl_job *job)
{
  struct stat info;
  int fd = job->summary_file ? fileno(job->summary_file) : -1;
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || ftruncate(fd, 0) == 0)
    return EXIT_DONE;
  say_error("crawl", "--summary %s: %s", job->args.summary, strerror(errno));
  return EXIT_FAILED;
}

/* Before the first thread is made, and before a byte of the web or of an older crawl is read. Where the kernel has no
 * Landlock the crawl is the same. */
static int confine_all(crawl_job *job)
{
  const char *const named[] = {job->args.crawl.fetch.cookie_file, trust_file(job->trust), trust_directory(job->trust),
                               *job->previous ? job->previous : NULL, job->args.snapshot_to};
  const char *const written[] = {*job->previous_lock ? job->previous_lock : NULL,
                                 job->metrics.path ? job->metrics.directory : NULL};
  job->is_confined = confine(confine_version(), *job->directory ? job->directory : P_tmpdir, named,
                             sizeof named / sizeof *named, written, sizeof written / sizeof *written);
  return EXIT_DONE;
}

/* What pages say is the user's: a damaged file is not passed over, for pages that are missing in it once are missing
 * for good. */
static int open_contents(crawl_job *job)
{
  crawl_options *o = &job->args.crawl;
  if (!job->args.no_similar && *job->directory && !(o->contents = fingerprint_index_open(job->directory)))
    return EXIT_FAILED;
  if (job->args.digests && !(o->bodies = body_digests_open(job->directory)))
    return EXIT_FAILED;
  job->files = (commit_files){.warc = job->warc.warc ? &job->warc : NULL, .contents = o->contents, .edges = job->edges};
  commit_files_begin(&job->files, job->frontier);
  return EXIT_DONE;
}

static int open_trust(crawl_job *job)
{
  char message[TRUST_MESSAGE];
  job->args.crawl.fetch.trust = job->trust = trust_create(job->args.ca_file, message);
  if (job->trust)
    return EXIT_DONE;
  say_error("crawl", "%s", message);
  return EXIT_FAILED;
}

static void say_of_cluster(const char *sentence)
{
  say_note("%s", sentence);
}

static frontier_status company_turn(void *context, const frontier_inbox_rules *rules, bool is_done, uint64_t now_ms)
{
  return cluster_turn(context, rules, is_done, now_ms);
}

static company_state company_state_of(void *context)
{
  cluster_state state = cluster_state_of(context);
  return state == CLUSTER_GOES_ON ? COMPANY_GOES_ON : state == CLUSTER_OVER ? COMPANY_OVER : COMPANY_STOPS;
}

/* A worker's partition, when its directory is open: from then on it is nobody else's. */
static int join_cluster(crawl_job *job)
{
  const cluster_place *place = job->args.place;
  char message[BROKER_MESSAGE];
  if (!place || !place->is_worker)
    return EXIT_DONE;
  cluster_options options = {.name = &place->name,
                             .password = place->password,
                             .directory = job->directory,
                             .definition = place->definition.text,
                             .scope = place->scope,
                             .keeps_copies = job->args.snapshot_to,
                             .is_new = place->is_new};
  job->cluster = cluster_create(job->frontier, &options);
  if (!job->cluster) {
    say_error("crawl", "out of memory for the cluster");
    return EXIT_FAILED;
  }
  if (!cluster_claim(job->cluster, say_of_cluster, message)) {
    if (!*message) /* else it is said when the cluster is left */
      say_error("crawl", "%s: %s", job->directory, frontier_message(job->frontier));
    return EXIT_FAILED;
  }
  job->company = (crawl_company){.context = job->cluster, .turn = company_turn, .state = company_state_of};
  job->args.crawl.company = &job->company;
  return EXIT_DONE;
}

int crawl_job_open(crawl_job *job)
{
  int code = reserve_descriptors(job);
  name_tries_limit(RESOLV_CONF, job->args.crawl.fetch.timeout_ms);
  if (code == EXIT_DONE)
    code = open_trust(job);
  if (code == EXIT_DONE)
    code = read_first_start(job);
  if (code == EXIT_DONE)
    code = metrics_output_open(&job->metrics, job->args.metrics) ? EXIT_DONE : EXIT_FAILED;
  if (code == EXIT_DONE)
    code = find_previous(job);
  if (code == EXIT_DONE)
    code = find_directory(job);
  if (code == EXIT_DONE)
    code = open_summary(job);
  if (code == EXIT_DONE)
    code = confine_all(job);
  if (code == EXIT_DONE)
    code = open_frontier(job);
  if (code == EXIT_DONE)
    code = read_options(job);
  if (code == EXIT_DONE)
    code = join_cluster(job);
  if (code == EXIT_DONE)
    code = open_scope(job);
  if (code == EXIT_DONE)
    code = open_patterns(job);
  if (code == EXIT_DONE)
    code = open_trusted(job);
  if (code == EXIT_DONE)
    code = open_edges(job);
  if (code == EXIT_DONE)
    code = open_warc(job);
  if (code == EXIT_DONE)
    code = open_counts(job);
  if (code == EXIT_DONE)
    code = open_contents(job);
  if (code == EXIT_DONE)
    code = empty_summary(job);
  if (code == EXIT_DONE)
    code = keep_options(job);
  if (code == EXIT_DONE)
    code = ask_for_old_pages(job);
  if (code == EXIT_DONE)
    code = queue_failed_again(job);
  return code;
}
