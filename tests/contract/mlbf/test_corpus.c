/* A corpus against all its documents compared one by one; opened again, torn, damaged; and its files read by another
 * reader, which knows only FORMAT.md. */
#include "mlbf/corpus.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

static char root[SCRATCH_PATH], directory[SCRATCH_PATH];
static char message[MLBF_CORPUS_MESSAGE_SIZE];

/* ---- documents ------------------------------------------------------------------------------------------- */

enum { DOCUMENTS_MAX = 2000 };

/* What was added, in memory. */
static mlbf_shingles documents[DOCUMENTS_MAX];
static size_t document_count;

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* `count` shingles, `shared` of them of document `other`. */
static mlbf_shingles make_document(size_t count, size_t other, double shared)
{
  mlbf_shingles s = {.at = malloc(count * sizeof *s.at), .count = count, .text = 1 + dice_throw(UINT64_MAX - 1)};
  assert_non_null(s.at);
  for (size_t i = 0; i < count; i++) {
    bool is_copied = shared > 0 && i < documents[other].count && (double)i < shared * (double)count;
    s.at[i] = is_copied ? documents[other].at[i] : dice_throw(UINT64_MAX);
  }
  qsort(s.at, count, sizeof *s.at, ascending);
  return s;
}

static mlbf_span name_of(size_t number, char name[32])
{
  return (mlbf_span){name, (size_t)snprintf(name, 32, "http://a.example/%zu", number)};
}

static void add(mlbf_corpus *c, mlbf_shingles document)
{
  char name[32];
  assert_true(document_count < DOCUMENTS_MAX);
  documents[document_count] = document;
  assert_int_equal(mlbf_corpus_add(c, name_of(document_count, name), &document, NULL, NULL), MLBF_OK);
  document_count++;
}

static void forget_documents(void)
{
  while (document_count > 0)
    mlbf_shingles_free(&documents[--document_count]);
}

static mlbf_corpus *open_corpus(bool read_only)
{
  mlbf_corpus *c = NULL;
  if (mlbf_corpus_open(directory, read_only, &c, message) != MLBF_OK)
    fail_msg("%s", message);
  return c;
}

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
  forget_documents();
  scratch_remove(root);
  return 0;
}

/* ---- against all of them --------------------------------------------------------------------------------- */

static double share_of(const mlbf_shingles *query, size_t number)
{
  const mlbf_shingles *document = &documents[number];
  assert_true(query->count > 0 && query->count < MLBF_CORPUS_SHINGLES_MAX &&
              document->count < MLBF_CORPUS_SHINGLES_MAX);
  return (double)mlbf_shingles_common(query->at, query->count, document->at, document->count) / (double)query->count;
}

/* Each match is as good as it says, and no other document is better than the last of them. `missed`: of those that
 * should have been found, how many were not. */
static void assert_best(mlbf_corpus *c, const mlbf_shingles *query, const mlbf_corpus_question *asked, size_t top,
                        size_t *missed)
{
  mlbf_corpus_match matches[64];
  size_t count = top;
  assert_int_equal(mlbf_corpus_query(c, query, asked, matches, &count), MLBF_OK);
  size_t better = 0;
  double last = count == top ? 1 : asked->least;
  for (size_t i = 0; i < count; i++) {
    char name[32];
    double share = share_of(query, matches[i].number);
    assert_string_equal(matches[i].name, (const char *)name_of(matches[i].number, name).bytes);
    assert_true(share >= asked->least && share <= last + (i == 0));
    last = share;
  }
  for (size_t i = 0; i < document_count; i++)
    better += share_of(query, i) >= (count == top ? last + 1e-9 : asked->least);
  *missed += better > count ? better - count : 0;
  mlbf_corpus_matches_free(matches, count);
}

static void ask_for_many(mlbf_corpus *c, size_t *missed)
{
  const mlbf_corpus_question questions[] = {{.least = 0.1}, {.least = 0.5}, {.least = 0.9}};
  *missed = 0;
  for (size_t i = 0; i < 40; i++) {
    mlbf_shingles query = make_document(50 + dice_throw(200), dice_throw(document_count),
                                        (double)dice_throw(101) / 100);
    for (size_t k = 0; k < 3; k++)
      assert_best(c, &query, &questions[k], i % 2 ? 1 : 20, missed);
    mlbf_shingles_free(&query);
  }
}

