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

#include "mlbf/growth.h"
#include "tests/contract/fuzz/input_file.h"

enum { HEADER = 4096, BLOCK = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(uint8_t *at, uint64_t number)
{
  memcpy(at, &number, sizeof number);
}

/* The table and the header's checksum over whatever body the header claims, if it fits. */
static void repair(uint8_t *file, size_t size)
{
  uint64_t body, blocks;
  if (size < HEADER)
    return;
  memcpy(&body, file + 56, 8);
  memcpy(&blocks, file + 64, 8);
  if (body <= size - HEADER && blocks <= (size - HEADER - body) / 8) {
    uint8_t *table = file + HEADER + body;
    for (uint64_t i = 0; i < blocks && i * BLOCK < body; i++) {
      uint64_t rest = body - i * BLOCK;
      put(table + 8 * i, XXH3_64bits(file + HEADER + i * BLOCK, rest < BLOCK ? rest : BLOCK));
    }
    put(file + 72, XXH3_64bits(table, 8 * blocks));
  }
  put(file + HEADER - 8, XXH3_64bits(file, HEADER - 8));
}

static void use_filter(mlbf_filter *filter, const char *path)
{
  mlbf_span segments[] = {{"host", 4}, {"/path", 5}, {"?query", 6}};
  mlbf_hashes hashes;
  mlbf_verdict verdict;
  mlbf_stats stats;
  mlbf_hash(filter, segments, 3, &hashes);
  mlbf_test(filter, &hashes);
  mlbf_status status = mlbf_insert(filter, &hashes, &verdict);
  bool is_in = status == MLBF_OK || status == MLBF_FULL;
  if (is_in && mlbf_test(filter, &hashes).outcome != MLBF_SEEN)
    abort();
  mlbf_stats_read(filter, &stats);
  if (!(mlbf_rate(filter) >= 0 && mlbf_rate(filter) <= 1))
    abort();
  mlbf_filter *again = NULL;
  char copy[64];
  snprintf(copy, sizeof copy, "%s.copy", path);
  if (is_in && (mlbf_save(filter, copy) != MLBF_OK || mlbf_load(copy, &again) != MLBF_OK ||
                mlbf_test(again, &hashes).outcome != MLBF_SEEN))
    abort();
  mlbf_free(again);
}

static void use_chain(mlbf_chain *chain)
{
  mlbf_span segments[] = {{"host", 4}, {"/path", 5}};
  mlbf_hashes hashes;
  mlbf_verdict verdict;
  mlbf_chain_stats stats;
  mlbf_chain_hash(chain, segments, 2, &hashes);
  if (mlbf_chain_insert(chain, &hashes, &verdict) == MLBF_OK && mlbf_chain_test(chain, &hashes).outcome != MLBF_SEEN)
    abort();
  mlbf_chain_stats_read(chain, &stats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char path[48];
  if (!path[0])
    snprintf(path, sizeof path, "/tmp/fuzz_filter_file.%d", (int)getpid());
  fuzz_write_file(path, data, size, repair);

  mlbf_filter *filter = NULL;
  mlbf_chain *chain = NULL;
  mlbf_status loaded = mlbf_load(path, &filter);
  if (loaded == MLBF_OK)
    use_filter(filter, path);
  mlbf_free(filter);
  filter = NULL;
  if (mlbf_map(path, &filter) == MLBF_OK)
    use_filter(filter, path);
  mlbf_free(filter);
  if (mlbf_chain_load(path, &chain) == MLBF_OK)
    use_chain(chain);
  mlbf_chain_free(chain);
  unlink(path);
  return 0;
}
