/* strata crawl: from the command line to an exit code. */
#include "crawler/commands/audit_ending.h"
#include "crawler/commands/cmd.h"
#include "crawler/commands/cluster_launch.h"
#include "crawler/commands/cluster_place.h"
#include "crawler/commands/crawl_ending.h"
#include "crawler/commands/crawl_job.h"
#include "crawler/commands/kept_options.h"
#include "crawler/base/message.h"
#include "crawler/commands/summary.h"
#include "frontier/base/machine.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- beginning ------------------------------------------------------------------------------------------ */

/* They order things and decide nothing: where they cannot be saved, that is said, and the crawl goes on. */
static void save_counts(crawl_job *job)
{
  mlbf_status status = job->args.crawl.counts ? inlinks_save(job->args.crawl.counts) : MLBF_OK;
  int why = errno;
  if (status != MLBF_OK && !job->lacks_saved_counts) {
    panel_clear(&job->panel);
    say_error("crawl", "%s/inlinks.*: %s; the counts there are as they were", job->directory,
              status == MLBF_IO ? own_file_words(why) : mlbf_status_text(status));
  }
  job->lacks_saved_counts = status != MLBF_OK;
}

/* By what is known when a run begins, and once a minute. */
static void put_linked_first(crawl_job *job)
{
  job->linked.counts = job->args.crawl.counts;
  link_priority_put_first(&job->linked, job->frontier);
}

/* Standard input may have no end: a stop, or the time limit, ends the waiting for it, and what came by then is kept. */
static bool wait_for_starts(void *context, int file)
{
  enum { LOOK_MS = 100 };
  crawl_job *job = context;
  while (!crawl_is_to_end(job->crawl))
    if (poll(&(struct pollfd){.fd = file, .events = POLLIN}, 1, LOOK_MS) > 0)
      return true;
  errno = ECANCELED;
  return false;
}

/* All are committed, with their scope, before anything else may commit one without. */
static int add_starts(crawl_job *job)
{
  uint64_t added = 0, sync_at = 10000; /* a list of millions must not wait in memory; the scope is written each time */
  seeds_next_result next = job->has_start ? SEEDS_URL : SEEDS_NONE_LEFT;
  bool is_kept = true;
  job->first_start = job->has_start ? strdup(job->start->fetch) : NULL;
  seeds_before_read(job->seeds, wait_for_starts, job);
  for (; next == SEEDS_URL; next = seeds_next(job->seeds, job->start)) {
    if (!scope_add(job->scope, job->start) || !scope_add(job->trusted, job->start)) {
      say_error("crawl", "out of memory for the scope");
      return EXIT_FAILED;
    }
    if (job->cluster && frontier_partition_of(job->frontier, job->start) != job->args.place->partition)
      continue; /* its owner was given it, too */
    is_kept = crawl_add_start(job->crawl, job->start) == FRONTIER_OK;
    if (is_kept && ++added == sync_at) {
      is_kept = crawl_sync(job->crawl) == FRONTIER_OK;
      sync_at *= 2;
    }
    job->lacks_starts = crawl_is_to_end(job->crawl) && (job->args.seeds || added < (uint64_t)job->args.url_count);
    if (!is_kept || job->lacks_starts)
      break;
  }
  job->lacks_starts |= next == SEEDS_CUT;
  if (!is_kept || crawl_sync(job->crawl) != FRONTIER_OK) {
    say_error("crawl", "%s", frontier_message(job->frontier));
    return EXIT_FAILED;
  }
  if (!job->args.place)
    seeds_report(job->seeds);
  return next == SEEDS_NONE_LEFT || job->lacks_starts ? EXIT_DONE : EXIT_USAGE;
}

/* ---- closing -------------------------------------------------------------------------------------------- */

static int write_summary_file(crawl_job *job, const summary *s)
{
  if (!job->summary_file)
    return EXIT_DONE;
  json text = {0};
  summary_json(s, &text);
  bool written = !text.failed && fwrite(text.text, 1, text.size, job->summary_file) == text.size &&
                 putc('\n', job->summary_file) != EOF;
  json_free(&text);
  written = fclose(job->summary_file) == 0 && written;
  job->summary_file = NULL;
  if (!written)
    say_error("crawl", "--summary %s: %s", job->args.summary, strerror(errno));
  return written ? EXIT_DONE : EXIT_FAILED;
}

/* In this run none was named, or it is a page of no bytes. */
#define NO_START_TRIED "; \"strata export DIR --format jsonl\" says why; --retry-failed, or naming it, tries it again"

/* The first start URL of the command line or the list, if it is seen and was never queued here. NULL: it is not. */
static const char *merged_start(crawl_job *job)
{
  const char *text = job->first_start ? job->first_start : "";
  frontier_verdict verdict;
  frontier_record record;
  if (url_parse(text, strlen(text), job->args.profile, job->start) != URL_OK ||
      frontier_lookup(job->frontier, job->start, &verdict) != FRONTIER_OK || verdict.outcome != FRONTIER_SEEN)
    return NULL;
  frontier_link link = {.target = job->start};
  return frontier_find(job->frontier, &link, &record) == FRONTIER_NOT_FOUND ? job->start->fetch : NULL;
}