static void add_many(mlbf_corpus *c)
{
  for (int i = 0; i < 800; i++)
    add(c, make_document(1 + dice_throw(300), document_count ? dice_throw(document_count) : 0,
                         (double)dice_throw(10) / 10 * (document_count > 0)));
}

CASE(finds_what_comparing_all_finds)
{
  size_t missed;
  mlbf_corpus *c = open_corpus(false);
  add_many(c);
  ask_for_many(c, &missed);
  assert_true(missed <= 4); /* of some hundred: deviations of a Bloom filter, and eight shingles */
  /* one that is not in it: the comparison notices */
  mlbf_shingles stranger = make_document(200, 0, 0);
  documents[document_count++] = stranger;
  const mlbf_corpus_question all_of_it = {.least = 0.9};
  missed = 0;
  assert_best(c, &stranger, &all_of_it, 20, &missed);
  assert_int_equal(missed, 1);
  mlbf_corpus_close(c);
}

/* Opened again, after death and after a second run, it is what it was. */
CASE(survives_and_grows_again)
{
  size_t missed;
  mlbf_corpus_stats stats;
  mlbf_corpus *c = open_corpus(false), *reader = open_corpus(true);
  add_many(c);
  mlbf_corpus_stats_read(reader, &stats);
  assert_int_equal(stats.documents, 0); /* as it was when it was opened */
  mlbf_corpus_close(reader);
  assert_int_equal(mlbf_corpus_flush(c), MLBF_OK);
  reader = open_corpus(true); /* while the writer lives: as after its death */
  ask_for_many(reader, &missed);
  assert_true(missed <= 4);
  mlbf_corpus_stats_read(reader, &stats);
  assert_int_equal(stats.documents, document_count);
  assert_int_equal(mlbf_corpus_add(reader, (mlbf_span){"x", 1}, &documents[0], NULL, NULL), MLBF_BAD_ARGUMENT);
  mlbf_corpus_close(reader);
  mlbf_corpus_close(c);
  c = open_corpus(false);
  add(c, make_document(100, 3, 1));
  ask_for_many(c, &missed);
  assert_true(missed <= 4);
  mlbf_corpus_close(c);
}

static off_t bytes_on_disk(void)
{
  char path[SCRATCH_PATH];
  struct stat info;
  scratch_join(directory, "00001.docs", path);
  assert_int_equal(stat(path, &info), 0);
  return info.st_size;
}

/* 256 KiB at a time, or what there is. */
CASE(documents_are_written_together)
{
  mlbf_corpus *c = open_corpus(false);
  mlbf_corpus_stats stats;
  unsigned writes = 0;
  off_t last = 64;
  for (int i = 0; i < 600; i++) {
    add(c, make_document(100, 0, 0));
    writes += bytes_on_disk() != last;
    last = bytes_on_disk();
  }
  assert_int_equal(writes, 1);
  assert_in_range(last, (1 << 18) - 1000, 64 + (1 << 18));
  assert_int_equal(mlbf_corpus_flush(c), MLBF_OK);
  mlbf_corpus_stats_read(c, &stats);
  assert_int_equal(bytes_on_disk(), stats.document_bytes);
  mlbf_corpus_close(c);
}

CASE(the_newest_of_a_name_counts)
{
  mlbf_corpus *c = open_corpus(false);
  mlbf_shingles old = make_document(100, 0, 0), found = {0};
  documents[document_count++] = old;
  mlbf_shingles changed = make_document(100, 0, 0.5);
  documents[document_count++] = changed;
  mlbf_corpus_match matches[4];
  size_t count = 4;
  const mlbf_span name = {"http://a.example/", 17};
  assert_int_equal(mlbf_corpus_find(c, name, &found), MLBF_OK);
  assert_int_equal(found.count, 0);
  assert_int_equal(mlbf_corpus_add(c, name, &old, NULL, NULL), MLBF_OK);
  assert_int_equal(mlbf_corpus_add(c, name, &changed, NULL, NULL), MLBF_OK);
  assert_int_equal(mlbf_corpus_query(c, &old, &(mlbf_corpus_question){.least = 0.1}, matches, &count), MLBF_OK);
  assert_int_equal(count, 1);
  assert_true(matches[0].number == 1 && matches[0].share == 0.5);
  mlbf_corpus_matches_free(matches, count);
  assert_int_equal(mlbf_corpus_find(c, name, &found), MLBF_OK);
  assert_int_equal(found.count, changed.count);
  assert_memory_equal(found.at, changed.at, changed.count * sizeof *changed.at);
  mlbf_shingles_free(&found);
  mlbf_corpus_close(c);
}

