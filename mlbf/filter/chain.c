/* The chain: a filter for an unknown number of keys. chain.h draws it.
 *
 * Always, of a chain (assert_chain): all slices are of one kind and secret, so one hash serves all. Slice i + 1 has
 * room for twice the keys of slice i at 0.8 of its rate. Only the last slice takes keys, and a new slice is added only
 * when the last has its design load. A key is inserted only if no slice knew it, with its segments, into one slice. So
 * a key is SEEN if one slice says so, and a segment is new only if none knows it. If a slice cannot be made, the chain
 * stays as it is.
 *
 * `strata uniq` and Python have chains; the frontier keeps a log and rebuilds its filter (rebuild.h). A chain's file is
 * its slices' files one behind the other; a crash leaves the old one or the new one, whole. */
#include "mlbf/chain.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/filter/inside.h"
#include "mlbf/filter/options_size.h"

enum { SLICE_GROWTH = 2, SLICES_MAX = 64 };

/* Each slice's share of the promised rate p: (1 - tightening) tightening^i sums to 1. 0.8 and not 0.5: the newest
 * slice holds half of all keys, and as the 12th it needs a rate of 0.017 p, not 0.0002 p. */
static const double tightening = 0.8;

struct mlbf_chain {
  uint32_t count;
  mlbf_filter *slices[SLICES_MAX]; /* oldest first; the last takes the keys */
};

static void assert_chain(const mlbf_chain *chain)
{
  assert(chain->count >= 1 && chain->count <= SLICES_MAX);
  const mlbf_filter *first = chain->slices[0], *last = chain->slices[chain->count - 1];
  assert_filter(last);
  assert(last->plan.kind == first->plan.kind && mlbf_keying_equal(&last->file.keying, &first->file.keying));
  (void)first, (void)last;
}

