/* frontier/late/doubt_row.h: a row comes back as it was, whatever is in it; and no bytes make it read wild. */
#include <stdlib.h>
#include <string.h>

#include "frontier/late/doubt_row.h"
#include "frontier/url.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

static uint64_t dice;
static char text[URL_LENGTH_MAX + 1], payload[FRONTIER_PAYLOAD_MAX + 1];
static char group[FRONTIER_GROUP_MAX];

static uint8_t *written(const doubt_row *row, size_t *size)
{
  *size = doubt_row_size(row);
  uint8_t *bytes = malloc(*size);
  assert_non_null(bytes);
  doubt_row_write(row, bytes);
  return bytes;
}

static void check_hash(mlbf_hash128 got, mlbf_hash128 wanted)
{
  assert_true(got.low == wanted.low && got.high == wanted.high);
}

static void check_same(const doubt_row *got, const doubt_row *wanted)
{
  check_hash(got->hashes.whole, wanted->hashes.whole);
  assert_int_equal(got->has_own_key, wanted->has_own_key);
  assert_int_equal(got->hashes.depth, wanted->has_own_key ? wanted->hashes.depth : 0);
  for (uint32_t i = 0; i < got->hashes.depth; ++i)
    check_hash(got->hashes.layer[i], wanted->hashes.layer[i]);
  assert_int_equal(got->purpose, wanted->purpose);
  assert_int_equal(got->was_known_before, wanted->was_known_before);
  assert_true(got->origin.via == wanted->origin.via);
  assert_int_equal(got->origin.depth, wanted->origin.depth);
  assert_int_equal(got->origin.hops, wanted->origin.hops);
  assert_int_equal(got->url_size, wanted->url_size);
  assert_memory_equal(got->url, wanted->url, wanted->url_size);
  assert_int_equal(got->payload_size, wanted->payload_size);
  if (wanted->payload_size)
    assert_memory_equal(got->payload, wanted->payload, wanted->payload_size);
  else
    assert_null(got->payload);
  assert_int_equal(got->group_size, wanted->group_size);
  if (wanted->group_size)
    assert_memory_equal(got->group, wanted->group, wanted->group_size);
  assert_int_equal(got->is_opaque, wanted->is_opaque);
  assert_int_equal(got->priority, wanted->priority);
  assert_true(got->not_before_ms == wanted->not_before_ms);
}

static void comes_back(const doubt_row *row)
{
  size_t size;
  doubt_row read;
  mlbf_hash128 key;
  uint8_t *bytes = written(row, &size);
  assert_true(doubt_row_read(&read, bytes, size));
  check_same(&read, row);
  assert_true(doubt_row_key(&key, bytes, size));
  check_hash(key, row->hashes.whole);
  free(bytes);
}

static doubt_row any_row(void)
{
  doubt_row row = {.has_own_key = random_one_in(&dice, 3),
                   .was_known_before = random_one_in(&dice, 2),
                   .purpose = random_one_in(&dice, 3) ? DOUBT_TO_NOTE : DOUBT_TO_QUEUE,
                   .origin = {.via = random_next(&dice) >> random_below(&dice, 64),
                              .depth = (uint16_t)(random_next(&dice) >> random_below(&dice, 16)),
                              .hops = (uint16_t)(random_one_in(&dice, 2) ? 0 : random_next(&dice))},
                   .url = text,
                   .url_size = 1 + random_below(&dice, random_one_in(&dice, 4) ? URL_LENGTH_MAX : 100),
                   .payload = payload,
                   .payload_size = random_one_in(&dice, 2) ? 0 : random_below(&dice, FRONTIER_PAYLOAD_MAX + 1)};
  row.group = group;
  row.group_size = random_one_in(&dice, 2) ? 0 : 1 + random_below(&dice, FRONTIER_GROUP_MAX);
  row.is_opaque = row.has_own_key && row.group_size && random_one_in(&dice, 2);
  row.priority = random_one_in(&dice, 2) ? 0 : (int32_t)(uint32_t)random_next(&dice);
  row.not_before_ms = random_one_in(&dice, 2) ? 0 : random_next(&dice) >> random_below(&dice, 64);
  row.hashes.whole = (mlbf_hash128){random_next(&dice), random_next(&dice)};
  row.hashes.depth = random_below(&dice, MLBF_LAYERS_MAX + 1);
  for (uint32_t i = 0; i < row.hashes.depth; ++i)
    row.hashes.layer[i] = (mlbf_hash128){random_next(&dice), random_next(&dice)};
  return row;
}

CASE(any_row_comes_back)
{
  for (int i = 0; i < 3000; ++i) {
    doubt_row row = any_row();
    comes_back(&row);
  }
}

CASE(the_largest_row_comes_back)
{
  doubt_row row = {.has_own_key = true,
                   .purpose = DOUBT_TO_NOTE,
                   .hashes = {.whole = {UINT64_MAX, UINT64_MAX}, .depth = MLBF_LAYERS_MAX},
                   .origin = {UINT64_MAX, UINT16_MAX, UINT16_MAX},
                   .url = text,
                   .url_size = URL_LENGTH_MAX,
                   .payload = payload,
                   .payload_size = FRONTIER_PAYLOAD_MAX,
                   .is_opaque = true,
                   .group = group,
                   .group_size = FRONTIER_GROUP_MAX,
                   .priority = INT32_MIN,
                   .not_before_ms = UINT64_MAX};
  comes_back(&row);
  comes_back(&(doubt_row){.url = text, .url_size = 1});
}

/* ---- any bytes ----------------------------------------------------------------------------------------------- */