/* Two volumes: 64 rows of four long documents each, and a few more. */
static void fill_a_volume(void)
{
  mlbf_corpus *c = open_corpus(false);
  while (document_count < 4 * 64 + 10)
    add(c, make_document(4000, document_count ? document_count - 1 : 0, document_count % 3 ? 0 : 0.95));
  mlbf_corpus_close(c);
}

CASE(a_full_volume_is_mapped)
{
  mlbf_corpus_stats stats;
  char path[SCRATCH_PATH], name[32];
  fill_a_volume();
  for (int round = 0; round < 2; round++) {
    mlbf_corpus *c = open_corpus(round == 0);
    mlbf_shingles found = {0};
    size_t missed = 0;
    mlbf_corpus_stats_read(c, &stats);
    assert_int_equal(stats.volumes, 2);
    assert_int_equal(stats.documents, document_count);
    for (size_t i = 0; i < document_count; i += 7)
      assert_best(c, &documents[i], &(mlbf_corpus_question){.least = 0.9}, 10, &missed);
    assert_int_equal(missed, 0);
    for (size_t i = 0; i < document_count; i += 50) {
      assert_int_equal(mlbf_corpus_find(c, name_of(i, name), &found), MLBF_OK);
      assert_int_equal(found.count, 4000);
      assert_memory_equal(found.at, documents[i].at, 4000 * sizeof *found.at);
      mlbf_shingles_free(&found);
    }
    mlbf_corpus_close(c);
    scratch_join(directory, "00001.rows", path); /* what is gone is made again from the documents */
    assert_int_equal(access(path, F_OK), 0);
    if (round == 0)
      assert_int_equal(unlink(path), 0);
  }
}

/* ---- what happens to files ------------------------------------------------------------------------------- */

static void change_byte(const char *name, long from_end)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, name, path);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, from_end, from_end < 0 ? SEEK_END : SEEK_SET), 0);
  int byte = getc(file);
  assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
  putc(byte ^ 0x10, file);
  assert_int_equal(fclose(file), 0);
}

static void assert_refused(mlbf_status wanted, const char *file, const char *why)
{
  for (int read_only = 0; read_only < 2; read_only++) {
    mlbf_corpus *c = NULL;
    assert_int_equal(mlbf_corpus_open(directory, read_only, &c, message), wanted);
    assert_null(c);
    assert_non_null(strstr(message, file));
    assert_non_null(strstr(message, why));
  }
}

/* Cut anywhere in its last document, it is as without it. */
CASE(a_torn_end_is_cut_off)
{
  char path[SCRATCH_PATH];
  mlbf_corpus_stats before, after;
  mlbf_corpus *c = open_corpus(false);
  for (int i = 0; i < 20; i++)
    add(c, make_document(30, 0, 0));
  mlbf_corpus_stats_read(c, &before);
  mlbf_corpus_close(c);
  scratch_join(directory, "00001.docs", path);
  for (uint64_t cut = 1; cut < 16 + 8 * 30; cut += 1 + dice_throw(20)) {
    size_t size;
    char *whole = scratch_read(path, &size);
    assert_int_equal(size, before.document_bytes);
    assert_int_equal(truncate(path, (off_t)(size - cut)), 0);
    c = open_corpus(true);
    mlbf_corpus_stats_read(c, &after);
    assert_int_equal(after.documents, before.documents - 1);
    mlbf_corpus_close(c);
    c = open_corpus(false);
    mlbf_corpus_stats_read(c, &after);
    assert_true(after.documents == before.documents - 1 && after.cut_bytes > 0);
    assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"again", 5}, &documents[19], NULL, NULL), MLBF_OK);
    mlbf_corpus_close(c);
    scratch_write(path, whole, size);
    free(whole);
  }
}

