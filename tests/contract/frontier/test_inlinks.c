/* In-link counts against exact ones, through growth, files and merging. */
#include "frontier/inlinks.h"
#include "tests/support/scratch.h"
#include "tests/site/random.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { URLS = 60000, HEAD = 300 };

static char directory[SCRATCH_PATH], path[SCRATCH_PATH], first_file[SCRATCH_PATH];
static uint64_t seed = 1;

static const url *url_of(uint32_t id)
{
  static url u;
  char text[64];
  int size = snprintf(text, sizeof text, "http://site%u.example/page/%u", (unsigned)id % 7, (unsigned)id);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
  return &u;
}

/* Pages of five links, one of them twice; a few URLs get many links. `exact` counts pages. */
static void link_pages(inlinks *in, uint32_t pages, uint64_t dice, uint32_t exact[URLS])
{
  for (uint32_t page = 0; page < pages; page++) {
    uint32_t links[6];
    inlinks_begin_page(in);
    for (int i = 0; i < 5; i++) {
      double x = random_share(&dice);
      links[i] = i < 2 ? (uint32_t)(HEAD * x * x) : (uint32_t)((page + x) * URLS / pages);
      bool is_again = false;
      for (int before = 0; before < i; before++)
        is_again |= links[before] == links[i];
      exact[links[i]] += !is_again;
    }
    links[5] = links[0];
    for (int i = 0; i < 6; i++)
      assert_int_equal(inlinks_note(in, url_of(links[i])), MLBF_OK);
  }
}

static void compare(const inlinks *in, const uint32_t exact[URLS], double wrong_most)
{
  uint32_t wrong = 0;
  for (uint32_t id = 0; id < URLS; id++) {
    uint32_t count = inlinks_count(in, url_of(id));
    assert_true(count >= exact[id]);
    wrong += count > exact[id];
  }
  print_message("%u of %u counts too high\n", (unsigned)wrong, (unsigned)URLS);
  assert_true(wrong <= wrong_most * URLS);
}

/* From room for a thousand to sixty thousand: six filters, none of which may lose a link. */
CASE(counts_are_never_too_low_however_many_urls)
{
  static uint32_t exact[URLS];
  inlinks *in;
  memset(exact, 0, sizeof exact);
  assert_int_equal(inlinks_open_with(NULL, 1000, test_secret(0), &in), MLBF_OK); /* a random one may pass 12 % */
  link_pages(in, 40000, seed, exact);
  compare(in, exact, 0.12);
  inlinks_close(in);
  memset(exact, 0, sizeof exact);
  assert_int_equal(inlinks_open(NULL, URLS, &in), MLBF_OK);
  link_pages(in, 40000, seed, exact);
  compare(in, exact, 0.05);
  assert_int_equal(inlinks_save(in), MLBF_OK); /* nowhere, which is fine */
  inlinks_close(in);
}

CASE(saved_counts_go_on)
{
  static uint32_t exact[URLS];
  inlinks *in;
  memset(exact, 0, sizeof exact);
  for (int run = 0; run < 3; run++) {
    assert_int_equal(inlinks_open(path, 20000, &in), MLBF_OK);
    link_pages(in, 10000, seed + (uint64_t)run, exact);
    assert_int_equal(inlinks_save(in), MLBF_OK);
    inlinks_close(in);
  }
  assert_int_equal(inlinks_open_existing(path, &in), MLBF_OK);
  compare(in, exact, 0.12);
  inlinks_close(in);
}

CASE(merged_counts_are_those_of_both)
{
  static uint32_t exact[URLS];
  inlinks *a, *b, *other, *strange;
  memset(exact, 0, sizeof exact);
  assert_int_equal(inlinks_open_with(NULL, 20000, test_secret(0), &a), MLBF_OK);
  assert_int_equal(inlinks_open_with(NULL, 20000, test_secret(0), &b), MLBF_OK);
  assert_int_equal(inlinks_open_with(NULL, 10000, test_secret(0), &other), MLBF_OK);
  assert_int_equal(inlinks_open(NULL, 20000, &strange), MLBF_OK);
  link_pages(a, 3000, seed, exact);
  link_pages(b, 30000, seed + 1, exact); /* one filter and two */
  assert_int_equal(inlinks_merge(a, other), MLBF_MISMATCH);
  assert_int_equal(inlinks_merge(a, strange), MLBF_SECRET);
  assert_int_equal(inlinks_merge(a, b), MLBF_OK);
  compare(a, exact, 0.1);
  inlinks_close(a);
  inlinks_close(b);
  inlinks_close(other);
  inlinks_close(strange);
}

