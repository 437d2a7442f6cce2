/* The secret of a crawl: given or drawn, it is in data.mdb and IDENTITY, whose owner alone may read them, and in
 * nothing that strata writes or says; a directory is right whichever instructions the processor has. */
#include "tests/support/crawl_case.h"
#include "tests/support/crawl_secret.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ftw.h>

enum { HEX = 2 * MLBF_SECRET_BYTES };

static trial *t;
static uint8_t hidden[MLBF_SECRET_BYTES]; /* what is looked for */
static unsigned holding;                  /* files that have it */

static int begin(void **state)
{
  (void)state;
  t = case_serve_site(7, 30);
  return t ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  trial_close(t);
  return 0;
}

static void in_hex(const uint8_t *secret, const char digits[], char hex[HEX + 1])
{
  for (int i = 0; i < HEX; i++)
    hex[i] = digits[secret[i / 2] >> (i % 2 ? 0 : 4) & 15];
  hex[HEX] = '\0';
}

/* Any half of it, as bytes or as digits. */
static bool has_secret(const char *bytes, size_t size)
{
  char lower[HEX + 1], upper[HEX + 1];
  in_hex(hidden, "0123456789abcdef", lower);
  in_hex(hidden, "0123456789ABCDEF", upper);
  for (int half = 0; half < 2; half++)
    if (memmem(bytes, size, hidden + half * MLBF_SECRET_BYTES / 2, MLBF_SECRET_BYTES / 2) ||
        memmem(bytes, size, lower + half * HEX / 2, HEX / 2) || memmem(bytes, size, upper + half * HEX / 2, HEX / 2))
      return true;
  return false;
}

/* data.mdb and IDENTITY have it, and only their owner may read them; no other file has it. */
static int look_into(const char *path, const struct stat *info, int type, struct FTW *at)
{
  size_t size;
  char *bytes = type == FTW_F ? scratch_read(path, &size) : NULL;
  if (bytes && has_secret(bytes, size)) {
    holding++;
    if ((strcmp(path + at->base, "data.mdb") != 0 && strcmp(path + at->base, "IDENTITY") != 0) ||
        (info->st_mode & 0777) != 0600)
      fail_msg("%s has the secret, and mode %o", path, (unsigned)info->st_mode & 0777);
  }
  free(bytes);
  return 0;
}

static void look_at_output(const char *what)
{
  if (has_secret(t->out.bytes ? t->out.bytes : "", t->out.size) ||
      has_secret(t->err.bytes ? t->err.bytes : "", t->err.size))
    fail_msg("strata %s: the secret was written", what);
}

/* All that reads or copies the directory. */
static void look_everywhere(const uint8_t *secret)
{
  char both[SCRATCH_PATH], report[SCRATCH_PATH], copies[SCRATCH_PATH];
  memcpy(hidden, secret, sizeof hidden);
  scratch_join(t->home, "both", both);
  scratch_join(t->home, "report.html", report);
  scratch_join(t->home, "copies", copies);
  const char *const commands[][8] = {
    {"stat", "DIR", NULL},
    {"stat", "DIR", "--json", NULL},
    {"check", "DIR", NULL},
    {"export", "DIR", NULL},
    {"seen", "DIR", t->url, NULL},
    {"show", "DIR", t->url, NULL},
    {"inlinks", "DIR", NULL},
    {"forget", "DIR", t->url, NULL},
    {"compact", "DIR", NULL},
    {"check", "--repair", "DIR", NULL},
    {"merge", "DIR", "-o", both, NULL},
    {"stat", both, NULL},
    {"report", "DIR", "--out", report, NULL},
    {"--version", NULL},
  };
  look_at_output("crawl");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    trial_strata(t, commands[i]);
    look_at_output(commands[i][0]);
  }
  holding = 0;
  assert_int_equal(nftw(t->crawl, look_into, 8, FTW_PHYS), 0);
  assert_int_equal(holding, 2);
  assert_int_equal(nftw(both, look_into, 8, FTW_PHYS), 0);
  assert_int_equal(holding, 4);
}