CASE(damage_is_refused_by_name)
{
  size_t size;
  char path[SCRATCH_PATH];
  fill_a_volume();
  change_byte("00002.docs", 200); /* of a document that others follow */
  assert_refused(MLBF_DAMAGED, "00002.docs", "damaged at byte 64");
  change_byte("00002.docs", 200);
  change_byte("00001.rows", 100000);
  assert_refused(MLBF_DAMAGED, "00001.rows", "damaged");
  change_byte("00001.rows", 100000);
  change_byte("00001.docs", 20); /* its header */
  assert_refused(MLBF_DAMAGED, "00001.docs", "damaged");
  change_byte("00001.docs", 20);
  change_byte("00001.docs", 2);
  assert_refused(MLBF_NOT_A_FILTER, "00001.docs", "no file of documents");
  change_byte("00001.docs", 2);
  scratch_join(directory, "00001.docs", path);
  char *whole = scratch_read(path, &size);
  assert_int_equal(truncate(path, (off_t)size - 8), 0);
  assert_refused(MLBF_DAMAGED, "00001.docs", "not as long as its .rows file says");
  scratch_write(path, whole, size);
  free(whole);
  /* in a volume that is mapped, a document is looked at when it is needed */
  change_byte("00001.docs", 64 + 300);
  mlbf_corpus *c = open_corpus(true);
  mlbf_corpus_match match;
  size_t count = 1;
  assert_int_equal(mlbf_corpus_query(c, &documents[1], &(mlbf_corpus_question){.least = 0.9}, &match, &count),
                   MLBF_DAMAGED);
  assert_non_null(strstr(mlbf_corpus_message(c), "00001.docs: damaged at byte 64"));
  mlbf_corpus_close(c);
}

/* Rows whose checksums are right and whose numbers are not. */
CASE(rows_that_lie_are_refused)
{
  enum { BLOCK = 1 << 20, HEADER = 4096, WORDS = 8 * 124704, INDEX = 8 * (65 + 64 + 64), BODY = WORDS + INDEX };
  static const struct {
    size_t at;
    uint64_t number;
  } lies[] = {
    {HEADER + WORDS, 0},
    {HEADER + WORDS + 8 * 7, 64},
    {HEADER + WORDS + 8 * 64, UINT64_MAX},
    {HEADER + WORDS + 8 * 5, 12345},
    {HEADER + WORDS + 8 * 70, UINT64_MAX},
    {56 + 8 * 0, 7},
    {56 + 8 * 1, 64},
    {56 + 8 * 2, 33},
    {56 + 8 * 3, 0},
    {56 + 8 * 4, 1},
    {56 + 8 * 9, 1},
  };
  char path[SCRATCH_PATH];
  size_t size;
  fill_a_volume();
  scratch_join(directory, "00001.rows", path);
  char *sound = scratch_read(path, &size), *rows = malloc(size);
  assert_true(rows && size == HEADER + BODY + 8);
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    memcpy(rows, sound, size);
    memcpy(rows + lies[i].at, &lies[i].number, 8);
    uint64_t sum = XXH3_64bits(rows + HEADER, BODY);
    memcpy(rows + HEADER + BODY, &sum, 8);
    sum = XXH3_64bits(rows + HEADER + BODY, 8);
    memcpy(rows + 48, &sum, 8);
    sum = XXH3_64bits(rows, HEADER - 8);
    memcpy(rows + HEADER - 8, &sum, 8);
    scratch_write(path, rows, size);
    assert_refused(MLBF_DAMAGED, "00001.rows", "damaged");
  }
  scratch_write(path, sound, size);
  mlbf_corpus_close(open_corpus(true));
  free(sound);
  free(rows);
}

CASE(nonsense_is_refused)
{
  mlbf_corpus *c = NULL;
  mlbf_shingles one = make_document(1, 0, 0), none = {0};
  documents[document_count++] = one;
  mlbf_shingles many = {.at = one.at, .count = MLBF_CORPUS_SHINGLES_MAX + 1};
  assert_int_equal(mlbf_corpus_open("/nowhere/at/all", true, &c, message), MLBF_IO);
  assert_int_equal(errno, ENOENT);
  assert_non_null(strstr(message, "/nowhere/at/all"));
  c = open_corpus(false);
  assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"x", 1}, &none, NULL, NULL), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"x", 1}, &many, NULL, NULL), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"", 0}, &one, NULL, NULL), MLBF_BAD_ARGUMENT);
  size_t count = 0;
  assert_int_equal(mlbf_corpus_query(c, &none, &(mlbf_corpus_question){.least = 0.5}, NULL, &count), MLBF_OK);
  mlbf_corpus_close(c);
}

