/* Each allocation, write and sync of a corpus fails once, and then, from each on, all of them, as a volume becomes full
 * and the next is begun. Whatever happens: the call says so by its status, the same call works once the cause is gone,
 * and in the end every document is there once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/corpus.h"
#include "tests/support/each_fault.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { FULL = 64 * 4, SHINGLES = 4000 }; /* so many of so many shingles fill a volume */

static char root[SCRATCH_PATH], directory[SCRATCH_PATH], docs[SCRATCH_PATH];
static char message[MLBF_CORPUS_MESSAGE_SIZE];
static off_t full_bytes;

static mlbf_shingles document(uint64_t id)
{
  static uint64_t shingles[SHINGLES];
  for (uint64_t i = 0; i < SHINGLES; i++)
    shingles[i] = (i + 1) * (UINT64_MAX / (SHINGLES + 1)) + id * UINT64_C(0x9e3779b97f4a);
  return (mlbf_shingles){.at = shingles, .count = SHINGLES};
}

static mlbf_span name_of(uint64_t id, char name[32])
{
  return (mlbf_span){name, (size_t)snprintf(name, 32, "%llu", (unsigned long long)id)};
}

static mlbf_status add(mlbf_corpus *c, uint64_t id)
{
  char name[32];
  mlbf_shingles d = document(id);
  return mlbf_corpus_add(c, name_of(id, name), &d, NULL, NULL);
}

static int fill_a_volume(void **state)
{
  (void)state;
  mlbf_corpus *c = NULL;
  mlbf_corpus_stats stats;
  scratch_make_fast(root);
  scratch_join(root, "corpus", directory);
  scratch_join(root, "corpus/00001.docs", docs);
  assert_int_equal(mlbf_corpus_open(directory, false, &c, message), MLBF_OK);
  for (uint64_t id = 0; id < FULL; id++)
    assert_int_equal(add(c, id), MLBF_OK);
  mlbf_corpus_stats_read(c, &stats);
  assert_int_equal(stats.volumes, 1);
  full_bytes = (off_t)stats.document_bytes;
  mlbf_corpus_close(c);
  return 0;
}

static int clean_up(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

/* As it was when it was just full. */
static void restore(void)
{
  static const char *const later[] = {"corpus/00001.rows", "corpus/00001.rows.tmp", "corpus/00002.docs",
                                      "corpus/near.table"};
  char path[SCRATCH_PATH];
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
    scratch_join(root, later[i], path);
    unlink(path);
  }
  assert_int_equal(truncate(docs, full_bytes), 0);
}

/* A bit of the documents. */
static void flip(off_t at)
{
  char byte;
  FILE *file = fopen(docs, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, at, SEEK_SET), 0);
  assert_int_equal(fread(&byte, 1, 1, file), 1);
  byte ^= 1;
  assert_int_equal(fseek(file, at, SEEK_SET), 0);
  assert_int_equal(fwrite(&byte, 1, 1, file), 1);
  assert_int_equal(fclose(file), 0);
}

/* A status that names the fault ends its cause; whoever gets `true` calls again. */
static bool has_failed(fault_class what, mlbf_status status)
{
  if (status == MLBF_OK)
    return false;
  assert_int_equal(status, what == FAULT_ALLOC ? MLBF_NO_MEMORY : MLBF_IO);
  assert_true(what == FAULT_ALLOC || errno == ENOSPC);
  assert_true(faults_have_struck());
  faults_end();
  return true;
}

static void ask(fault_class what, mlbf_corpus *c, uint64_t id)
{
  mlbf_corpus_match match;
  mlbf_shingles d = document(id), found = {0};
  size_t count = 1;
  char name[32];
  while (has_failed(what, mlbf_corpus_query(c, &d, &(mlbf_corpus_question){.least = 1}, &match, &count)))
    count = 1;
  assert_int_equal(count, 1);
  assert_int_equal(match.number, id);
  mlbf_corpus_matches_free(&match, count);
  while (has_failed(what, mlbf_corpus_find(c, name_of(id, name), &found)))
    continue;
  assert_memory_equal(found.at, d.at, SHINGLES * sizeof *d.at);
  mlbf_shingles_free(&found);
}

static mlbf_corpus *live(fault_class what)
{
  mlbf_corpus *c = NULL;
  while (has_failed(what, mlbf_corpus_open(directory, false, &c, message)))
    assert_null(c);
  for (uint64_t id = FULL; id < FULL + 3; id++)
    while (has_failed(what, add(c, id)))
      continue;
  ask(what, c, FULL + 1);
  ask(what, c, 100);
  return c;
}

/* Each call of all classes fails once, and, from each on, all do. */
static fault_loop failing(fault_class what, bool stays)
{
  return (fault_loop){.what = what, .error = what == FAULT_ALLOC ? ENOMEM : ENOSPC, .stays = stays};
}

static void assert_all_are_there(const char *place, uint64_t documents, uint64_t volumes)
{
  mlbf_corpus *c = NULL;
  mlbf_corpus_stats stats;
  assert_int_equal(mlbf_corpus_open(place, true, &c, message), MLBF_OK);
  mlbf_corpus_stats_read(c, &stats);
  assert_int_equal(stats.documents, documents);
  assert_int_equal(stats.volumes, volumes);
  if (volumes > 1)
    ask(FAULT_NONE, c, FULL + 2);
  mlbf_corpus_close(c);
}

