/* strata crawl --digests: what is no HTML gets a digest, which strata digest and strata report read. */
#include "crawler/loop/body_digests.h"
#include "crawler/report/report_bodies.h"
#include "mlbf/digest.h"
#include "tests/support/dice.h"
#include "tests/support/faults.h"
#include "tests/support/scratch.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})
#define CRAWL(t, ...) STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", __VA_ARGS__)

enum { BODY = 40000 };

static char root[SCRATCH_PATH], path[SCRATCH_PATH];
static trial *served;

static void fill(char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    bytes[i] = (char)dice_throw(256);
}

static void write_file(const char *name, const char *bytes, size_t size)
{
  scratch_join(root, name, path);
  scratch_write(path, bytes, size);
}

/* one.bin; two.bin, a fifth of which is new; same.bin, as one.bin; other.bin; and one too short for a digest. */
static int open_site(void **state)
{
  (void)state;
  static const char links[] = "<a href=one.bin>1</a><a href=two.bin>2</a><a href=same.bin>3</a><a href=other.bin>4</a>"
                              "<a href=short.bin>5</a><a href=one.bin?a:b|c%25>6</a>";
  char *bytes = malloc(BODY);
  assert_non_null(bytes);
  dice_begin(8);
  scratch_make(root);
  fill(bytes, BODY);
  write_file("index.html", links, sizeof links - 1);
  write_file("one.bin", bytes, BODY);
  write_file("same.bin", bytes, BODY);
  write_file("short.bin", bytes, MLBF_DIGEST_SIZE_MIN - 1);
  fill(bytes, BODY / 5);
  write_file("two.bin", bytes, BODY);
  fill(bytes, BODY);
  write_file("other.bin", bytes, BODY);
  free(bytes);
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

static size_t count_lines(const char *bytes)
{
  size_t count = 0;
  for (; bytes && (bytes = strchr(bytes, '\n')); bytes++)
    count++;
  return count;
}

static char *read_digests(void)
{
  size_t size;
  scratch_join(served->crawl, "digests.sdbf", path);
  return scratch_read(path, &size);
}

/* In two runs; each body has one line, by its URL. */
CASE(bodies_get_their_digests)
{
  trial *t = served;
  assert_int_equal(CRAWL(t, "--digests", "--max-pages", "3", "URL"), 0);
  assert_int_equal(CRAWL(t, "--digests"), 0);
  char *digests = read_digests(), name[256];
  assert_non_null(digests);
  assert_int_equal(count_lines(digests), 5); /* not of the page, nor of the short one */
  snprintf(name, sizeof name, ":http%%3A//127.0.0.1%%3A%u/two.bin:", t->port);
  assert_non_null(strstr(digests, name));
  snprintf(name, sizeof name, ":http%%3A//127.0.0.1%%3A%u/one.bin?a%%3Ab%%7Cc%%2525:", t->port);
  assert_non_null(strstr(digests, name));
  free(digests);
}

CASE_AFTER(the_report_lists_those_that_are_alike, bodies_get_their_digests)
{
  trial *t = served;
  char pair[512];
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
  const char *section = strstr(t->out.bytes, "<h2>Bodies that are alike</h2>");
  assert_non_null(section);
  assert_non_null(strstr(section, "by similarity digests: 3.</p>")); /* two.bin with all that one.bin is called */
  snprintf(pair, sizeof pair, ">%stwo.bin</a>", t->url);
  assert_non_null(strstr(section, pair));
  assert_null(strstr(section, "other.bin"));
}

/* What strata digest makes of the file is what the crawl made of the body. */
CASE_AFTER(digests_are_those_of_the_files, bodies_get_their_digests)
{
  trial *t = served;
  char *digests = read_digests(), own[SCRATCH_PATH];
  scratch_join(root, "two.bin", own);
  assert_int_equal(STRATA(t, "digest", own), 0);
  const char *filters = strstr(t->out.bytes, ":sha1:");
  assert_non_null(filters);
  assert_non_null(strstr(digests, filters));
  scratch_join(t->crawl, "digests.sdbf", path);
  assert_int_equal(STRATA(t, "digest", "--search", path, own), 0);
  assert_non_null(strstr(t->out.bytes, "/two.bin|100\n"));
  free(digests);
}

/* What a power cut tore is cut off, and what a line says twice is taken as it was said last. */
CASE_AFTER(a_torn_line_is_cut_off, bodies_get_their_digests)
{
  char *before = read_digests();
  size_t size = strlen(before);
  char *torn = malloc(2 * size + 1);
  memcpy(torn, before, size);
  memcpy(torn + size, before, size / 7);
  memset(torn + size + size / 7, 0, size / 7);
  scratch_write(path, torn, size + 2 * (size / 7));
  char *line_end = memrchr(torn, '\n', size + size / 7);
  body_digests *b = body_digests_open(served->crawl);
  assert_non_null(b);
  body_digests_close(b);
  char *after = read_digests();
  assert_int_equal(strlen(after), (size_t)(line_end + 1 - torn));
  report_pairs pairs = {.all = 0};
  assert_true(report_bodies_read(path, &pairs));
  assert_int_equal(pairs.all, 3);
  report_pairs_free(&pairs);
  free(before);
  free(torn);
  free(after);
}

CASE_AFTER(what_does_not_fit_into_memory_gets_none, bodies_get_their_digests)
{
  enum { PIECE = 1 << 20 };
  char *piece = calloc(1, PIECE), *before = read_digests();
  body_copy large = {.bytes = NULL}, small = {.bytes = NULL};
  body_digests *b = body_digests_open(served->crawl);
  assert_true(piece && b);
  body_digests_take(b, &small, piece, PIECE);
  for (int i = 0; i < BODY_DIGESTS_MEMORY / PIECE; i++)
    body_digests_take(b, &large, piece, PIECE);
  assert_true(large.is_given_up && !large.bytes && large.size == 0);
  assert_int_equal(body_digests_add(b, &large, "http://a.example/large"), MLBF_NO_MEMORY);
  body_digests_drop(b, &large);
  body_digests_take(b, &large, piece, 1); /* the next one may fit */
  assert_false(large.is_given_up);
  body_digests_drop(b, &large);
  body_digests_drop(b, &small);
  body_digests_close(b);
  char *after = read_digests();
  assert_string_equal(after, before);
  free(piece);
  free(before);
  free(after);
}

CASE(names_go_both_ways)
{
  char name[] = "http%3A//a/%25%7C%2f%%3A%3";
  body_digests_url_of_name(name);
  assert_string_equal(name, "http://a/%|%2f%:%3");
}

/* The disk takes half of a line, and then does not even let it be cut off: the same call writes it whole. */
CASE_AFTER(a_line_the_disk_tore_is_written_over, bodies_get_their_digests)
{
  enum { TORN = 6000, NEXT = 3000 };
  char directory[SCRATCH_PATH], bytes[TORN];
  size_t size;
  scratch_make(directory);
  body_digests *b = body_digests_open(directory);
  assert_non_null(b);
  fill(bytes, TORN);
  body_copy copy = {.bytes = bytes, .size = TORN};
  faults_set(FAULT_WRITE, 1, FAULT_SHORT, true);
  assert_int_equal(body_digests_add(b, &copy, "http://a.test/1"), MLBF_IO);
  faults_end();
  assert_non_null(strstr(body_digests_message(b), "No space left"));
  assert_int_equal(body_digests_add(b, &copy, "http://a.test/1"), MLBF_OK);
  copy.size = NEXT;
  assert_int_equal(body_digests_add(b, &copy, "http://a.test/2"), MLBF_OK);
  body_digests_close(b);
  scratch_join(directory, "digests.sdbf", path);
  char *digests = scratch_read(path, &size);
  static const char begin[] = "sdbf:03:";
  assert_int_equal(count_lines(digests), 2);
  assert_ptr_equal(strstr(digests, begin), digests);
  assert_ptr_equal(strstr(digests + 1, begin), strchr(digests, '\n') + 1);
  assert_int_equal(size, strlen(digests)); /* and nothing behind them, nor a hole */
  free(digests);
  scratch_remove(directory);
}

EACH_CASE(open_site, close_site)
