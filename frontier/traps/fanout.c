/* See fanout.h. */
#include "frontier/traps/fanout.h"

#include "mlbf/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEYS = 1 << 18,      /* directories and parameters: 1.3 MB of cells */
  PARAMETERS_MAX = 32, /* of a query; a longer one says no more about its directory */
};

typedef enum kind { DATES, QUERIES, PARTS, PARAMETER } kind;

struct fanout {
  const mlbf_hasher *hasher;
  mlbf_count *counts;
  uint32_t keys; /* counted there */
};

static mlbf_status begin(fanout *c)
{
  /* the seed may be known: what is counted there are keyed hashes */
  mlbf_count_options options = MLBF_COUNT_OPTIONS_DEFAULT;
  options.keys = KEYS;
  options.seed = 1;
  mlbf_count *fresh;
  mlbf_status status = mlbf_count_create(&options, &fresh);
  if (status != MLBF_OK)
    return status;
  mlbf_count_free(c->counts);
  *c = (fanout){.hasher = c->hasher, .counts = fresh};
  return MLBF_OK;
}

fanout *fanout_create(const mlbf_hasher *hasher)
{
  fanout *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->hasher = hasher;
  if (begin(c) == MLBF_OK)
    return c;
  free(c);
  return NULL;
}

void fanout_free(fanout *c)
{
  if (c)
    mlbf_count_free(c->counts);
  free(c);
}

/* ---- counting -------------------------------------------------------------------------------------------- */

static uint64_t key_of(const fanout *c, uint64_t above, kind what, span text)
{
  return mlbf_hasher_hash(c->hasher, above * (PARAMETER + 1) + what, (mlbf_span){text.at, text.size}).low;
}

/* `times` more of this key; how many there are now. */
static uint32_t add(fanout *c, uint64_t key, uint32_t times)
{
  uint32_t now = 0;
  if (mlbf_count_add(c->counts, (mlbf_span){&key, sizeof key}, times, &now) != MLBF_OK)
    return 0;
  c->keys += now == times;
  assert(now >= times || now == MLBF_COUNT_LIMIT_MOST); /* never too low */
  return now;
}

static uint32_t get(const fanout *c, uint64_t key)
{
  return mlbf_count_get(c->counts, (mlbf_span){&key, sizeof key});
}

static fanout_count note_query(fanout *c, uint32_t host_id, span path, span query)
{
  uint64_t parts = key_of(c, host_id, PARTS, path);
  fanout_count found = {.queries = add(c, key_of(c, host_id, QUERIES, path), 1), .parts = get(c, parts)};
  for (unsigned i = 0; query.size && i < PARAMETERS_MAX; i++) {
    const char *end = memchr(query.at, '&', query.size);
    size_t size = end ? (size_t)(end - query.at) : query.size, gone = size + (end != NULL);
    if (size && add(c, key_of(c, parts, PARAMETER, (span){query.at, size}), 1) == 1)
      found.parts = add(c, parts, 1);
    query = (span){query.at + gone, query.size - gone};
  }
  return found;
}

/* ---- dates ----------------------------------------------------------------------------------------------- */

/* The number at the beginning of `*rest`, of `least` to `most` digits, which are then cut off; -1: there is none. */
static int cut_number(span *rest, size_t least, size_t most)
{
  int number = 0;
  size_t digits = 0;
  for (; digits < rest->size && digits < most && rest->at[digits] >= '0' && rest->at[digits] <= '9'; digits++)
    number = 10 * number + (rest->at[digits] - '0');
  *rest = (span){rest->at + digits, rest->size - digits};
  return digits >= least ? number : -1;
}

static bool cut_byte(span *rest, char byte)
{
  bool is_there = rest->size && rest->at[0] == byte;
  *rest = (span){rest->at + is_there, rest->size - is_there};
  return is_there;
}

/* 2026-11-20, 2026-11, 20261120, with '_' or '.' as well, and with an extension of letters. */
static bool is_date(span text)
{
  int year = cut_number(&text, 4, 4);
  char between = text.size ? text.at[0] : '\0';
  bool is_parted = between == '-' || between == '_' || between == '.';
  if (is_parted)
    cut_byte(&text, between);
  int month = cut_number(&text, is_parted ? 1 : 2, 2);
  bool has_day = is_parted ? cut_byte(&text, between) : true;
  int day = has_day ? cut_number(&text, is_parted ? 1 : 2, 2) : 1;
  if (year < 1000 || year > 2999 || month < 1 || month > 12 || day < 1 || day > 31)
    return false;
  if (cut_byte(&text, '.'))
    while (text.size && ((text.at[0] | 32) >= 'a' && (text.at[0] | 32) <= 'z'))
      text = (span){text.at + 1, text.size - 1};
  return text.size == 0;
}

/* ---- a URL ----------------------------------------------------------------------------------------------- */

static span value_of(span query)
{
  const char *sign = memchr(query.at, '=', query.size);
  size_t name = sign ? (size_t)(sign - query.at) + 1 : 0;
  return (span){query.at + name, query.size - name};
}

/* What follows the last '/' that does not end the path; `*directory` is what precedes it. */
static span last_segment(span path, span *directory)
{
  size_t end = path.size - (path.size && path.at[path.size - 1] == '/');
  const char *slash = memrchr(path.at, '/', end);
  size_t begin = slash ? (size_t)(slash - path.at) + 1 : 0;
  *directory = (span){path.at, begin};
  return (span){path.at + begin, end - begin};
}

fanout_count fanout_note(fanout *c, uint32_t host_id, span path, span query, uint32_t dates)
{
  span directory = path, child = query;
  assert(c->counts && c->keys <= KEYS + PARAMETERS_MAX + 2); /* what one query adds */
  if (c->keys >= KEYS && begin(c) != MLBF_OK)
    return (fanout_count){0};
  if (query.size && memchr(query.at, '&', query.size))
    return note_query(c, host_id, path, query);
  if (!query.size)
    child = last_segment(path, &directory);
  if (!is_date(query.size ? value_of(child) : child))
    return (fanout_count){0};
  return (fanout_count){.dates = add(c, key_of(c, host_id, DATES, directory), dates)};
}
