/* See traps.h for the rules. The filter's verdict NEW_COMBINATION is about all hosts together: two sites built with the
 * same software share segments, and each page of the second would be a combination. So segments are remembered here
 * once more, by host, in a table of fixed size. It may forget a segment, but never calls a new one seen: a combination
 * that it reports is a combination.
 *
 * Directories are counted in a table that keeps the frequent ones: if both places of a directory are taken, it lowers
 * the count of the rarer one by one, and takes that place when the count is 0 (after Misra and Gries, 1982). */
#include "frontier/traps/trap_detector.h"

#include "frontier/traps/fanout.h"
#include "mlbf/recent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  DIRECTORIES = 16384, /* a power of two */
  SEGMENTS = 131072,   /* remembered, of all hosts */
  DIRECTORY_MIN = 64,  /* new URLs before a directory is judged, */
  HOST_MIN = 512,      /* and what is left of a host */
  FOUND_MAX = 4096,    /* counts are halved here */
  DATES_MOST = 366,    /* children of one directory that are dates */
  DEPTH_MAX = 20,
  SIZE_MAX_PLAIN = 1024, /* bytes of path and query */
  REPEATS = 3,
  SESSION_VALUE_MIN = 8,
};

typedef struct directory {
  uint32_t tag; /* of its hash */
  uint16_t found, suspect;
} directory;

struct trap_detector {
  const mlbf_hasher *hasher;
  directory at[DIRECTORIES];
  mlbf_recent *segments;
  fanout *children;
};

trap_detector *trap_detector_create(const mlbf_hasher *hasher)
{
  trap_detector *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->segments = mlbf_recent_create(SEGMENTS);
  w->children = fanout_create(hasher);
  w->hasher = hasher;
  if (w->segments && w->children)
    return w;
  trap_detector_free(w);
  return NULL;
}

void trap_detector_free(trap_detector *w)
{
  if (!w)
    return;
  mlbf_recent_free(w->segments);
  fanout_free(w->children);
  free(w);
}

/* ---- what a URL looks like ------------------------------------------------------------------------------- */

/* The part of `*rest` up to the next byte of `ends`, or all; `*rest` goes on after it. */
static span cut(span *rest, char end)
{
  const char *found = memchr(rest->at, end, rest->size);
  span part = {rest->at, found ? (size_t)(found - rest->at) : rest->size};
  size_t gone = part.size + (found != NULL);
  rest->at += gone;
  rest->size -= gone;
  return part;
}

/* Behind the first '/' of the path, to '?' or the end; the query without '?'. */
static span path_of(const char *fetch, size_t size, size_t path_begin, span *query)
{
  span rest = {fetch + path_begin, size - path_begin};
  cut(&rest, '/');
  span path = cut(&rest, '?');
  *query = rest;
  return path;
}

static bool repeats_itself(span path)
{
  span seen[DEPTH_MAX + 1];
  unsigned count = 0;
  while (path.size && count <= DEPTH_MAX) {
    span segment = cut(&path, '/');
    unsigned same = 1;
    for (unsigned i = 0; i < count; i++)
      same += seen[i].size == segment.size && memcmp(seen[i].at, segment.at, segment.size) == 0;
    if (same >= REPEATS && segment.size > 1)
      return true;
    seen[count++] = segment;
  }
  return count > DEPTH_MAX;
}

static bool is_session(span name)
{
  static const char *const names[] = {"sid",        "s_id",         "session", "sessionid", "session_id", "phpsessid",
                                      "jsessionid", "aspsessionid", "cfid",    "cftoken",   "osCsid",     "zenid"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == name.size && strncasecmp(names[i], name.at, name.size) == 0)
      return true;
  return false;
}

static bool has_session(span query)
{
  while (query.size) {
    span value = cut(&query, '&'), name = cut(&value, '=');
    if (value.size >= SESSION_VALUE_MIN && is_session(name))
      return true;
  }
  return false;
}

/* Was each of its segments seen at its depth on this host? They are by now. The host itself is the first. */
static bool is_combination(trap_detector *w, const host *who, const url *u)
{
  bool is_known = u->segment_count > 1;
  for (uint32_t i = 1; i < u->segment_count; i++) {
    uint32_t begin = u->segment_begin[i];
    is_known &= mlbf_recent_note(w->segments,
                                 mlbf_hasher_hash(w->hasher, (uint64_t)who->id * URL_SEGMENTS_MAX + i,
                                                  (mlbf_span){u->key + begin, u->segment_begin[i + 1] - begin}));
  }
  return is_known;
}

static bool is_suspect(trap_detector *w, const host *who, const url *u)
{
  span query, path = path_of(u->fetch, u->fetch_size, u->path_begin, &query);
  return is_combination(w, who, u) || u->fetch_size - u->path_begin > SIZE_MAX_PLAIN || has_session(query) ||
         repeats_itself(path);
}

/* ---- its directory -------------------------------------------------------------------------------------- */

