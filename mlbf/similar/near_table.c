/* From keys to the places of documents: 512 hash tables in ascending order, and their file. near_table.h draws them.
 *
 * Always (assert_segment): a segment's slots ascend, an empty one is 0, none stands before its home, and none is empty
 * between its home and it. `used` slots are not empty, at most 17 of 20 of the room. A key that has its most places
 * loses the oldest for a new one. A segment grows as a whole or stays as it is.
 *
 * Called by corpus_near.c alone, in the one thread that has the corpus.
 *
 * After a crash: near.table is that of the last close, whole, or is gone. What it lacks is read from the documents, and
 * what it leads to is read and compared: it is a cache, and may be stale. */
#include "mlbf/similar/near_table.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/similar/corpus_volume.h"

enum { PLACE_BITS = NEAR_VOLUME_BITS + NEAR_OFFSET_BITS, FIRST_ROOM = 16, TAIL = 32, PREFETCHED = 3 };
enum { N_SEGMENTS, N_VOLUMES, N_DOCUMENTS, N_DOCS_BYTES, N_SLOTS, NUMBERS };

_Static_assert(NEAR_HASH_BITS + PLACE_BITS == 64, "a slot is full");

static const char file_name[] = "near.table";

/* ---- slots ---------------------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t slot)
{
  return slot >> PLACE_BITS;
}

static uint64_t slot_of(uint64_t key, near_place place)
{
  uint64_t at = (place.offset - CORPUS_HEADER_BYTES) / 8;
  assert(place.volume > 0 && place.volume >> NEAR_VOLUME_BITS == 0 && at >> NEAR_OFFSET_BITS == 0);
  return key << NEAR_SEGMENT_BITS >> PLACE_BITS << PLACE_BITS | (uint64_t)place.volume << NEAR_OFFSET_BITS | at;
}

static uint32_t volume_of(uint64_t slot)
{
  return slot >> NEAR_OFFSET_BITS & ((1 << NEAR_VOLUME_BITS) - 1);
}

static near_place place_of(uint64_t slot)
{
  return (near_place){volume_of(slot), (slot & ((1 << NEAR_OFFSET_BITS) - 1)) * 8 + CORPUS_HEADER_BYTES};
}

static size_t segment_of(uint64_t key)
{
  return key >> (64 - NEAR_SEGMENT_BITS);
}

static size_t home(uint32_t room, uint64_t slot)
{
  return hash_of(slot) * room >> NEAR_HASH_BITS;
}

/* ---- segments ------------------------------------------------------------------------------------------- */

/* Of the whole order, what a look at `at` can see. */
static void assert_segment(const near_segment *s, size_t at)
{
  size_t end = (size_t)s->room + TAIL;
  assert(s->slots && s->room && s->used <= end && at < end && s->slots[at]);
  assert(at >= home(s->room, s->slots[at]));
  assert(at == home(s->room, s->slots[at]) || s->slots[at - 1]);
  assert(at == 0 || s->slots[at - 1] < s->slots[at]);
  assert(at + 1 == end || !s->slots[at + 1] || s->slots[at] < s->slots[at + 1]);
  (void)end;
}

/* The slots of another segment, up to that volume, into these; how many, or SIZE_MAX: the tail is too short. */
static size_t copy_slots(const uint64_t *old, size_t count, uint32_t volumes, uint64_t *slots, uint32_t room)
{
  size_t next = 0, used = 0;
  for (size_t i = 0; i < count; i++) {
    if (!old[i] || volume_of(old[i]) > volumes)
      continue;
    size_t at = home(room, old[i]);
    at = at < next ? next : at;
    if (at >= (size_t)room + TAIL)
      return SIZE_MAX;
    assert(!slots[at] && (next == 0 || slots[next - 1] < old[i]));
    slots[at] = old[i];
    next = at + 1;
    used++;
  }
  return used;
}

