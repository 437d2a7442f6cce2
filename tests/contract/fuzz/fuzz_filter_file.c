/* Whatever bytes a filter's file holds: it is refused, or it is a filter that can be asked, filled, saved and loaded.
 *
 * Checksums would keep nearly every input from getting past the first comparison, so they are put right first: what
 * is tested is the checking of everything else. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "tests/support/one_key.h"
#include "mlbf/chain.h"
#include "tests/contract/fuzz/input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_filter(mlbf_filter *filter, const char *path)
{
  mlbf_span segments[] = {{"host", 4}, {"/path", 5}, {"?query", 6}};
  one_key hashes;
  mlbf_verdict verdict;
  mlbf_stats stats;
  one_key_hash(filter, segments, 3, &hashes);
  one_key_test(filter, &hashes);
  mlbf_status status = one_key_insert(filter, &hashes, &verdict);
  bool is_in = status == MLBF_OK || status == MLBF_FULL;
  if (is_in && one_key_test(filter, &hashes).outcome != MLBF_SEEN)
    abort();
  mlbf_stats_read(filter, &stats);
  if (!(mlbf_rate(filter) >= 0 && mlbf_rate(filter) <= 1))
    abort();
  mlbf_filter *again = NULL;
  char copy[64];
  snprintf(copy, sizeof copy, "%s.copy", path);
  if (is_in && (mlbf_save(filter, copy) != MLBF_OK || mlbf_load(copy, NULL, &again) != MLBF_OK ||
                one_key_test(again, &hashes).outcome != MLBF_SEEN))
    abort();
  mlbf_free(again);
}

static void use_chain(mlbf_chain *chain)
{
  mlbf_span segments[] = {{"host", 4}, {"/path", 5}};
  const mlbf_key key = {segments, 2};
  mlbf_verdict verdict;
  mlbf_chain_stats stats;
  size_t done;
  if (mlbf_chain_insert(chain, &key, 1, &verdict, &done) == MLBF_OK) {
    mlbf_chain_test(chain, &key, 1, &verdict);
    if (verdict.outcome != MLBF_SEEN)
      abort();
  }
  mlbf_chain_stats_read(chain, &stats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char path[48];
  if (!path[0])
    snprintf(path, sizeof path, "/tmp/fuzz_filter_file.%d", (int)getpid());
  fuzz_write_file(path, data, size, fuzz_repair_blocks);

  mlbf_filter *filter = NULL;
  mlbf_chain *chain = NULL;
  mlbf_status loaded = mlbf_load(path, NULL, &filter);
  if (loaded == MLBF_OK)
    use_filter(filter, path);
  mlbf_free(filter);
  filter = NULL;
  if (mlbf_map(path, NULL, &filter) == MLBF_OK)
    use_filter(filter, path);
  mlbf_free(filter);
  if (mlbf_chain_load(path, NULL, &chain) == MLBF_OK)
    use_chain(chain);
  mlbf_chain_free(chain);
  unlink(path);
  return 0;
}
