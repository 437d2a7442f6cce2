/* frontier.h against its model (frontier_model.h), and the promises a model cannot see. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/site/random.h"
#include "tests/support/frontier_model.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/test.h"

/* STRATA_SEED=N repeats, or widens, every run with another seed. */
static uint64_t seed(void)
{
  return random_seed_or(1);
}

static void agree(model_run run)
{
  char difference[MODEL_TEXT];
  run.seed = seed();
  if (!model_agrees(&run, difference))
    fail_msg("%s, seed %llu: %s", run.name, (unsigned long long)run.seed, difference);
}

#ifdef FRONTIER_TINY
enum { OVERFLOWS = true, MANY = 100 };
#else
enum { OVERFLOWS = false, MANY = 4000 };
#endif

static const model_run small = {.name = "a small crawl",
                                .steps = 1500,
                                .filter = MLBF_KIND_MLBF,
                                .expected_urls = 50,
                                .per_host = 2,
                                .delay_ms = 100,
                                .depth_cap = 9,
                                .hosts = 12,
                                .words = 6,
                                .links = 12,
                                .leases = 8,
                                .overflows = OVERFLOWS};

CASE(the_model_agrees)
{
  agree(small);
}

CASE(without_delay)
{
  model_run run = small;
  run.name = "no delay, one at a time";
  run.delay_ms = 0;
  run.per_host = 1;
  agree(run);
}

CASE(a_classic_filter)
{
  model_run run = small;
  run.name = "a classic filter";
  run.filter = MLBF_KIND_BLOOM;
  run.expected_urls = 1;
  agree(run);
}

CASE(lines)
{
  model_run run = small;
  run.name = "lines";
  run.filter = MLBF_KIND_LINE;
  run.expected_urls = 1;
  agree(run);
}

/* Tens of thousands of keys, so that files of them are merged; and without `exact`, as a lie, for no filter is smaller
 * than 4 KiB, which takes some 10,000 keys before a rate of 0.3 shows. */
static const model_run doubtful = {.name = "exact keys",
                                   .steps = 60,
                                   .filter = MLBF_KIND_MLBF,
                                   .expected_urls = 1,
                                   .per_host = 1000,
                                   .depth_cap = 9,
                                   .hosts = 30,
                                   .words = 200,
                                   .links = 2000,
                                   .leases = 700,
                                   .overflows = true,
                                   .exact = true};

CASE(exact_keys)
{
  agree(doubtful);
}

CASE(exact_keys_beside_a_classic_filter)
{
  model_run run = doubtful;
  run.name = "exact keys, a classic filter";
  run.filter = MLBF_KIND_BLOOM;
  agree(run);
}

CASE(exact_keys_of_a_small_crawl)
{
  model_run run = small;
  run.name = "exact keys, a small crawl";
  run.exact = true;
  agree(run);
}

CASE(nothing_kept)
{
  model_run run = small;
  run.name = "nothing kept";
  run.keeps_nothing = true;
  run.depth_cap = 12;
  agree(run);
}

CASE(many_hosts)
{
  model_run run = small;
  run.name = "many hosts";
  run.steps = 600;
  run.hosts = 2000;
  run.words = 50;
  run.links = 60;
  run.leases = 40;
  agree(run);
}

/* Delays within the horizon of the workbench and beyond it. */
CASE(many_resting_hosts)
{
  model_run run = small;
  run.name = "many resting hosts";
  run.steps = 1000;
  run.hosts = 300;
  run.words = 50;
  run.links = 60;
  run.leases = 40;
  run.delay_ms = 8000;
  agree(run);
}

/* 65,536 fit into memory, or 64. */
CASE(more_than_the_window)
{
  model_run run = small;
  run.name = "more than the window";
  run.steps = 160;
  run.expected_urls = 1000;
  run.hosts = 30;
  run.words = 4000;
  run.links = MANY;
  run.leases = 700;
  run.per_host = 1000;
  run.delay_ms = 0;
  run.overflows = true;
  agree(run);
}

