/* RocksDB's FastLocalBloomImpl and its own hash, batched as FastLocalBloomBitsReader::MayMatch does for MultiGet. */
#include "bench/filter_opponent.h"

#include <util/bloom_impl.h>

using rocksdb::FastLocalBloomImpl;

namespace {

struct filter {
  char *lines;
  uint32_t bytes;
  int probes;
  bool tells;
};

/* A batch between hashing and testing. */
struct prepared {
  size_t count;
  uint32_t hash[OPPONENT_BATCH], offset[OPPONENT_BATCH];
};

/* The fewest bits for which RocksDB's own estimate keeps the rate. */
void *make(uint64_t keys, double rate, bool tells, uint64_t *bits)
{
  filter *made = static_cast<filter *>(opponent_need(malloc(sizeof *made)));
  made->tells = tells;
  for (int millibits = 2000;; millibits += 20) {
    uint64_t bytes = (keys * static_cast<uint64_t>(millibits) / 8000 + 63) / 64 * 64;
    made->bytes = static_cast<uint32_t>(bytes);
    made->probes = FastLocalBloomImpl::ChooseNumProbes(millibits);
    if (FastLocalBloomImpl::EstimatedFpRate(keys, bytes, made->probes, 64) <= rate)
      break;
  }
  made->lines = static_cast<char *>(opponent_table(made->bytes));
  *bits = uint64_t{8} * made->bytes;
  return made;
}

void prepare(const filter *of, const opponent_text *texts, size_t left, prepared *batch)
{
  batch->count = left < OPPONENT_BATCH ? left : OPPONENT_BATCH;
  for (size_t i = 0; i < batch->count; i++) {
    uint64_t hash = rocksdb::GetSliceHash64({static_cast<const char *>(texts[i].bytes), texts[i].size});
    FastLocalBloomImpl::PrepareHash(rocksdb::Lower32of64(hash), of->bytes, of->lines, &batch->offset[i]);
    batch->hash[i] = rocksdb::Upper32of64(hash);
  }
}

uint64_t add(void *to, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  const filter *of = static_cast<filter *>(to);
  uint64_t seen = 0;
  prepared batch;
  for (size_t begin = 0; begin < count; begin += OPPONENT_BATCH) {
    prepare(of, texts + begin, count - begin, &batch);
    for (size_t i = 0; i < batch.count; i++) {
      char *line = of->lines + batch.offset[i];
      if (of->tells && FastLocalBloomImpl::HashMayMatchPrepared(batch.hash[i], of->probes, line))
        seen++;
      else
        FastLocalBloomImpl::AddHashPrepared(batch.hash[i], of->probes, line);
    }
  }
  return seen;
}

uint64_t ask(const void *whom, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  const filter *of = static_cast<const filter *>(whom);
  uint64_t seen = 0;
  prepared batch;
  for (size_t begin = 0; begin < count; begin += OPPONENT_BATCH) {
    prepare(of, texts + begin, count - begin, &batch);
    for (size_t i = 0; i < batch.count; i++)
      seen += FastLocalBloomImpl::HashMayMatchPrepared(batch.hash[i], of->probes, of->lines + batch.offset[i]);
  }
  return seen;
}

void drop(void *whom)
{
  free(static_cast<filter *>(whom)->lines);
  free(whom);
}

} // namespace

extern const filter_opponent filter_rocksdb = {make, add, ask, drop};
