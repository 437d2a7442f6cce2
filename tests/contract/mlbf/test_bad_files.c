/* What is given to a loader instead of its file: nothing, a diary, a gigabyte of nothing, another structure, another
 * version, a geometry that cannot be. Each loader of mlbf/ says which in a sentence, at once, and hands out nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/count.h"
#include "mlbf/chain.h"
#include "mlbf/key_set.h"
#include "mlbf/window.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { HEADER = 4096, NUMBERS_AT = 56, GIGABYTE = 1 << 30 };

static char directory[SCRATCH_PATH], file[SCRATCH_PATH];

/* A loader as one that gives back its status, and whether it handed out anything. */
#define LOADER(name, type, call, release)                    \
  static mlbf_status name(const char *path, bool *has_given) \
  {                                                          \
    type *made = NULL;                                       \
    mlbf_status status = call(path, NULL, &made);            \
    *has_given = made != NULL;                               \
    release(made);                                           \
    return status;                                           \
  }

LOADER(load_epoch, mlbf_epoch, mlbf_epoch_load, mlbf_epoch_free)
LOADER(load_count, mlbf_count, mlbf_count_load, mlbf_count_free)
LOADER(load_key_set, mlbf_key_set, mlbf_key_set_load, mlbf_key_set_free)
LOADER(load_filter, mlbf_filter, mlbf_load, mlbf_free)
LOADER(map_filter, mlbf_filter, mlbf_map, mlbf_free)
LOADER(load_chain, mlbf_chain, mlbf_chain_load, mlbf_chain_free)

static const struct loader {
  const char *name;
  mlbf_status (*load)(const char *path, bool *has_given);
  const char *own; /* its golden file; NULL: a filter's */
  int numbers;     /* of its header that say how large something is, from the first on */
} loaders[] = {
  {"epoch", load_epoch, "window-epoch.mlbf", 6}, /* unit, window, keys, m, k, length of an epoch */
  {"count", load_count, "count.mlbf", 5},        /* keys, m, k, s, limit */
  {"key set", load_key_set, "key-set.mlbf", 0},  {"filter", load_filter, NULL, 0},
  {"filter, mapped", map_filter, NULL, 0},       {"chain", load_chain, NULL, 0},
};

enum { LOADERS = sizeof loaders / sizeof *loaders };

static void assert_refused(const char *path, const struct loader *by, mlbf_status wanted)
{
  bool has_given;
  mlbf_status status = by->load(path, &has_given);
  if (status != wanted)
    fail_msg("%s of %s: %s", by->name, path, mlbf_status_text(status));
  assert_false(has_given);
}

static void assert_all_refuse(mlbf_status wanted)
{
  for (int i = 0; i < LOADERS; i++)
    assert_refused(file, &loaders[i], wanted);
}

static char *golden(const char *name, size_t *size)
{
  char path[SCRATCH_PATH];
  scratch_join(TESTS_DIR "/golden", name, path);
  char *bytes = scratch_read(path, size);
  assert_non_null(bytes);
  return bytes;
}

CASE(what_is_no_file_of_ours_is_no_filter)
{
  char zeros[HEADER + 100] = {0};
  scratch_write(file, "", 0);
  assert_all_refuse(MLBF_NOT_A_FILTER);
  scratch_write(file, "my diary\n", 9);
  assert_all_refuse(MLBF_NOT_A_FILTER);
  scratch_write(file, zeros, sizeof zeros);
  assert_all_refuse(MLBF_NOT_A_FILTER);
  memset(zeros, 0xe4, sizeof zeros); /* text of no UTF-8 */
  scratch_write(file, zeros, sizeof zeros);
  assert_all_refuse(MLBF_NOT_A_FILTER);
  for (int i = 0; i < LOADERS; i++)
    assert_refused("/nowhere/at/all", &loaders[i], MLBF_IO);
}

CASE(a_gigabyte_is_refused_before_it_is_read)
{
  scratch_write(file, "", 0);
  assert_int_equal(truncate(file, GIGABYTE), 0);
  assert_all_refuse(MLBF_NOT_A_FILTER);
  for (int i = 0; i < LOADERS && loaders[i].own; i++) { /* a file of ours, but longer than it says */
    size_t size;
    char *bytes = golden(loaders[i].own, &size);
    scratch_write(file, bytes, size);
    assert_int_equal(truncate(file, GIGABYTE), 0);
    assert_refused(file, &loaders[i], MLBF_DAMAGED);
    free(bytes);
  }
}

CASE(another_structure_is_named_as_such)
{
  static const char *const tables[] = {"window-epoch.mlbf", "count.mlbf", "key-set.mlbf"};
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    size_t size;
    char *bytes = golden(tables[t], &size);
    scratch_write(file, bytes, size);
    for (int i = 0; i < LOADERS; i++) {
      bool is_own = loaders[i].own && strcmp(loaders[i].own, tables[t]) == 0;
      if (!is_own)
        assert_refused(file, &loaders[i], loaders[i].own ? MLBF_MISMATCH : MLBF_NOT_A_FILTER);
    }
    free(bytes);
  }
  size_t size;
  char *bytes = golden("bloom.mlbf", &size);
  scratch_write(file, bytes, size);
  for (int i = 0; loaders[i].own; i++)
    assert_refused(file, &loaders[i], MLBF_MISMATCH);
  free(bytes);
}

static void put(char *at, uint64_t number)
{
  memcpy(at, &number, sizeof number);
}

static void write_with_checksum(char *bytes, size_t size)
{
  put(bytes + HEADER - 8, XXH3_64bits(bytes, HEADER - 8));
  scratch_write(file, bytes, size);
}

CASE(another_version_is_told)
{
  for (int i = 0; i < LOADERS; i++) {
    size_t size;
    char *bytes = golden(loaders[i].own ? loaders[i].own : "bloom.mlbf", &size);
    bytes[8] = 99;
    write_with_checksum(bytes, size);
    assert_refused(file, &loaders[i], MLBF_VERSION);
    free(bytes);
  }
  assert_string_equal(mlbf_status_text(MLBF_VERSION), "a filter file of another format version");
}

/* Each number of a header that says how large something is: none of it, and more than there can be. */
CASE(a_geometry_that_cannot_be_is_damage)
{
  for (int i = 0; i < LOADERS; i++)
    for (int number = 0; number < loaders[i].numbers; number++)
      for (int is_most = 0; is_most < 2; is_most++) {
        size_t size;
        char *bytes = golden(loaders[i].own, &size);
        put(bytes + NUMBERS_AT + 8 * number, is_most ? UINT64_MAX : 0);
        write_with_checksum(bytes, size);
        bool is_many_keys = is_most && loaders[i].load == load_count && number == 0; /* the caller's guess, no size */
        if (!is_many_keys)
          assert_refused(file, &loaders[i], MLBF_DAMAGED);
        free(bytes);
      }
}

static int prepare(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  scratch_join(directory, "file", file);
  return 0;
}

static int clear(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

EACH_CASE(prepare, clear)
