/* See remake.h.
 *
 * The filter that is made, `to`, has a body of full size, but only of addresses: the system gives memory to what is
 * written to, and takes it back (release) when the window is on its way to the file.
 *
 *     COPY    the old filter's blocks, checked, into the window; nothing without an old one
 *     KEYS    lines and pages that begin in the window get their keys' bits
 *     WRITE   the window's blocks and their checksums
 *
 * Always: what is before the window is written and never touched again. A page of TWO_LINES that begins in the window
 * may end behind it: its bits there wait in memory, and old bits are added to them (COPY). Of an array CLASSIC each bit
 * is a place of its own. So every bit of a key is set in exactly one window, and a key is counted as new in the one
 * where array 0 has it (`bloom`, whose bits are anywhere: all keys count as new).
 *
 * After a crash: a temporary file, which the next remaking of this path writes over. */
#include "mlbf/remake.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/file/header.h"
#include "mlbf/file/saving.h"

enum { LOT = MLBF_BATCH };

typedef enum remake_phase { COPY, KEYS, WRITE, FINISH } remake_phase;

/* Of an array's places those that begin in the window. */
typedef struct place_range {
  uint64_t places, first, count;
} place_range;

struct mlbf_remaking {
  const mlbf_filter *old; /* NULL: none */
  mlbf_filter *to;
  mlbf_saving *saving;
  remake_phase phase;
  uint64_t window_blocks;
  uint64_t begin, end; /* the window's blocks */
  uint64_t copied;     /* and the first that lacks the old filter's bits */
  place_range ranges[MLBF_ARRAYS_MAX];
  size_t whole_count, segment_count;
  mlbf_hash128 wholes[LOT]; /* found to be in the window, and not inserted yet */
  mlbf_segment segments[LOT];
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void assert_remaking(const mlbf_remaking *r)
{
  assert(r->begin < r->end && r->end <= r->saving->blocks && r->copied >= r->begin && r->copied <= r->end);
  assert(r->saving->block >= r->begin && r->saving->block <= r->end);
  assert(r->whole_count < LOT && r->segment_count < LOT);
  (void)r;
}

/* ---- windows ------------------------------------------------------------------------------------------- */

/* The first place of an array that begins at this byte of the body or behind it. */
static uint64_t place_at(const mlbf_remaking *r, uint32_t i, uint64_t byte)
{
  const mlbf_array *array = &r->to->arrays[i];
  uint64_t unit = array->layout == MLBF_LAYOUT_CLASSIC ? 1 : (uint64_t)array->page_lines * MLBF_LINE_BITS;
  uint64_t offset = mlbf_body_offset(&r->to->plan, i), bit = byte > offset ? (byte - offset) * 8 : 0;
  return smaller((bit + unit - 1) / unit, array->places);
}

static void open_window(mlbf_remaking *r, uint64_t begin)
{
  r->begin = r->copied = begin;
  r->end = smaller(begin + r->window_blocks, r->saving->blocks);
  for (uint32_t i = 0; i < r->to->plan.array_count; i++) {
    uint64_t first = place_at(r, i, r->begin * MLBF_BLOCK_BYTES);
    r->ranges[i] = (place_range){r->to->arrays[i].places, first, place_at(r, i, r->end * MLBF_BLOCK_BYTES) - first};
  }
  r->phase = r->old ? COPY : KEYS;
}

static inline bool is_in(const place_range *range, uint64_t low)
{
  return mlbf_scale(low, range->places) - range->first < range->count;
}

static void release(mlbf_remaking *r)
{
  uint64_t from = r->begin * MLBF_BLOCK_BYTES, to = smaller(r->end * MLBF_BLOCK_BYTES, r->to->body_bytes);
  madvise((char *)r->to->body + from, to - from, MADV_DONTNEED); /* all of its memory; else more is used */
}

/* ---- beginning ----------------------------------------------------------------------------------------- */

static mlbf_status plan_for(const mlbf_filter *old, const mlbf_options *options, mlbf_plan *plan, mlbf_keying *keying)
{
  if (old) {
    *plan = old->plan;
    *keying = old->keying;
    return MLBF_OK;
  }
  if (options->profile && strlen(options->profile) >= MLBF_PROFILE_SIZE)
    return MLBF_BAD_ARGUMENT;
  mlbf_status status = mlbf_plan_make(options, plan, NULL);
  return status == MLBF_OK ? mlbf_keying_make(options->secret, options->seed, keying) : status;
}

/* Addresses for all of it, and no memory yet. */
static mlbf_status make_filter(mlbf_remaking *r, const mlbf_options *options)
{
  mlbf_plan plan;
  mlbf_keying keying = mlbf_keying_none;
  mlbf_status status = plan_for(r->old, options, &plan, &keying);
  if (status != MLBF_OK)
    return status;
  const char *profile = r->old ? r->old->profile : options->profile ? options->profile : "";
  mlbf_memory memory = {NULL, mlbf_body_bytes(&plan)};
  memory.begin = mmap(NULL, memory.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory.begin == MAP_FAILED)
    return MLBF_NO_MEMORY;
  madvise(memory.begin, memory.bytes, MADV_HUGEPAGE); /* a wish */
  status = mlbf_filter_make_over(&plan, &keying, profile, memory, memory.begin, NULL, &r->to);
  if (status != MLBF_OK)
    mlbf_body_free(memory.begin, memory.bytes);
  return status;
}

static void take_counts(mlbf_filter *to, const mlbf_filter *old)
{
  to->keys = old->keys;
  to->deep_set = old->deep_set;
  memcpy(to->layer_found, old->layer_found, sizeof to->layer_found);
}

mlbf_status mlbf_remake_begin(const mlbf_filter *old, const mlbf_options *options, uint64_t window_bytes,
                              const char *path, mlbf_remaking **remaking)
{
  mlbf_remaking *r = calloc(1, sizeof *r);
  if (!r)
    return MLBF_NO_MEMORY;
  r->old = old;
  mlbf_status status = make_filter(r, options);
  if (status == MLBF_OK)
    status = mlbf_save_begin(r->to, path, &r->saving);
  if (status != MLBF_OK) {
    mlbf_remake_end(r);
    return status;
  }
  if (old)
    take_counts(r->to, old);
  r->window_blocks = mlbf_block_count(smaller(window_bytes, r->to->body_bytes));
  r->window_blocks += r->window_blocks == 0;
  open_window(r, 0);
  *remaking = r;
  return MLBF_OK;
}

void mlbf_remake_end(mlbf_remaking *r)
{
  if (!r)
    return;
  mlbf_save_end(r->saving);
  mlbf_free(r->to);
  free(r);
}

uint64_t mlbf_remake_bytes(const mlbf_remaking *r)
{
  return r->to->body_bytes * (r->old ? 2 : 1);
}

uint64_t mlbf_remake_windows(const mlbf_remaking *r)
{
  return (r->saving->blocks + r->window_blocks - 1) / r->window_blocks;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

static void flush_wholes(mlbf_remaking *r)
{
  bool was_new[LOT];
  mlbf_insert_wholes(r->to, r->wholes, r->whole_count, was_new); /* FULL: the caller planned for its keys */
  r->whole_count = 0;
}

static void flush_segments(mlbf_remaking *r)
{
  mlbf_insert_segments(r->to, r->segments, r->segment_count);
  r->segment_count = 0;
}

/* Bits anywhere: those in the window. */
static void classic_wholes(mlbf_remaking *r, const mlbf_hash128 *wholes, size_t count)
{
  const place_range *range = &r->ranges[0];
  for (size_t i = 0; i < count; i++)
    mlbf_classic_insert_within(&r->to->arrays[0], wholes[i], range->first, range->count);
  r->to->keys += r->begin == 0 ? count : 0;
}

void mlbf_remake_wholes(mlbf_remaking *r, const mlbf_hash128 *wholes, size_t count)
{
  const place_range range = r->ranges[0];
  assert(r->phase == KEYS);
  if (range.count == 0)
    return;
  if (r->to->arrays[0].layout == MLBF_LAYOUT_CLASSIC) {
    classic_wholes(r, wholes, count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    r->wholes[r->whole_count] = wholes[i];
    r->whole_count += is_in(&range, wholes[i].low); /* without a branch that nothing predicts */
    if (r->whole_count == LOT)
      flush_wholes(r);
  }
}

/* Layer 1 has an array of its own, all others the next (mlbf.c). */
void mlbf_remake_segments(mlbf_remaking *r, const mlbf_segment *segments, size_t count)
{
  uint32_t layers = mlbf_layer_count(r->to);
  assert(r->phase == KEYS);
  for (size_t i = 0; i < count; i++) {
    uint32_t layer = segments[i].layer;
    if (layer < 1 || layer > layers)
      continue;
    r->segments[r->segment_count] = segments[i];
    r->segment_count += is_in(&r->ranges[layer == 1 ? 1 : 2], segments[i].hash.low);
    if (r->segment_count == LOT)
      flush_segments(r);
  }
}

void mlbf_remake_keys_end(mlbf_remaking *r)
{
  assert(r->phase == KEYS);
  flush_wholes(r);
  flush_segments(r);
  r->phase = WRITE;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static bool is_sound(const mlbf_filter *old, uint64_t block)
{
  return !old->unchecked || mlbf_guard_is_sound(old->unchecked, block);
}

static bool copy_block(mlbf_remaking *r)
{
  uint64_t begin = r->copied * MLBF_BLOCK_BYTES, left = r->to->body_bytes - begin;
  uint64_t *to = (uint64_t *)r->to->body + begin / sizeof *to;
  const uint64_t *from = (const uint64_t *)r->old->body + begin / sizeof *from;
  if (r->old->unchecked)
    mlbf_filter_read_ahead(r->old, r->copied + 1);
  if (!is_sound(r->old, r->copied))
    return false;
  for (uint64_t i = 0; i < smaller(left, MLBF_BLOCK_BYTES) / sizeof *to; i++)
    to[i] |= from[i];
  r->copied++;
  return true;
}

static mlbf_status copy_some(mlbf_remaking *r, uint64_t blocks)
{
  for (; blocks > 0 && r->copied < r->end; blocks--)
    if (!copy_block(r))
      return MLBF_DAMAGED;
  if (r->copied == r->end)
    r->phase = KEYS;
  return MLBF_OK;
}

static mlbf_status write_some(mlbf_remaking *r, uint64_t blocks)
{
  mlbf_saving *s = r->saving;
  uint64_t first = s->block;
  for (; blocks > 0 && s->block < r->end; blocks--)
    if (!mlbf_saving_block(s))
      return MLBF_IO;
  mlbf_disk_begin_sync(s->file, MLBF_HEADER_BYTES + first * MLBF_BLOCK_BYTES, (s->block - first) * MLBF_BLOCK_BYTES);
  if (s->block < r->end)
    return MLBF_OK;
  release(r);
  if (r->end == s->blocks)
    r->phase = FINISH;
  else
    open_window(r, r->end);
  return MLBF_OK;
}

static mlbf_status finish(mlbf_remaking *r, mlbf_remake_wish *wish)
{
  bool is_done;
  r->saving->as_it_was = *r->to; /* its counts now */
  mlbf_status status = mlbf_saving_finish(r->saving, &is_done);
  if (status == MLBF_OK)
    *wish = MLBF_REMAKE_DONE;
  return status;
}

mlbf_status mlbf_remake_step(mlbf_remaking *r, uint64_t bytes, mlbf_remake_wish *wish)
{
  uint64_t blocks = bytes / MLBF_BLOCK_BYTES + (bytes % MLBF_BLOCK_BYTES != 0 || bytes == 0);
  assert_remaking(r);
  if (r->phase == FINISH)
    return finish(r, wish);
  mlbf_status status = r->phase == COPY ? copy_some(r, blocks) : r->phase == WRITE ? write_some(r, blocks) : MLBF_OK;
  if (status == MLBF_OK)
    *wish = r->phase == KEYS ? MLBF_REMAKE_KEYS : MLBF_REMAKE_STEP;
  return status;
}