/* Also where filters came since; a filter of a URL's later links may then be another than that of its first. */
CASE(a_difference_makes_the_later_counts_of_the_earlier)
{
  static uint32_t exact[URLS];
  inlinks *later, *earlier, *delta = NULL;
  char copied[SCRATCH_PATH];
  memset(exact, 0, sizeof exact);
  scratch_join(directory, "copy", copied);
  assert_int_equal(inlinks_open(NULL, 20000, &later), MLBF_OK);
  link_pages(later, 3000, seed, exact);
  assert_int_equal(inlinks_save_as(later, copied), MLBF_OK);
  assert_int_equal(inlinks_open_existing(copied, &earlier), MLBF_OK);
  link_pages(later, 30000, seed + 1, exact);
  assert_int_equal(inlinks_difference(earlier, later, &delta), MLBF_MISMATCH);
  assert_null(delta);
  assert_int_equal(inlinks_difference(later, earlier, &delta), MLBF_OK);
  assert_int_equal(inlinks_merge(earlier, delta), MLBF_OK);
  compare(earlier, exact, 0.1);
  inlinks_close(later);
  inlinks_close(earlier);
  inlinks_close(delta);
}

/* Given, it is in no file; drawn, it is in the first, which its owner alone may read. */
CASE(counts_need_their_secret)
{
  static uint32_t exact[URLS];
  char given[SCRATCH_PATH], drawn[SCRATCH_PATH], file[SCRATCH_PATH];
  inlinks *in, *other, *delta = NULL;
  struct stat info;
  memset(exact, 0, sizeof exact);
  scratch_join(directory, "given", given);
  scratch_join(directory, "drawn", drawn);
  assert_int_equal(inlinks_open_with(given, 1000, test_secret(0), &in), MLBF_OK);
  link_pages(in, 30000, seed, exact);
  assert_int_equal(inlinks_save(in), MLBF_OK);
  inlinks_close(in);
  for (int i = 0; i < 2; i++) {
    size_t size;
    scratch_join(directory, i ? "given.1" : "given.0", file);
    char *bytes = scratch_read(file, &size);
    assert_non_null(bytes);
    assert_null(memmem(bytes, size, test_secret(0), MLBF_SECRET_BYTES));
    free(bytes);
  }
  assert_int_equal(inlinks_open_existing(given, &in), MLBF_SECRET);
  assert_int_equal(inlinks_open_with(given, 1000, test_secret(1), &in), MLBF_SECRET);
  assert_int_equal(inlinks_open_existing_with(given, test_secret(0), &in), MLBF_OK);
  compare(in, exact, 0.3);

  assert_int_equal(inlinks_open(drawn, 1000, &other), MLBF_OK);
  link_pages(other, 30000, seed, exact);
  assert_int_equal(inlinks_save(other), MLBF_OK);
  assert_int_equal(inlinks_merge(in, other), MLBF_SECRET);
  assert_int_equal(inlinks_difference(in, other, &delta), MLBF_SECRET);
  assert_null(delta);
  inlinks_close(in);
  inlinks_close(other);
  scratch_join(directory, "drawn.0", file);
  assert_int_equal(stat(file, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  assert_int_equal(inlinks_open_existing_with(drawn, test_secret(0), &in), MLBF_SECRET);
  assert_int_equal(inlinks_open_existing(drawn, &in), MLBF_OK);
  assert_true(inlinks_count(in, url_of(0)) > 0);
  inlinks_close(in);
}

CASE_AFTER(what_is_no_count_is_refused, saved_counts_go_on)
{
  inlinks *in;
  char nowhere[SCRATCH_PATH];
  scratch_join(directory, "nothing", nowhere);
  assert_int_equal(inlinks_open_existing(nowhere, &in), MLBF_IO);
  assert_int_equal(inlinks_open(path, 0, &in), MLBF_OK); /* there are files: their size holds */
  inlinks_close(in);
  assert_int_equal(inlinks_open(NULL, 0, &in), MLBF_BAD_ARGUMENT);
  scratch_write(first_file, "my diary\n", 9);
  assert_int_equal(inlinks_open(path, 1000, &in), MLBF_NOT_A_FILTER);
  assert_int_equal(inlinks_open_existing(path, &in), MLBF_NOT_A_FILTER);
}

static int prepare(void **state)
{
  (void)state;
  seed = random_seed_or(seed);
  scratch_make_fast(directory);
  scratch_join(directory, "inlinks", path);
  scratch_join(directory, "inlinks.0", first_file);
  return 0;
}

static int clear(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

EACH_CASE(prepare, clear)
