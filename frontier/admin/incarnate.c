/* Copies of a partition: one that is to live on, and one that is kept elsewhere.
 *
 * After a crash in frontier_incarnate the directory has its old incarnation, or the new one. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static frontier_status raise_it(frontier *f, uint64_t least, uint64_t *incarnation)
{
  frontier_life life;
  frontier_status status = sharing_refuse(f);
  if (status != FRONTIER_OK)
    return status;
  sharing_raise(f, least);
  status = frontier_sync(f);
  frontier_life_read(f, &life);
  if (status == FRONTIER_OK && incarnation)
    *incarnation = life.incarnation;
  return status;
}

/* As a writer: it is locked, and read through if it is a copy. */
frontier_status frontier_incarnate(const char *directory, uint64_t least, uint64_t *incarnation,
                                   char message[FRONTIER_MESSAGE_SIZE])
{
  char path[4096];
  const frontier_options options = {.filter = MLBF_KIND_MLBF,
                                    .expected_urls = 1,
                                    .rate = 1e-6,
                                    .per_host = 1,
                                    .depth_cap = UINT16_MAX,
                                    .keep_identity = true};
  frontier *f = NULL;
  snprintf(path, sizeof path, "%s/data.mdb", directory);
  if (access(path, F_OK) != 0) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s is not a Strata frontier (no data.mdb in it)", directory);
    return FRONTIER_NOT_FOUND;
  }
  frontier_status status = frontier_open(directory, &options, &f, message);
  if (status != FRONTIER_OK)
    return status;
  status = raise_it(f, least, incarnation);
  if (status != FRONTIER_OK)
    frontier_message_copy(f, message);
  frontier_status closed = frontier_close(f);
  if (status == FRONTIER_OK && closed != FRONTIER_OK)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s: closing it failed", directory);
  return status == FRONTIER_OK ? closed : status;
}

/* ---- what a copy has of others --------------------------------------------------------------------------------- */

typedef struct mark_reading {
  frontier *f;
  uint64_t partitions, own;
} mark_reading;

static bool read_mark(void *context, uint64_t partition, const uint8_t *body, size_t size)
{
  const mark_reading *r = context;
  if (partition < r->partitions && partition != r->own && size == LANE_ROW)
    lane_keep(sharing_lane(r->f, (uint32_t)partition), lane_read_mark(body));
  return true;
}

/* Its identity has the id of this directory, and the same partition. */
static bool is_copy(frontier *f, const uint8_t *body, size_t size)
{
  uint8_t own[IDENTITY_MAX];
  size_t own_size = identity_write(&f->options, &f->identity, own);
  return size == own_size && memcmp(body, own, size) == 0;
}

/* What an earlier life had, this one may not have: its marks say nothing of what is to be sent now. */
static frontier_status read_life(store *copy, uint64_t first, uint64_t *incarnation)
{
  uint8_t *body = NULL;
  size_t size;
  frontier_status status = store_get_meta(copy, "incarnation", &body, &size);
  *incarnation = status == FRONTIER_OK && size == 8 ? get_le(body, 8) : first;
  free(body);
  return status == FRONTIER_NOT_FOUND ? FRONTIER_OK : status;
}

static frontier_status read_copy(frontier *f, store *copy, char message[FRONTIER_MESSAGE_SIZE])
{
  uint8_t *body = NULL;
  size_t size;
  frontier_life life;
  frontier_life_read(f, &life);
  frontier_status status = store_get_identity(copy, &body, &size);
  bool is_ours = status == FRONTIER_OK && is_copy(f, body, size);
  uint64_t incarnation = is_ours ? get_le(body + IDENTITY_SHARE + 8, 8) : 0;
  free(body);
  if (is_ours)
    status = read_life(copy, incarnation, &incarnation);
  bool is_of_this_life = incarnation == life.incarnation;
  mark_reading r = {.f = f, .partitions = life.partitions, .own = life.partition};
  if (status == FRONTIER_OK && is_of_this_life)
    status = store_each(copy, STORE_MARKS, 0, read_mark, &r);
  if (status != FRONTIER_OK)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(copy));
  else if (!is_ours)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "it is no copy of %.400s", f->directory);
  else if (!is_of_this_life)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "it is a copy of an earlier life of %.400s", f->directory);
  return status == FRONTIER_OK && !is_of_this_life ? FRONTIER_MISMATCH : status;
}

frontier_status frontier_inbox_kept(frontier *f, const char *snapshot, char message[FRONTIER_MESSAGE_SIZE])
{
  LOCKED(f);
  store *copy = NULL;
  frontier_status status = sharing_refuse(f);
  if (status != FRONTIER_OK) {
    frontier_message_copy(f, message);
    return status;
  }
  status = store_open_still(snapshot, &copy, message);
  if (status == FRONTIER_OK)
    status = read_copy(f, copy, message);
  store_close(copy);
  if (status == FRONTIER_OK)
    batch_want(&f->batch, clock_latest(f));
  return status;
}