static void write_secret(const char *name, const void *bytes, size_t size, char path[SCRATCH_PATH])
{
  scratch_join(t->home, name, path);
  scratch_write(path, bytes, size);
}

CASE(a_drawn_secret_stays_in_the_directory)
{
  assert_int_equal(STRATA(t, CRAWL, "--warc", "URL"), 0);
  look_everywhere(crawl_secret_of(t->crawl));
}

CASE(a_given_secret_is_kept)
{
  char raw[SCRATCH_PATH], digits[SCRATCH_PATH], other[SCRATCH_PATH], hex[HEX + 2];
  in_hex(test_secret(0), "0123456789abcdef", hex);
  strcat(hex, "\n");
  write_secret("raw", test_secret(0), MLBF_SECRET_BYTES, raw);
  write_secret("digits", hex, HEX + 1, digits);
  write_secret("other", test_secret(1), MLBF_SECRET_BYTES, other);
  assert_int_equal(STRATA(t, CRAWL, "--secret", digits, "--max-pages", "5", "URL"), 0);
  assert_memory_equal(crawl_secret_of(t->crawl), test_secret(0), MLBF_SECRET_BYTES);
  assert_int_equal(STRATA(t, CRAWL, "--secret", other), 2);
  assert_non_null(strstr(t->err.bytes, "--secret"));
  assert_non_null(strstr(t->err.bytes, t->crawl));
  assert_int_equal(STRATA(t, CRAWL, "--secret", raw, "--max-pages", "8"), 0);
  assert_int_equal(STRATA(t, CRAWL), 0); /* its own */
  case_assert_perfect(case_pages(t, &judge_everything));
  look_everywhere(test_secret(0));
}

CASE(what_is_no_secret_is_refused)
{
  static const struct row {
    const char *bytes;
    size_t size;
  } rows[] = {
    {"", 0}, {"a password", 10}, {"0123456789012345678901234567890", 31}, {"012345678901234567890123456789012", 33}};
  char path[SCRATCH_PATH];
  for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
    bool is_there = i < sizeof rows / sizeof *rows;
    if (is_there)
      write_secret("bad", rows[i].bytes, rows[i].size, path);
    else
      scratch_join(t->home, "missing", path);
    assert_int_equal(STRATA(t, CRAWL, "--secret", path, "URL"), 2);
    assert_non_null(strstr(t->err.bytes, path));
    assert_non_null(strstr(t->err.bytes, is_there ? "32 bytes" : "No such file"));
    assert_ptr_equal(strchr(t->err.bytes, '\n') + 1, t->err.bytes + t->err.size);
  }
  struct stat info;
  assert_int_not_equal(stat(t->crawl, &info), 0);
}

/* Begun with some instructions, gone on with fewer, and the other way round: no page is fetched twice. */
CASE(any_processor_will_do)
{
  static const char *const levels[][2] = {
    {NULL, "portable"}, {"portable", NULL}, {"avx2", "portable"}, {"portable", "avx2"}};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    if (i)
      begin(state);
    for (int run = 0; run < 2; run++) {
      const char *level = levels[i][run];
      if (level)
        setenv("STRATA_CPU", level, 1);
      bool is_slow = level && strcmp(level, "portable") == 0;
      assert_int_equal(run ? STRATA(t, CRAWL) : STRATA(t, CRAWL, "--max-pages", "12", "URL"), 0);
      if (is_slow)
        assert_non_null(strstr(t->err.bytes, "hashing is slower here"));
      assert_int_equal(STRATA(t, "seen", "DIR", t->url), 0);
      assert_int_equal(STRATA(t, "check", "DIR"), 0);
      unsetenv("STRATA_CPU");
    }
    case_assert_perfect(case_pages(t, &judge_everything));
    setenv("STRATA_CPU", "portable", 1);
    assert_int_equal(STRATA(t, CRAWL, "--quiet"), 0);
    unsetenv("STRATA_CPU");
    assert_null(strstr(t->err.bytes ? t->err.bytes : "", "slower"));
    if (i + 1 < sizeof levels / sizeof *levels)
      end(state);
  }
}

EACH_CASE(begin, end)
