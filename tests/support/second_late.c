/* The second reader's part on exact keys, by FORMAT.md: `unconfirmed`, `run_marks`, `late`, and the files of keys that
 * these name. A file that is not there is no fault. */
#include "tests/support/second_inside.h"

#include "tests/support/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PAGE = 4096, HEAD = 16, RUN_KEY = 16, DOUBT_KEY = 24, MARK = 24 };

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static unsigned read_doubt(second_view *v, uint64_t row, const uint8_t *bytes, size_t size)
{
  size_t at = 17, text;
  unsigned bits = size ? bytes[0] : 255;
  uint64_t depth = second_number(bytes, &at, size), via = second_number(bytes, &at, size), hops = 1, layers = 0;
  if (bits & 4)
    hops = second_number(bytes, &at, size);
  if (bits & 2)
    layers = second_number(bytes, &at, size);
  bool is_good = at <= size && layers <= 16 && 16 * layers <= size - at;
  at += is_good ? 16 * (size_t)layers : 0;
  uint64_t payload = is_good && bits & 8 ? second_number(bytes, &at, size) : 0;
  is_good = is_good && at <= size && payload <= 65536 && payload <= size - at && (payload || !(bits & 8));
  at += is_good ? (size_t)payload : 0;
  uint64_t group = is_good && bits & 32 ? second_number(bytes, &at, size) : 0;
  is_good = is_good && at <= size && group <= 255 && group <= size - at && (group || !(bits & 32));
  at += is_good ? (size_t)group : 0;
  if (is_good && bits & 64) {
    is_good = second_number(bytes, &at, size) <= UINT32_MAX;
    second_number(bytes, &at, size);
  }
  is_good = is_good && at <= size && (!(bits & 128) || (bits & 2 && bits & 32));
  text = is_good ? size - at : 0;
  if (!is_good || depth > 65535 || hops == 0 || hops > 65535 || text == 0 || text > 8192 || (via && via >= v->url_room))
    second_fault(v, "unconfirmed: row %" PRIu64, row);
  if ((v->doubt_count & (v->doubt_count - 1)) == 0)
    v->doubts = realloc(v->doubts, (v->doubt_count ? 2 * v->doubt_count : 1) * sizeof *v->doubts);
  if (!v->doubts)
    abort();
  v->doubts[v->doubt_count++] = (second_doubt){row, bytes + 1, (const char *)bytes + size - text, text};
  return 0;
}

void second_unconfirmed(second_view *v, const second_record *r)
{
  second_rows(v, r, 'U', &v->next_unconfirmed, read_doubt);
}

