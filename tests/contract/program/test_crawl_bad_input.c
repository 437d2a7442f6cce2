/* What people and machines do wrong: each answered by one sentence on stderr and the right exit code, nothing damaged.
 * Exit codes: 1 failed, 2 usage. Full and read-only file systems are real ones, mounted in a name space of our own. */
#include "tests/site/judge.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lmdb.h>
#include <xxhash.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})
#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--per-host", "4"

enum { FAILED = 1, USAGE = 2 };

static trial *served;

static int serve(void **state)
{
  (void)state;
  served = trial_open(&(trial_options){.seed = 31, .entries = 200, .jitter_ms = 2});
  return 0;
}

/* A site whose pages.jsonl alone is half a megabyte. */
static int serve_more(void **state)
{
  (void)state;
  served = trial_open(&(trial_options){.seed = 32, .entries = 2500});
  return 0;
}

static int stop_serving(void **state)
{
  (void)state;
  trial_close(served);
  served = NULL;
  return 0;
}

/* One line on stderr that is a sentence, and names the thing. */
static void assert_refused(trial *t, int code, int expected, const char *names)
{
  const char *err = t->err.bytes;
  const char *line_end = strchr(err, '\n');
  bool is_one_line = line_end && !line_end[1], is_named = strstr(err, names) != NULL;
  if (code != expected || !is_one_line || !is_named)
    print_error("ended with %d (signal %d), not %d; no one sentence naming \"%s\":\n%s\n", code, t->end.signal,
                expected, names, err);
  assert_int_equal(code, expected);
  assert_true(is_one_line);
  assert_true(is_named);
}

static void assert_no_directory(const trial *t)
{
  assert_int_not_equal(access(t->crawl, F_OK), 0);
}

/* The crawl in DIR goes on to its end as if nothing had been. */
static void assert_continues(trial *t)
{
  int code = STRATA(t, CRAWL, "URL");
  if (code != 0)
    print_error("ended with %d:\n%s\n", code, t->err.bytes);
  assert_int_equal(code, 0);
  page_log log = pages_read(t->pages);
  verdict v = judge_pages(&log, t->made, &judge_everything);
  assert_int_equal(log.bad, 0);
  assert_false(log.torn);
  pages_free(&log);
  assert_int_equal(v.missed, 0);
  assert_int_equal(v.again, 0);
  assert_int_equal(v.forbidden + v.unknown, 0);
}

CASE(words_that_are_no_url)
{
  static const char *const rows[] = {"not a url", "http://",        "http://[::1", "http://exa mple.org/",
                                     "example",   "http://h:99999/"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_refused(served, STRATA(served, CRAWL, rows[i]), USAGE, rows[i]);
    assert_no_directory(served);
  }
}

CASE(schemes_that_are_not_ours)
{
  static const char *const rows[] = {"ftp://example.org/", "file:///etc/passwd", "mailto:a@example.org",
                                     "javascript:1"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_refused(served, STRATA(served, CRAWL, rows[i]), USAGE, rows[i]);
    assert_no_directory(served);
  }
}

