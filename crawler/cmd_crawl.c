/* strata crawl: from the command line to an exit code. */
#include "crawler/cmd.h"
#include "crawler/crawl_args.h"
#include "crawler/crawl_dir.h"
#include "crawler/crawl_warc.h"
#include "crawler/panel.h"
#include "crawler/requeue.h"
#include "crawler/say.h"
#include "crawler/starts.h"
#include "crawler/summary.h"
#include "frontier/recrawl.h"
#include "frontier/traps.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Everything one run holds, so that it is let go of in one place. */
typedef struct run {
  crawl_args args;
  char directory[CRAWL_PATH_SIZE]; /* "": keep nothing */
  starts *starts;
  url *start;                      /* room for one */
  bool has_start;                  /* `start` holds the first start URL */
  bool is_resumed;
  frontier *frontier;
  scope *scope;
  scope *trusted;                  /* hosts of start URLs */
  crawl_warc warc;
  crawl *crawl;
  FILE *summary_file;
  panel panel;
  bool has_warned;   /* of too few file descriptors */
  bool has_told_contents; /* that what pages say is not kept any more */
  double saved_at_s; /* the in-link counts; seconds of this run */
} run;

/* ---- signals -------------------------------------------------------------------------------------------- */

static crawl *running; /* the one the handler stops */

/* Once: stop cleanly. Twice: at once; what was committed is as safe as ever. */
static void on_signal(int number)
{
  static volatile sig_atomic_t count;
  (void)number;
  if (count++)
    _exit(EXIT_STOPPED);
  if (running)
    crawl_stop(running);
}

static void catch_signals(crawl *c)
{
  struct sigaction action = {.sa_handler = on_signal};
  running = c;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

/* A connection that finds no descriptor would be a page called unreachable. Ask for what --connections can need, which
 * with two address families and a name being looked up is four each, and refuse to begin without one each. */
static int reserve_descriptors(const run *r)
{
  enum { OURS = 32, EACH_AT_WORST = 4 };
  rlim_t connections = r->args.crawl.fetch.connections;
  rlim_t needed = connections + OURS, wanted = connections * EACH_AT_WORST + OURS;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return EXIT_DONE;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= needed)
    return EXIT_DONE;
  say_error("crawl", "--connections %u needs %ju open files, but only %ju are allowed here (ulimit -n)",
            r->args.crawl.fetch.connections, (uintmax_t)needed, (uintmax_t)limit.rlim_cur);
  return EXIT_FAILED;
}

static int find_directory(run *r)
{
  if (r->args.no_store)
    return EXIT_DONE;
  if (r->args.directory)
    snprintf(r->directory, sizeof r->directory, "%s", r->args.directory);
  else
    crawl_dir_default(r->start, r->directory);
  if (!r->has_start && !crawl_dir_exists(r->directory)) {
    say_error("crawl", "%s holds no crawl to go on with; give a start URL", r->directory);
    return EXIT_FAILED;
  }
  return crawl_dir_prepare(r->directory) ? EXIT_DONE : EXIT_FAILED;
}

static int refuse_change(const run *r, const char *option, const char *was)
{
  say_error("crawl", "--%s: %s was made with %s, which cannot change; choose another --dir", option, r->directory, was);
  return EXIT_USAGE;
}

/* What was asked for by name must be what the directory has. */
static int check_identity(run *r)
{
  frontier_stats stats;
  char name[URL_PROFILE_NAME_SIZE];
  if (frontier_stats_read(r->frontier, &stats) != FRONTIER_OK) {
    say_error("crawl", "%s", frontier_message(r->frontier));
    return EXIT_FAILED;
  }
  bool is_exact = frontier_is_exact(r->frontier);
  if (r->args.filter_given && (stats.filter.kind != r->args.filter || is_exact != r->args.exact))
    return refuse_change(r, "filter", is_exact ? "exact" : mlbf_kind_name(stats.filter.kind));
  if (r->args.profile_given && stats.profile != r->args.profile) {
    url_profile_name(stats.profile, name);
    return refuse_change(r, "profile", name);
  }
  if (r->args.rate_given && stats.filter.promised_rate != r->args.rate) {
    snprintf(name, sizeof name, "%g", stats.filter.promised_rate);
    return refuse_change(r, "fp", name);
  }
  r->args.profile = stats.profile; /* start URLs get their keys by it */
  return EXIT_DONE;
}

