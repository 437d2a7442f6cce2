/* Asks the runs: is a key known? Run after run, the largest first, with all keys in order, so that each file is read
 * from front to back; a key that was found is asked no more. */
#include "frontier/late/runs_inside.h"

#include <string.h>

enum { FEW = 16 /* keys that are likely to lie on different pages */ };

static frontier_status ask_file(const key_file *file, const mlbf_hash128 *sorted, size_t count, bool *has,
                                char message[FRONTIER_MESSAGE_SIZE])
{
  key_cursor *c = key_cursor_open(file, count > FEW ? CURSOR_PAGES : 1);
  frontier_status status = c ? FRONTIER_OK : runs_no_memory(message);
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++) {
    const numbered_key *item;
    if (has[i])
      continue;
    status = key_cursor_seek(c, sorted[i], message);
    if (status == FRONTIER_OK)
      status = key_cursor_get(c, &item, message);
    if (status == FRONTIER_OK)
      has[i] = item && key_compare(item->key, sorted[i]) == 0;
  }
  key_cursor_close(c);
  return status;
}

static bool flush_has(flushing *f, mlbf_hash128 key)
{
  size_t low = 0, high = f->count;
  if (!f->is_sorted)
    keys_sort(f->keys, f->count);
  f->is_sorted = true;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (key_compare(f->keys[middle], key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->count && key_compare(f->keys[low], key) == 0;
}

frontier_status runs_have(runs *r, const mlbf_hash128 *sorted, size_t count, bool *has,
                          char message[FRONTIER_MESSAGE_SIZE])
{
  memset(has, 0, count * sizeof *has);
  for (size_t i = 0; i < r->files; i++) {
    key_file *file = r->by_size[i];
    frontier_status status = ask_file(file, sorted, count, has, message);
    if (status == FRONTIER_DAMAGED)
      runs_lose(r, file);
    if (status != FRONTIER_OK)
      return status;
  }
  for (size_t i = 0; i < count; i++)
    if (!has[i])
      has[i] = fresh_keys_has(&r->fresh, sorted[i]) || (r->flush.keys && flush_has(&r->flush, sorted[i]));
  return FRONTIER_OK;
}

frontier_status runs_each(runs *r, runs_visitor *visit, void *context, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = FRONTIER_OK;
  bool goes_on = true;
  for (size_t i = 0; i < r->count && status == FRONTIER_OK && goes_on; i++) {
    const run *x = r->runs + i;
    const numbered_key *item = NULL;
    if (!x->file)
      continue;
    key_cursor *c = key_cursor_open(x->file, CURSOR_PAGES);
    status = c ? key_cursor_get(c, &item, message) : runs_no_memory(message);
    for (; status == FRONTIER_OK && item && goes_on; status = key_cursor_get(c, &item, message)) {
      goes_on = visit(context, x->from, x->to, item->key);
      key_cursor_step(c);
    }
    key_cursor_close(c);
  }
  return status;
}
