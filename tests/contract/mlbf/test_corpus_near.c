/* Near-duplicates as documents are added: against all of them compared one by one, on pages that only look alike, and
 * with the table kept, lost, damaged, of other documents, or behind the documents. */
#include "mlbf/corpus.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[SCRATCH_PATH], directory[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make(root);
  scratch_join(root, "corpus", directory);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static mlbf_corpus *open_corpus(void)
{
  char message[MLBF_CORPUS_MESSAGE_SIZE];
  mlbf_corpus *c = NULL;
  if (mlbf_corpus_open(directory, false, &c, message) != MLBF_OK)
    fail_msg("%s", message);
  assert_int_equal(mlbf_corpus_near_open(c), MLBF_OK);
  return c;
}

static mlbf_span name_of(size_t number, char name[32])
{
  return (mlbf_span){name, (size_t)snprintf(name, 32, "http://a.example/%zu", number)};
}

/* The number of the document that this one is near, or -1. */
static long add(mlbf_corpus *c, size_t number, const mlbf_shingles *s, double *share)
{
  char name[32], *near = NULL;
  long found = -1;
  assert_int_equal(mlbf_corpus_add(c, name_of(number, name), s, &near, share), MLBF_OK);
  if (near)
    assert_int_equal(sscanf(near, "http://a.example/%ld", &found), 1);
  free(near);
  return found;
}

/* ---- texts ----------------------------------------------------------------------------------------------- */

enum { WORDS_MAX = 800, VOCABULARY = 5000 };

typedef struct page {
  unsigned words[WORDS_MAX];
  size_t count;
} page;

static void add_words(page *p, size_t count)
{
  for (; count > 0 && p->count < WORDS_MAX; count--)
    p->words[p->count++] = (unsigned)dice_throw(VOCABULARY);
}

static mlbf_shingles shingles_of(const page *p)
{
  static char text[WORDS_MAX * 8];
  mlbf_shingles s = {0};
  size_t size = 0;
  for (size_t i = 0; i < p->count; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "w%u ", p->words[i]);
  assert_int_equal(mlbf_shingles_of(text, size, &s), MLBF_OK);
  return s;
}

/* ---- against all of them --------------------------------------------------------------------------------- */

enum { PAGES = 1500, SITES = 5 };

static mlbf_shingles documents[PAGES];

