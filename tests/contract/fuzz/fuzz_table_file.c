/* Whatever bytes the file of a window, a counting filter or a set of keys holds: it is refused, or it is one
 * that can be asked, filled, saved and loaded. Checksums are put right first, as in fuzz_filter_file.c. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/count.h"
#include "mlbf/key_set.h"
#include "mlbf/window.h"
#include "tests/contract/fuzz/input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[48], copy[64];

static void use_epoch(mlbf_epoch *window)
{
  mlbf_window_stats stats;
  mlbf_epoch_stats_read(window, &stats);
  if (!(stats.rate >= 0 && stats.rate <= 1))
    abort();
  for (uint64_t i = 0; i < 40; i++) {
    mlbf_epoch_insert(window, (mlbf_span){&i, sizeof i}, i * i * i * i);
    if (!mlbf_epoch_test(window, (mlbf_span){&i, sizeof i}, 0))
      abort();
  }
  mlbf_epoch *again = NULL;
  if (mlbf_epoch_save(window, copy) != MLBF_OK || mlbf_epoch_load(copy, NULL, &again) != MLBF_OK)
    abort();
  mlbf_epoch_free(again);
}

static void use_count(mlbf_count *count)
{
  mlbf_count_stats stats;
  uint32_t before, now;
  mlbf_count_stats_read(count, &stats);
  if (!(stats.rate >= 0 && stats.rate <= 1))
    abort();
  for (uint64_t i = 0; i < 40; i++) {
    mlbf_span key = {&i, sizeof i};
    uint32_t times = (uint32_t)(i * i * i);
    before = mlbf_count_get(count, key);
    if (mlbf_count_add(count, key, times, &now) != MLBF_OK)
      return;
    if (now < (before + times < stats.limit ? before + times : stats.limit))
      abort();
  }
  mlbf_count *again = NULL;
  mlbf_status status = mlbf_count_save(count, copy);
  if (status != MLBF_OK || mlbf_count_load(copy, NULL, &again) != MLBF_OK)
    abort();
  if (mlbf_count_merge(again, count) != MLBF_OK)
    abort();
  mlbf_count_free(again);
}

static void use_keys(mlbf_key_set *set)
{
  bool was_seen;
  for (uint64_t i = 0; i < 40; i++) {
    mlbf_hash128 hash = mlbf_key_set_hash(set, (mlbf_span){&i, sizeof i});
    if (mlbf_key_set_insert(set, hash, &was_seen) != MLBF_OK || !mlbf_key_set_test(set, hash))
      abort();
  }
  mlbf_key_set *again = NULL;
  if (mlbf_key_set_save(set, copy) != MLBF_OK || mlbf_key_set_load(copy, NULL, &again) != MLBF_OK)
    abort();
  mlbf_key_set_free(again);
}

static void use_key_set(mlbf_key_set *set)
{
  mlbf_key_set_stats stats, loaded;
  for (uint64_t i = 0; i < 40; i++) {
    mlbf_hash128 hash = mlbf_key_set_hash(set, (mlbf_span){&i, sizeof i});
    bool is_there = mlbf_key_set_test(set, hash), was_seen;
    if (mlbf_key_set_insert(set, hash, &was_seen) != MLBF_OK || was_seen != is_there || !mlbf_key_set_test(set, hash))
      abort();
  }
  mlbf_key_set *again = NULL;
  if (mlbf_key_set_save(set, copy) != MLBF_OK || mlbf_key_set_load(copy, NULL, &again) != MLBF_OK)
    abort();
  mlbf_key_set_stats_read(set, &stats);
  mlbf_key_set_stats_read(again, &loaded);
  if (loaded.keys != stats.keys)
    abort();
  mlbf_key_set_free(again);
}

static void try_all(void)
{
  mlbf_epoch *epoch = NULL;
  mlbf_count *count = NULL;
  mlbf_key_set *set = NULL;
  if (mlbf_epoch_load(path, NULL, &epoch) == MLBF_OK)
    use_epoch(epoch);
  if (mlbf_count_load(path, NULL, &count) == MLBF_OK)
    use_count(count);
  mlbf_key_set *keys = NULL;
  if (mlbf_key_set_load(path, NULL, &keys) == MLBF_OK)
    use_keys(keys);
  mlbf_key_set_free(keys);
  if (mlbf_key_set_load(path, NULL, &set) == MLBF_OK)
    use_key_set(set);
  mlbf_epoch_free(epoch);
  mlbf_key_set_free(set);
  mlbf_count_free(count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!path[0]) {
    snprintf(path, sizeof path, "/tmp/fuzz_table_file.%d", (int)getpid());
    snprintf(copy, sizeof copy, "%s.copy", path);
  }
  fuzz_write_file(path, data, size, fuzz_repair_blocks);
  try_all();
  unlink(path);
  unlink(copy);
  return 0;
}
