/* strata like on a site of pages and edited copies of them. */
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/site/pages.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})
#define CRAWL(t, ...) STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", __VA_ARGS__)

enum { ORIGINALS = 8, WORDS = 600, EDITS = 4 };

/* Words in a row that are new in the copy: 5, 10, 20 and 50 % of it. */
static const int inserted[EDITS] = {30, 60, 120, 300};

static char root[SCRATCH_PATH];
static trial *served;

static void add_words(text *page, int count)
{
  for (int i = 0; i < count; i++)
    text_addf(page, "%s%c%c%c%u", i % 12 ? " " : "\n<p>", (char)('a' + dice_throw(26)), (char)('a' + dice_throw(26)),
              (char)('a' + dice_throw(26)), (unsigned)dice_throw(50));
}

static void write_page(const char *name, const text *links, const text *words, int new_words)
{
  char path[SCRATCH_PATH];
  text page = {0}, more = {0};
  add_words(&more, new_words);
  text_addf(&page, "<title>%s</title><script>var noise = %u</script>%s%s %.*s", name, (unsigned)dice_throw(1000),
            links ? links->bytes : "", more.bytes ? more.bytes : "", (int)words->size, words->bytes);
  scratch_join(root, name, path);
  scratch_write(path, page.bytes, page.size);
  text_free(&page);
  text_free(&more);
}

/* original0.html, and of it copy0-0.html, ... with more and more of their own at the beginning. */
static int open_site(void **state)
{
  (void)state;
  char name[64];
  text links = {0}, words = {0};
  dice_begin(8);
  scratch_make(root);
  for (int i = 0; i < ORIGINALS; i++) {
    words.size = 0;
    add_words(&words, WORDS);
    snprintf(name, sizeof name, "original%d.html", i);
    text_addf(&links, "<a href=%s></a>", name);
    write_page(name, NULL, &words, 0);
    for (int k = 0; k < EDITS; k++) {
      snprintf(name, sizeof name, "copy%d-%d.html", i, k);
      text_addf(&links, "<a href=%s></a>", name);
      write_page(name, NULL, &words, inserted[k]);
    }
  }
  words.size = 0;
  add_words(&words, 100);
  write_page("index.html", &links, &words, 0);
  text_free(&links);
  text_free(&words);
  served = trial_open(&(trial_options){.root = root});
  return served ? 0 : -1;
}

static int close_site(void **state)
{
  (void)state;
  trial_close(served);
  scratch_remove(root);
  return 0;
}

/* Of copy `k`; of the original for k < 0. */
static const char *page_url(int i, int k)
{
  static char address[256];
  snprintf(address, sizeof address, k < 0 ? "%soriginal%d.html" : "%scopy%d-%d.html", served->url, i, k);
  return address;
}

/* Line `line` of stdout: its share and its URL. */
static double answer(int line, char found[256])
{
  double share = -1;
  char *at = served->out.bytes;
  while (at && line-- > 0)
    at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
  *found = '\0';
  if (at)
    sscanf(at, "%lf\t%255[^\n]", &share, found);
  return share;
}

/* a, b and c link to three pages each, and b says what a says. */
CASE(what_near_duplicates_link_to_can_wait)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make(directory);
  for (int i = 0; i < 3; i++) {
    text page = {0};
    char name[] = {(char)('a' + i), '.', 'h', 't', 'm', 'l', '\0'};
    for (int k = 0; k < 3; k++)
      text_addf(&page, "<a href=%c%d.html></a>", name[0], k);
    for (int k = 0; k < 100; k++)
      text_addf(&page, "word%d ", i == 2 ? 1000 + k : k);
    scratch_join(directory, name, path);
    scratch_write(path, page.bytes, page.size);
    text_free(&page);
    for (int k = 0; k < 3; k++) {
      char linked[] = {name[0], (char)('0' + k), '.', 'h', 't', 'm', 'l', '\0'};
      scratch_join(directory, linked, path);
      scratch_write(path, "x", 1);
    }
  }
  scratch_join(directory, "index.html", path);
  scratch_write(path, "<a href=a.html></a><a href=b.html></a><a href=c.html></a>", 57);
  for (int waits = 0; waits < 2; waits++) {
    trial *t = trial_open(&(trial_options){.root = directory});
    size_t size;
    assert_int_equal(CRAWL(t, waits ? "--near-last" : "--progress", "URL"), 0);
    char *pages = scratch_read(t->pages, &size);
    const char *last_of_c = strstr(pages, "/c2.html\""), *first_of_b = strstr(pages, "/b0.html\"");
    assert_true(last_of_c && first_of_b && (last_of_c < first_of_b) == waits);
    assert_non_null(strstr(t->err.bytes, "9 pages say what another one says")); /* those that say "x", too */
    assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
    assert_non_null(strstr(t->out.bytes, "<h2>Near-duplicates</h2>"));
    free(pages);
    trial_close(t);
  }
  scratch_remove(directory);
}