static int compare_numbers(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static bool has(const mlbf_shingles *s, uint64_t shingle)
{
  return bsearch(&shingle, s->whole, s->whole_count, sizeof shingle, compare_numbers) != NULL;
}

/* Of the least shingles of `a`, as far as those of both go: the part that `b` has. */
static double part_of(const mlbf_shingles *a, const mlbf_shingles *b)
{
  size_t known = 0, common = 0;
  bool is_cut = b->whole_count == MLBF_SHINGLES_WHOLE;
  for (size_t i = 0; i < a->whole_count && (!is_cut || a->whole[i] <= b->whole[MLBF_SHINGLES_WHOLE - 1]); i++) {
    known++;
    common += has(b, a->whole[i]);
  }
  return known ? (double)common / (double)known : 0;
}

static double share_of(const mlbf_shingles *a, const mlbf_shingles *b)
{
  if (a->count < MLBF_CORPUS_NEAR_SHINGLES || b->count < MLBF_CORPUS_NEAR_SHINGLES)
    return a->text == b->text;
  if ((double)a->count < 0.75 * (double)b->count || (double)b->count < 0.75 * (double)a->count)
    return 0; /* for the time it takes */
  double share = part_of(a, b), back = part_of(b, a);
  return share < back ? share : back;
}

/* Pages of a site begin alike, and a third of them are copies of an earlier one with some words changed. */
static void make_pages(void)
{
  static page pages[PAGES], begins[SITES];
  for (size_t i = 0; i < SITES; i++)
    add_words(&begins[i], 20 + 20 * i);
  for (size_t i = 0; i < PAGES; i++) {
    page *p = &pages[i];
    if (i % 3 == 2) {
      *p = pages[dice_throw(i)];
      for (size_t left = dice_throw(1 + p->count / 30); left > 0; left--)
        p->words[dice_throw(p->count)] = (unsigned)dice_throw(VOCABULARY);
    } else {
      *p = begins[i % SITES];
      add_words(p, 10 + dice_throw(600));
    }
    documents[i] = shingles_of(p);
  }
}

static bool has_near(size_t number)
{
  for (size_t i = 0; i < number; i++)
    if (share_of(&documents[i], &documents[number]) >= MLBF_CORPUS_NEAR)
      return true;
  return false;
}

/* How many are found, of those that are near, by a corpus with a secret of its own. */
static size_t find_near(const bool near[PAGES])
{
  size_t found = 0;
  scratch_remove(directory);
  mlbf_corpus *c = open_corpus();
  for (size_t i = 0; i < PAGES; i++) {
    double share;
    long other = add(c, i, &documents[i], &share);
    found += near[i] && other >= 0;
    if (other >= 0) {
      assert_true(near[i] && (size_t)other < i);
      assert_true(share == share_of(&documents[other], &documents[i]) && share >= MLBF_CORPUS_NEAR);
    }
    if (i % 100 == 50)
      assert_int_equal(mlbf_corpus_flush(c), MLBF_OK); /* some are read from the file, some from memory */
  }
  mlbf_corpus_close(c);
  return found;
}

/* Four in 1,000 are not, of these many just near ones; with one secret alone it may be ten by chance. */
CASE(finds_what_comparing_all_finds)
{
  enum { SECRETS = 6 };
  static bool near[PAGES];
  size_t count = 0, found = 0;
  make_pages();
  for (size_t i = 0; i < PAGES; i++)
    count += near[i] = has_near(i);
  for (int i = 0; i < SECRETS; i++)
    found += find_near(near);
  print_message("%zu of %zu near-duplicates found\n", found, SECRETS * count);
  assert_true(count > PAGES / 8 && found * 1000 >= SECRETS * count * 990);
  for (size_t i = 0; i < PAGES; i++)
    mlbf_shingles_free(&documents[i]);
}

/* ---- pages that look alike ------------------------------------------------------------------------------- */

/* Of pages that begin with so many words, and have so many of their own: how many are near another. */
static size_t count_near(mlbf_corpus *c, size_t template, size_t own, size_t pages)
{
  static size_t number;
  size_t near = 0;
  page begins = {.count = 0}, p;
  add_words(&begins, template);
  for (size_t i = 0; i < pages; i++) {
    double share;
    p = begins;
    add_words(&p, own);
    mlbf_shingles s = shingles_of(&p);
    near += add(c, number++, &s, &share) >= 0;
    mlbf_shingles_free(&s);
  }
  return near;
}

CASE(pages_of_a_template_are_not_near)
{
  mlbf_corpus *c = open_corpus();
  size_t pages = 0, near = 0;
  for (size_t template = 0; template <= 100; template += 20)
    for (size_t own = 10; own <= 60; own += 10) {
      near += count_near(c, template, own, 150);
      pages += 150;
    }
  print_message("%zu of %zu pages called near\n", near, pages);
  assert_true(near * 1000 < pages);
  mlbf_corpus_close(c);
}

/* What the definition says, and cannot mean: corpus.h has it. */
CASE(pages_with_little_beside_a_long_template_are_near)
{
  mlbf_corpus *c = open_corpus();
  assert_true(count_near(c, 600, 10, 50) >= 45);
  mlbf_corpus_close(c);
}

CASE(short_texts_are_near_if_they_are_equal)
{
  mlbf_corpus *c = open_corpus();
  double share;
  size_t number = 0;
  for (int round = 0; round < 300; round++) {
    page p = {.count = 0};
    add_words(&p, 1 + dice_throw(19));
    p.words[0] = VOCABULARY + (unsigned)round; /* unlike those of all rounds before */
    mlbf_shingles s = shingles_of(&p);
    assert_int_equal(add(c, number, &s, &share), -1);
    assert_int_equal(add(c, number + 1, &s, &share), number);
    assert_true(share == 1);
    number += 2;
    mlbf_shingles_free(&s);
    p.words[dice_throw(p.count)] += 10 * VOCABULARY;
    s = shingles_of(&p);
    assert_int_equal(add(c, number++, &s, &share), -1);
    mlbf_shingles_free(&s);
  }
  mlbf_corpus_close(c);
}

CASE(a_page_is_not_near_itself)
{
  mlbf_corpus *c = open_corpus();
  page p = {.count = 0};
  double share;
  add_words(&p, 300);
  mlbf_shingles s = shingles_of(&p);
  for (int i = 0; i < 10; i++)
    assert_int_equal(add(c, 7, &s, &share), -1);
  assert_int_equal(add(c, 8, &s, &share), 7);
  mlbf_shingles_free(&s);
  mlbf_corpus_close(c);
}

/* ---- the table and its file ------------------------------------------------------------------------------ */

enum { FULL = 64 * 4, MORE = 10, SHINGLES = 4000 }; /* so many of so many shingles fill a volume */

static mlbf_shingles long_document(uint64_t id)
{
  static uint64_t shingles[SHINGLES];
  for (uint64_t i = 0; i < SHINGLES; i++)
    shingles[i] = (i + 1) * (UINT64_MAX / (SHINGLES + 1)) + id * UINT64_C(0x9e3779b97f4a7);
  return (mlbf_shingles){.at = shingles, .count = SHINGLES, .text = id + 1};
}

static void fill(void)
{
  mlbf_corpus *c = open_corpus();
  double share;
  for (size_t i = 0; i < FULL + MORE; i++) {
    mlbf_shingles s = long_document(i);
    assert_int_equal(add(c, i, &s, &share), -1);
  }
  mlbf_corpus_close(c);
}

/* Each document that is there is found; how many are. */
static size_t find_all(void)
{
  mlbf_corpus *c = open_corpus();
  mlbf_corpus_stats stats;
  mlbf_corpus_stats_read(c, &stats);
  for (size_t i = 0; i < FULL + MORE; i++) {
    mlbf_shingles s = long_document(i);
    double share;
    assert_int_equal(add(c, 1000 + i, &s, &share), i < stats.documents ? (long)i : -1);
  }
  mlbf_corpus_close(c);
  return stats.documents;
}

CASE(the_table_is_kept)
{
  char path[SCRATCH_PATH];
  struct stat before, after;
  fill();
  scratch_join(directory, "near.table", path);
  assert_int_equal(stat(path, &before), 0);
  assert_int_equal(before.st_mode & 0777, 0600); /* it has the secret */
  mlbf_corpus_close(open_corpus());
  assert_int_equal(stat(path, &after), 0);
  assert_int_equal(after.st_ino, before.st_ino); /* nothing to be written */
  assert_int_equal(find_all(), FULL + MORE);
}

CASE(the_table_takes_64_bytes_a_page)
{
  enum { MANY = 50000, LEAST = 64, BESIDE = 200000 };
  mlbf_corpus *c = open_corpus();
  for (size_t i = 0; i < MANY; i++) {
    uint64_t at[LEAST], sum = 0;
    double share;
    mlbf_corpus_stats stats;
    for (size_t j = 0; j < LEAST; j++)
      at[j] = sum += dice_throw(UINT64_MAX / LEAST);
    assert_int_equal(add(c, i, &(mlbf_shingles){.at = at, .count = LEAST, .text = i + 1}, &share), -1);
    mlbf_corpus_stats_read(c, &stats);
    assert_in_range(stats.near_bytes, 8 * i, 64 * i + BESIDE);
  }
  mlbf_corpus_close(c);
}

/* Into near.table, from the end. */
static void change_byte(long at)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, "near.table", path);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, at, SEEK_END), 0);
  int byte = getc(file);
  assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
  putc(byte ^ 1, file);
  assert_int_equal(fclose(file), 0);
}