static const second_doubt *doubt_at(const second_view *v, uint64_t row)
{
  for (size_t i = 0; i < v->doubt_count; i++)
    if (v->doubts[i].row == row)
      return &v->doubts[i];
  return NULL;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static bool is_page(const second_view *v, const uint8_t *page, uint64_t file, uint64_t number_of)
{
  uint64_t place[2] = {file, number_of};
  uint64_t seed = XXH3_64bits_withSeed(place, sizeof place, v->id);
  return number(page, 8) == XXH3_64bits_withSeed(page + 8, PAGE - 8, seed);
}

static bool is_head(const second_view *v, const uint8_t *page, unsigned kind, uint64_t file, uint64_t keys)
{
  static const uint8_t zeros[PAGE];
  return is_page(v, page, file, 0) && memcmp(page + 8, "STRATA keys\0\0\0\0", 16) == 0 && number(page + 24, 4) == 1 &&
         number(page + 28, 4) == kind && number(page + 32, 8) == v->id && number(page + 40, 8) == file &&
         number(page + 48, 8) == keys && memcmp(page + 56, zeros, PAGE - 56) == 0;
}

/* High half first. */
static int compare_keys(const uint8_t *a, const uint8_t *b)
{
  uint64_t left = number(a + 8, 8), right = number(b + 8, 8);
  if (left == right) {
    left = number(a, 8);
    right = number(b, 8);
  }
  return left < right ? -1 : left > right;
}

/* Its keys, `item` bytes each, one after the other (free them); NULL: there is no such file, or it is wrong. */
static uint8_t *read_keys(second_view *v, const char *directory, const char *kind, uint64_t file, uint64_t keys)
{
  char path[SCRATCH_PATH], name[32];
  size_t size, item = *kind == 'k' ? RUN_KEY : DOUBT_KEY, room = (PAGE - HEAD) / item, page = 1;
  snprintf(name, sizeof name, "%s.%" PRIu64, kind, file);
  scratch_join(directory, name, path);
  uint8_t *bytes = (uint8_t *)scratch_read(path, &size), *all = malloc((size_t)keys * item + 1);
  if (!all)
    abort();
  bool is_good = bytes && size == PAGE * (1 + (keys + room - 1) / room) &&
                 is_head(v, bytes, *kind == 'k' ? 'R' : 'D', file, keys);
  for (uint64_t done = 0, here; is_good && done < keys; done += here, page++) {
    const uint8_t *at = bytes + page * PAGE;
    here = keys - done < room ? keys - done : room;
    is_good = is_page(v, at, file, page) && number(at + 8, 8) == here;
    memcpy(all + done * item, at + HEAD, (size_t)here * item);
  }
  for (uint64_t i = 1; is_good && i < keys; i++)
    is_good = compare_keys(all + (i - 1) * item, all + i * item) <= 0;
  if (bytes && !is_good)
    second_fault(v, "%s: it is not as it should be", name);
  free(bytes);
  if (is_good)
    return all;
  free(all);
  return NULL;
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
  return compare_keys(*(const uint8_t *const *)a, *(const uint8_t *const *)b);
}

static void agree_on_run(second_view *v, const char *directory, uint64_t file, uint64_t from, uint64_t to)
{
  uint8_t *keys = read_keys(v, directory, "keys", file, to - from);
  const uint8_t **of_log = calloc((size_t)(to - from), sizeof *of_log);
  if (!of_log)
    abort();
  memcpy(of_log, v->log_hashes + from, (size_t)(to - from) * sizeof *of_log);
  qsort(of_log, (size_t)(to - from), sizeof *of_log, by_key);
  for (uint64_t i = 0; keys && i < to - from; i++)
    if (memcmp(keys + RUN_KEY * i, of_log[i], RUN_KEY) != 0) {
      second_fault(v, "keys.%" PRIu64 ": it lacks a key of the log, or has another", file);
      break;
    }
  free(of_log);
  free(keys);
}

static void agree_on_runs(second_view *v, const char *directory)
{
  const second_record *r = second_meta(v, "run_marks");
  uint64_t reached = 0;
  if (!r)
    return;
  if (r->value_size < 16 || (r->value_size - 16) % MARK || number(r->value + 4, 4) != 1) {
    second_fault(v, "run_marks: %zu bytes", r->value_size);
    return;
  }
  for (const uint8_t *at = r->value + 16; at < r->value + r->value_size; at += MARK) {
    uint64_t file = number(at, 8), from = number(at + 8, 8), to = number(at + 16, 8);
    if (file >= number(r->value + 8, 8) || from < reached || to <= from || to > v->log_keys)
      second_fault(v, "run_marks: keys %" PRIu64 " to %" PRIu64, from, to);
    else
      agree_on_run(v, directory, file, from, to);
    reached = to;
  }
}

/* ---- links ----------------------------------------------------------------------------------------------------- */

static void agree_on_file(second_view *v, const char *directory, const uint8_t *mark)
{
  uint64_t first = number(mark, 8), end = number(mark + 8, 8), keys = number(mark + 16, 8), rows = 0;
  uint8_t *all = read_keys(v, directory, "doubts", first, keys);
  for (uint64_t row = first; row < end; row++)
    rows += doubt_at(v, row) != NULL;
  for (uint64_t i = 0; all && i < keys; i++) {
    const uint8_t *item = all + DOUBT_KEY * i;
    uint64_t row = number(item + 16, 8);
    const second_doubt *d = row >= first && row < end ? doubt_at(v, row) : NULL;
    bool is_after = !i || memcmp(item - DOUBT_KEY, item, 16) != 0 || number(item - 8, 8) < row;
    if (!d || memcmp(d->hash, item, 16) != 0 || !is_after || keys != rows) {
      second_fault(v, "doubts.%" PRIu64 ": it has not the keys of rows %" PRIu64 " to %" PRIu64, first, first, end);
      break;
    }
  }
  free(all);
}

static void agree_on_doubts(second_view *v, const char *directory)
{
  static const uint8_t head[8] = {1};
  const second_record *r = second_meta(v, "late");
  uint64_t reached = 0;
  if (!r) {
    if (v->doubt_count)
      second_fault(v, "late: it is missing");
    return;
  }
  if (r->value_size < 52 || memcmp(r->value + 4, head, 8) != 0 ||
      r->value_size - 52 != MARK * number(r->value + 44, 8)) {
    second_fault(v, "late: %zu bytes", r->value_size);
    return;
  }
  uint64_t settled = number(r->value + 12, 8), next = number(r->value + 20, 8);
  if (settled < 1 || settled > next || number(r->value + 28, 8) > next - settled ||
      number(r->value + 28, 8) > number(r->value + 36, 8) || (v->next_unconfirmed && v->next_unconfirmed != next))
    second_fault(v, "late: rows %" PRIu64 " to %" PRIu64, settled, next);
  for (uint64_t row = settled; row < next && v->faults < 100; row++)
    if (!doubt_at(v, row))
      second_fault(v, "unconfirmed: row %" PRIu64 " is missing", row);
  for (const uint8_t *at = r->value + 52; at < r->value + r->value_size; at += MARK) {
    uint64_t first = number(at, 8), end = number(at + 8, 8);
    if (first < reached || first >= end || end > next || number(at + 16, 8) > end - first)
      second_fault(v, "late: a file of rows %" PRIu64 " to %" PRIu64, first, end);
    else if (end > settled)
      agree_on_file(v, directory, at);
    reached = end;
  }
}

void second_late(second_view *v, const char *directory)
{
  if (!v->log_has_gap)
    agree_on_runs(v, directory);
  agree_on_doubts(v, directory);
}
