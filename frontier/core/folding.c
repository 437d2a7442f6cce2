/* See folding.h.
 *
 *     ended   |------ being folded ------|------- waits, at least 7/8 of the limit -------|<- new rows
 *             first_kept
 *
 * A value of `states` is written for each group of 448 URLs that has a row here, so many rows are folded at once: the
 * more, the fewer values for each. The rows are deleted with the last group; a fold that a crash cuts short is begun
 * again, and says the same. What waits is read whole when a directory is opened: 8 bytes a row.
 *
 * Called under the handle's mutex, as a part of each commit. */
#include "frontier/core/state.h"

#include <inttypes.h>

enum {
  ROWS_MIN = FRONTIER_LIMIT(1 << 20, 60), /* that wait, before any are folded; */
  ROWS_SHARE = 16,                        /* and one for so many URLs */
  AT_ONCE_SHARE = 8,                      /* of these, so many are folded at once */
  AT_ONCE_MAX = 1 << 20,                  /* but their sorting takes 20 ms */
};

void folding_begin(folding *f, uint64_t first_kept)
{
  f->first_kept = first_kept;
}

static uint64_t limit_of(const frontier *f)
{
  uint64_t share = counts_next_sequence(&f->counts) / ROWS_SHARE;
  return share > ROWS_MIN ? share : ROWS_MIN;
}

static uint64_t rows_kept(const frontier *f)
{
  return batch_ended_first(&f->batch) - f->folding.first_kept;
}

/* So many that all are done before as many rows as there are have come. */
static size_t groups_now(const frontier *f)
{
  const folding *d = &f->folding;
  uint64_t fresh = batch_ended_count(&f->batch);
  return d->fold.count ? (size_t)(2 * d->groups * fresh / d->fold.count) + 1 : 1;
}

static void put(frontier *f)
{
  folding *d = &f->folding;
  if (!d->fold.rows && rows_kept(f) <= limit_of(f))
    return;
  uint64_t at_once = limit_of(f) / AT_ONCE_SHARE;
  d->fold.at = d->sealed_at;
  /* what cannot be folded stays as it is; reading it says why */
  (void)store_fold_some(f->store, &d->fold, at_once < AT_ONCE_MAX ? (size_t)at_once : AT_ONCE_MAX, groups_now(f),
                        &d->is_over);
}

static void sealed(frontier *f)
{
  folding *d = &f->folding;
  d->sealed_at = d->fold.at;
  d->groups = d->fold.groups;
  if (!d->is_over)
    return;
  d->first_kept = d->fold.end;
  store_fold_free(&d->fold);
  d->is_over = false;
  d->sealed_at = d->groups = 0;
}

static void close_it(frontier *f)
{
  store_fold_free(&f->folding.fold);
}

static void check(const frontier *f)
{
  const folding *d = &f->folding;
  assert(d->sealed_at <= d->fold.count);
  assert(!f->store || f->options.read_only || d->first_kept <= batch_ended_first(&f->batch));
  (void)d;
}

const part folding_part = {.check = check, .put = put, .sealed = sealed, .close = close_it};
