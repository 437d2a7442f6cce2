/* See scope.h. Entries are "host:port", "host:port/path/", "domain" or "scheme://host:port", in libc's balanced tree;
 * a URL is looked up by its host, or by each of its path's prefixes that end in a slash. */
#include "crawler/scope/scope.h"

#include "crawler/scope/domain.h"

#include <assert.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scope {
  scope_kind kind;
  void *tree; /* of char * */
  size_t text_size;
  bool is_dirty;
};

static const char *const kind_names[] = {"host", "prefix", "domain", "any", "origin"};

const char *scope_kind_name(scope_kind kind)
{
  return kind_names[kind];
}

bool scope_kind_from_name(const char *name, scope_kind *kind)
{
  for (int i = 0; i <= SCOPE_ANY; i++)
    if (strcmp(name, kind_names[i]) == 0) {
      *kind = (scope_kind)i;
      return true;
    }
  return false;
}

static int compare(const void *a, const void *b)
{
  return strcmp(a, b);
}

scope *scope_create(scope_kind kind)
{
  scope *s = calloc(1, sizeof *s);
  if (s) {
    s->kind = kind;
    s->is_dirty = kind == SCOPE_ANY; /* its name alone is worth keeping */
  }
  return s;
}

void scope_free(scope *s)
{
  if (!s)
    return;
  tdestroy(s->tree, free);
  free(s);
}

scope_kind scope_kind_of(const scope *s)
{
  return s->kind;
}

bool scope_is_dirty(const scope *s)
{
  return s->is_dirty;
}

/* Bytes of u->fetch from host_begin on that make the entry of this start URL. */
static size_t entry_size(const scope *s, const url *u)
{
  if (s->kind == SCOPE_HOST)
    return u->host_end - u->host_begin;
  uint32_t end = u->path_begin + (uint32_t)strcspn(u->fetch + u->path_begin, "?");
  while (u->fetch[end - 1] != '/')
    end--;
  return end - u->host_begin;
}

static bool add_entry(scope *s, const char *text, size_t size)
{
  char *entry = strndup(text, size);
  char **node = entry ? tsearch(entry, &s->tree, compare) : NULL;
  if (!node) {
    free(entry);
    return false;
  }
  if (*node != entry) { /* it was there */
    free(entry);
    return true;
  }
  s->text_size += size + 1;
  s->is_dirty = true;
  return true;
}

bool scope_add(scope *s, const url *start)
{
  char domain[DOMAIN_SIZE];
  if (s->kind == SCOPE_ANY) /* nothing to remember */
    return true;
  if (s->kind == SCOPE_DOMAIN) {
    domain_of_host(start->fetch + start->host_begin, start->host_end - start->host_begin, domain);
    return add_entry(s, domain, strlen(domain));
  }
  if (s->kind == SCOPE_ORIGIN)
    return add_entry(s, start->fetch, start->host_end);
  return add_entry(s, start->fetch + start->host_begin, entry_size(s, start));
}

static bool has_entry(const scope *s, char *text, size_t size)
{
  char after = text[size];
  text[size] = '\0';
  bool found = tfind(text, &s->tree, compare) != NULL;
  text[size] = after;
  return found;
}

static bool has_origin(const scope *s, const url *u)
{
  char text[URL_LENGTH_MAX + 1];
  if (u->host_end > URL_LENGTH_MAX)
    return false;
  memcpy(text, u->fetch, u->host_end + 1);
  return has_entry(s, text, u->host_end);
}

static bool has_domain(const scope *s, const url *u)
{
  char domain[DOMAIN_SIZE];
  domain_of_host(u->fetch + u->host_begin, u->host_end - u->host_begin, domain);
  return tfind(domain, &s->tree, compare) != NULL;
}

bool scope_has(const scope *s, const url *u)
{
  char text[URL_LENGTH_MAX + 1];
  if (s->kind == SCOPE_ANY)
    return true;
  if (s->kind == SCOPE_DOMAIN)
    return has_domain(s, u);
  if (s->kind == SCOPE_ORIGIN)
    return has_origin(s, u);
  assert(u->host_begin < u->host_end && u->host_end <= u->fetch_size);
  size_t host = u->host_end - u->host_begin, size = u->fetch_size - u->host_begin;
  if (size > URL_LENGTH_MAX)
    return false;
  memcpy(text, u->fetch + u->host_begin, size + 1);
  if (s->kind == SCOPE_HOST)
    return has_entry(s, text, host);
  size = strcspn(text, "?");
  for (size_t i = host; i < size; i++)
    if (text[i] == '/' && has_entry(s, text, i + 1))
      return true;
  return false;
}

/* ---- as text -------------------------------------------------------------------------------------------- */

static void write_entry(const void *node, VISIT order, void *context)
{
  if (order == postorder || order == leaf)
    fprintf(context, "%s\n", *(char *const *)node);
}

char *scope_write(scope *s, size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    return NULL;
  fprintf(out, "%s\n", kind_names[s->kind]);
  twalk_r(s->tree, write_entry, out);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  s->is_dirty = false;
  return text;
}

static scope *read_kind(const char *line, size_t size)
{
  char name[16];
  scope_kind kind;
  snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : 0), line);
  if (strcmp(name, kind_names[SCOPE_ORIGIN]) == 0)
    return scope_create(SCOPE_ORIGIN);
  return scope_kind_from_name(name, &kind) ? scope_create(kind) : NULL;
}

scope *scope_read(const char *text, size_t size)
{
  scope *s = NULL;
  for (const char *at = text, *end = text + size, *newline; at < end; at = newline + 1) {
    newline = memchr(at, '\n', (size_t)(end - at));
    size_t line = newline ? (size_t)(newline - at) : 0;
    bool is_read = newline && (s ? add_entry(s, at, line) : (s = read_kind(at, line)) != NULL);
    if (!is_read) {
      scope_free(s);
      return NULL;
    }
  }
  if (s)
    s->is_dirty = false;
  return s;
}
