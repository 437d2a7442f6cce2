/* An exact set of keys: their hashes in ascending order, in one table with gaps. key_set.h draws it.
 *
 * Always (assert_set): hashes ascend from slot to slot, none is in two slots, none stands before its home, and between
 * its home and its slot none is free: so a search ends at the first free slot or larger hash. At most seven eighths of
 * the homes are used. An insertion is made as a whole, or refused for want of memory.
 *
 * Called by `strata uniq --filter exact`, and where a crawl keeps the URLs of sitemaps or merges counts. A save
 * replaces the file as a whole: a crash leaves the old one or the new. */
#include "mlbf/key_set.h"

#include <fcntl.h>
#include <assert.h>
#include <stdlib.h>

#include "mlbf/filter/hash.h"
#include "mlbf/file/block_file.h"

/* The table grows by a quarter when it is seven eighths full. If it were fuller, moving the slots behind an insertion
 * (28 on average at seven eighths) would take longer than the cache miss; with larger steps it would be half empty. */
enum {
  HOMES_MIN = 1024,
  TAIL_MIN = 1024, /* slots behind the last home, for those that crowd there */
};

static const uint64_t slots_most = UINT64_C(1) << 44;

struct mlbf_key_set {
  mlbf_hash128 *slots; /* homes + tail; all zeros: free */
  uint64_t homes, tail, count;
  mlbf_keying keying;
  char profile[MLBF_PROFILE_SIZE];
};

static bool is_free(mlbf_hash128 slot)
{
  return (slot.low | slot.high) == 0;
}

/* A hash of all zeros, one in 2^128, would look like a free slot; it takes its neighbour's place. */
static mlbf_hash128 usable(mlbf_hash128 hash)
{
  return is_free(hash) ? (mlbf_hash128){0, 1} : hash;
}

static bool is_equal(mlbf_hash128 a, mlbf_hash128 b)
{
  return a.low == b.low && a.high == b.high;
}

static bool is_before(mlbf_hash128 a, mlbf_hash128 b)
{
  return a.low != b.low ? a.low < b.low : a.high < b.high;
}

/* There are free slots, so that insertions move little and searches end. */
static void assert_set(const mlbf_key_set *set)
{
  assert(set->homes >= HOMES_MIN && set->tail >= TAIL_MIN && set->homes + set->tail <= slots_most);
  assert(set->count <= set->homes - set->homes / 8);
  (void)set;
}

/* Where this hash is, or where it belongs: free, or of a larger one, or behind the last slot. */
static uint64_t slot_of(const mlbf_key_set *set, mlbf_hash128 hash)
{
  uint64_t at = mlbf_scale(hash.low, set->homes), end = set->homes + set->tail;
  while (at < end && !is_free(set->slots[at]) && is_before(set->slots[at], hash))
    at++;
  return at;
}

static bool is_at(const mlbf_key_set *set, uint64_t slot, mlbf_hash128 hash)
{
  return slot < set->homes + set->tail && is_equal(set->slots[slot], hash);
}

/* ---- moving all ----------------------------------------------------------------------------------------- */

/* What is in the first `used` slots moves, in order, to the end of all; returns where it begins there. */
static mlbf_hash128 *pack(mlbf_key_set *set, uint64_t used)
{
  uint64_t end = set->homes + set->tail, begin = end;
  assert(used <= end);
  while (used-- > 0)
    if (!is_free(set->slots[used]))
      set->slots[--begin] = set->slots[used];
  assert(end - begin == set->count);
  return set->slots + begin;
}

/* And from there to where it belongs. No one is put over another that is still to come: behind its slot there are
 * at least as many as are to come. */
static void unpack(mlbf_key_set *set, const mlbf_hash128 *packed)
{
  uint64_t next = 0;
  for (uint64_t i = 0; i < set->count; i++) {
    mlbf_hash128 hash = packed[i];
    for (uint64_t home = mlbf_scale(hash.low, set->homes); next < home; next++)
      set->slots[next] = (mlbf_hash128){0, 0};
    assert(set->slots + next <= packed + i);
    set->slots[next++] = hash;
  }
  while (next < set->homes + set->tail)
    set->slots[next++] = (mlbf_hash128){0, 0};
}

/* More of either. Homes further apart never need a longer tail. A block of this size is moved by its page table. */
static mlbf_status enlarge(mlbf_key_set *set, uint64_t homes, uint64_t tail)
{
  uint64_t old = set->homes + set->tail;
  if (homes + tail > slots_most)
    return MLBF_NO_MEMORY;
  mlbf_hash128 *slots = realloc(set->slots, (homes + tail) * sizeof *slots);
  if (!slots)
    return MLBF_NO_MEMORY;
  set->slots = slots;
  set->homes = homes;
  set->tail = tail;
  unpack(set, pack(set, old));
  return MLBF_OK;
}

/* ---- the life of a set ---------------------------------------------------------------------------------- */

