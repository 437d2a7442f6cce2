/* See visit.h. */
#include "crawler/visit.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINK_HEAD = sizeof(uint32_t) + 1 };

static bool make_room(visit *v, size_t size)
{
  if (v->hrefs_size + size <= v->hrefs_room)
    return true;
  size_t room = 2 * (v->hrefs_size + size);
  char *larger = realloc(v->hrefs, room);
  if (!larger)
    return false;
  v->hrefs = larger;
  v->hrefs_room = room;
  return true;
}

static void keep_base(visit *v, const link_found *link)
{
  if (v->base || !(v->base = malloc(link->size + 1)))
    return;
  memcpy(v->base, link->href, link->size);
  v->base_size = link->size;
}

static void keep_link(void *context, const link_found *link)
{
  visit *v = context;
  if (link->kind == LINK_BASE) {
    keep_base(v, link);
    return;
  }
  if (v->links >= VISIT_LINKS_MAX || v->hrefs_size + link->size > VISIT_TEXT_MAX ||
      !make_room(v, LINK_HEAD + link->size)) {
    v->dropped++;
    return;
  }
  uint32_t size = (uint32_t)link->size;
  char *at = v->hrefs + v->hrefs_size;
  memcpy(at, &size, sizeof size);
  at[sizeof size] = link->nofollow;
  memcpy(at + LINK_HEAD, link->href, size);
  v->hrefs_size += LINK_HEAD + size;
  v->links++;
}

visit *visit_create(void *owner)
{
  visit *v = calloc(1, sizeof *v);
  if (!v)
    return NULL;
  v->scanner = links_create(keep_link, v);
  v->hash = body_hash_create(BODY_HASH_SHA256);
  if (!v->scanner || !v->hash) {
    visit_free(v);
    return NULL;
  }
  v->owner = owner;
  return v;
}

void visit_free(visit *v)
{
  if (!v)
    return;
  links_free(v->scanner);
  body_hash_free(v->hash);
  free(v->hrefs);
  free(v->base);
  free(v);
}

void visit_begin(visit *v, const frontier_lease *lease)
{
  v->lease = *lease;
  v->has_scanned = false;
  v->hrefs_size = v->links = v->dropped = 0;
  free(v->base);
  v->base = NULL;
}

static bool is_type(const char *type, const char *wanted)
{
  size_t size = strcspn(type, "; \t");
  return size == strlen(wanted) && strncasecmp(type, wanted, size) == 0;
}

void visit_read(visit *v, const char *content_type, const char *bytes, size_t size)
{
  bool is_xhtml = is_type(content_type, "application/xhtml+xml");
  /* a missing type is looked into, as browsers sniff */
  if (!v->has_scanned && !is_xhtml && !is_type(content_type, "text/html") && !is_type(content_type, ""))
    return;
  if (!v->has_scanned && is_xhtml)
    links_expect_xml(v->scanner);
  v->has_scanned = true;
  links_feed(v->scanner, bytes, size);
}

void visit_finish(visit *v)
{
  if (v->has_scanned)
    links_finish(v->scanner);
}

bool visit_next_link(const visit *v, size_t *at, const char **href, size_t *size, bool *nofollow)
{
  if (*at >= v->hrefs_size)
    return false;
  uint32_t bytes;
  memcpy(&bytes, v->hrefs + *at, sizeof bytes);
  *nofollow = v->hrefs[*at + sizeof bytes];
  *href = v->hrefs + *at + LINK_HEAD;
  *size = bytes;
  *at += LINK_HEAD + bytes;
  return true;
}