/* More than memory holds, and nearly all of it of hosts that are not due: they give way to those that are. */
CASE(a_crowd_of_slow_hosts)
{
  model_run run = small;
  run.name = "a crowd of slow hosts";
  run.steps = 200;
  run.expected_urls = 1000;
  run.hosts = 6;
  run.words = 4000;
  run.links = MANY * 3 / 4;
  run.leases = 3000;
  run.per_host = 2000;
  run.delay_ms = 3;
  run.overflows = true;
  agree(run);
}

/* If a model that is told one thing wrongly went through, none of the above would mean anything. */
CASE(a_lie_is_noticed)
{
  if (OVERFLOWS) { /* there a place in line may differ, and a lie about one could pass */
    print_message("skipped: only with the usual limits must each lie show\n");
    skip();
  }
  for (int lie = TRUTH + 1; lie < LIES; lie++) {
    model_run run = lie == LIE_EXACT ? doubtful : small;
    char difference[MODEL_TEXT];
    run.name = "a lie";
    run.exact = false;
    run.seed = seed();
    run.lie = (model_lie)lie;
    if (model_agrees(&run, difference))
      fail_msg("lie %d went through", lie);
  }
}

/* ---- what a model cannot see ----------------------------------------------------------------------------- */

static const frontier_options plain = {.filter = MLBF_KIND_MLBF,
                                       .expected_urls = 1000,
                                       .rate = 1e-6,
                                       .per_host = 1,
                                       .delay_ms = 100,
                                       .depth_cap = UINT16_MAX};

static frontier *open_or_fail(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

/* Adds http://hostN.test/N: a new host each. */
static void add_number(frontier *f, unsigned number)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://host%u.test/%u", number, number);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
}

static uint64_t accepted(const frontier_stats *stats)
{
  uint64_t sum = 0;
  for (int i = FRONTIER_NEW; i < FRONTIER_OUTCOMES; i++)
    sum += stats->outcomes[i];
  return sum;
}

/* Exit code of a process that opens the directory again and again until it is killed, or 1 if that fails once, or if it
 * sees hosts of one commit beside counts of another: here every URL that was accepted still waits. */
static void read_for_ever(const char *directory)
{
  frontier_options options = plain;
  options.read_only = true;
  for (uint64_t hosts = 0;;) {
    char message[FRONTIER_MESSAGE_SIZE] = "";
    frontier *f = NULL;
    frontier_stats stats;
    if (frontier_open(directory, &options, &f, message) != FRONTIER_OK) {
      fprintf(stderr, "reader: %s\n", message);
      _exit(1);
    }
    if (frontier_stats_read(f, &stats) != FRONTIER_OK || stats.hosts < hosts || stats.queued != accepted(&stats)) {
      fprintf(stderr, "reader: %s\n", frontier_message(f));
      _exit(1);
    }
    hosts = stats.hosts;
    frontier_close(f);
  }
}