static bool is_inside(const void *at, size_t size, const uint8_t *bytes, size_t room)
{
  const uint8_t *from = at;
  return size == 0 || (from >= bytes && size <= room && (size_t)(from - bytes) <= room - size);
}

/* It is refused; or what it points to lies inside, and is within the limits. In memory of its own size, so that a
 * sanitizer sees what is read beyond. */
static void is_no_danger(const uint8_t *bytes, size_t size)
{
  doubt_row row;
  mlbf_hash128 key;
  uint8_t *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  if (size)
    memcpy(copy, bytes, size);
  if (doubt_row_read(&row, copy, size)) {
    assert_true(is_inside(row.url, row.url_size, copy, size));
    assert_true(is_inside(row.payload, row.payload_size, copy, size));
    assert_true(is_inside(row.group, row.group_size, copy, size) && row.group_size <= FRONTIER_GROUP_MAX);
    assert_true(row.url_size >= 1 && row.url_size <= URL_LENGTH_MAX && row.payload_size <= FRONTIER_PAYLOAD_MAX);
    assert_true(row.hashes.depth <= MLBF_LAYERS_MAX);
    assert_true(doubt_row_key(&key, copy, size));
    comes_back(&row);
  }
  free(copy);
}

CASE(no_bytes_are_a_danger)
{
  size_t size;
  doubt_row row = {.has_own_key = true,
                   .hashes = {.whole = {1, 2}, .depth = 2, .layer = {{3, 4}, {5, 6}}},
                   .origin = {.via = 1000, .depth = 200, .hops = 3},
                   .url = "http://a.org/b",
                   .url_size = 14,
                   .payload = "xyz",
                   .payload_size = 3};
  uint8_t *bytes = written(&row, &size);
  for (size_t cut = 0; cut < size; ++cut)
    is_no_danger(bytes, cut);
  for (size_t bit = 0; bit < 8 * size; ++bit) {
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    for (size_t cut = size - 16; cut <= size; ++cut)
      is_no_danger(bytes, cut);
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  free(bytes);
  for (int i = 0; i < 200000; ++i) {
    uint8_t any[60];
    for (size_t at = 0; at < sizeof any; ++at)
      any[at] = (uint8_t)((random_next(&dice) & 255) >> random_below(&dice, 8));
    is_no_danger(any, random_below(&dice, sizeof any + 1));
  }
}

CASE(what_no_row_has_is_refused)
{
  enum { AT = 17 }; /* behind head and key */
  static const struct {
    uint8_t head, bytes[12];
    size_t size;
    const char *why;
  } rows[] = {
    {32, {0, 0, 0, '/'}, 4, "a group of no bytes"},
    {32, {0, 0, 3, 'a', 'b'}, 5, "a group beyond the end"},
    {32, {0, 0, 2, 'a', 0, '/'}, 6, "a group with a NUL"},
    {64, {0, 0, 1, '/'}, 4, "a priority, and a time that is the URL"},
    {64, {0, 0, 128, 128, 128, 128, 16, 0, '/'}, 9, "a priority beyond 32 bits"},
    {128, {0, 0, '/'}, 3, "an opaque target without key and group"},
    {128 + 2, {0, 0, 0, '/'}, 4, "an opaque target without a group"},
    {0, {0}, 0, "no numbers"},
    {0, {0, 0}, 2, "no URL"},
    {0, {128, 128, 4, 0, '/'}, 5, "a depth beyond 16 bits"},
    {4, {0, 0, 128, 128, 4, '/'}, 6, "hops beyond 16 bits"},
    {4, {0, 0, 255}, 3, "hops that do not end"},
    {2, {0, 0, 17, '/'}, 4, "17 layers"},
    {2, {0, 0, 1, 1, '/'}, 5, "a layer beyond the end"},
    {8, {0, 0, 0, '/'}, 4, "a payload of no bytes"},
    {8, {0, 0, 3, 'a', 'b'}, 5, "a payload beyond the end"},
    {8, {0, 0, 2, 'a', 'b'}, 5, "a payload, and no URL"},
  };
  static uint8_t bytes[AT + 10 + FRONTIER_PAYLOAD_MAX + URL_LENGTH_MAX];
  doubt_row row;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    bytes[0] = rows[i].head;
    memcpy(bytes + AT, rows[i].bytes, sizeof rows[i].bytes);
    if (doubt_row_read(&row, bytes, AT + rows[i].size))
      fail_msg("%s", rows[i].why);
  }
  memset(bytes, 0, sizeof bytes);
  assert_true(doubt_row_read(&row, bytes, AT + 2 + URL_LENGTH_MAX));
  assert_false(doubt_row_read(&row, bytes, AT + 3 + URL_LENGTH_MAX));
  bytes[0] = 8;
  memcpy(bytes + AT + 2, (const uint8_t[]){0x81, 0x80, 4}, 3); /* one byte more than a payload may have */
  assert_false(doubt_row_read(&row, bytes, AT + 6 + FRONTIER_PAYLOAD_MAX + 1));
  bytes[AT + 2] = 0x80;
  assert_true(doubt_row_read(&row, bytes, AT + 6 + FRONTIER_PAYLOAD_MAX));
}

static int prepare(void **state)
{
  (void)state;
  memset(group, 'g', sizeof group);
  dice = random_seed();
  for (size_t i = 0; i < sizeof payload; ++i)
    payload[i] = (char)random_next(&dice);
  for (size_t i = 0; i < sizeof text; ++i)
    text[i] = (char)('!' + random_below(&dice, 90));
  return 0;
}

EACH_CASE(prepare, NULL)