mlbf_status mlbf_chain_create(const mlbf_options *first, mlbf_chain **chain)
{
  mlbf_options options;
  if (!mlbf_sized_read(&options, sizeof options, first) || options.bits || !(options.rate < 1))
    return MLBF_BAD_ARGUMENT;
  options.rate *= 1 - tightening;
  mlbf_chain *made = calloc(1, sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  mlbf_status status = mlbf_create(&options, &made->slices[0]);
  if (status != MLBF_OK) {
    free(made);
    return status;
  }
  made->count = 1;
  *chain = made;
  return MLBF_OK;
}

void mlbf_chain_free(mlbf_chain *chain)
{
  for (uint32_t i = 0; chain && i < chain->count; i++)
    mlbf_free(chain->slices[i]);
  free(chain);
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* Another slice's word on a key: it is seen if one slice says so, and a segment is unknown if all say so. */
static void merge_verdict(mlbf_verdict *verdict, mlbf_verdict other)
{
  uint16_t unknown = verdict->unknown & other.unknown;
  bool is_seen = verdict->outcome == MLBF_SEEN || other.outcome == MLBF_SEEN;
  mlbf_outcome whole = verdict->outcome == MLBF_NEW ? MLBF_NEW : MLBF_NEW_COMBINATION;
  if (is_seen)
    *verdict = (mlbf_verdict){MLBF_SEEN, 0, 0};
  else
    *verdict = (mlbf_verdict){unknown ? MLBF_NEW_SEGMENT : whole, (uint16_t)__builtin_ffs(unknown), unknown};
}

/* Of the first `slices` slices, of which there is one at least. */
static void test_slices(const mlbf_chain *chain, uint32_t slices, const mlbf_hashes *hashes, size_t count,
                        mlbf_verdict *verdicts)
{
  mlbf_verdict others[MLBF_BATCH];
  assert(count <= MLBF_BATCH);
  mlbf_test_hashes(chain->slices[0], hashes, count, verdicts);
  for (uint32_t s = 1; s < slices; s++) {
    mlbf_test_hashes(chain->slices[s], hashes, count, others);
    for (size_t i = 0; i < count; i++)
      merge_verdict(&verdicts[i], others[i]);
  }
}

void mlbf_chain_test(const mlbf_chain *chain, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_some_hashes some;
  assert_chain(chain);
  for (size_t begin = 0, size; begin < count; begin += size) {
    size = mlbf_hash_some(chain->slices[0], keys + begin, count - begin, &some);
    test_slices(chain, chain->count, &some.hashes, size, verdicts + begin);
  }
}

static mlbf_status add_slice(mlbf_chain *chain)
{
  const mlbf_filter *last = chain->slices[chain->count - 1];
  mlbf_plan plan;
  mlbf_options options = {.size = sizeof options,
                          .kind = last->plan.kind,
                          .keys = last->plan.keys * SLICE_GROWTH,
                          .rate = last->plan.rate * tightening,
                          .signals = last->plan.signals};
  if (chain->count == SLICES_MAX)
    return MLBF_BAD_ARGUMENT;
  mlbf_status status = mlbf_plan_make(&options, &plan, NULL);
  if (status == MLBF_OK)
    status = mlbf_filter_make(&plan, &last->file.keying, last->file.profile, &chain->slices[chain->count]);
  chain->count += status == MLBF_OK;
  assert_chain(chain);
  return status;
}

/* Keys that the older slices do not know, moved together. `places`: where they were. */
static size_t keep_unseen(mlbf_hashes *hashes, size_t count, const mlbf_verdict *verdicts, uint8_t *places)
{
  size_t kept = 0, end = 0;
  for (size_t i = 0, begin = 0; i < count; begin = hashes->ends[i++]) {
    size_t next = hashes->ends[i];
    if (verdicts[i].outcome == MLBF_SEEN)
      continue;
    for (size_t s = begin; s < next; s++, end++) {
      hashes->segments[end] = hashes->segments[s];
      hashes->layers[end] = hashes->layers[s];
    }
    places[kept] = (uint8_t)i;
    hashes->keys[kept] = hashes->keys[i];
    hashes->ends[kept++] = (uint32_t)end;
  }
  return kept;
}

/* A batch with no more keys than the last slice has room for. */
static void insert_some(mlbf_chain *chain, mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  mlbf_filter *last = chain->slices[chain->count - 1];
  mlbf_verdict said[MLBF_BATCH];
  uint8_t places[MLBF_BATCH];
  if (chain->count == 1) {
    mlbf_insert_hashes(last, hashes, count, verdicts); /* FULL is what the next slice is for */
    return;
  }
  test_slices(chain, chain->count - 1, hashes, count, verdicts);
  size_t unseen = keep_unseen(hashes, count, verdicts, places);
  mlbf_insert_hashes(last, hashes, unseen, said);
  for (size_t i = 0; i < unseen; i++)
    merge_verdict(&verdicts[places[i]], said[i]);
}

mlbf_status mlbf_chain_insert(mlbf_chain *chain, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts,
                              size_t *done)
{
  mlbf_some_hashes some;
  assert_chain(chain);
  for (*done = 0; *done < count;) {
    const mlbf_filter *last = chain->slices[chain->count - 1];
    if (last->keys >= last->plan.keys) {
      mlbf_status status = add_slice(chain);
      if (status != MLBF_OK)
        return status;
      last = chain->slices[chain->count - 1];
    }
    uint64_t room = last->plan.keys - last->keys, left = count - *done;
    size_t size = mlbf_hash_some(last, keys + *done, left < room ? left : (size_t)room, &some);
    insert_some(chain, &some.hashes, size, verdicts + *done);
    *done += size;
  }
  return MLBF_OK;
}

void mlbf_chain_stats_read(const mlbf_chain *chain, mlbf_chain_stats *stats)
{
  const mlbf_filter *first = chain->slices[0];
  *stats = (mlbf_chain_stats){.kind = first->plan.kind,
                              .profile = first->file.profile,
                              .slices = chain->count,
                              .promised_rate = first->plan.rate / (1 - tightening)};
  double all_right = 1;
  for (uint32_t i = 0; i < chain->count; i++) {
    stats->keys += chain->slices[i]->keys;
    stats->bits += chain->slices[i]->plan.bits;
    all_right *= 1 - mlbf_rate(chain->slices[i]);
  }
  stats->rate = 1 - all_right;
}

/* ---- its file ---------------------------------------------------------------------------------------------------- */

mlbf_status mlbf_chain_write(const mlbf_chain *chain, mlbf_write *write, void *context)
{
  mlbf_status status = MLBF_OK;
  assert_chain(chain);
  for (uint32_t i = 0; status == MLBF_OK && i < chain->count; i++) {
    mlbf_block_file file = chain->slices[i]->file;
    const mlbf_span body = {file.body, file.body_bytes};
    mlbf_filter_numbers(chain->slices[i], i, chain->count, file.numbers);
    status = mlbf_block_file_write(write, context, &file, &body, 1);
  }
  return status;
}

static bool write_file(void *context, const void *bytes, uint64_t size)
{
  return mlbf_disk_write(*(const int *)context, bytes, size);
}

static mlbf_status save(int file, const void *chain)
{
  return mlbf_chain_write(chain, write_file, &file);
}

mlbf_status mlbf_chain_save(const mlbf_chain *chain, const char *path)
{
  return mlbf_disk_replace(AT_FDCWD, path, mlbf_keying_mode(&chain->slices[0]->file.keying), save, chain);
}

/* Slices of one chain share what their hashes depend on. */
static bool is_slice_of(const mlbf_chain *chain, const mlbf_filter *slice)
{
  const mlbf_filter *first = chain->slices[0];
  return slice->plan.kind == first->plan.kind && mlbf_keying_equal(&slice->file.keying, &first->file.keying) &&
         slice->plan.signals == first->plan.signals;
}

static mlbf_status read_slice(mlbf_read *read, void *context, uint64_t *bytes_left, const uint8_t *secret,
                              mlbf_chain *chain, uint32_t *count)
{
  mlbf_block_file file;
  uint32_t its_count;
  mlbf_status status = mlbf_block_file_read(read, context, bytes_left, MLBF_FILE_FILTER, secret, mlbf_filter_body_bytes,
                                            &file);
  if (status != MLBF_OK)
    return status;
  if (mlbf_filter_slice(&file, &its_count) != chain->count || (chain->count > 0 && its_count != *count)) {
    mlbf_block_file_drop(&file);
    return MLBF_DAMAGED;
  }
  *count = its_count;
  status = mlbf_filter_adopt(&file, &chain->slices[chain->count]);
  if (status != MLBF_OK)
    return status;
  return is_slice_of(chain, chain->slices[chain->count++]) ? MLBF_OK : MLBF_MISMATCH;
}

static mlbf_status read_chain(mlbf_read *read, void *context, uint64_t *bytes_left, const uint8_t *secret,
                              mlbf_chain **chain)
{
  mlbf_chain *made = calloc(1, sizeof *made);
  uint32_t count = 1;
  mlbf_status status = made ? MLBF_OK : MLBF_NO_MEMORY;
  while (status == MLBF_OK && made->count < count)
    status = read_slice(read, context, bytes_left, secret, made, &count);
  if (status == MLBF_OK)
    *chain = made;
  else
    mlbf_chain_free(made);
  return status;
}

mlbf_status mlbf_chain_read(mlbf_read *read, void *context, const uint8_t *secret, mlbf_chain **chain)
{
  uint64_t unknown = UINT64_MAX;
  return read_chain(read, context, &unknown, secret, chain);
}

mlbf_status mlbf_chain_load(const char *path, const uint8_t *secret, mlbf_chain **chain)
{
  mlbf_chain *made = NULL;
  struct stat info;
  int file = mlbf_disk_open(path);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = fstat(file, &info) != 0 ? MLBF_IO : MLBF_OK;
  uint64_t left = status == MLBF_OK ? (uint64_t)info.st_size : 0;
  if (status == MLBF_OK && (!S_ISREG(info.st_mode) || left < MLBF_HEADER_BYTES))
    status = MLBF_NOT_A_FILTER;
  if (status == MLBF_OK)
    status = read_chain(mlbf_read_file, &file, &left, secret, &made);
  if (status == MLBF_OK && left > 0) {
    mlbf_chain_free(made);
    status = MLBF_DAMAGED;
  }
  if (status == MLBF_OK)
    *chain = made;
  int why = errno;
  close(file);
  errno = why;
  return status;
}