static int open_frontier(run *r)
{
  char path[CRAWL_PATH_SIZE + 16], journal[CRAWL_PATH_SIZE + 16], message[FRONTIER_MESSAGE_SIZE];
  snprintf(path, sizeof path, "%s/frontier", r->directory);
  snprintf(journal, sizeof journal, "%s/pages.jsonl", r->directory);
  bool keeps = *r->directory;
  frontier_options options = {
    .filter = r->args.filter, .exact = r->args.exact, .profile = r->args.profile, .expected_urls = r->args.expect, .rate = r->args.rate,
    .delay_ms = r->args.crawl.delay_ms, .per_host = r->args.per_host, .depth_cap = r->args.crawl.max_depth,
    .journal_path = keeps ? journal : NULL, .keep_identity = true,
  };
  frontier_status status = frontier_open(keeps ? path : NULL, &options, &r->frontier, message);
  if (status != FRONTIER_OK) {
    say_error("crawl", "%s", message);
    return EXIT_FAILED;
  }
  if (frontier_watch_traps(r->frontier, r->args.trap_budget) != FRONTIER_OK) {
    say_error("crawl", "%s", frontier_message(r->frontier));
    return EXIT_FAILED;
  }
  return check_identity(r);
}

/* What is old enough when the run begins; what grows old meanwhile is for the next. */
static int ask_for_old_pages(run *r)
{
  uint64_t least_s = r->args.crawl.recrawl_least_s, most_s = r->args.crawl.recrawl_most_s;
  if (!least_s || frontier_recrawl(r->frontier, least_s, most_s, (uint64_t)time(NULL)) == FRONTIER_OK)
    return EXIT_DONE;
  say_error("crawl", "%s", frontier_message(r->frontier));
  return EXIT_FAILED;
}

/* The scope the directory has, or a new one of the kind asked for. */
static int open_scope(run *r)
{
  const void *text;
  size_t size;
  r->is_resumed = frontier_setting_get(r->frontier, "scope", &text, &size) == FRONTIER_OK;
  if (r->is_resumed)
    r->scope = scope_read(text, size);
  else
    r->scope = scope_create(r->args.scope);
  if (!r->scope) {
    say_error("crawl", "%s: the scope it was made with cannot be read", r->directory);
    return EXIT_FAILED;
  }
  if (r->args.scope_given && scope_kind_of(r->scope) != r->args.scope)
    return refuse_change(r, "scope", scope_kind_name(scope_kind_of(r->scope)));
  return EXIT_DONE;
}

/* The expressions the directory has; those asked for must be the same. */
static int open_patterns(run *r)
{
  const void *text = "";
  size_t size = 0;
  const char *asked = patterns_text(r->args.patterns);
  bool is_known = frontier_setting_get(r->frontier, "patterns", &text, &size) == FRONTIER_OK;
  if (*asked && r->is_resumed && (strlen(asked) != size || memcmp(asked, text, size) != 0))
    return refuse_change(r, *asked == '+' ? "include" : "exclude", size ? "other expressions" : "none");
  if (*asked && !r->is_resumed && frontier_setting_put(r->frontier, "patterns", asked, strlen(asked)) != FRONTIER_OK) {
    say_error("crawl", "%s", frontier_message(r->frontier));
    return EXIT_FAILED;
  }
  if (*asked || !is_known || patterns_read(r->args.patterns, text, size))
    return EXIT_DONE;
  say_error("crawl", "%s: the expressions it was made with cannot be read", r->directory);
  return EXIT_FAILED;
}

/* The hosts that may be told a password: those of all start URLs, ever. */
static int open_trusted(run *r)
{
  const void *text;
  size_t size;
  bool is_known = frontier_setting_get(r->frontier, "trusted", &text, &size) == FRONTIER_OK;
  r->trusted = is_known ? scope_read(text, size) : scope_create(SCOPE_HOST);
  r->args.crawl.trusted = r->trusted;
  if (r->trusted)
    return EXIT_DONE;
  say_error("crawl", "%s: its start hosts cannot be read", r->directory);
  return EXIT_FAILED;
}

