/* The second reader's tables of URLs, by FORMAT.md: values of rows, what the rows of `text` and `again` say, and what
 * became of each URL. */
#include "tests/support/second_inside.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { HEAD = 32, BLOCK_HEAD = 24, BLOCK = 64, TEXT_MAX = 8192, STATES = 448, STATES_BLOCK = 260 };

uint64_t second_number(const uint8_t *value, size_t *at, size_t end)
{
  uint64_t all = 0;
  for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = value[(*at)++];
    all |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return all;
  }
  *at = end + 1;
  return 0;
}

static bool sum_holds(const uint8_t *sum, const uint8_t *bytes, size_t size, uint64_t seed)
{
  return number(sum, 4) == (XXH3_64bits_withSeed(bytes, size, seed) & 0xffffffff);
}

static second_url *url_at(second_view *v, uint64_t sequence)
{
  if (sequence > 0 && sequence < v->url_room)
    return &v->urls[sequence];
  second_fault(v, "sequence %llu was not given yet", (unsigned long long)sequence);
  return &v->urls[0];
}

/* ---- values of rows ---------------------------------------------------------------------------------------- */

typedef struct value {
  second_view *v;
  const uint8_t *bytes;
  size_t end; /* of the blocks */
  uint64_t first, rows;
  size_t blocks;
  char kind;
} value;

static bool open_value(second_view *v, const second_record *r, char kind, value *out)
{
  const uint8_t magic[4] = {'S', 'V', (uint8_t)kind, 1};
  if (r->key_size != 8 || r->value_size < HEAD + 4 || r->value_size > 1 << 28 || memcmp(r->value, magic, 4) != 0 ||
      !sum_holds(r->value + 4, r->value + 8, HEAD - 8, v->id))
    return false;
  size_t blocks = (size_t)number(r->value + 24, 4);
  *out = (value){.v = v,
                 .bytes = r->value,
                 .first = number(r->value + 8, 8),
                 .rows = number(r->value + 16, 8),
                 .blocks = blocks,
                 .kind = kind};
  if (out->first != number(r->key, 8) || out->rows == 0 || blocks != (out->rows + BLOCK - 1) / BLOCK ||
      number(r->value + 28, 4) != 0 || blocks > (r->value_size - HEAD) / (BLOCK_HEAD + 4))
    return false;
  out->end = r->value_size - 4 * blocks - 4;
  return sum_holds(r->value + out->end + 4 * blocks, r->value + out->end, 4 * blocks, v->id);
}

/* The i-th block, at `at`; returns where it ends, 0: it is damaged. */
static size_t read_block(const value *u, size_t i, size_t at, second_row_reader *read)
{
  const uint8_t magic[4] = {'S', 'B', (uint8_t)u->kind, 1}, *block = u->bytes + at;
  uint64_t foot = number(u->bytes + u->end + 4 * i, 4), rows = i + 1 < u->blocks ? BLOCK : u->rows - BLOCK * i;
  unsigned marks = 0;
  if ((foot & 0xfffffff) != at || u->end - at < BLOCK_HEAD || memcmp(block, magic, 4) != 0)
    return 0;
  size_t size = (size_t)number(block + 16, 4), end = at + BLOCK_HEAD + size;
  if (size > u->end - at - BLOCK_HEAD || !sum_holds(block + 4, block + 8, BLOCK_HEAD + size - 8, u->v->id) ||
      number(block + 8, 8) != u->first + BLOCK * i || number(block + 20, 2) != rows || number(block + 22, 2) != 0)
    return 0;
  at += BLOCK_HEAD;
  for (uint64_t k = 0; k < rows; k++) {
    uint64_t row_size = u->kind == 'E' ? 8 : second_number(u->bytes, &at, end);
    if (at > end || row_size > end - at)
      return 0;
    marks |= 1u << read(u->v, u->first + BLOCK * i + k, u->bytes + at, (size_t)row_size);
    at += (size_t)row_size;
  }
  return at == end && marks == foot >> 28 ? end : 0;
}

