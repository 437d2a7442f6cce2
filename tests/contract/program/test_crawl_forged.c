/* A directory whose checksums are right, and whose URLs, hosts, counters and lines hold what none of ours can hold: the
 * library wrote it, for a program that makes its URLs without url_parse. No command passes a control character on, to a
 * terminal or to a file. */
#include "frontier/inlinks.h"
#include "frontier/traps.h"
#include "tests/site/trial.h"
#include "tests/support/scratch.h"
#include "tests/support/terminal.h"
#include "tests/support/test.h"
#include "tests/support/unclean.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// NOLINTBEGIN(misc-misleading-bidirectional): what is tested is that they mislead nobody

/* C0, DEL, C1, bidi controls, a separator, and a line that looks like ours; the same with C1 bare and broken UTF-8. */
#define EVIL_UTF8                \
  "\x1b]0;owned\x07\x7f\xc2\x9b" \
  "2J\xe2\x80\xae\xd8\x9c\xe2\x80\xa8\nstrata: forged\r\t"
#define EVIL       \
  EVIL_UTF8 "\x9b" \
            "2J\xff\xc3"

// NOLINTEND(misc-misleading-bidirectional)

enum { HOSTS = 4, URLS = 40, TRAPPED = 400, WORDS_MAX = 12 };

static trial *t;
static char *frontier_path;

/* ---- the directory ------------------------------------------------------------------------------------------- */

static void make_url(unsigned host, const char *path, url *u)
{
  int begin = (int)strlen("http://");
  int end = host ? snprintf(u->fetch_bytes, URL_HOST_MAX, "http://h%u" EVIL ".test", host)
                 : snprintf(u->fetch_bytes, URL_HOST_MAX, "http://127.0.0.1:%u", t->port);
  int size = end + snprintf(u->fetch_bytes + end, URL_LENGTH_MAX, "%s", path);
  memcpy(u->key_bytes, u->fetch_bytes, (size_t)size + 1);
  u->fetch = u->fetch_bytes, u->key = u->key_bytes;
  u->fetch_size = u->key_size = (uint32_t)size;
  u->host_begin = (uint32_t)begin, u->host_end = u->path_begin = (uint32_t)end;
  u->segment_count = 1;
  u->segment_begin[0] = 0;
  for (uint32_t at = u->path_begin; at < u->key_size; at++)
    if (u->key[at] == '/')
      u->segment_begin[u->segment_count++] = at;
  u->segment_begin[u->segment_count] = u->key_size;
}

/* Text in quotes; `is_raw`: control characters stand there as they are, which no writer of JSON does. */
static void add_quoted(text *line, const char *name, const char *value, bool is_raw)
{
  text_addf(line, ",\"%s\":\"", name);
  for (; *value; value++) /* without a line feed: one line is one line */
    if (!is_raw && ((unsigned char)*value < 0x20 || *value == 0x7f))
      text_addf(line, "\\u%04x", (unsigned)*value);
    else if (*value != '\n')
      text_add_byte(line, *value);
  text_add(line, "\"");
}

static void end_lease(frontier *f, const frontier_lease *lease)
{
  static const char *const names[] = {"url",     "key",    "verdict",  "outcome",           "robots",
                                      "error",   "reason", "redirect", "canonical",         "type",
                                      "charset", "near",   "title",    "\\u001b[2J\xc2\x9b"};
  text line = {0};
  frontier_state state = lease->id % 3 == 0 ? FRONTIER_FAILED : lease->id % 3 == 1 ? FRONTIER_DONE : FRONTIER_SKIPPED;
  text_addf(&line, "{\"id\":%llu,\"status\":%d,\"body_bytes\":%llu,\"seconds\":%llu,\"near_share\":0.95",
            (unsigned long long)lease->id, lease->id % 2 ? 200 : 404, (unsigned long long)lease->id,
            (unsigned long long)lease->id);
  bool is_raw = lease->id % 5 == 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = i == 0 ? "http://h/" EVIL_UTF8 : is_raw ? EVIL : EVIL_UTF8;
    add_quoted(&line, names[i], lease->id % 4 && strcmp(names[i], "outcome") == 0 ? "done" : value, is_raw);
  }
  text_add(&line, "}");
  assert_int_equal(frontier_done(f, lease->id, state, 404, line.bytes, line.size, 0), FRONTIER_OK);
  text_free(&line);
}

