/* See fetch_table.h. The file is not trusted: lines that are not JSON objects are left out. */
#include "crawler/report/fetch_table.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/mime_type.h"
#include "crawler/report/flat_line.h"
#include "datasets/sort/sorter.h"
#include "datasets/sort/spool.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  HOPS_MAX = 20, /* harvest.c's */
  SORT_MEMORY = 16 << 20,
};

struct fetch_table {
  mlbf_hasher *hasher;
  FILE *pages;
  spool *rows;
  uint64_t count;
  char *line;
  size_t room;
  json_t *object; /* of the line read last */
  url *target;
  url_profile profile;
};

uint64_t fetch_table_hash(const fetch_table *t, const char *key, size_t size)
{
  uint64_t hash = edge_hash(t->hasher, key, size);
  return hash ? hash : 1;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* What counts of a line; the first of two fields of a name. */
typedef struct facts {
  flat_field key, redirect, canonical, title, type, sniffed, status, error, via, sitemap, check, noindex;
} facts;

static bool is_text(const flat_field *f, const char *text)
{
  return f->value && f->size == strlen(text) && memcmp(f->value, text, f->size) == 0;
}

static facts facts_of(const char *line, size_t size)
{
  static const struct {
    const char *name;
    size_t place;
  } names[] = {{"key", offsetof(facts, key)},
               {"redirect", offsetof(facts, redirect)},
               {"canonical", offsetof(facts, canonical)},
               {"title", offsetof(facts, title)},
               {"type", offsetof(facts, type)},
               {"sniffed", offsetof(facts, sniffed)},
               {"status", offsetof(facts, status)},
               {"error", offsetof(facts, error)},
               {"via", offsetof(facts, via)},
               {"sitemap", offsetof(facts, sitemap)},
               {"check", offsetof(facts, check)},
               {"noindex", offsetof(facts, noindex)}};
  facts found = {.key = {.value = NULL}};
  flat_field field;
  for (const char *at = line; flat_line_next(&at, line + size, &field);)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      flat_field *to = (flat_field *)(void *)((char *)&found + names[i].place);
      if (!to->value && strlen(names[i].name) == field.name_size &&
          memcmp(names[i].name, field.name, field.name_size) == 0)
        *to = field;
    }
  return found;
}

static uint16_t ending_of(const facts *of)
{
  for (int i = FETCH_OK + 1; i < FETCH_ERRORS; i++)
    if (is_text(&of->error, fetch_error_name((fetch_error)i)))
      return (uint16_t)(FETCH_NO_ANSWER | i);
  unsigned long status = of->status.value ? strtoul(of->status.value, NULL, 10) : 0;
  return status < 1000 ? (uint16_t)status : 0;
}

/* By its type, or as its first bytes say. Before those were asked, a body without a type was read as HTML. */
static bool is_html(const facts *of)
{
  mime_type type = {.essence = ""};
  const flat_field *said = of->sniffed.value ? &of->sniffed : &of->type;
  if (said->value)
    mime_type_read(said->value, said->size, &type);
  return mime_type_is_html(&type) || !said->size;
}

static uint8_t flags_of(const facts *of)
{
  bool is_map = of->sitemap.value, is_check = of->check.value;
  return (uint8_t)((is_text(&of->via, "0") && !is_map && !is_check ? FETCH_START : 0) | (is_map ? FETCH_MAP : 0) |
                   (is_check ? FETCH_CHECK : 0) | (of->noindex.value ? FETCH_NOINDEX : 0) |
                   (is_html(of) ? FETCH_HTML : 0));
}

/* Of the URL in a field; 0: there is none. */
static uint64_t hash_of(const fetch_table *t, const flat_field *field)
{
  if (!field->value || url_parse(field->value, field->size, t->profile, t->target) != URL_OK)
    return 0;
  return fetch_table_hash(t, t->target->key, t->target->key_size);
}

