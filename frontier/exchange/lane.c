/* See lane.h. */
#include "frontier/exchange/lane.h"

#include "frontier/base/limits.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/exchange/wire.h"

enum { AHEAD_MAX = FRONTIER_LIMIT(4096, 4) }; /* of more the numbers are forgotten, so these parcels come again */

void lane_begin(lane *l)
{
  l->base = l->next = 1;
  l->is_news = true;
}

void lane_free(lane *l)
{
  free(l->ahead);
}

/* ---- as a sender -------------------------------------------------------------------------------------------- */

void lane_believe(lane *l, uint64_t incarnation)
{
  if (incarnation <= l->incarnation)
    return;
  l->incarnation = incarnation;
  l->have = l->base - 1;
  l->is_dirty = true;
}

void lane_reborn(lane *l)
{
  l->have = l->base - 1;
  l->kept = 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void raise_to(lane *l, uint64_t *mark, uint64_t number)
{
  l->is_dirty |= number > *mark;
  *mark = number > *mark ? number : *mark;
}

frontier_status lane_heard(lane *l, const frontier_ack *a, uint64_t own)
{
  if (a->sender_incarnation > own || (a->sender_incarnation == own && a->have > l->closed_landed))
    return FRONTIER_MISMATCH;
  lane_believe(l, a->incarnation);
  if (a->incarnation != l->incarnation || a->sender_incarnation != own)
    return FRONTIER_OK;
  raise_to(l, &l->have, a->have);
  raise_to(l, &l->kept, least(a->kept, a->have));
  return FRONTIER_OK;
}

uint64_t lane_droppable(const lane *l)
{
  return least(l->have, l->kept);
}

/* ---- as a receiver ------------------------------------------------------------------------------------------ */

/* Where it is, or would be. */
static size_t place_of(const lane *l, uint64_t number)
{
  size_t i = 0;
  while (i < l->ahead_count && l->ahead[i] < number)
    i++;
  return i;
}

static bool is_ahead(const lane *l, uint64_t number)
{
  size_t i = place_of(l, number);
  return i < l->ahead_count && l->ahead[i] == number;
}

lane_arrival lane_arrives(const lane *l, const frontier_parcel *p)
{
  if (p->incarnation != l->taken.incarnation)
    return p->incarnation < l->taken.incarnation ? LANE_OLD_LIFE : LANE_NEW;
  return p->number <= l->taken.number || is_ahead(l, p->number) ? LANE_REPEAT : LANE_NEW;
}

static void note_ahead(lane *l, uint64_t number)
{
  size_t i = place_of(l, number);
  if (is_ahead(l, number) || l->ahead_count == AHEAD_MAX || !HAS_ROOM(l->ahead, l->ahead_room, l->ahead_count + 1))
    return;
  memmove(l->ahead + i + 1, l->ahead + i, (l->ahead_count++ - i) * sizeof *l->ahead);
  l->ahead[i] = number;
}

/* Those that follow the mark without a gap; and how many were below it. */
static size_t close_gap(lane *l)
{
  size_t i = 0, below = 0;
  for (; i < l->ahead_count && l->ahead[i] <= l->taken.number + 1; i++) {
    below += l->ahead[i] <= l->taken.number;
    l->taken.number += l->ahead[i] > l->taken.number;
  }
  if (i)
    memmove(l->ahead, l->ahead + i, (l->ahead_count -= i) * sizeof *l->ahead);
  return below;
}

void lane_took(lane *l, const frontier_parcel *p, uint64_t *lost)
{
  *lost = 0;
  lane_believe(l, p->incarnation);
  if (p->incarnation < l->taken.incarnation)
    return;
  l->is_news |= lane_arrives(l, p) == LANE_REPEAT; /* the sender has not heard of it */
  if (p->incarnation > l->taken.incarnation) {
    l->taken = (lane_mark){p->incarnation, p->base - 1};
    l->ahead_count = 0;
    l->is_dirty = true;
  }
  if (p->base - 1 > l->taken.number) {
    *lost = p->base - 1 - l->taken.number;
    l->taken.number = p->base - 1;
    *lost -= close_gap(l);
    l->is_dirty = true;
  }
  if (p->number > l->taken.number)
    note_ahead(l, p->number);
  if (p->number == l->taken.number + 1)
    l->taken.number = p->number; /* also without memory for the list */
  close_gap(l);
  l->is_dirty |= l->taken.number != l->sealed.number;
}

void lane_keep(lane *l, lane_mark mark)
{
  if (mark.incarnation != l->taken.incarnation || !mark.incarnation)
    return;
  if (l->taken_kept.incarnation == mark.incarnation && l->taken_kept.number >= mark.number)
    return;
  l->taken_kept = mark;
  l->is_dirty = l->is_news = true;
}

void lane_tell(const lane *l, bool keeps_copies, frontier_ack *a)
{
  lane_mark kept = keeps_copies ? l->taken_kept : l->landed;
  a->sender_incarnation = l->landed.incarnation;
  a->have = l->landed.number;
  a->kept = kept.incarnation == l->landed.incarnation ? least(kept.number, l->landed.number) : 0;
}

/* ---- transactions ------------------------------------------------------------------------------------------- */

void lane_sealed(lane *l)
{
  if (l->dropping)
    l->base = l->dropping + 1;
  l->dropping = 0;
  l->sealed = l->taken;
  l->closed_sealed = l->closed;
  l->is_dirty = false;
}

void lane_landed(lane *l)
{
  l->is_news |= l->landed.incarnation != l->sealed.incarnation || l->landed.number != l->sealed.number;
  l->landed = l->sealed;
  l->closed_landed = l->closed_sealed;
}

/* ---- its row: FORMAT.md, "marks" ---------------------------------------------------------------------------- */

enum { TAKEN = 5 }; /* number in the row */

void lane_write(const lane *l, uint64_t own, uint8_t row[LANE_ROW])
{
  const uint64_t numbers[] = {l->incarnation,
                              own,
                              l->next,
                              l->have,
                              l->kept,
                              l->taken.incarnation,
                              l->taken.number,
                              l->taken_kept.incarnation,
                              l->taken_kept.number};
  _Static_assert(sizeof numbers == LANE_ROW, "all of it");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    put_le(row + 8 * i, numbers[i], 8);
}

lane_mark lane_read_mark(const uint8_t row[LANE_ROW])
{
  return (lane_mark){get_le(row + 8 * TAKEN, 8), get_le(row + 8 * (TAKEN + 1), 8)};
}

bool lane_read(lane *l, uint64_t own, const uint8_t *row, size_t size)
{
  if (size != LANE_ROW)
    return false;
  bool is_of_this_life = get_le(row + 8, 8) == own;
  l->incarnation = get_le(row, 8);
  l->base = l->next = get_le(row + 16, 8);
  l->closed = l->closed_sealed = l->closed_landed = l->next - 1;
  l->have = is_of_this_life ? get_le(row + 24, 8) : 0;
  l->kept = is_of_this_life ? get_le(row + 32, 8) : 0;
  l->taken = l->sealed = l->landed = lane_read_mark(row);
  l->taken_kept = (lane_mark){get_le(row + 56, 8), get_le(row + 64, 8)};
  return l->next && l->next <= PARCEL_NUMBER_MAX && l->have < l->next && l->kept < l->next;
}