static void say_no_page(crawl_job *job)
{
  char count[SAY_MANY_SIZE];
  const char *why = crawl_start_failure(job->crawl), *merged = *why || !*job->directory ? NULL : merged_start(job);
  frontier_stats stats;
  if (merged && frontier_stats_read(job->frontier, &stats) == FRONTIER_OK)
    say_error(
      "crawl",
      "%.500s counts as seen, by a crawl that %s was merged from, so it is not fetched; %s %s; \"strata forget %s "
      "%.500s\" makes it new, for this command to fetch it",
      merged, job->directory, say_many(stats.queued, "URL", count), stats.queued == 1 ? "waits" : "wait",
      job->directory, merged);
  else
    say_error("crawl", "no start URL gave a page%s%s", *why ? ": " : "", *why ? why : NO_START_TRIED);
}

static int exit_code_of(crawl_job *job, crawl_end end)
{
  if (end == CRAWL_BROKEN) {
    const char *why = crawl_message(job->crawl);
    say_error("crawl", "%s; what was reported done stays done, and the same command goes on once this is mended",
              *why ? why : frontier_message(job->frontier));
    return EXIT_FAILED;
  }
  if (end <= CRAWL_TRAPS_LEFT && !job->cluster && frontier_counter(job->frontier, "start-pages") == 0) {
    say_no_page(job);
    return EXIT_FAILED;
  }
  return end == CRAWL_STOPPED ? EXIT_STOPPED : EXIT_DONE;
}

static int conclude(crawl_job *job, crawl_end end)
{
  summary s = {.end = end,
               .run = crawl_totals_read(job->crawl),
               .frontier = job->frontier,
               .directory = *job->directory ? job->directory : NULL,
               .args = &job->args,
               .is_confined = job->is_confined,
               .lacks_starts = job->lacks_starts,
               .map_failure = crawl_map_failure(job->crawl),
               .start_failure = crawl_start_failure(job->crawl)};
  job->is_kept = frontier_sync(job->frontier) == FRONTIER_OK;
  if (!job->is_kept && end == CRAWL_STOPPED) /* as asked, and nothing is lost but some fetches */
    say_error("crawl", "%s; what came after the last commit is fetched again when the crawl goes on",
              frontier_message(job->frontier));
  else if (!job->is_kept)
    end = s.end = CRAWL_BROKEN;
  if (frontier_stats_read(job->frontier, &s.stats) != FRONTIER_OK)
    end = s.end = CRAWL_BROKEN;
  if (job->cluster)
    cluster_end(job->cluster);
  int code = exit_code_of(job, end);
  if (code != EXIT_FAILED && !job->args.quiet)
    summary_print(&s);
  else if (code == EXIT_DONE && !job->cluster)
    summary_say_waiting(&s);
  int written = write_summary_file(job, &s);
  return code == EXIT_DONE ? written : code;
}

static void warn_of_shortage(crawl_job *job, const crawl *c)
{
  if (job->has_warned || !crawl_lacks_descriptors(c))
    return;
  job->has_warned = true;
  panel_clear(&job->panel);
  say_error("crawl", "no more files can be opened (ulimit -n); going on with fewer connections");
}

/* Once when it begins, once when it ends. */
static void tell_outage(crawl_job *job, const crawl *c)
{
  const char *why = crawl_outage(c);
  bool is_paused = *why;
  if (is_paused == job->is_paused)
    return;
  job->is_paused = is_paused;
  panel_clear(&job->panel);
  if (is_paused)
    say_error("crawl", "paused: %s; it goes on by itself once that is mended, and Ctrl-C stops it, resumable", why);
  else if (!job->args.quiet)
    fputs("Going on: what came is kept\n", stderr);
}

static void tell_machines(crawl_job *job, bool is_end)
{
  const metrics now = {
    .frontier = job->frontier, .crawl = job->crawl, .directory = job->directory, .began_ms = job->began_wall_ms};
  metrics_output_turn(&job->metrics, &now, is_end);
}

/* The panel, and once a minute the counts, and what they are good for. */
static void tick(void *context, const crawl *c)
{
  enum { SAVE_EVERY_S = 60 };
  crawl_job *job = context;
  warn_of_shortage(job, c);
  tell_outage(job, c);
  panel_tick(&job->panel, c);
  tell_machines(job, false);
  double seconds = crawl_totals_read(c).seconds;
  if (job->is_paused || seconds - job->saved_at_s < SAVE_EVERY_S)
    return;
  job->saved_at_s = seconds;
  save_counts(job);
  put_linked_first(job);
}

/* What a scout was sent for. */
static int report_scope(crawl_job *job)
{
  size_t size = 0, written = 0;
  char *text = scope_write(job->scope, &size);
  int fd = job->args.place->scope_fd;
  for (ssize_t got = 1; text && written < size && got > 0; written += (size_t)got) {
    got = write(fd, text + written, size - written);
    got = got < 0 ? 0 : got;
  }
  free(text);
  close(fd);
  return text && written == size ? EXIT_DONE : EXIT_FAILED;
}