/* ---- a second reader ------------------------------------------------------------------------------------- */

static uint64_t number_at(const char *bytes, size_t offset, size_t size)
{
  uint64_t number = 0;
  for (size_t i = 0; i < size; i++)
    number |= (uint64_t)(unsigned char)bytes[offset + i] << 8 * i;
  return number;
}

/* floor(x * 124704 / 2^64) in 64 bits. */
static uint64_t scaled(uint64_t x)
{
  return ((x >> 32) * 124704 + ((x & UINT32_MAX) * 124704 >> 32)) >> 32;
}

/* Every document is where FORMAT.md says, and the row that it says knows its shingles. */
CASE(the_files_are_as_FORMAT_says)
{
  char path[SCRATCH_PATH];
  size_t size, rows_size, number = 0;
  fill_a_volume();
  scratch_join(directory, "00001.docs", path);
  char *docs = scratch_read(path, &size);
  scratch_join(directory, "00001.rows", path);
  char *rows = scratch_read(path, &rows_size);
  assert_memory_equal(docs, "MLBC\r\n\x1a\n", 8);
  assert_int_equal(number_at(docs, 8, 4), 3);
  assert_int_equal(number_at(docs, 16, 8), 20000);
  assert_int_equal(number_at(docs, 24, 8), 124704);
  assert_int_equal(number_at(docs, 56, 8), XXH3_64bits(docs, 56));
  assert_int_equal(number_at(rows, 16, 4), 6);
  assert_int_equal(number_at(rows, 56 + 8 * 4, 8), size);
  const size_t body = 4096, index = body + 8 * 124704;
  for (size_t at = 64, row = 0; at < size; number++) {
    size_t count = number_at(docs, at + 8, 4), name_size = number_at(docs, at + 12, 4);
    size_t whole = number_at(docs, at + 24, 8), bytes = 32 + 8 * (count + whole) + (name_size + 7) / 8 * 8;
    char name[32];
    row += row + 1 < 64 && number_at(rows, index + 8 * (row + 1), 8) == at;
    assert_int_equal(number_at(docs, at, 8), XXH3_64bits_withSeed(docs + at + 8, bytes - 8, at));
    assert_int_equal(count, documents[number].count);
    assert_int_equal(number_at(docs, at + 16, 8), documents[number].text);
    assert_int_equal(whole, documents[number].whole_count);
    for (size_t i = 0; i < whole; i++)
      assert_int_equal(number_at(docs, at + 32 + 8 * (count + i), 8), documents[number].whole[i]);
    assert_memory_equal(docs + at + 32 + 8 * (count + whole), name_of(number, name).bytes, name_size);
    for (size_t i = 0; i < count; i++) {
      uint64_t shingle = number_at(docs, at + 32 + 8 * i, 8);
      assert_int_equal(shingle, documents[number].at[i]);
      for (uint64_t j = 0; j < 4; j++) {
        uint64_t x = shingle + (j + 1) * 0x9e3779b97f4a7c15;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        uint64_t word = scaled(x ^ x >> 31);
        assert_true(number_at(rows, body + 8 * word, 8) >> row & 1);
      }
    }
    at += bytes;
  }
  assert_int_equal(number, number_at(rows, 56 + 8 * 3, 8));
  free(docs);
  free(rows);
}

/* Its checksum is right: it is of another time, and not damaged. */
CASE(another_version_is_refused_by_name)
{
  char path[SCRATCH_PATH];
  size_t size;
  mlbf_corpus *c = open_corpus(false);
  add(c, make_document(100, 0, 0));
  mlbf_corpus_close(c);
  scratch_join(directory, "00001.docs", path);
  char *file = scratch_read(path, &size);
  for (char version = 1; version <= 5; version++) {
    file[8] = version;
    uint64_t sum = XXH3_64bits(file, 56);
    memcpy(file + 56, &sum, 8);
    scratch_write(path, file, size);
    if (version != 3)
      assert_refused(MLBF_VERSION, "00001.docs", "another format version");
    else
      mlbf_corpus_close(open_corpus(true));
  }
  free(file);
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(88);
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(begin, end)