/* Counts order things and decide nothing, so damaged ones are no reason not to crawl. */
static int open_counts(run *r)
{
  char path[CRAWL_PATH_SIZE];
  if (!*r->directory)
    return EXIT_DONE;
  crawl_dir_file(r->directory, "inlinks", path);
  mlbf_status status = inlinks_open(path, r->args.expect, &r->args.crawl.counts);
  if (status != MLBF_OK)
    say_error("crawl", "%s.*: %s; links to pages are not counted in this run", path,
              status == MLBF_IO ? strerror(errno) : mlbf_status_text(status));
  return EXIT_DONE;
}

static void save_counts(run *r)
{
  mlbf_status status = r->args.crawl.counts ? inlinks_save(r->args.crawl.counts) : MLBF_OK;
  if (status != MLBF_OK)
    say_error("crawl", "%s/inlinks.*: %s; the counts there are as they were", r->directory,
              status == MLBF_IO ? strerror(errno) : mlbf_status_text(status));
}

/* What pages say is the user's: a damaged file is not passed over in silence, for pages that are missing in it once are
 * missing for good. */
static int open_contents(run *r)
{
  crawl_options *o = &r->args.crawl;
  if (!*r->directory)
    return EXIT_DONE;
  o->contents = r->args.similar ? contents_open(r->directory) : NULL;
  o->bodies = r->args.digests ? bodies_open(r->directory) : NULL;
  return r->args.similar && !o->contents ? EXIT_FAILED : r->args.digests && !o->bodies ? EXIT_FAILED : EXIT_DONE;
}

/* Once: nothing more is compared in this run, and the crawl goes on. */
static void warn_of_contents(run *r)
{
  const crawl_options *o = &r->args.crawl;
  const char *why = o->contents ? contents_failure(o->contents) : "";
  if (!*why && o->bodies)
    why = bodies_failure(o->bodies);
  if (!*why || r->has_told_contents)
    return;
  r->has_told_contents = true;
  panel_clear(&r->panel);
  say_error("crawl", "%s; nothing more is added to it in this run", why);
}

static int add_starts(run *r)
{
  uint64_t added = 0, sync_at = 10000; /* a list of millions must not wait in memory; the scope is written each time */
  starts_next_result next = r->has_start ? START_URL : START_NONE_LEFT;
  for (; next == START_URL; next = starts_next(r->starts, r->start)) {
    if (!scope_add(r->scope, r->start) || !scope_add(r->trusted, r->start)) {
      say_error("crawl", "out of memory for the scope");
      return EXIT_FAILED;
    }
    bool is_added = crawl_add_start(r->crawl, r->start) == FRONTIER_OK;
    if (is_added && ++added == sync_at) {
      is_added = crawl_sync(r->crawl) == FRONTIER_OK;
      sync_at *= 2;
    }
    if (!is_added) {
      say_error("crawl", "%s", frontier_message(r->frontier));
      return EXIT_FAILED;
    }
  }
  starts_report(r->starts);
  return next == START_NONE_LEFT ? EXIT_DONE : EXIT_USAGE;
}

/* Every URL on the command line is good before anything is made on disk; the first start URL stays in r->start. */
static int read_first_start(run *r)
{
  for (int i = r->args.url_count; i-- > 0;) {
    crawl_args one = r->args;
    one.urls += i;
    one.url_count = 1;
    one.seeds = NULL;
    starts *s = starts_open(&one);
    starts_next_result next = s ? starts_next(s, r->start) : START_BAD;
    starts_close(s);
    if (next != START_URL)
      return EXIT_USAGE;
  }
  r->starts = starts_open(&r->args);
  if (!r->starts)
    return EXIT_FAILED;
  starts_next_result next = starts_next(r->starts, r->start);
  r->has_start = next == START_URL;
  if (r->has_start || (r->args.directory && !r->args.seeds))
    return EXIT_DONE;
  if (next == START_NONE_LEFT) {
    starts_report(r->starts);
    say_error("crawl", "%s: no start URL in it", r->args.seeds);
  }
  return EXIT_FAILED;
}