static int run_crawl(crawl_job *job)
{
  int code = crawl_job_open(job);
  if (code != EXIT_DONE)
    return code;
  job->args.crawl.keeps_log = job->args.crawl.fetch.has_thread = *job->directory;
  job->args.crawl.directory = *job->directory ? job->directory : P_tmpdir;
  job->crawl = crawl_create(job->frontier, job->scope, &job->args.crawl);
  if (!job->crawl) {
    say_error("crawl", "out of memory, or libcurl would not start");
    return EXIT_FAILED;
  }
  ending_add(job->crawl);
  code = add_starts(job);
  if (code != EXIT_DONE)
    return code;
  ending_added();
  if (!crawl_is_to_end(job->crawl)) /* it reads the whole queue */
    put_linked_first(job);
  if (!job->args.quiet)
    say_if_hashing_is_slow("crawl");
  if (*job->directory && !job->args.quiet)
    say_note("%s %s/", job->is_resumed ? "Going on with the crawl in" : "Crawling into", job->directory);
  if (!job->args.quiet)
    kept_options_say(&job->args);
  if (job->metrics.server && !job->args.quiet)
    say_note("Metrics: http://127.0.0.1:%u/metrics", scrape_server_port(job->metrics.server));
  job->began_wall_ms = machine_wall_ms();
  job->panel = panel_create(job->frontier, &job->args.crawl, job->args.quiet, job->args.progress);
  ending_run(job->crawl);
  crawl_end end = crawl_run(job->crawl, tick, job);
  ending_close();
  panel_clear(&job->panel);
  if (job->args.place && job->args.place->is_scout)
    return report_scope(job);
  tell_machines(job, true);
  return conclude(job, end);
}

/* The last commit, and then what may only follow it. */
static int close_stores(crawl_job *job, int code)
{
  char message[WARC_MESSAGE_SIZE];
  bool is_closed = frontier_close(job->frontier) == FRONTIER_OK;
  bool is_committed = is_closed || job->is_kept; /* if it only failed to save the filter, the next run opens slower */
  if (!is_committed && code != EXIT_FAILED && code != EXIT_STOPPED) {
    say_error("crawl", "%s: the last batch could not be written; the same command goes on from before it",
              job->directory);
    code = EXIT_FAILED;
  }
  if (!crawl_warc_close(&job->warc, is_committed, message)) /* nothing is lost: lines are found in it either way */
    say_error("crawl", "%s; the index stays in order of arrival, as .cdxj.part, until the next run sorts it", message);
  if (is_committed && code != EXIT_FAILED) /* else they would count links of pages that will be fetched again */
    save_counts(job);
  fingerprint_index_close(job->args.crawl.contents);
  return code;
}

static int leave_cluster(crawl_job *job, int code)
{
  if (!job->cluster)
    return code;
  cluster_state state = cluster_state_of(job->cluster);
  cluster_leave(job->cluster);
  if (state == CLUSTER_FAILED)
    say_error("crawl", "%s: %s", job->directory, cluster_message(job->cluster));
  cluster_free(job->cluster);
  return state == CLUSTER_SUPERSEDED ? CLUSTER_EXIT_SUPERSEDED : state == CLUSTER_FAILED ? EXIT_FAILED : code;
}

int cmd_crawl(int argc, char **argv)
{
  crawl_job *job = calloc(1, sizeof *job);
  if (!job || !(job->start = malloc(sizeof *job->start))) {
    free(job);
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  signal(SIGXFSZ, SIG_IGN); /* a file-size limit is an error to report, not a death */
  ending_begin();
  uint64_t began_ms = machine_monotonic_ms();
  int code = crawl_args_parse(argc, argv, &job->args);
  job->args.crawl.began_ms = began_ms;
  ending_limit(code == OPTIONS_READ ? job->args.crawl.max_ms : UINT64_MAX);
  if (code == OPTIONS_READ && job->args.cluster)
    code = cluster_launch(&job->args);
  if (code == OPTIONS_READ)
    code = run_crawl(job);
  ending_close();
  code = close_stores(job, code);
  if (job->edges && code == EXIT_DONE)
    code = audit_ending(job->directory, job->args.quiet);
  code = leave_cluster(job, code);
  if (job->crawl && crawl_totals_read(job->crawl).active > 0) {
    /* libcurl would wait for its resolver threads, half a minute where names have no server; all is on disk by now */
    fflush(NULL);
    _exit(code);
  }
  crawl_free(job->crawl);
  inlinks_close(job->args.crawl.counts);
  body_digests_close(job->args.crawl.bodies);
  edge_log_close(job->edges);
  scope_free(job->scope);
  scope_free(job->trusted);
  trust_free(job->trust);
  crawl_args_free(&job->args);
  metrics_output_close(&job->metrics);
  seeds_close(job->seeds);
  if (job->summary_file)
    fclose(job->summary_file);
  free(job->first_start);
  free(job->start);
  free(job);
  return code;
}