CASE(a_table_that_is_lost_or_damaged_is_made_again)
{
  char path[SCRATCH_PATH];
  for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
    fill();
    scratch_join(directory, "near.table", path);
    if (is_damaged)
      change_byte(-20000);
    else
      assert_int_equal(unlink(path), 0);
    assert_int_equal(find_all(), FULL + MORE);
    end(state);
    begin(state);
  }
}

/* As after a crash: documents that the table knew are gone, others are there that it does not know. */
CASE(a_table_need_not_fit_the_documents)
{
  char path[SCRATCH_PATH], docs[SCRATCH_PATH];
  size_t size, rest;
  fill();
  scratch_join(directory, "00002.docs", docs);
  char *file = scratch_read(docs, &rest);
  assert_int_equal(truncate(docs, (off_t)rest / 2), 0);
  free(file);
  assert_in_range(find_all(), FULL + 1, FULL + MORE - 1);
  /* and one of other documents altogether */
  scratch_join(directory, "near.table", path);
  char *table = scratch_read(path, &size);
  scratch_remove(root);
  begin(state);
  mlbf_corpus *c = open_corpus();
  double share;
  for (size_t i = 0; i < FULL + MORE; i++) {
    mlbf_shingles s = long_document(i);
    s.count -= 1;
    assert_int_equal(add(c, i, &s, &share), -1);
  }
  mlbf_corpus_close(c);
  scratch_join(directory, "near.table", path);
  scratch_write(path, table, size);
  free(table);
  assert_int_equal(find_all(), FULL + MORE);
}