CASE(a_reader_beside_a_writer)
{
  char directory[SCRATCH_PATH];
  scratch_make(directory);
  frontier *f = open_or_fail(directory, &plain);
  add_number(f, 0);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  pid_t reader = fork();
  if (reader == 0)
    read_for_ever(directory);
  int status;
  for (unsigned i = 1; i < 1000; i++) {
    add_number(f, i);
    assert_int_equal(frontier_sync(f), FRONTIER_OK);
  }
  assert_int_equal(waitpid(reader, &status, WNOHANG), 0); /* it is still at it */
  kill(reader, SIGKILL);
  waitpid(reader, &status, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

CASE(a_second_writer_is_refused)
{
  char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE], pid[32];
  scratch_make(directory);
  frontier *f = open_or_fail(directory, &plain), *second = NULL;
  snprintf(pid, sizeof pid, "%ld", (long)getpid());
  pid_t other = fork();
  if (other == 0)
    _exit(frontier_open(directory, &plain, &second, message) != FRONTIER_BUSY || !strstr(message, pid));
  int how;
  assert_int_equal(waitpid(other, &how, 0), other);
  assert_int_equal(how, 0);
  add_number(f, 1); /* the first is none the worse */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_or_fail(directory, &plain);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

CASE(a_reader_changes_nothing)
{
  char directory[SCRATCH_PATH];
  static url u;
  frontier_verdict verdict;
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  scratch_make(directory);
  frontier *f = open_or_fail(directory, &plain);
  add_number(f, 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  frontier_options options = plain;
  options.read_only = true;
  f = open_or_fail(directory, &options);
  assert_int_equal(url_parse("http://new.test/", 16, URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_BAD_ARGUMENT);
  assert_non_null(strstr(frontier_message(f), "reading only"));
  assert_int_equal(frontier_next(f, 0, &lease, 1, &count, &wait_ms), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(count, 0);
  assert_int_equal(frontier_done(f, 1, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_setting_put(f, "a", "b", 1), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_count(f, "a", 1), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_sync(f), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
  assert_int_equal(verdict.outcome, FRONTIER_NEW_HOST);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

CASE(options_that_make_no_frontier)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  frontier_options bad[8];
  for (size_t i = 0; i < 8; i++)
    bad[i] = plain;
  bad[0].filter = (mlbf_kind)4;
  bad[1].expected_urls = 0;
  bad[2].rate = 0;
  bad[3].rate = 1;
  bad[4].per_host = 0;
  bad[5].read_only = true;      /* of nothing */
  bad[6].journal_path = "/tmp"; /* of nothing */
  bad[7].profile = 1u << 31;    /* no rule of ours */
  for (size_t i = 0; i < 8; i++)
    assert_int_equal(frontier_open(NULL, &bad[i], &f, message), FRONTIER_BAD_ARGUMENT);
  bad[0] = plain;
  bad[0].read_only = true;
  assert_int_equal(frontier_open("/nonexistent/frontier", &bad[0], &f, message), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_open("/nonexistent/frontier", &plain, &f, message), FRONTIER_IO);
  assert_non_null(strstr(message, "/nonexistent/frontier"));
  assert_null(f);
}

CASE(what_a_directory_was_made_with)
{
  char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  scratch_make(directory);
  assert_int_equal(frontier_close(open_or_fail(directory, &plain)), FRONTIER_OK);
  frontier_options others[3] = {plain, plain, plain};
  others[0].filter = MLBF_KIND_BLOOM;
  others[1].profile = URL_NO_WWW;
  others[2].rate = 1e-3;
  for (size_t i = 0; i < 3; i++) {
    frontier *f = NULL;
    frontier_stats stats;
    assert_int_equal(frontier_open(directory, &others[i], &f, message), FRONTIER_MISMATCH);
    assert_non_null(strstr(message, "filter mlbf, rate 1e-06, profile strict"));
    others[i].keep_identity = true;
    f = open_or_fail(directory, &others[i]);
    assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
    assert_int_equal(stats.profile, URL_STRICT);
    assert_int_equal(stats.filter.kind, MLBF_KIND_MLBF);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
  scratch_remove(directory);
}

CASE(anothers_directory_or_journal_is_left_alone)
{
  char directory[SCRATCH_PATH], inside[SCRATCH_PATH], notes[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  frontier_options options = plain;
  frontier *f = NULL;
  size_t size;
  scratch_make(directory);
  scratch_join(directory, "notes.txt", notes);
  scratch_join(directory, "frontier", inside);
  scratch_write(notes, "mine\n", 5);
  assert_int_equal(frontier_open(directory, &plain, &f, message), FRONTIER_NOT_OURS);
  assert_non_null(strstr(message, "notes.txt"));
  options.journal_path = notes;
  assert_int_equal(frontier_open(inside, &options, &f, message), FRONTIER_NOT_OURS);
  assert_non_null(strstr(message, notes));
  char *text = scratch_read(notes, &size);
  assert_string_equal(text, "mine\n");
  free(text);
  scratch_remove(directory);
}

static void fetch_one(frontier *f, const char *text)
{
  url u;
  frontier_verdict verdict;
  frontier_lease lease;
  size_t leased;
  int64_t wait_ms;
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  assert_int_equal(frontier_next(f, 0, &lease, 1, &leased, &wait_ms), FRONTIER_OK);
  assert_int_equal(leased, 1);
  assert_int_equal(frontier_done(f, lease.id, FRONTIER_DONE, 200, text, strlen(text), 0), FRONTIER_OK);
}

/* Each line is in one of the two files. */
CASE(a_journal_that_is_moved_away_takes_its_lines_along)
{
  char directory[SCRATCH_PATH], inside[SCRATCH_PATH], journal[SCRATCH_PATH];
  frontier_options options = plain;
  size_t size;
  scratch_make(directory);
  scratch_join(directory, "frontier", inside);
  scratch_join(directory, "journal", journal);
  options.journal_path = journal;
  for (int i = 0; i < 2; i++) {
    frontier *f = open_or_fail(inside, &options);
    fetch_one(f, i ? "http://b.example/" : "http://a.example/");
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    char *text = scratch_read(journal, &size);
    assert_string_equal(text, i ? "http://b.example/\n" : "http://a.example/\n");
    free(text);
    assert_int_equal(unlink(journal), 0);
  }
  scratch_remove(directory);
}

CASE(names_of_settings_and_counters)
{
  char directory[SCRATCH_PATH], name[128];
  const void *value;
  size_t size;
  scratch_make(directory);
  frontier *f = open_or_fail(directory, &plain);
  memset(name, 'n', sizeof name);
  name[63] = '\0';
  assert_int_equal(frontier_setting_put(f, name, "v", 1), FRONTIER_OK);
  assert_int_equal(frontier_setting_put(f, "empty", NULL, 0), FRONTIER_OK);
  assert_int_equal(frontier_setting_put(f, "", "v", 1), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_or_fail(directory, &plain);
  assert_int_equal(frontier_setting_get(f, name, &value, &size), FRONTIER_OK);
  assert_int_equal(size, 1);
  assert_int_equal(frontier_setting_get(f, "empty", &value, &size), FRONTIER_OK);
  assert_int_equal(size, 0);
  name[63] = 'n';
  name[64] = '\0';
  assert_int_equal(frontier_setting_get(f, name, &value, &size), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_setting_put(f, name, "v", 1), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_count(f, "", 1), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_count(f, "two words", 1), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_counter(f, "two words"), 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

/* A robots.txt may ask for any number of seconds: the host waits that long, and nothing wraps round. */
CASE(a_delay_without_end)
{
  frontier *f = open_or_fail(NULL, &plain);
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  static url u;
  frontier_verdict verdict;
  add_number(f, 1);
  assert_int_equal(url_parse("http://host1.test/2", 19, URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  uint64_t now_ms = 1700000000000;
  assert_int_equal(frontier_next(f, now_ms, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(frontier_host_delay(f, lease.id, UINT64_MAX), FRONTIER_OK);
  assert_int_equal(frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, now_ms), FRONTIER_OK);
  assert_int_equal(frontier_next(f, now_ms + 1000, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 0);
  assert_true(wait_ms > (int64_t)1000 * 86400 * 365);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Too deep ones, more than memory holds, stand before the only one that may be fetched. Whoever waits as long as he is
 * told must come to it. */
CASE(behind_many_that_are_too_deep)
{
  enum { DEEP = 40 * MANY };
  char directory[SCRATCH_PATH], text[64];
  static url u;
  frontier_verdict verdict;
  frontier_options options = plain;
  options.expected_urls = DEEP;
  scratch_make(directory);
  frontier *f = open_or_fail(directory, &options);
  for (unsigned i = 0; i <= DEEP; i++) {
    int size = snprintf(text, sizeof text, "http://host%u.test/%u", i % 7, i);
    assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
    frontier_origin origin = {.depth = i < DEEP};
    assert_int_equal(frontier_add(f, &u, origin, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  options.depth_cap = 0;
  f = open_or_fail(directory, &options);
  frontier_lease leases[8];
  size_t count = 0;
  for (int64_t wait_ms = 0; !count; assert_true(count || wait_ms == 0))
    assert_int_equal(frontier_next(f, 0, leases, 8, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  assert_int_equal(leases[0].id, DEEP + 1);
  assert_int_equal(frontier_done(f, leases[0].id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
  assert_true(frontier_is_finished(f));
  assert_true(frontier_is_deferring(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}