/* In two runs, so that the index is opened again in between. */
CASE(a_crawl_keeps_what_pages_say)
{
  assert_int_equal(CRAWL(served, "--max-pages", "20", "URL"), 0);
  assert_int_equal(CRAWL(served, "--progress"), 0);
  assert_int_equal(STRATA(served, "stat", "DIR"), 0);
  assert_non_null(strstr(served->out.bytes, "near-duplicates"));
}

/* Each original's copies are all it is like, the less they have of their own the more the original has of them. */
CASE_AFTER(copies_are_found_by_their_original, a_crawl_keeps_what_pages_say)
{
  char found[256];
  for (int i = 0; i < ORIGINALS; i++) {
    char *asked = strdup(page_url(i, -1));
    assert_int_equal(STRATA(served, "like", "DIR", asked), 0);
    for (int k = 0; k < EDITS; k++) {
      assert_true(answer(k, found) > 0.97); /* all of it is in the copy, but for what is at the border */
      assert_string_equal(found, page_url(i, k));
    }
    assert_true(answer(EDITS, found) < 0);
    free(asked);
  }
}

/* The other way round: of a copy's text, an original has what was not inserted. */
CASE_AFTER(a_file_is_compared_by_its_text, a_crawl_keeps_what_pages_say)
{
  char path[SCRATCH_PATH], name[32], found[256];
  for (int k = 0; k < EDITS; k++) {
    snprintf(name, sizeof name, "copy3-%d.html", k);
    scratch_join(root, name, path);
    assert_int_equal(STRATA(served, "like", "DIR", path, "--top", "1"), 0);
    assert_true(answer(0, found) == 1);
    assert_string_equal(found, page_url(3, k));
    assert_true(answer(1, found) < 0);
    assert_int_equal(STRATA(served, "like", "DIR", path), 0);
    double expected = (double)WORDS / (WORDS + inserted[k]);
    int line = 0;
    double share = answer(line, found);
    while (share >= 0 && strcmp(found, page_url(3, -1)) != 0)
      share = answer(++line, found);
    assert_true(share > expected - 0.1 && share < expected + 0.1);
  }
  assert_int_equal(STRATA(served, "like", "DIR", path, "--min", "0.99"), 0);
  assert_true(answer(0, found) == 1 && answer(1, found) < 0);
}

/* The same text in another charset, with other tags and references, and as plain text. */
CASE(however_it_is_written)
{
  static const char *const versions[][2] = {
    {"one.html", "<meta charset=iso-8859-1><p>Stra\xDF"
                 "e und Gr\xFC\xDF"
                 "e: f\xFCnf Wege nach M\xFCnchen"},
    {"two.html", "<html>Stra&szlig;e <b>und</b>&nbsp;Gr&uuml;&#xDF;e: <script>nichts</script>f&#252;nf "
                 "Wege nach M&uuml;nchen"},
    {"three.txt", "stra\xC3\x9F"
                  "e und GR\xC3\xBC\xC3\x9F"
                  "e f\xC3\xBCnf wege\nnach m\xC3\xBCnchen"},
  };
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make(directory);
  for (int i = 0; i < 3; i++) {
    scratch_join(directory, versions[i][0], path);
    scratch_write(path, versions[i][1], strlen(versions[i][1]));
  }
  scratch_join(directory, "index.html", path);
  scratch_write(path, "<a href=one.html></a>", 21);
  trial *t = trial_open(&(trial_options){.root = directory});
  assert_int_equal(CRAWL(t, "--progress", "URL"), 0);
  for (int i = 0; i < 3; i++) {
    scratch_join(directory, versions[i][0], path);
    assert_int_equal(STRATA(t, "like", "DIR", path), 0);
    assert_non_null(strstr(t->out.bytes, "1.000\t"));
    assert_non_null(strstr(t->out.bytes, "/one.html\n"));
  }
  trial_close(t);
  scratch_remove(directory);
}

static void assert_refused(int code, const char *why)
{
  assert_int_equal(served->end.code, code);
  assert_non_null(strstr(served->err.bytes, why));
  const char *end = strchr(served->err.bytes, '\n');
  assert_true(end && (code == 2 || !end[1]));
  assert_true(served->out.size == 0);
}

