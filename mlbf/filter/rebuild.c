/* See rebuild.h.
 *
 * The filter that is made, `target`, has a body of full size, but only of addresses: the system gives memory to what is
 * written to, and takes it back (release) when the window is on its way to the file.
 *
 *     COPY    the old filter's blocks, checked, into the window; nothing without an old one
 *     KEYS    lines and pages that begin in the window get their keys' bits
 *     WRITE   the window's blocks and their checksums
 *
 * Always: what is before the window is written and never touched again. A page of TWO_LINES that begins in the window
 * may end behind it: its bits there wait in memory, and old bits are added to them (COPY). Of an array CLASSIC each bit
 * is a place of its own. So every bit of a key is set in exactly one window, and a key is counted as new in the one
 * where the integrity layer has it (`bloom`, whose bits are anywhere: all keys count as new).
 *
 * Called by the frontier's checkpoints, one step at a time between its other work. After a crash: a temporary file,
 * which the next rebuild of this path writes over. */
#include "mlbf/rebuild.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/filter/inside.h"
#include "mlbf/filter/options_size.h"

enum { LOT = MLBF_BATCH };

typedef enum rebuild_phase { COPY, KEYS, WRITE, FINISH } rebuild_phase;

/* Of an array's places those that begin in the window. */
typedef struct place_range {
  uint64_t places, first, count;
} place_range;