static void add_urls(frontier *f, inlinks *counts, uint64_t via)
{
  static url u, key;
  frontier_verdict verdict;
  char path[256];
  for (unsigned i = 0; i < URLS + TRAPPED; i++) {
    snprintf(path, sizeof path, i < URLS ? "/" EVIL "/%u" : "/a" EVIL "/ab/ab/ab/%u", i);
    make_url(i % HOSTS, path, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){.via = via, .depth = 1}, 0, &verdict), FRONTIER_OK);
    if (url_parse(u.fetch, u.fetch_size, URL_STRICT, &key) == URL_OK)
      assert_int_equal(inlinks_add(counts, &key, 1 + i % 7), MLBF_OK);
  }
}

static void end_some(frontier *f)
{
  enum { ENDED = 60 };
  frontier_lease leases[8];
  size_t count, ended = 0;
  int64_t wait_ms;
  while (ended < ENDED) {
    assert_int_equal(frontier_next(f, 0, leases, 8, &count, &wait_ms), FRONTIER_OK);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++, ended++)
      end_lease(f, &leases[i]);
  }
}

static void make_directory(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", path[SCRATCH_PATH];
  uint8_t secret[MLBF_SECRET_BYTES];
  frontier *f = NULL;
  inlinks *counts = NULL;
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 1000,
                              .rate = 1e-6,
                              .per_host = 8,
                              .depth_cap = UINT16_MAX,
                              .journal_path = t->pages};
  assert_int_equal(mkdir(t->crawl, 0777), 0);
  if (frontier_open(frontier_path, &options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  frontier_secret(f, secret);
  scratch_join(t->crawl, "inlinks", path);
  assert_int_equal(inlinks_open_with(path, 1000, secret, &counts), MLBF_OK);
  assert_int_equal(frontier_watch_traps(f, 1000), FRONTIER_OK);
  add_urls(f, counts, 0);
  end_some(f);
  assert_int_equal(frontier_count(f, "skipped-\x1b[2J\xc2\x9b\xff", 3), FRONTIER_OK);
  assert_int_equal(frontier_count(f, "pages", 20), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(inlinks_save(counts), MLBF_OK);
  inlinks_close(counts);
}

static int set_up(void **state)
{
  (void)state;
  t = trial_open(&(trial_options){.entries = 1});
  frontier_path = trial_path(t, "crawl/frontier");
  make_directory();
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  trial_close(t);
  free(frontier_path);
  return 0;
}

/* ---- the commands -------------------------------------------------------------------------------------------- */

/* `shows`: what is expected in the output of a file, so that it is seen that the URLs were shown. */
static const struct row {
  const char *shows, *words[WORDS_MAX];
} rows[] = {
  {"skipped", {"stat", "DIR"}},
  {"\\x1B]0;owned\\x07", {"stat", "DIR", "--traps"}},
  {"\\u001B]0;owned\\u0007", {"stat", "DIR", "--traps", "--json"}},
  {"\\x1B]0;owned\\x07", {"export", "DIR"}},
  {"\\x1B]0;owned\\x07", {"export", "DIR", "--state", "queued"}},
  {"\\x1B]0;owned\\x07", {"export", "DIR", "--state", "done"}},
  {"\\x1B]0;owned\\x07", {"export", "DIR", "--state", "failed"}},
  {"\\u001B]0;owned\\u0007", {"export", "DIR", "--format", "jsonl"}},
  {"", {"seen", "DIR", "URL"}},
  {"\\x1B]0;owned\\x07", {"inlinks", "DIR", "--top", "100"}},
  {"owned", {"report", "DIR", "--out", "-"}},
  {"is not a URL", {"check", "DIR"}},
  {"", {"like", "DIR", "URL"}},
  {"", {"show", "DIR", "URL"}},
  {"", {"forget", "DIR", "URL"}},
  {"", {"forget", "DIR", "--prefix", "http://h1"}},
  {"", {"compact", "DIR"}},
  {"", {"crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--max-seconds", "3", "URL"}},
};

static unsigned judge(const char *where, const struct row *r, const text *came, bool is_ascii)
{
  const char *bytes = came->bytes ? came->bytes : "";
  size_t at = first_unclean(bytes, came->size, is_ascii);
  bool is_forged = memmem(bytes, came->size, "\nstrata: forged", strlen("\nstrata: forged")) != NULL;
  if (at < came->size)
    print_error("strata %s, %s: byte %zu of %zu is <%02X>\n", r->words[0], where, at, came->size,
                (unsigned char)bytes[at]);
  if (is_forged)
    print_error("strata %s, %s: a forged line\n", r->words[0], where);
  return (at < came->size) + is_forged;
}

static unsigned run_on_terminal(const struct row *r, const char *locale)
{
  const char *argv[WORDS_MAX + 2] = {STRATA_PROGRAM};
  text came = {0};
  for (size_t i = 0; r->words[i]; i++)
    argv[i + 1] = strcmp(r->words[i], "DIR") == 0 ? t->crawl : strcmp(r->words[i], "URL") == 0 ? t->url : r->words[i];
  setenv("LC_ALL", locale, 1);
  int code = terminal_run(argv, NULL, &came);
  if (strcmp(r->words[0], "crawl") == 0)
    terminal_drop_panel(&came);
  unsigned bad = (code < 0) + judge(locale, r, &came, strcmp(locale, "C") == 0);
  text_free(&came);
  return bad;
}

/* First into files: commands at the end of the list change the directory. */
static unsigned run_row(const struct row *r)
{
  unsigned bad = trial_strata(t, r->words) < 0;
  bad += judge("standard output", r, &t->out, false) + judge("standard error", r, &t->err, false);
  if (!strstr(t->out.bytes ? t->out.bytes : "", r->shows)) {
    print_error("strata %s %s: shows no %s\n%s", r->words[0], r->words[2] ? r->words[2] : "", r->shows, t->err.bytes);
    bad++;
  }
  return bad + run_on_terminal(r, "C.UTF-8") + run_on_terminal(r, "C");
}

CASE(no_command_passes_on_what_a_valid_directory_holds)
{
  unsigned bad = 0;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    bad += run_row(&rows[i]);
  assert_int_equal(bad, 0);
}

/* ---- options that a directory keeps -------------------------------------------------------------------------- */

static frontier *open_frontier(void)
{
  const frontier_options as_made = {.filter = MLBF_KIND_MLBF,
                                    .expected_urls = 1,
                                    .rate = 1e-6,
                                    .per_host = 1,
                                    .depth_cap = UINT16_MAX,
                                    .keep_identity = true};
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  if (frontier_open(frontier_path, &as_made, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

/* No value that the command line would refuse, no secret, and no file to be opened. */
CASE(forged_options_are_refused)
{
  static const char *const forged[] = {
    "delay\n",
    "delay -1\n",
    "delay 1",
    "delay 1\ndelay 2\n",
    "images yes\n",
    "per-host 99999\n",
    "max-pages 1\n",
    "dir /etc\n",
    "seeds /etc/shadow\n",
    "user me:secret\n",
    "header\n",
    "cookies /etc/x\n",
    "nonsense\n",
    " \n",
    "user-agent a\x1b]0;owned\x07\n",
    "delay \xc2\x9b]2J\n",
    "proxy file:///x\n",
    "proxy http://a:b@c/\n",
    "DELAY 1\n",
    "del 1\n",
  };
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
    frontier *f = open_frontier();
    assert_int_equal(frontier_setting_put(f, "options", forged[i], strlen(forged[i])), FRONTIER_OK);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    int code = trial_strata(t, (const char *const[]){"crawl", "--dir", "DIR", NULL});
    if (code <= 0 || !strstr(t->err.bytes, "the options it was begun with cannot be read") ||
        first_unclean(t->err.bytes, t->err.size, false) < t->err.size)
      fail_msg("\"%s\": exit %d: %s", forged[i], code, t->err.bytes);
  }
}

EACH_CASE(set_up, tear_down)