/* A segment of at least that room, with the slots of another, up to that volume. */
static bool make(near_segment *s, uint32_t room, const uint64_t *old, size_t count, uint32_t volumes)
{
  for (;; room += room / 8 + 1) {
    uint64_t *slots = calloc((size_t)room + TAIL, sizeof *slots);
    if (!slots)
      return false;
    size_t used = copy_slots(old, count, volumes, slots, room);
    if (used != SIZE_MAX) {
      *s = (near_segment){slots, room, (uint32_t)used};
      return true;
    }
    free(slots);
  }
}

static bool grow(near_segment *s)
{
  near_segment larger;
  if (!make(&larger, s->room ? s->room + s->room / 8 + 1 : FIRST_ROOM, s->slots, s->slots ? s->room + TAIL : 0,
            UINT32_MAX))
    return false;
  free(s->slots);
  *s = larger;
  return true;
}

/* The first slot that has this hash, or where it would be; how many have it. */
static size_t find(const near_segment *s, uint64_t slot, size_t *same)
{
  size_t at = home(s->room, slot), end = (size_t)s->room + TAIL;
  while (at < end && s->slots[at] && hash_of(s->slots[at]) < hash_of(slot))
    at++;
  *same = 0;
  while (at + *same < end && s->slots[at + *same] && hash_of(s->slots[at + *same]) == hash_of(slot))
    ++*same;
  return at;
}