struct mlbf_rebuild {
  const mlbf_filter *old; /* NULL: none */
  mlbf_filter *target;
  mlbf_block_writer writer;
  rebuild_phase phase;
  uint64_t window_blocks;
  uint64_t begin, end; /* the window's blocks */
  uint64_t copied;     /* and the first that lacks the old filter's bits */
  place_range ranges[MLBF_ARRAYS_MAX];
  size_t key_count, segment_count;
  mlbf_hash128 keys[LOT]; /* found to be in the window, and not inserted yet */
  mlbf_hash128 segments[MLBF_LAYERS_MAX];
  uint8_t layers[MLBF_LAYERS_MAX];
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void assert_rebuild(const mlbf_rebuild *r)
{
  assert(r->begin < r->end && r->end <= r->writer.blocks && r->copied >= r->begin && r->copied <= r->end);
  assert(r->writer.block >= r->begin && r->writer.block <= r->end);
  assert(r->key_count < LOT && r->segment_count < MLBF_LAYERS_MAX);
  (void)r;
}

/* ---- windows ---------------------------------------------------------------------------------------------------- */

/* The first place of an array that begins at this byte of the body or behind it. */
static uint64_t place_at(const mlbf_rebuild *r, uint32_t i, uint64_t byte)
{
  const mlbf_array *array = &r->target->arrays[i];
  uint64_t unit = array->layout == MLBF_LAYOUT_CLASSIC ? 1 : (uint64_t)array->page_lines * MLBF_LINE_BITS;
  uint64_t offset = mlbf_body_offset(&r->target->plan, i), bit = byte > offset ? (byte - offset) * 8 : 0;
  return smaller((bit + unit - 1) / unit, array->places);
}

static void open_window(mlbf_rebuild *r, uint64_t begin)
{
  r->begin = r->copied = begin;
  r->end = smaller(begin + r->window_blocks, r->writer.blocks);
  for (uint32_t i = 0; i < r->target->plan.array_count; i++) {
    uint64_t first = place_at(r, i, r->begin * MLBF_BLOCK_BYTES), next = place_at(r, i, r->end * MLBF_BLOCK_BYTES);
    r->ranges[i] = (place_range){r->target->arrays[i].places, first, next - first};
  }
  r->phase = r->old ? COPY : KEYS;
}

static inline bool is_in(const place_range *range, uint64_t low)
{
  return mlbf_scale(low, range->places) - range->first < range->count;
}

static void release(mlbf_rebuild *r)
{
  uint64_t begin = r->begin * MLBF_BLOCK_BYTES;
  uint64_t end = smaller(r->end * MLBF_BLOCK_BYTES, r->target->file.body_bytes);
  madvise(r->target->file.body + begin, end - begin, MADV_DONTNEED); /* all of its memory; else more is used */
}

/* ---- beginning -------------------------------------------------------------------------------------------------- */

static mlbf_status plan_file(const mlbf_filter *old, const mlbf_options *given, mlbf_plan *plan, mlbf_block_file *file)
{
  *file = (mlbf_block_file){.kind = MLBF_FILE_FILTER};
  if (old) {
    *plan = old->plan;
    file->keying = old->file.keying;
    memcpy(file->profile, old->file.profile, sizeof file->profile);
    return MLBF_OK;
  }
  mlbf_options options;
  mlbf_status status = mlbf_plan_make(given, plan, NULL);
  if (status == MLBF_OK && !mlbf_sized_read(&options, sizeof options, given))
    status = MLBF_BAD_ARGUMENT;
  if (status != MLBF_OK)
    return status;
  if (options.profile)
    memcpy(file->profile, options.profile, strlen(options.profile)); /* a plan's are short enough */
  return mlbf_keying_make(options.secret, options.seed, &file->keying);
}

/* Addresses for all of it, and no memory yet. */
static mlbf_status make_target(const mlbf_filter *old, const mlbf_options *options, mlbf_filter **target)
{
  mlbf_plan plan;
  mlbf_block_file file;
  mlbf_status status = plan_file(old, options, &plan, &file);
  if (status != MLBF_OK)
    return status;
  file.body_bytes = mlbf_body_bytes(&plan);
  void *body = mmap(NULL, file.body_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (body == MAP_FAILED)
    return MLBF_NO_MEMORY;
  madvise(body, file.body_bytes, MADV_HUGEPAGE); /* without them it is slower */
  file.body = body;
  file.memory = (mlbf_memory){body, file.body_bytes};
  return mlbf_filter_make_over(&plan, &file, target);
}

static void copy_counts(mlbf_filter *target, const mlbf_filter *old)
{
  target->keys = old->keys;
  target->deep_set = old->deep_set;
  memcpy(target->layer_found, old->layer_found, sizeof target->layer_found);
}

mlbf_status mlbf_rebuild_begin(const mlbf_filter *old, const mlbf_options *options, uint64_t window_bytes,
                               const char *path, mlbf_rebuild **rebuild)
{
  mlbf_rebuild *r = calloc(1, sizeof *r);
  if (!r)
    return MLBF_NO_MEMORY;
  r->old = old;
  mlbf_status status = make_target(old, options, &r->target);
  if (status == MLBF_OK)
    status = mlbf_block_writer_begin(&r->writer, path, mlbf_keying_mode(&r->target->file.keying),
                                     r->target->file.body_bytes);
  if (status != MLBF_OK) {
    mlbf_rebuild_end(r);
    return status;
  }
  if (old)
    copy_counts(r->target, old);
  r->window_blocks = mlbf_block_count(smaller(window_bytes, r->target->file.body_bytes));
  r->window_blocks += r->window_blocks == 0;
  open_window(r, 0);
  *rebuild = r;
  return MLBF_OK;
}

void mlbf_rebuild_end(mlbf_rebuild *r)
{
  if (!r)
    return;
  mlbf_block_writer_end(&r->writer);
  mlbf_free(r->target);
  free(r);
}

uint64_t mlbf_rebuild_bytes(const mlbf_rebuild *r)
{
  return r->target->file.body_bytes * (r->old ? 2 : 1);
}

uint64_t mlbf_rebuild_windows(const mlbf_rebuild *r)
{
  return (r->writer.blocks + r->window_blocks - 1) / r->window_blocks;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static void flush_keys(mlbf_rebuild *r)
{
  mlbf_insert_hashes(r->target, &(mlbf_hashes){.keys = r->keys}, r->key_count, NULL); /* FULL: the caller planned */
  r->key_count = 0;
}

static void flush_segments(mlbf_rebuild *r)
{
  uint32_t end = (uint32_t)r->segment_count;
  mlbf_insert_hashes(r->target, &(mlbf_hashes){.ends = &end, .segments = r->segments, .layers = r->layers}, 1, NULL);
  r->segment_count = 0;
}

/* Bits anywhere: those in the window. */
static void set_classic_keys(mlbf_rebuild *r, const mlbf_hash128 *keys, size_t count)
{
  const place_range *range = &r->ranges[MLBF_INTEGRITY];
  for (size_t i = 0; i < count; i++)
    mlbf_classic_insert_within(&r->target->arrays[MLBF_INTEGRITY], keys[i], range->first, range->count);
  r->target->keys += r->begin == 0 ? count : 0;
}

static void set_keys(mlbf_rebuild *r, const mlbf_hash128 *keys, size_t count)
{
  const place_range range = r->ranges[MLBF_INTEGRITY];
  if (range.count == 0)
    return;
  if (r->target->arrays[MLBF_INTEGRITY].layout == MLBF_LAYOUT_CLASSIC) {
    set_classic_keys(r, keys, count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    r->keys[r->key_count] = keys[i];
    r->key_count += is_in(&range, keys[i].low); /* without a branch that nothing predicts */
    if (r->key_count == LOT)
      flush_keys(r);
  }
}

static void set_segments(mlbf_rebuild *r, const mlbf_hashes *hashes, size_t count)
{
  const uint32_t layers = mlbf_layer_count(r->target);
  for (size_t i = 0; i < count; i++) {
    uint32_t layer = hashes->layers[i];
    if (layer < 1 || layer > layers)
      continue;
    r->segments[r->segment_count] = hashes->segments[i];
    r->layers[r->segment_count] = (uint8_t)layer;
    r->segment_count += is_in(&r->ranges[layer == 1 ? MLBF_HOSTS : MLBF_DEEP], hashes->segments[i].low);
    if (r->segment_count == MLBF_LAYERS_MAX)
      flush_segments(r);
  }
}

void mlbf_rebuild_hashes(mlbf_rebuild *r, const mlbf_hashes *hashes, size_t count)
{
  assert(r->phase == KEYS);
  if (hashes->keys)
    set_keys(r, hashes->keys, count);
  if (hashes->ends && count)
    set_segments(r, hashes, hashes->ends[count - 1]);
}

void mlbf_rebuild_keys_end(mlbf_rebuild *r)
{
  assert(r->phase == KEYS);
  flush_keys(r);
  flush_segments(r);
  r->phase = WRITE;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static bool copy_block(mlbf_rebuild *r)
{
  uint64_t begin = r->copied * MLBF_BLOCK_BYTES, left = r->target->file.body_bytes - begin;
  uint64_t *words = (uint64_t *)(void *)(r->target->file.body + begin);
  const uint64_t *old = (const uint64_t *)(const void *)(r->old->file.body + begin);
  mlbf_block_file_read_ahead(&r->old->file, r->copied + 1);
  if (!mlbf_block_file_is_sound(&r->old->file, r->copied))
    return false;
  for (uint64_t i = 0; i < smaller(left, MLBF_BLOCK_BYTES) / sizeof *words; i++)
    words[i] |= old[i];
  r->copied++;
  return true;
}

static mlbf_status copy_some(mlbf_rebuild *r, uint64_t blocks)
{
  for (; blocks > 0 && r->copied < r->end; blocks--)
    if (!copy_block(r))
      return MLBF_DAMAGED;
  if (r->copied == r->end)
    r->phase = KEYS;
  return MLBF_OK;
}

static mlbf_status write_some(mlbf_rebuild *r, uint64_t blocks)
{
  mlbf_block_writer *w = &r->writer;
  const uint64_t first = w->block, bytes = r->target->file.body_bytes;
  for (; blocks > 0 && w->block < r->end; blocks--) {
    uint64_t begin = w->block * MLBF_BLOCK_BYTES;
    if (!mlbf_block_writer_put(w, r->target->file.body + begin, smaller(bytes - begin, MLBF_BLOCK_BYTES)))
      return MLBF_IO;
  }
  mlbf_disk_begin_sync(w->file, MLBF_HEADER_BYTES + first * MLBF_BLOCK_BYTES, (w->block - first) * MLBF_BLOCK_BYTES);
  if (w->block < r->end)
    return MLBF_OK;
  release(r);
  if (r->end == w->blocks)
    r->phase = FINISH;
  else
    open_window(r, r->end);
  return MLBF_OK;
}

static mlbf_status finish(mlbf_rebuild *r, mlbf_rebuild_need *need)
{
  mlbf_filter_numbers(r->target, 0, 1, r->target->file.numbers); /* its counts now */
  mlbf_status status = mlbf_block_writer_finish(&r->writer, &r->target->file);
  if (status == MLBF_OK)
    *need = MLBF_REBUILD_DONE;
  return status;
}

mlbf_status mlbf_rebuild_step(mlbf_rebuild *r, uint64_t bytes, mlbf_rebuild_need *need)
{
  uint64_t blocks = bytes / MLBF_BLOCK_BYTES + (bytes % MLBF_BLOCK_BYTES != 0 || bytes == 0);
  assert_rebuild(r);
  if (r->phase == FINISH)
    return finish(r, need);
  mlbf_status status = r->phase == COPY ? copy_some(r, blocks) : r->phase == WRITE ? write_some(r, blocks) : MLBF_OK;
  if (status == MLBF_OK)
    *need = r->phase == KEYS ? MLBF_REBUILD_KEYS : MLBF_REBUILD_STEP;
  return status;
}