static mlbf_status create(const mlbf_keying *keying, const char *profile, mlbf_key_set **set)
{
  const char *name = profile ? profile : "";
  if (strlen(name) >= MLBF_PROFILE_SIZE)
    return MLBF_BAD_ARGUMENT;
  mlbf_key_set *made = calloc(1, sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  made->keying = *keying;
  memcpy(made->profile, name, strlen(name));
  if (enlarge(made, HOMES_MIN, TAIL_MIN) != MLBF_OK) {
    free(made);
    return MLBF_NO_MEMORY;
  }
  *set = made;
  return MLBF_OK;
}

mlbf_status mlbf_key_set_create(const uint8_t *secret, uint64_t seed, const char *profile, mlbf_key_set **set)
{
  mlbf_keying keying;
  mlbf_status status = mlbf_keying_make(secret, seed, &keying);
  return status == MLBF_OK ? create(&keying, profile, set) : status;
}

void mlbf_key_set_free(mlbf_key_set *set)
{
  if (set)
    free(set->slots);
  free(set);
}

mlbf_hash128 mlbf_key_set_hash(const mlbf_key_set *set, mlbf_span key)
{
  return usable(mlbf_hash_text(&set->keying.keys, key));
}

void mlbf_key_set_prefetch(const mlbf_key_set *set, mlbf_hash128 hash)
{
  const mlbf_hash128 *home = &set->slots[mlbf_scale(hash.low, set->homes)];
  __builtin_prefetch(home, 1);
  __builtin_prefetch(home + 4, 1); /* half of all searches end in the next line */
}

bool mlbf_key_set_test(const mlbf_key_set *set, mlbf_hash128 hash)
{
  hash = usable(hash);
  assert_set(set);
  return is_at(set, slot_of(set, hash), hash);
}

/* Room for one more at or behind `*slot`, which the slots may move. */
static mlbf_status make_room(mlbf_key_set *set, mlbf_hash128 hash, uint64_t *slot, uint64_t *end)
{
  if (set->count + 1 > set->homes - set->homes / 8) {
    mlbf_status status = enlarge(set, set->homes + set->homes / 4, set->tail);
    if (status != MLBF_OK)
      return status;
    *slot = slot_of(set, hash);
  }
  *end = *slot;
  while (*end < set->homes + set->tail && !is_free(set->slots[*end]))
    ++*end;
  return *end < set->homes + set->tail ? MLBF_OK : enlarge(set, set->homes, 2 * set->tail);
}

mlbf_status mlbf_key_set_insert(mlbf_key_set *set, mlbf_hash128 hash, bool *was_seen)
{
  hash = usable(hash);
  assert_set(set);
  uint64_t slot = slot_of(set, hash), end;
  bool is_seen = is_at(set, slot, hash);
  if (!is_seen) {
    mlbf_status status = make_room(set, hash, &slot, &end);
    if (status != MLBF_OK)
      return status;
    assert(slot <= end && end < set->homes + set->tail && is_free(set->slots[end]));
    assert(slot == 0 || is_free(set->slots[slot - 1]) || is_before(set->slots[slot - 1], hash));
    assert(is_free(set->slots[slot]) || is_before(hash, set->slots[slot]));
    memmove(&set->slots[slot + 1], &set->slots[slot], (end - slot) * sizeof *set->slots);
    set->slots[slot] = hash;
    set->count++;
    assert_set(set);
  }
  *was_seen = is_seen;
  return MLBF_OK;
}

void mlbf_key_set_stats_read(const mlbf_key_set *set, mlbf_key_set_stats *stats)
{
  *stats = (mlbf_key_set_stats){
    .keys = set->count, .profile = set->profile, .memory_bytes = (set->homes + set->tail) * sizeof *set->slots};
}

/* ---- on disk: FORMAT.md, "Other structures" ------------------------------------------------------------ */

static uint64_t body_bytes(const mlbf_block_file *file)
{
  for (int i = 1; i < MLBF_NUMBERS; i++)
    if (file->numbers[i])
      return 0;
  uint64_t keys = file->numbers[0];
  return keys > slots_most ? 0 : (keys ? keys : 1) * sizeof(mlbf_hash128); /* never nothing */
}

mlbf_status mlbf_key_set_save(mlbf_key_set *set, const char *path)
{
  static const mlbf_hash128 none = {0, 0};
  mlbf_block_file file = {.kind = MLBF_FILE_KEY_SET, .keying = set->keying, .numbers = {set->count}};
  memcpy(file.profile, set->profile, sizeof file.profile);
  const mlbf_hash128 *packed = pack(set, set->homes + set->tail);
  mlbf_span all = {set->count ? packed : &none, body_bytes(&file)};
  mlbf_status status = mlbf_block_file_save(AT_FDCWD, path, &file, &all, 1);
  unpack(set, packed);
  return status;
}

static bool is_ascending(const mlbf_hash128 *hashes, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (is_free(hashes[i]) || (i && !is_before(hashes[i - 1], hashes[i])))
      return false;
  return true;
}

/* In their order, so each is put behind the one before it. */
static mlbf_status insert_all(mlbf_key_set *set, const mlbf_hash128 *hashes, uint64_t count)
{
  uint64_t homes = count + count / 7 + 1;
  mlbf_status status = homes > set->homes ? enlarge(set, homes, set->tail) : MLBF_OK;
  bool was_seen;
  for (uint64_t i = 0; i < count && status == MLBF_OK; i++)
    status = mlbf_key_set_insert(set, hashes[i], &was_seen);
  return status;
}

mlbf_status mlbf_key_set_load(const char *path, const uint8_t *secret, mlbf_key_set **set)
{
  mlbf_block_file file = {.body = NULL};
  mlbf_key_set *loaded = NULL;
  mlbf_status status = mlbf_block_file_map(path, MLBF_FILE_KEY_SET, secret, body_bytes, &file); /* no second copy */
  if (status != MLBF_OK)
    return status;
  const mlbf_hash128 *hashes = (const void *)file.body;
  status = mlbf_block_file_verify(&file);
  if (status == MLBF_OK && !is_ascending(hashes, file.numbers[0]))
    status = MLBF_DAMAGED;
  if (status == MLBF_OK)
    status = create(&file.keying, file.profile, &loaded);
  if (status == MLBF_OK)
    status = insert_all(loaded, hashes, file.numbers[0]);
  mlbf_block_file_drop(&file);
  if (status == MLBF_OK)
    *set = loaded;
  else
    mlbf_key_set_free(loaded);
  return status;
}