/* --retry-failed; a directory that was just made has nothing to retry. */
static int queue_failed_again(run *r)
{
  uint64_t count;
  char text[SAY_SIZE];
  if (!r->args.retry_failed || !r->is_resumed)
    return EXIT_DONE;
  frontier_status status = requeue_failed(r->frontier, 0, &count);
  if (status == FRONTIER_OK) {
    fprintf(stderr, "%s URLs that failed are queued again\n", say_count(count, text));
    return EXIT_DONE;
  }
  const char *why = frontier_message(r->frontier);
  say_error("crawl", "--retry-failed: %s", *why ? why : "no memory, or no room for a temporary file");
  return EXIT_FAILED;
}

static int open_warc(run *r)
{
  char message[WARC_MESSAGE_SIZE];
  warc_options options = {.directory = r->directory, .file_bytes = r->args.warc_bytes,
                          .user_agent = r->args.crawl.fetch.user_agent,
                          .robots = r->args.crawl.ignore_robots ? "ignore" : "obey"};
  if (!*r->directory)
    return EXIT_DONE;
  if (!crawl_warc_open(&r->warc, r->frontier, &options, r->args.warc, message)) {
    say_error("crawl", "%s", message);
    return EXIT_FAILED;
  }
  r->args.crawl.warc = r->warc.warc;
  r->args.crawl.fetch.exchange_directory = r->args.warc ? r->directory : NULL;
  return EXIT_DONE;
}

static int open_summary(run *r)
{
  if (!r->args.summary || (r->summary_file = fopen(r->args.summary, "w")))
    return EXIT_DONE;
  say_error("crawl", "--summary %s: %s", r->args.summary, strerror(errno));
  return EXIT_FAILED;
}

/* ---- closing -------------------------------------------------------------------------------------------- */

static int write_summary_file(run *r, const summary *s)
{
  if (!r->summary_file)
    return EXIT_DONE;
  json text = {0};
  summary_json(s, &text);
  bool written = !text.failed && fwrite(text.text, 1, text.size, r->summary_file) == text.size &&
                 putc('\n', r->summary_file) != EOF;
  json_free(&text);
  written = fclose(r->summary_file) == 0 && written;
  r->summary_file = NULL;
  if (!written)
    say_error("crawl", "--summary %s: %s", r->args.summary, strerror(errno));
  return written ? EXIT_DONE : EXIT_FAILED;
}

static int exit_code_of(const run *r, crawl_end end)
{
  if (end == CRAWL_BROKEN) {
    const char *why = crawl_message(r->crawl);
    say_error("crawl", "%s; what was reported done stays done, and the same command goes on once this is mended",
              *why ? why : frontier_message(r->frontier));
    return EXIT_FAILED;
  }
  if (end <= CRAWL_TRAPS_LEFT && frontier_counter(r->frontier, "start-pages") == 0) {
    const char *why = crawl_start_failure(r->crawl);
    say_error("crawl", "no start URL gave a page%s%s", *why ? ": " : "", why);
    return EXIT_FAILED;
  }
  return end == CRAWL_STOPPED ? EXIT_STOPPED : EXIT_DONE;
}

static int conclude(run *r, crawl_end end)
{
  summary s = {.end = end, .run = crawl_totals_read(r->crawl), .frontier = r->frontier,
               .directory = *r->directory ? r->directory : NULL, .args = &r->args};
  if (frontier_sync(r->frontier) != FRONTIER_OK || frontier_stats_read(r->frontier, &s.stats) != FRONTIER_OK)
    end = s.end = CRAWL_BROKEN;
  int code = exit_code_of(r, end);
  if (code != EXIT_FAILED && !r->args.quiet)
    summary_print(&s);
  int written = write_summary_file(r, &s);
  return code == EXIT_DONE ? written : code;
}

static void warn_of_shortage(run *r, const crawl *c)
{
  if (r->has_warned || !crawl_lacks_descriptors(c))
    return;
  r->has_warned = true;
  panel_clear(&r->panel);
  say_error("crawl", "no more files can be opened (ulimit -n); going on with fewer connections");
}