CASE(what_cannot_be_is_refused)
{
  char message[MLBF_CORPUS_MESSAGE_SIZE], *near = NULL;
  mlbf_corpus *c = open_corpus();
  mlbf_shingles s = long_document(0), none = {0};
  double share;
  assert_int_equal(mlbf_corpus_near_open(c), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"x", 1}, &none, &near, &share), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"", 0}, &s, &near, &share), MLBF_BAD_ARGUMENT);
  mlbf_corpus_close(c);
  assert_int_equal(mlbf_corpus_open(directory, true, &c, message), MLBF_OK);
  assert_int_equal(mlbf_corpus_near_open(c), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"x", 1}, &s, &near, &share), MLBF_BAD_ARGUMENT);
  assert_null(near);
  mlbf_corpus_close(c);
}

/* ---- a second reader ------------------------------------------------------------------------------------- */

static uint64_t number_at(const char *bytes, size_t offset)
{
  uint64_t number;
  memcpy(&number, bytes + offset, sizeof number);
  return number;
}

/* FORMAT.md's mix, by long multiplication. `key`: where the secret is. */
static uint64_t mix_of(const char *key, uint64_t x)
{
  uint64_t a = x ^ number_at(key, 0), b = number_at(key, 8) | 1;
  uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
  uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);
  uint64_t high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
  return (other << 32 | (low & UINT32_MAX)) ^ high;
}

/* The least of that bin, in the first round that has any. */
static uint64_t minimum_of(const char *key, const mlbf_shingles *s, uint64_t bin)
{
  for (uint64_t round = 1;; round++) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < s->whole_count; i++) {
      uint64_t y = mix_of(key, s->whole[i] + round * 0x9e3779b97f4a7c15);
      if ((y >> 32) * 18 >> 32 == bin && y < least)
        least = y;
    }
    if (least != UINT64_MAX)
      return least;
  }
}

static bool has_slot(const char *table, uint64_t key, uint64_t offset)
{
  uint64_t segment = key >> 55, wanted = key >> 30 << 39 | UINT64_C(1) << 23 | (offset - 64) / 8;
  size_t at = 4096 + 8 * 512;
  for (size_t i = 0; i < segment; i++)
    at += 8 * number_at(table, 4096 + 8 * i);
  for (size_t i = 0; i < number_at(table, 4096 + 8 * segment); i++)
    if (number_at(table, at + 8 * i) == wanted)
      return true;
  return false;
}

static void fill_with_pages(void)
{
  mlbf_corpus *c = open_corpus();
  mlbf_corpus_stats stats = {.volumes = 0};
  double share;
  for (size_t i = 0; stats.volumes < 2; i++) {
    page p = {.count = 0};
    add_words(&p, i % 20 == 3 ? 10 : 60 + dice_throw(700));
    mlbf_shingles s = shingles_of(&p);
    add(c, i, &s, &share);
    mlbf_shingles_free(&s);
    mlbf_corpus_stats_read(c, &stats);
  }
  mlbf_corpus_close(c);
}

CASE(the_keys_are_as_FORMAT_says)
{
  char path[SCRATCH_PATH];
  size_t size, short_ones = 0, long_ones = 0;
  fill_with_pages();
  scratch_join(directory, "near.table", path);
  char *table = scratch_read(path, &size), *key = table + 824 + 24;
  scratch_join(directory, "00001.docs", path);
  char *docs = scratch_read(path, &size);
  for (size_t at = 64, next; at < size && long_ones < 200; at = next) {
    uint64_t heads = number_at(docs, at + 8), whole[MLBF_SHINGLES_WHOLE];
    mlbf_shingles s = {.count = heads & UINT32_MAX,
                       .text = number_at(docs, at + 16),
                       .whole = whole,
                       .whole_count = number_at(docs, at + 24)};
    next = at + 32 + 8 * (s.count + s.whole_count) + ((heads >> 32) + 7) / 8 * 8;
    memcpy(whole, docs + at + 32 + 8 * s.count, 8 * s.whole_count);
    for (uint64_t i = 0; s.count >= 32 && i < 6; i++) {
      uint64_t of_all = i + 1;
      for (uint64_t j = 0; j < 3; j++)
        of_all = mix_of(key, of_all ^ minimum_of(key, &s, 3 * i + j));
      assert_true(has_slot(table, of_all, at));
    }
    if (s.count < 32)
      assert_true(has_slot(table, mix_of(key, mix_of(key, s.text)), at));
    long_ones += s.count >= 32;
    short_ones += s.count < 32;
  }
  assert_true(short_ones > 5 && long_ones == 200);
  free(table);
  free(docs);
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(19);
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(begin, end)