CASE_AFTER(bad_input_gets_one_sentence, a_crawl_keeps_what_pages_say)
{
  char path[SCRATCH_PATH];
  trial *t = served;
  scratch_join(t->home, "nothing.html", path);
  scratch_write(path, "<p>... <!-- a comment --> <script>code</script>", 47);
  STRATA(t, "like", "DIR", path);
  assert_refused(1, "no text to compare");
  STRATA(t, "like", "DIR", "/nowhere/at/all");
  assert_refused(1, "/nowhere/at/all: No such file");
  STRATA(t, "like", "DIR", t->home);
  assert_refused(1, "Is a directory");
  STRATA(t, "like", t->home, path);
  assert_refused(1, "is not the directory of a crawl");
  STRATA(t, "like", "DIR", page_url(99, -1));
  assert_refused(1, "has no such page");
  STRATA(t, "like", "DIR", "http://a b/");
  assert_refused(1, "no URL that a crawl fetches");
  STRATA(t, "like", "DIR", path, "--top", "0");
  assert_refused(2, "--top");
  STRATA(t, "like", "DIR", path, "--min", "2");
  assert_refused(2, "--min");
  STRATA(t, "like", "DIR");
  assert_refused(2, "strata like DIR FILE");
}

/* 32 MB take no more memory than nothing. */
CASE_AFTER(a_long_file_streams, a_crawl_keeps_what_pages_say)
{
  char path[SCRATCH_PATH];
  text words = {0};
  long most[2];
  add_words(&words, 1 << 20);
  scratch_join(served->home, "long.txt", path);
  for (int i = 0; i < 2; i++) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; i == 1 && k < 5; k++)
      assert_int_equal(fwrite(words.bytes, 1, words.size, file), words.size);
    fputs("and a few words more", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(STRATA(served, "like", "DIR", path), 0);
    most[i] = served->end.usage.ru_maxrss;
  }
  assert_true(most[1] < most[0] + 4096); /* KiB */
  text_free(&words);
}

CASE(where_told_so_nothing_is_kept)
{
  trial *t = trial_open(&(trial_options){.root = root});
  struct stat info;
  char path[SCRATCH_PATH];
  assert_int_equal(CRAWL(t, "--no-similar", "--max-pages", "3", "URL"), 0);
  scratch_join(t->crawl, "contents", path);
  assert_int_not_equal(stat(path, &info), 0);
  assert_int_equal(STRATA(t, "like", "DIR", page_url(0, -1)), 1);
  assert_non_null(strstr(t->err.bytes, "crawl without --no-similar"));
  assert_int_equal(CRAWL(t, "--near-last", "--no-similar"), 2);
  assert_int_equal(STRATA(t, "crawl", "--no-store", "--near-last", "URL"), 2);
  trial_close(t);
}

/* A damaged file is named, with what to do; and that does help. */
CASE_AFTER(a_damaged_index_is_refused, a_crawl_keeps_what_pages_say)
{
  size_t size;
  char path[SCRATCH_PATH];
  trial *t = served;
  scratch_join(t->crawl, "contents/00001.docs", path);
  char *docs = scratch_read(path, &size);
  docs[100] ^= 1;
  scratch_write(path, docs, size);
  assert_int_equal(STRATA(t, "like", "DIR", page_url(0, -1)), 1);
  assert_non_null(strstr(t->err.bytes, "contents/00001.docs: damaged at byte 64"));
  assert_int_equal(CRAWL(t, "--quiet"), 1);
  assert_non_null(strstr(t->err.bytes, "contents/00001.docs: damaged at byte 64; remove "));
  assert_int_equal(CRAWL(t, "--no-similar"), 0); /* without it the crawl goes on */
  assert_int_equal(STRATA(t, "check", "DIR"), 1);
  assert_non_null(strstr(t->out.bytes, "contents/00001.docs: damaged at byte 64\n"));
  docs[100] ^= 1;
  scratch_write(path, docs, size);
  assert_int_equal(STRATA(t, "like", "DIR", page_url(0, -1)), 0);
  assert_int_equal(STRATA(t, "check", "DIR"), 0);
  docs[100] ^= 1;
  scratch_write(path, docs, size);
  assert_int_equal(STRATA(t, "check", "DIR", "--repair"), 0);
  assert_non_null(strstr(t->out.bytes, "is put aside as"));
  assert_int_equal(CRAWL(t, "--quiet"), 0);
  assert_int_equal(STRATA(t, "check", "DIR"), 0);
  free(docs);
}

EACH_CASE(open_site, close_site)