static void live_through(fault_class what)
{
  for (int stays = 0; stays < 2; stays++) {
    fault_loop l = failing(what, stays);
    while (fault_next(&l)) {
      mlbf_corpus *c = NULL;
      restore();
      if (fault_begin(&l)) {
        c = live(what);
        fault_end(&l, 0);
      }
      mlbf_corpus_close(c);
      assert_all_are_there(directory, FULL + 3, 2);
    }
    assert_true(l.number > 3);
  }
}

CASE(writes_fail)
{
  live_through(FAULT_WRITE);
}

CASE(syncs_fail)
{
  live_through(FAULT_SYNC);
}

CASE(allocations_fail)
{
  live_through(FAULT_ALLOC);
}

/* Where the sync of a full volume failed, its documents are not trusted to be on disk: the next try writes them again,
 * or says that one of them is gone. */
CASE(documents_that_were_not_synced_are_written_again)
{
  for (int is_lost = 0; is_lost < 2; is_lost++) {
    mlbf_corpus *c = NULL;
    restore();
    assert_int_equal(mlbf_corpus_open(directory, false, &c, message), MLBF_OK);
    faults_set(FAULT_SYNC, 1, EIO, false);
    assert_int_equal(add(c, FULL), MLBF_IO);
    assert_non_null(strstr(mlbf_corpus_message(c), "00001.docs: Input/output error"));
    faults_set(FAULT_WRITE, 1, EIO, false);
    assert_int_equal(add(c, FULL), MLBF_IO);
    assert_non_null(strstr(mlbf_corpus_message(c), "00001.docs: Input/output error"));
    faults_end();
    if (is_lost)
      flip(full_bytes / 2);
    assert_int_equal(add(c, FULL), is_lost ? MLBF_DAMAGED : MLBF_OK);
    if (is_lost)
      flip(full_bytes / 2);
    else
      ask(FAULT_NONE, c, 100);
    mlbf_corpus_close(c);
  }
}

/* ---- near-duplicates ------------------------------------------------------------------------------------- */

enum { PAGES = 6, PAGE_SHINGLES = 40 };

/* Each second one is as the one before it. */
static mlbf_shingles page(uint64_t id)
{
  static uint64_t shingles[PAGE_SHINGLES];
  for (uint64_t i = 0; i < PAGE_SHINGLES; i++)
    shingles[i] = (i + 1) * (UINT64_MAX / (PAGE_SHINGLES + 1)) + id / 2 * UINT64_C(0x9e3779b97f4a7);
  return (mlbf_shingles){.at = shingles, .count = PAGE_SHINGLES, .text = 1 + id / 2};
}

static mlbf_status add_near(mlbf_corpus *c, uint64_t id)
{
  char name[32], *near = NULL;
  double share;
  mlbf_shingles d = page(id);
  mlbf_status status = mlbf_corpus_add(c, name_of(id, name), &d, &near, &share);
  if (status == MLBF_OK)
    assert_true((near != NULL) == (id % 2 == 1) && (!near || strtoull(near, NULL, 10) == id - 1));
  assert_true(status == MLBF_OK || !near);
  free(near);
  return status;
}

static mlbf_corpus *live_with_pages(fault_class what, const char *place)
{
  mlbf_corpus *c = NULL;
  while (has_failed(what, mlbf_corpus_open(place, false, &c, message)))
    assert_null(c);
  while (has_failed(what, mlbf_corpus_near_open(c)))
    continue;
  for (uint64_t id = 0; id < PAGES; id++) {
    while (has_failed(what, add_near(c, id)))
      continue;
    while (id % 2 == 0 && has_failed(what, mlbf_corpus_flush(c)))
      continue;
  }
  return c;
}

CASE(near_duplicates_are_found_whatever_fails)
{
  for (fault_class what = FAULT_WRITE; what <= FAULT_ALLOC; what++)
    for (int stays = 0; stays < 2; stays++) {
      fault_loop l = failing(what, stays);
      while (fault_next(&l)) {
        char place[SCRATCH_PATH];
        mlbf_corpus *c = NULL;
        scratch_make_fast(place);
        if (fault_begin(&l)) {
          c = live_with_pages(what, place);
          fault_end(&l, 0);
        }
        mlbf_corpus_close(c);
        assert_all_are_there(place, PAGES, 1);
        scratch_remove(place);
      }
      assert_true(l.number > 2);
    }
}

/* The table of a full volume cannot be saved: the next opening makes it. */
CASE(a_table_that_is_not_saved_is_made_again)
{
  mlbf_corpus *c = NULL;
  char *near = NULL;
  double share;
  restore();
  assert_int_equal(mlbf_corpus_open(directory, false, &c, message), MLBF_OK);
  assert_int_equal(mlbf_corpus_near_open(c), MLBF_OK);
  assert_int_equal(add(c, FULL), MLBF_OK);
  assert_int_equal(mlbf_corpus_flush(c), MLBF_OK);
  faults_set(FAULT_WRITE, 1, ENOSPC, true);
  mlbf_corpus_close(c);
  assert_true(faults_have_struck());
  faults_end();
  assert_int_equal(mlbf_corpus_open(directory, false, &c, message), MLBF_OK);
  assert_int_equal(mlbf_corpus_near_open(c), MLBF_OK);
  for (uint64_t id = 0; id <= FULL; id += FULL / 2) {
    mlbf_shingles d = document(id);
    assert_int_equal(mlbf_corpus_add(c, (mlbf_span){"x", 1}, &d, &near, &share), MLBF_OK);
    assert_non_null(near);
    assert_int_equal(strtoull(near, NULL, 10), id);
    free(near);
    near = NULL;
  }
  mlbf_corpus_close(c);
}

EACH_CASE(fill_a_volume, clean_up)
