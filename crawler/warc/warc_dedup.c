/* See warc_dedup.h. An open-addressing table of 16 bytes a slot. A page's author chooses its digest, within limits, so
 * where it goes depends on a number drawn for each table. Called by warc_originals.c. */
#include "crawler/warc/warc_dedup.h"

#include "frontier/base/machine.h"

#include <assert.h>
#include <stdlib.h>

enum {
  BITS_FIRST = 10,
  BITS_MAX = 22, /* 64 MiB */
  OFFSET_BITS = 40,
};

typedef struct slot {
  uint64_t print; /* of the digest */
  uint64_t place; /* file << OFFSET_BITS | offset; 0: free */
} slot;

struct warc_dedup {
  slot *slots;
  unsigned bits; /* of the number of slots */
  size_t used;
  uint64_t multiplier; /* odd */
};

static size_t slot_count(const warc_dedup *p)
{
  return (size_t)1 << p->bits;
}

/* Three quarters of the slots are used at most. */
static bool has_room(const warc_dedup *p)
{
  return p->used < slot_count(p) / 4 * 3;
}

warc_dedup *warc_dedup_create(void)
{
  warc_dedup *p = calloc(1, sizeof *p);
  if (!p || !(p->slots = calloc((size_t)1 << BITS_FIRST, sizeof *p->slots))) {
    free(p);
    return NULL;
  }
  p->bits = BITS_FIRST;
  (void)machine_random(&p->multiplier, sizeof p->multiplier); /* without chance the table is right, too */
  p->multiplier |= 1;
  return p;
}

void warc_dedup_free(warc_dedup *p)
{
  if (p)
    free(p->slots);
  free(p);
}

/* FNV-1a */
static uint64_t print_of(const char *digest, size_t size)
{
  uint64_t print = 0xCBF29CE484222325u;
  for (size_t i = 0; i < size; i++)
    print = (print ^ (unsigned char)digest[i]) * 0x100000001B3u;
  return print;
}

/* The slot of this digest, or the free one where it belongs. */
static slot *find(const warc_dedup *p, uint64_t print)
{
  size_t at = (size_t)(print * p->multiplier >> (64 - p->bits));
  while (p->slots[at].place && p->slots[at].print != print)
    at = (at + 1) & (slot_count(p) - 1);
  return &p->slots[at];
}

static void grow(warc_dedup *p)
{
  slot *old = p->slots, *larger = p->bits < BITS_MAX ? calloc(2 * slot_count(p), sizeof *larger) : NULL;
  size_t old_count = slot_count(p);
  if (!larger)
    return;
  p->slots = larger;
  p->bits++;
  for (size_t i = 0; i < old_count; i++)
    if (old[i].place)
      *find(p, old[i].print) = old[i];
  free(old);
}

warc_spot warc_dedup_find(const warc_dedup *p, const char *digest, size_t size)
{
  uint64_t place = find(p, print_of(digest, size))->place;
  return (warc_spot){(unsigned)(place >> OFFSET_BITS), place & (((uint64_t)1 << OFFSET_BITS) - 1)};
}

bool warc_dedup_put(warc_dedup *p, const char *digest, size_t size, warc_spot spot)
{
  uint64_t print = print_of(digest, size);
  assert(spot.file && spot.file < 1u << (64 - OFFSET_BITS));
  if (spot.offset >> OFFSET_BITS)
    return true;
  if (!has_room(p))
    grow(p);
  slot *s = find(p, print);
  if (!s->place && !has_room(p))
    return false;
  p->used += !s->place;
  *s = (slot){print, (uint64_t)spot.file << OFFSET_BITS | spot.offset};
  assert(p->used < slot_count(p)); /* so a search ends */
  return true;
}