/* Digits count as one '#', whatever the number: /2026/6/15 and /2027/6/15 are of one calendar. */
static uint64_t hash_of_word(const mlbf_hasher *hasher, span word, uint64_t number)
{
  char shape[64] = "";
  size_t size = 0;
  for (size_t i = 0; i < word.size && size < sizeof shape; i++) {
    bool is_digit = word.at[i] >= '0' && word.at[i] <= '9';
    if (!is_digit || size == 0 || shape[size - 1] != '#')
      shape[size++] = is_digit ? '#' : word.at[i];
  }
  return mlbf_hasher_hash(hasher, number, (mlbf_span){shape, size}).low;
}

/* Host, first path segment (of a path of one only if a query follows: /calendar?day=1), names of parameters. */
uint64_t trap_detector_directory(const mlbf_hasher *hasher, const host *who, const char *fetch, size_t size,
                                 size_t path_begin, size_t *end)
{
  span query, path = path_of(fetch, size, path_begin, &query);
  span first = cut(&path, '/');
  bool is_file = path.at == first.at + first.size && !query.size;
  uint64_t hash = is_file ? who->id : hash_of_word(hasher, first, who->id);
  *end = is_file ? (size_t)(first.at - fetch) : (size_t)(path.at - fetch);
  while (query.size) {
    span parameter = cut(&query, '&'), name = cut(&parameter, '=');
    hash = hash_of_word(hasher, name, hash);
  }
  return hash;
}

/* Its place in the table; NULL: both are taken by others. */
static directory *find_directory(trap_detector *w, uint64_t hash)
{
  uint32_t tag = (uint32_t)(hash >> 32);
  directory *first = &w->at[hash & (DIRECTORIES - 1)], *second = &w->at[(hash >> 14 ^ hash) & (DIRECTORIES - 1)];
  if (first->found && first->tag == tag)
    return first;
  if (second->found && second->tag == tag)
    return second;
  directory *rarer = second->found < first->found ? second : first;
  assert(rarer->suspect <= rarer->found);
  if (rarer->found) {
    rarer->found--;
    rarer->suspect -= rarer->suspect > 0;
  }
  if (rarer->found)
    return NULL;
  *rarer = (directory){.tag = tag};
  return rarer;
}

/* ---- judgement ------------------------------------------------------------------------------------------- */

static bool is_trap(uint32_t found, uint32_t suspect, uint32_t least)
{
  return found >= least && suspect >= found / 4 * 3;
}

static bool directory_is_trap(trap_detector *w, const host *who, const url *u, bool suspect)
{
  size_t end;
  directory *d = find_directory(w,
                                trap_detector_directory(w->hasher, who, u->fetch, u->fetch_size, u->path_begin, &end));
  if (!d)
    return false;
  assert(d->suspect <= d->found && d->found < FOUND_MAX);
  d->found++;
  d->suspect = (uint16_t)(d->suspect + suspect);
  if (d->found == FOUND_MAX) {
    d->found /= 2;
    d->suspect /= 2;
  }
  return is_trap(d->found, d->suspect, DIRECTORY_MIN);
}

static bool host_is_trap(host *who, bool suspect)
{
  who->found++;
  who->suspect += suspect;
  if (who->found >= FOUND_MAX) {
    who->found /= 2;
    who->suspect /= 2;
  }
  return is_trap(who->found, who->suspect, HOST_MIN);
}

/* More days than a year has, or a few values in ever new combinations. Without this it takes a directory of its own for
 * each choice of parameters to be known, and a calendar whose days are one segment each is never known. */
static bool is_trap_by_fanout(trap_detector *w, const host *who, const url *u, bool suspect)
{
  span query, path = path_of(u->fetch, u->fetch_size, u->path_begin, &query);
  fanout_count of = fanout_note(w->children, who->id, path, query, 1);
  return of.dates > DATES_MOST || (suspect && of.queries >= DIRECTORY_MIN && of.parts <= of.queries / 4);
}

/* A trap that an earlier handle knew is not learnt anew. What a host as a whole is taken for says its record. */
void trap_detector_remember(trap_detector *w, const host *who, const url *u)
{
  span query, path = path_of(u->fetch, u->fetch_size, u->path_begin, &query);
  (void)is_combination(w, who, u);
  if (is_trap(who->found, who->suspect, HOST_MIN))
    return;
  (void)fanout_note(w->children, who->id, path, query, DATES_MOST);
  (void)directory_is_trap(w, who, u, true);
}

/* Of a trap's directory all is the trap's: its new years lead to its known days. Of a host that is not so. */
bool trap_detector_judge(trap_detector *w, host *who, const url *u)
{
  bool suspect = is_suspect(w, who, u);
  bool by_directory = directory_is_trap(w, who, u, suspect);
  bool by_children = is_trap_by_fanout(w, who, u, suspect);
  return by_directory || by_children || (host_is_trap(who, suspect) && suspect);
}