void second_rows(second_view *v, const second_record *r, char kind, uint64_t *next, second_row_reader *read)
{
  value u;
  size_t at = HEAD;
  if (!open_value(v, r, kind, &u) || u.first < *next) {
    second_fault(v, "%s: the head or foot of a value, or its key", second_table_names[r->table]);
    return;
  }
  for (size_t i = 0; i < u.blocks && at; i++)
    at = read_block(&u, i, at, read);
  if (at != u.end)
    second_fault(v, "%s: a block of the value of row %llu", second_table_names[r->table], (unsigned long long)u.first);
  *next = u.first + u.rows;
}

/* ---- URLs -------------------------------------------------------------------------------------------------- */

static bool read_fields(const uint8_t *bytes, size_t size, second_url *u)
{
  for (size_t at = 0; at < size;) {
    size_t n = size - at < 5 ? SIZE_MAX : (size_t)number(bytes + at + 1, 4);
    if (size - at < 5 || n > size - at - 5)
      return false;
    if (bytes[at] == 1 && n == 16 && !u->key_hash) {
      u->key_hash = bytes + at + 5;
    } else if (bytes[at] == 2 && n <= 65536 && !u->payload) {
      u->payload = bytes + at + 5;
      u->payload_size = n;
    } else if (!(bytes[at] == 3 && n == 4) && !(bytes[at] == 4 && n == 8)) {
      return false;
    }
    at += 5 + n;
  }
  return true;
}

/* The sequence of the page that gave the link. */
static uint64_t via_of(uint64_t n, uint64_t sequence)
{
  if (n == 0)
    return 0;
  if (n == 2 * sequence + 1)
    return sequence + ((uint64_t)1 << 63);
  return n % 2 ? sequence - n / 2 : sequence + n / 2;
}

/* The fetch URL, NUL-terminated, in memory of its own. NULL: it cannot be one. */
static char *fetch_of(const second_view *v, const second_url *u, unsigned form, const uint8_t *text, size_t size)
{
  static const char *const schemes[] = {"http://", "https://", "", ""};
  const char *host = form < 2 ? v->hosts[u->host].name : "";
  size_t scheme_size = strlen(schemes[form]), head = scheme_size + strlen(host);
  if (head + size == 0 || head + size > TEXT_MAX || (form < 3 && memchr(text, 0, size)) ||
      (form == 3 && (!u->key_hash || *v->hosts[u->host].name != '/')) || (form < 2 && size && *text != '/'))
    return NULL;
  char *fetch = malloc(head + size + 1);
  if (!fetch)
    abort();
  memcpy(fetch, schemes[form], scheme_size);
  memcpy(fetch + scheme_size, host, head - scheme_size);
  memcpy(fetch + head, text, size);
  fetch[head + size] = '\0';
  return fetch;
}

/* What a row says; `has_name`: of its host. false: it makes no sense. */
static bool read_url(const second_view *v, uint64_t sequence, const uint8_t *row, size_t end, second_url *u,
                     bool *has_name)
{
  size_t at = 2, size = 0;
  if (end < 2)
    return false;
  unsigned head = row[0], form = head >> 2 & 3;
  *u = (second_url){.class = head & 3, .outcome = row[1] & 7, .layer = row[1] >> 3};
  u->was_noted = head >> 7;
  *has_name = head >> 5 & 1;
  u->host = second_number(row, &at, end);
  uint64_t depth = second_number(row, &at, end), hops = 0;
  u->via = via_of(second_number(row, &at, end), sequence);
  if (head >> 4 & 1)
    hops = second_number(row, &at, end);
  if (u->outcome > 5 || u->host >= v->host_count || depth > 65535 || hops > 65535 || at > end ||
      (head >> 4 & 1) != (hops != 0))
    return false;
  u->depth = (unsigned)depth;
  u->hops = (unsigned)hops;
  if (*has_name) {
    const char *name = v->hosts[u->host].name;
    size = (size_t)second_number(row, &at, end);
    if (at > end || size == 0 || size > end - at || strlen(name) != size || memcmp(row + at, name, size) != 0)
      return false;
    at += size;
  }
  if (head >> 6 & 1) {
    size = (size_t)second_number(row, &at, end);
    if (at > end || size == 0 || size > end - at || !read_fields(row + at, size, u))
      return false;
    at += size;
  }
  return at <= end && (u->text = fetch_of(v, u, form, row + at, end - at)) != NULL;
}