CASE(wrong_words)
{
  static const struct {
    const char *option, *value, *names;
  } rows[] = {
    {"--max-pages", "many", "--max-pages"},
    {"--max-pages", "-1", "--max-pages"},
    {"--max-depth", "1x", "--max-depth"},
    {"--max-seconds", "", "--max-seconds"},
    {"--delay", "-1", "--delay"},
    {"--delay", "nan", "--delay"},
    {"--per-host", "0", "--per-host"},
    {"--connections", "0", "--connections"},
    {"--filter", "magic", "--filter"},
    {"--expect", "0", "--expect"},
    {"--expect", "99999999999999999999999", "--expect"},
    {"--fp", "2", "--fp"},
    {"--fp", "0", "--fp"},
    {"--scope", "galaxy", "--scope"},
    {"--timeout", "soon", "--timeout"},
    {"--max-body", "x", "--max-body"},
    {"--seeds", "/nowhere/seeds.txt", "/nowhere/seeds.txt"},
    {"--profile", "magic", "--profile"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int expected = strcmp(rows[i].option, "--seeds") == 0 ? FAILED : USAGE;
    assert_refused(served, STRATA(served, CRAWL, rows[i].option, rows[i].value, "URL"), expected, rows[i].names);
    assert_no_directory(served);
  }
  assert_refused(served, STRATA(served, "crawl"), USAGE, "URL");
  assert_refused(served, STRATA(served, "no-such-command"), USAGE, "no-such-command");
  assert_int_equal(trial_requests(served), 0);
}

CASE(kinds_nobody_knows)
{
  static const char *const rows[][2] = {
    {"--filter", "heritrix"},
    {"--filter", "Mlbf"},
    {"--scope", "world"},
    {"--sitemaps", "all"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *words[] = {CRAWL, "URL", rows[i][0], rows[i][1], NULL};
    assert_refused(served, trial_strata(served, words), USAGE, rows[i][0]);
    assert_no_directory(served);
  }
  assert_int_equal(trial_requests(served), 0);
}

CASE(a_host_that_cannot_be_reached)
{
  /* nobody listens on port 1 of this machine, and "invalid" is no top level domain by RFC 6761 */
  static const char *const rows[] = {"http://127.0.0.1:1/", "http://strata.invalid/"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    text dir = {0};
    text_addf(&dir, "%s-%zu", served->crawl, i);
    int code = STRATA(served, "crawl", "--dir", dir.bytes, "--delay", "0", "--allow-private", rows[i]);
    if (code != FAILED)
      print_error("%s: ended with %d:\n%s\n", rows[i], code, served->err.bytes);
    assert_int_equal(code, FAILED);
    assert_true(served->err.size > 0);
    text_free(&dir);
  }
}

/* Addresses of this machine are refused unless --allow-private says otherwise: nothing is asked of the server. */
CASE(a_private_address_without_leave)
{
  assert_int_equal(STRATA(served, "crawl", "--dir", "DIR", "--delay", "0", "URL"), FAILED);
  assert_true(served->err.size > 0);
  assert_int_equal(trial_requests(served), 0);
}

static void write_file(const char *path, const char *content)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(content, file);
  assert_int_equal(fclose(file), 0);
}

CASE(a_directory_of_another_program)
{
  text file = {0}, content = {0};
  text_addf(&file, "%s/thesis.txt", served->crawl);
  assert_int_equal(mkdir(served->crawl, 0755), 0);
  write_file(file.bytes, "years of work\n");
  assert_refused(served, STRATA(served, CRAWL, "URL"), FAILED, served->crawl);
  assert_true(text_add_file(&content, file.bytes));
  assert_string_equal(content.bytes, "years of work\n");
  assert_int_not_equal(access(served->pages, F_OK), 0);
  assert_int_equal(trial_requests(served), 0);
  text_free(&file);
  text_free(&content);
}

/* A third of the site, then stopped by the cap: something to be damaged. */
static void crawl_some(trial *t)
{
  assert_int_equal(STRATA(t, CRAWL, "--max-pages", "40", "URL"), 0);
}

/* Runs `work` with one table of the database in `directory`, and commits. */
static void with_table(const char *directory, const char *table, unsigned flags,
                       void (*work)(MDB_txn *txn, MDB_dbi dbi))
{
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  assert_int_equal(mdb_env_create(&env), 0);
  assert_int_equal(mdb_env_set_maxdbs(env, 20), 0);
  assert_int_equal(mdb_env_open(env, directory, 0, 0644), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_dbi_open(txn, table, flags, &dbi), 0);
  work(txn, dbi);
  assert_int_equal(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

static void put_a_poem(MDB_txn *txn, MDB_dbi dbi)
{
  MDB_val key = {4, (char[]){"poem"}}, value = {5, (char[]){"roses"}};
  assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
}

static void find_the_poem(MDB_txn *txn, MDB_dbi dbi)
{
  MDB_val key = {4, (char[]){"poem"}}, value;
  assert_int_equal(mdb_get(txn, dbi, &key, &value), 0);
}

/* Where a crawl keeps its database. */
static char *frontier_directory(const trial *t)
{
  text directory = {0};
  text_addf(&directory, "%s/frontier", t->crawl);
  return directory.bytes;
}

CASE(a_database_of_another_program)
{
  char *directory = frontier_directory(served);
  assert_int_equal(mkdir(served->crawl, 0755), 0);
  assert_int_equal(mkdir(directory, 0755), 0);
  with_table(directory, "poems", MDB_CREATE, put_a_poem);
  assert_refused(served, STRATA(served, CRAWL, "URL"), FAILED, served->crawl);
  with_table(directory, "poems", 0, find_the_poem);
  assert_int_equal(trial_requests(served), 0);
  free(directory);
}

CASE(a_database_that_is_none)
{
  char *directory = frontier_directory(served);
  text file = {0};
  text_addf(&file, "%s/data.mdb", directory);
  assert_int_equal(mkdir(served->crawl, 0755), 0);
  assert_int_equal(mkdir(directory, 0755), 0);
  write_file(file.bytes, "this is no database, and shorter than one could be\n");
  assert_refused(served, STRATA(served, CRAWL, "URL"), FAILED, served->crawl);
  text_free(&file);
  free(directory);
}

CASE(an_empty_directory_is_fine)
{
  assert_int_equal(mkdir(served->crawl, 0755), 0);
  assert_continues(served);
}

/* frontier/FORMAT.md: meta["identity"] is a checksum of 4 bytes, a magic of 16, the version in 4, and the rest. */
static void raise_version(MDB_txn *txn, MDB_dbi dbi)
{
  enum { CHECKSUM = 4, VERSION_AT = CHECKSUM + 16 };
  char name[] = "identity";
  MDB_val key = {strlen(name), name}, value;
  uint8_t bytes[512];
  assert_int_equal(mdb_get(txn, dbi, &key, &value), 0);
  assert_in_range(value.mv_size, VERSION_AT + 4, sizeof bytes);
  memcpy(bytes, value.mv_data, value.mv_size);
  bytes[VERSION_AT + 1]++; /* 256 versions from now */
  uint64_t seed = XXH3_64bits(name, strlen(name));
  uint32_t sum = (uint32_t)XXH3_64bits_withSeed(bytes + CHECKSUM, value.mv_size - CHECKSUM, seed);
  for (int i = 0; i < CHECKSUM; i++)
    bytes[i] = (uint8_t)(sum >> 8 * i);
  value.mv_data = bytes;
  assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
}

CASE(a_newer_format)
{
  crawl_some(served);
  char *directory = frontier_directory(served);
  with_table(directory, "meta", 0, raise_version);
  size_t before = trial_requests(served);
  assert_refused(served, STRATA(served, CRAWL, "URL"), FAILED, "newer");
  assert_refused(served, STRATA(served, "stat", "DIR"), FAILED, "newer");
  assert_int_equal(trial_requests(served), before);
  free(directory);
}

/* Root may write anywhere, but not below a file. */
CASE(a_path_below_a_file)
{
  write_file(served->crawl, "a file\n");
  text dir = {0};
  text_addf(&dir, "%s/below", served->crawl);
  assert_refused(served, STRATA(served, "crawl", "--dir", dir.bytes, "URL"), FAILED, dir.bytes);
  assert_refused(served, STRATA(served, "crawl", "--dir", "DIR", "URL"), FAILED, served->crawl);
  text_free(&dir);
}

CASE(another_filter_or_scope)
{
  crawl_some(served);
  size_t before = trial_requests(served);
  assert_refused(served, STRATA(served, CRAWL, "--filter", "bloom", "URL"), USAGE, "--filter");
  assert_refused(served, STRATA(served, CRAWL, "--filter", "exact:bloom", "URL"), USAGE, "--filter");
  assert_refused(served, STRATA(served, CRAWL, "--scope", "prefix", "URL"), USAGE, "--scope");
  assert_int_equal(trial_requests(served), before);
  assert_continues(served);
}

CASE(a_second_crawl_of_the_same_directory)
{
  pid_t first = trial_strata_start(served, (const char *const[]){CRAWL, "URL", NULL});
  assert_true(trial_wait_requests(served, 20, first));
  assert_int_equal(kill(first, SIGSTOP), 0); /* or it may be done before the second has begun */
  char *out = trial_path(served, "second.out"), *err = trial_path(served, "second.err");
  const char *const argv[] = {STRATA_PROGRAM, "crawl", "--dir", served->crawl, "--allow-private", served->url, NULL};
  pid_t second = process_start(argv, &(process_files){.out = out, .err = err});
  process_end end;
  assert_true(process_wait(second, &end));
  assert_int_equal(kill(first, SIGCONT), 0);
  assert_int_equal(trial_collect(served, first), 0);
  text_clear(&served->err);
  text_add_file(&served->err, err);
  assert_refused(served, end.code, FAILED, served->crawl);
  request_log log = requests_read(served->log);
  verdict v = judge_requests(&log, served->made, &judge_everything);
  requests_free(&log);
  assert_int_equal(v.missed + v.again + v.forbidden + v.unknown, 0);
  assert_continues(served);
  free(out);
  free(err);
}

/* Files opened first would take the numbers of the missing streams, and messages would land in them. */
CASE(without_standard_streams)
{
  static const char *const closed[] = {"<&- >&- 2>&-", "<&- 2>&-", ">&- 2>&-", "2>&-"};
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
    text script = {0};
    text_addf(&script, "exec \"$0\" crawl --dir \"$1-%zu\" --delay 0 --allow-private \"$2\" %s", i, closed[i]);
    const char *const argv[] = {"/bin/sh", "-c", script.bytes, STRATA_PROGRAM, served->crawl, served->url, NULL};
    process_end end;
    assert_true(process_wait(process_start(argv, &(process_files){0}), &end));
    if (end.code != 0)
      print_error("with %s it ended with %d\n", closed[i], end.code);
    assert_int_equal(end.code, 0);
    text_free(&script);
  }
}

/* Runs the crawl from a shell that first says `prelude`. */
static int crawl_after(trial *t, const char *prelude)
{
  text script = {0};
  text_addf(&script, "%s; exec \"$0\" crawl --dir \"$1\" --delay 0 --allow-private --per-host 32 \"$2\"", prelude);
  char *out = trial_path(t, "strata.out"), *err = trial_path(t, "strata.err");
  const char *const argv[] = {"/bin/sh", "-c", script.bytes, STRATA_PROGRAM, t->crawl, t->url, NULL};
  int code = trial_collect(t, process_start(argv, &(process_files){.out = out, .err = err}));
  text_free(&script);
  free(out);
  free(err);
  return code;
}

/* A page is not called unreachable because this machine ran out of numbers for its connections. */
CASE(too_few_open_files)
{
  assert_refused(served, crawl_after(served, "ulimit -n 24"), FAILED, "ulimit -n");
  assert_no_directory(served);
  assert_int_equal(trial_requests(served), 0);
  assert_int_equal(crawl_after(served, "ulimit -S -n 24"), 0); /* may be raised, so it is */
  assert_continues(served);
}

#define PATIENCE "--max-seconds", "2" /* else it would wait for room */

/* Writes beyond a size fail with EFBIG, as a quota does; then the limit is lifted. */
CASE(a_file_that_may_not_grow)
{
  for (unsigned long limit = 4096; limit <= 65536; limit *= 4) {
    const char *const words[] = {CRAWL, PATIENCE, "URL", NULL};
    int code = trial_strata_with(served, words, &(process_files){.file_size_max = limit});
    if (code != FAILED)
      print_error("limit %lu: ended with %d (signal %d):\n%s\n", limit, code, served->end.signal, served->err.bytes);
    assert_int_equal(code, FAILED);
    assert_true(served->err.size > 0);
  }
  assert_continues(served);
}

/* Mounts made from here on are seen by this test and its children only, and go when they go. */
static bool has_own_mounts(void)
{
  static int known = -1;
  if (known < 0)
    known = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
  return known;
}

static void skip_without_mounts(void)
{
  if (has_own_mounts())
    return;
  print_message("skipped: mounting is not permitted here\n");
  skip();
}

CASE_WITH(a_full_disk, serve_more, stop_serving)
{
  skip_without_mounts();
  static const char *const sizes[] = {"size=40k", "size=48k", "size=56k"};
  assert_int_equal(mkdir(served->crawl, 0755), 0);
  assert_int_equal(mount("tmpfs", served->crawl, "tmpfs", 0, sizes[0]), 0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(mount("tmpfs", served->crawl, "tmpfs", MS_REMOUNT, sizes[i]), 0);
    int code = STRATA(served, CRAWL, PATIENCE, "URL");
    if (code != FAILED)
      print_error("%s: ended with %d (signal %d):\n%s\n", sizes[i], code, served->end.signal, served->err.bytes);
    assert_int_equal(code, FAILED);
    assert_true(served->err.size > 0);
  }
  assert_int_equal(mount("tmpfs", served->crawl, "tmpfs", MS_REMOUNT, "size=64m"), 0);
  assert_continues(served);
  assert_int_equal(umount(served->crawl), 0);
}

CASE(a_read_only_disk)
{
  skip_without_mounts();
  crawl_some(served);
  assert_int_equal(mount(served->crawl, served->crawl, NULL, MS_BIND, NULL), 0);
  assert_int_equal(mount(NULL, served->crawl, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
  assert_refused(served, STRATA(served, CRAWL, "URL"), FAILED, served->crawl);
  assert_int_equal(umount(served->crawl), 0);
  assert_continues(served);
}

EACH_CASE(serve, stop_serving)