static int compare(const void *a, const void *b)
{
  const fetch_row *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

static bool read_pages(fetch_table *t, sorter *to)
{
  uint64_t at = 0;
  for (ssize_t size; (size = getline(&t->line, &t->room, t->pages)) > 0; at += (uint64_t)size) {
    facts of = facts_of(t->line, (size_t)size);
    if (!of.key.value || !of.key.size)
      continue;
    fetch_row row = {.key = fetch_table_hash(t, of.key.value, of.key.size),
                     .next = hash_of(t, &of.redirect),
                     .line = at,
                     .title = of.title.value ? fetch_table_hash(t, of.title.value, of.title.size) : 0,
                     .ending = ending_of(&of),
                     .flags = flags_of(&of)};
    uint64_t canonical = hash_of(t, &of.canonical);
    if (canonical && canonical != row.key)
      row.flags |= FETCH_COPY;
    if (!sorter_add(to, &row))
      return false;
  }
  return !ferror(t->pages) && sorter_finish(to);
}

/* Does it say anything that the line before does not, which has the same key? A page that was found unchanged ended
 * as it did before, and a redirect to another spelling of a page has the page in a line of its own. */
static bool says_more(const fetch_row *row, const fetch_row *before)
{
  enum { UNCHANGED = 304 };
  bool is_respelled = row->next == row->key && before->next != before->key;
  return row->ending != UNCHANGED && !is_respelled;
}

/* Of each key the last. */
static bool keep_last(fetch_table *t, sorter *from)
{
  fetch_row last = {0};
  for (const fetch_row *row; (row = sorter_next(from));) {
    if (last.key && row->key != last.key) {
      if (!spool_write(t->rows, &last, sizeof last))
        return false;
      t->count++;
    }
    if (row->key != last.key || says_more(row, &last))
      last = *row;
  }
  if (last.key && !spool_write(t->rows, &last, sizeof last))
    return false;
  t->count += last.key != 0;
  return spool_finish(t->rows);
}

fetch_table *fetch_table_read(const frontier *f, url_profile profile, const char *directory)
{
  char path[CRAWL_PATH_SIZE];
  uint8_t secret[MLBF_SECRET_BYTES];
  fetch_table *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  frontier_secret(f, secret);
  crawl_dir_file(directory, "pages.jsonl", path);
  t->profile = profile;
  t->hasher = mlbf_hasher_create(secret);
  t->target = malloc(sizeof *t->target);
  t->pages = own_file_stream(path, "r", 0);
  t->rows = t->pages ? spool_create(directory) : NULL;
  sorter *by_key = t->rows ? sorter_create(directory, sizeof(fetch_row), compare, SORT_MEMORY) : NULL;
  bool is_read = t->hasher && t->target && by_key && read_pages(t, by_key) && keep_last(t, by_key);
  int why = errno;
  sorter_free(by_key);
  if (is_read)
    return t;
  fetch_table_free(t);
  errno = why;
  return NULL;
}

void fetch_table_free(fetch_table *t)
{
  if (!t)
    return;
  json_decref(t->object);
  if (t->pages)
    fclose(t->pages);
  spool_free(t->rows);
  mlbf_hasher_free(t->hasher);
  free(t->target);
  free(t->line);
  free(t);
}

/* ---- asking ------------------------------------------------------------------------------------------------- */

const fetch_row *fetch_table_rows(const fetch_table *t, uint64_t *count)
{
  *count = t->count;
  return spool_bytes(t->rows);
}

const fetch_row *fetch_table_find(const fetch_table *t, uint64_t key)
{
  const fetch_row *rows = spool_bytes(t->rows);
  uint64_t begin = 0, end = t->count;
  while (begin < end) {
    uint64_t middle = begin + (end - begin) / 2;
    if (rows[middle].key < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < t->count && rows[begin].key == key ? &rows[begin] : NULL;
}

static bool comes_back(const fetch_table *t, const fetch_row *row)
{
  const fetch_row *at = row;
  for (unsigned i = 0; i < HOPS_MAX && at && at->next; i++) {
    at = fetch_table_find(t, at->next);
    if (at == row)
      return true;
  }
  return false;
}

fetch_end fetch_table_follow(const fetch_table *t, const fetch_row *row)
{
  fetch_end end = {.last = row, .is_known = true};
  while (end.last->next && !end.is_too_long) {
    const fetch_row *next = fetch_table_find(t, end.last->next);
    end.is_too_long = ++end.hops > HOPS_MAX;
    if (!next) {
      end.is_known = end.is_too_long;
      break;
    }
    end.last = next;
  }
  end.ending = end.is_too_long ? row->ending : end.last->ending;
  end.is_loop = end.is_too_long && comes_back(t, end.last);
  return end;
}

bool fetch_end_is_broken(const fetch_end *end)
{
  uint16_t ending = end->ending;
  if (end->is_loop || end->is_too_long)
    return true;
  if (!end->is_known)
    return false;
  if (ending & FETCH_NO_ANSWER)
    switch (ending & ~FETCH_NO_ANSWER) {
    case FETCH_PRIVATE:  /* we did not ask, */
    case FETCH_ENCODING: /* or there was an answer that we do not read */
    case FETCH_LIMIT: return false;
    default: return true;
    }
  switch (ending) { /* it may be there for others, or later */
  case 401:
  case 403:
  case 407:
  case 429:
  case 451: return false;
  default: return ending >= 400;
  }
}

const char *fetch_ending_text(uint16_t ending, char text[FETCH_ENDING_TEXT])
{
  unsigned error = ending & ~(unsigned)FETCH_NO_ANSWER;
  if (ending & FETCH_NO_ANSWER && error < FETCH_ERRORS)
    return fetch_error_name((fetch_error)error);
  snprintf(text, FETCH_ENDING_TEXT, "%u", ending);
  return text;
}

static const char *string_of(const fetch_table *t, const char *name)
{
  const char *value = json_string_value(json_object_get(t->object, name));
  return value ? value : "";
}

const char *fetch_table_title(const fetch_table *t)
{
  return string_of(t, "title");
}

const char *fetch_table_url(fetch_table *t, const fetch_row *row)
{
  if (fseeko(t->pages, (off_t)row->line, SEEK_SET) != 0)
    return NULL;
  ssize_t size = getline(&t->line, &t->room, t->pages);
  json_decref(t->object);
  t->object = size > 0 ? json_loadb(t->line, (size_t)size, 0, NULL) : NULL;
  errno = EIO;
  return t->object ? string_of(t, "url") : NULL;
}