static unsigned read_text_row(second_view *v, uint64_t row, const uint8_t *bytes, size_t size)
{
  second_url *u = url_at(v, row), read = {0};
  bool has_name = false, is_good = read_url(v, row, bytes, size, &read, &has_name);
  if (!is_good || (!has_name && !v->hosts[read.host].has_url))
    second_fault(v, "text: the row of URL %llu", (unsigned long long)row);
  read.found = u->found + 1;
  free(u->text);
  *u = read;
  if (is_good)
    v->hosts[read.host].has_url = true;
  return read.class;
}

void second_text(second_view *v, const second_record *r)
{
  second_rows(v, r, 'T', &v->next_text, read_text_row);
}

/* Of a newer row only class and fields are new. */
void second_again(second_view *v, const second_record *r)
{
  uint64_t sequence = r->key_size == 8 ? number(r->key, 8) : 0;
  second_url *u = url_at(v, sequence), read = {0};
  bool has_name = false, is_good = read_url(v, sequence, r->value + 4, r->value_size - 4, &read, &has_name);
  if (!is_good || has_name || !u->text || strcmp(u->text, read.text) != 0 || u->host != read.host ||
      u->via != read.via || u->depth != read.depth || u->hops != read.hops || u->outcome != read.outcome ||
      u->layer != read.layer || !u->is_again)
    second_fault(v, "again: the row of URL %llu", (unsigned long long)sequence);
  free(read.text);
  u->has_again = true;
  u->class = read.class;
  u->key_hash = read.key_hash;
  u->payload = read.payload;
  u->payload_size = read.payload_size;
}

/* ---- what became of them ----------------------------------------------------------------------------------- */

static void set_state(second_view *v, uint64_t sequence, uint64_t bits)
{
  second_url *u = url_at(v, sequence);
  unsigned state = bits >> 16 & 7;
  if (!u->found || state < 1 || state > 5 || bits >> 20)
    second_fault(v, "URL %llu became %llx", (unsigned long long)sequence, (unsigned long long)bits);
  u->is_again = state == 5;
  u->state = u->is_again ? 0 : state;
  u->code = bits & 0xffff;
  u->was_trap = bits >> 19 & 1;
}

static unsigned read_ended_row(second_view *v, uint64_t row, const uint8_t *bytes, size_t size)
{
  uint64_t bits = number(bytes, (unsigned)size);
  (void)row;
  set_state(v, bits >> 20, bits & 0xfffff);
  return 0;
}

void second_ended(second_view *v, const second_record *r)
{
  uint64_t next = v->next_ended;
  second_rows(v, r, 'E', &v->next_ended, read_ended_row);
  if (next && number(r->key, 8) != next)
    second_fault(v, "ended: row %llu is missing", (unsigned long long)next);
}

void second_states(second_view *v, const second_record *r)
{
  if (r->key_size != 8 || r->value_size != 7 * STATES_BLOCK) {
    second_fault(v, "states: a value of %zu bytes", r->value_size);
    return;
  }
  uint64_t key = number(r->key, 8);
  for (unsigned i = 0; i < 7; i++) {
    const uint8_t *block = r->value + (size_t)STATES_BLOCK * i;
    if (!sum_holds(block, block + 4, STATES_BLOCK - 4, v->id ^ (7 * key + i))) {
      second_fault(v, "states: block %u of group %llu", i, (unsigned long long)key);
      continue;
    }
    for (unsigned j = 0; j < BLOCK; j++)
      if (number(block + 4 + 4 * j, 4))
        set_state(v, STATES * key + BLOCK * i + j, number(block + 4 + 4 * j, 4));
  }
}