/* false: the segment must grow first. */
static bool insert(near_segment *s, uint64_t slot)
{
  size_t same;
  if (!s->room)
    return false;
  size_t at = find(s, slot, &same);
  if (same && s->slots[at + same - 1] == slot)
    return true;
  if (same >= NEAR_SAME_MOST) {
    memmove(s->slots + at, s->slots + at + 1, (same - 1) * sizeof slot);
    s->slots[at + same - 1] = slot;
    assert_segment(s, at + same - 1);
    return true;
  }
  if (s->used >= (uint64_t)s->room * 17 / 20)
    return false;
  size_t empty = at += same;
  while (empty < (size_t)s->room + TAIL && s->slots[empty])
    empty++;
  if (empty == (size_t)s->room + TAIL)
    return false;
  memmove(s->slots + at + 1, s->slots + at, (empty - at) * sizeof slot);
  s->slots[at] = slot;
  s->used++;
  assert_segment(s, at);
  return true;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

void near_table_free(near_table *t)
{
  for (size_t i = 0; i < NEAR_SEGMENTS; i++)
    free(t->segments[i].slots);
  memset(t, 0, sizeof *t);
}

bool near_table_put(near_table *t, uint64_t key, near_place place)
{
  near_segment *s = &t->segments[segment_of(key)];
  while (!insert(s, slot_of(key, place)))
    if (!grow(s))
      return false;
  return true;
}

size_t near_table_get(const near_table *t, uint64_t key, near_place places[NEAR_SAME_MOST])
{
  const near_segment *s = &t->segments[segment_of(key)];
  size_t same;
  if (!s->room)
    return 0;
  size_t at = find(s, slot_of(key, (near_place){1, CORPUS_HEADER_BYTES}), &same);
  same = same < NEAR_SAME_MOST ? same : NEAR_SAME_MOST; /* more are in no file of ours */
  for (size_t i = 0; i < same; i++)
    places[i] = place_of(s->slots[at + i]);
  return same;
}

void near_table_prefetch(const near_table *t, uint64_t key)
{
  const near_segment *s = &t->segments[segment_of(key)];
  if (!s->room)
    return;
  const uint64_t *slot = s->slots + home(s->room, slot_of(key, (near_place){1, CORPUS_HEADER_BYTES}));
  for (size_t line = 0; line < PREFETCHED; line++)
    __builtin_prefetch(slot + 8 * line, 1);
}

uint64_t near_table_bytes(const near_table *t)
{
  uint64_t slots = 0;
  for (size_t i = 0; i < NEAR_SEGMENTS; i++)
    slots += t->segments[i].room ? t->segments[i].room + TAIL : 0;
  return slots * sizeof(uint64_t) + sizeof *t;
}

/* ---- its file ------------------------------------------------------------------------------------------- */

mlbf_status near_table_save(int directory, const near_table *t, const mlbf_keying *keying, near_cover cover)
{
  uint64_t rooms[NEAR_SEGMENTS], slots = 0;
  mlbf_span parts[1 + NEAR_SEGMENTS] = {{rooms, sizeof rooms}};
  for (size_t i = 0; i < NEAR_SEGMENTS; i++) {
    const near_segment *s = &t->segments[i];
    rooms[i] = s->room ? s->room + TAIL : 0;
    slots += rooms[i];
    parts[1 + i] = (mlbf_span){s->slots, rooms[i] * sizeof *s->slots};
  }
  mlbf_block_file saved = {.kind = MLBF_FILE_NEAR, .keying = *keying};
  const uint64_t numbers[NUMBERS] = {NEAR_SEGMENTS, cover.volumes, cover.documents, cover.bytes, slots};
  memcpy(saved.numbers, numbers, sizeof numbers);
  return mlbf_block_file_save(directory, file_name, &saved, parts, 1 + NEAR_SEGMENTS);
}

static uint64_t body_bytes(const mlbf_block_file *saved)
{
  const uint64_t *n = saved->numbers;
  for (int i = NUMBERS; i < MLBF_NUMBERS; i++)
    if (n[i])
      return 0;
  bool is_ours = n[N_SEGMENTS] == NEAR_SEGMENTS && n[N_SLOTS] < UINT64_C(1) << 40 &&
                 n[N_VOLUMES] < 1 << NEAR_VOLUME_BITS && saved->keying.origin == MLBF_SECRET_DRAWN;
  return is_ours ? (NEAR_SEGMENTS + n[N_SLOTS]) * sizeof(uint64_t) : 0;
}

static bool is_ascending(const uint64_t *slots, size_t count)
{
  uint64_t last = 0;
  for (size_t i = 0; i < count; i++) {
    if (slots[i] && slots[i] <= last)
      return false;
    last = slots[i] ? slots[i] : last;
  }
  return true;
}

static mlbf_status read_body(const mlbf_block_file *saved, near_table *t)
{
  const uint64_t *rooms = (const void *)saved->body, *slots = rooms + NEAR_SEGMENTS;
  uint64_t left = saved->numbers[N_SLOTS];
  assert(saved->body_bytes >= (NEAR_SEGMENTS + left) * sizeof *slots);
  for (size_t i = 0; i < NEAR_SEGMENTS; slots += rooms[i], left -= rooms[i], i++) {
    if (rooms[i] > left || rooms[i] >= UINT32_MAX / 2 || !is_ascending(slots, rooms[i]))
      return MLBF_DAMAGED;
    if (rooms[i] && !make(&t->segments[i], rooms[i] > TAIL + FIRST_ROOM ? (uint32_t)rooms[i] - TAIL : FIRST_ROOM, slots,
                          rooms[i], (uint32_t)saved->numbers[N_VOLUMES]))
      return MLBF_NO_MEMORY;
  }
  return left ? MLBF_DAMAGED : MLBF_OK;
}

mlbf_status near_table_load(int directory, near_table *t, mlbf_keying *keying, near_cover *cover)
{
  mlbf_block_file saved;
  int file = mlbf_disk_open_in(directory, file_name, O_RDONLY);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = mlbf_block_file_map_open(file, MLBF_FILE_NEAR, NULL, body_bytes, &saved);
  close(file);
  if (status != MLBF_OK)
    return status;
  status = mlbf_block_file_verify(&saved);
  if (status == MLBF_OK)
    status = read_body(&saved, t);
  const uint64_t *n = saved.numbers;
  if (status == MLBF_OK) {
    *cover = (near_cover){n[N_VOLUMES], n[N_DOCUMENTS], n[N_DOCS_BYTES]};
    *keying = saved.keying;
  } else {
    near_table_free(t);
  }
  mlbf_block_file_drop(&saved);
  return status;
}