/* The panel, and once a minute the counts. */
static void tick(void *context, const crawl *c)
{
  enum { SAVE_EVERY_S = 60 };
  run *r = context;
  warn_of_shortage(r, c);
  warn_of_contents(r);
  panel_tick(&r->panel, c);
  double seconds = crawl_totals_read(c).seconds;
  if (seconds - r->saved_at_s < SAVE_EVERY_S)
    return;
  r->saved_at_s = seconds;
  save_counts(r);
}

static int run_crawl(run *r)
{
  int code = reserve_descriptors(r);
  if (code == EXIT_DONE)
    code = read_first_start(r);
  if (code == EXIT_DONE)
    code = find_directory(r);
  if (code == EXIT_DONE)
    code = open_frontier(r);
  if (code == EXIT_DONE)
    code = ask_for_old_pages(r);
  if (code == EXIT_DONE)
    code = open_scope(r);
  if (code == EXIT_DONE)
    code = open_patterns(r);
  if (code == EXIT_DONE)
    code = open_trusted(r);
  if (code == EXIT_DONE)
    code = queue_failed_again(r);
  if (code == EXIT_DONE)
    code = open_warc(r);
  if (code == EXIT_DONE)
    code = open_summary(r);
  if (code == EXIT_DONE)
    code = open_counts(r);
  if (code == EXIT_DONE)
    code = open_contents(r);
  if (code != EXIT_DONE)
    return code;
  r->args.crawl.keeps_log = *r->directory;
  r->crawl = crawl_create(r->frontier, r->scope, &r->args.crawl);
  if (!r->crawl) {
    say_error("crawl", "out of memory, or libcurl would not start");
    return EXIT_FAILED;
  }
  catch_signals(r->crawl);
  code = add_starts(r);
  if (code != EXIT_DONE)
    return code;
  if (*r->directory && !r->args.quiet)
    fprintf(stderr, "%s %s/\n", r->is_resumed ? "Going on with the crawl in" : "Crawling into", r->directory);
  r->panel = panel_create(r->frontier, &r->args.crawl, r->args.quiet, r->args.progress);
  crawl_end end = crawl_run(r->crawl, tick, r);
  panel_clear(&r->panel);
  warn_of_contents(r);
  return conclude(r, end);
}

/* The last commit, and then what may only follow it. */
static int close_stores(run *r, int code)
{
  char message[WARC_MESSAGE_SIZE];
  bool is_committed = frontier_close(r->frontier) == FRONTIER_OK;
  if (!is_committed && code != EXIT_FAILED) {
    say_error("crawl", "%s: the last batch could not be written; the same command goes on from before it",
              r->directory);
    code = EXIT_FAILED;
  }
  if (!crawl_warc_close(&r->warc, is_committed, message)) {
    say_error("crawl", "%s", message);
    return EXIT_FAILED;
  }
  if (code != EXIT_FAILED) /* else they would count links of pages that will be fetched again */
    save_counts(r);
  return code;
}

int cmd_crawl(int argc, char **argv)
{
  run *r = calloc(1, sizeof *r);
  if (!r || !(r->start = malloc(sizeof *r->start))) {
    free(r);
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  signal(SIGXFSZ, SIG_IGN); /* a file-size limit is an error to report, not a death */
  int code = crawl_args_parse(argc, argv, &r->args);
  if (code == EXIT_DONE && r->args.help)
    printf("%s%s", crawl_help, crawl_help_rest);
  else if (code == EXIT_DONE)
    code = run_crawl(r);
  running = NULL;
  code = close_stores(r, code);
  if (r->crawl && crawl_totals_read(r->crawl).active > 0) {
    /* libcurl would wait for its resolver threads, half a minute where names have no server; all is on disk by now */
    fflush(NULL);
    _exit(code);
  }
  crawl_free(r->crawl);
  inlinks_close(r->args.crawl.counts);
  contents_close(r->args.crawl.contents);
  bodies_close(r->args.crawl.bodies);
  scope_free(r->scope);
  scope_free(r->trusted);
  crawl_args_free(&r->args);
  starts_close(r->starts);
  if (r->summary_file)
    fclose(r->summary_file);
  free(r->start);
  free(r);
  return code;
}
