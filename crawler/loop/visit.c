/* See visit.h. */
#include "crawler/loop/visit.h"

#include "crawler/base/nameless.h"
#include "crawler/html/link_headers.h"
#include "crawler/html/refresh.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LINK_HEAD = sizeof(uint32_t) + 2, NOFOLLOW = 1, MAP = 2, HEADER = 4, CANONICAL = 8, CUT = 16, ASSET = 32 };

static void assert_visit(const visit *v)
{
  assert(v->links <= VISIT_LINKS_MAX && v->hrefs_size <= v->hrefs_room);
  assert(v->hrefs_before + v->hrefs_size >= v->links * LINK_HEAD);
  assert(!v->has_mapped || v->map);
  assert(!v->is_plain || v->text);
  assert(v->has_scanned + v->has_mapped + v->is_plain <= 1); /* a body is read in one way */
  (void)v;
}

static void keep_base(visit *v, const link_found *link)
{
  if (v->base || !(v->base = malloc(link->size + 1)))
    return;
  memcpy(v->base, link->href, link->size);
  v->base_size = link->size;
}

/* Many slow pages at once must not fill the memory. Where no file takes them, they stay there. */
static void spill_hrefs(visit *v)
{
  if (!v->directory)
    return;
  if (v->hrefs_fd < 0)
    v->hrefs_fd = nameless_open(v->directory);
  if (v->hrefs_fd < 0 || nameless_write(v->hrefs_fd, v->hrefs, v->hrefs_size, v->hrefs_before) < v->hrefs_size)
    return;
  v->hrefs_before += v->hrefs_size;
  v->hrefs_size = 0;
}

static void keep_href(visit *v, const char *href, size_t href_size, unsigned flags, link_element element)
{
  if (v->hrefs_size + href_size > VISIT_NEAR_MAX)
    spill_hrefs(v);
  if (v->links >= VISIT_LINKS_MAX || v->hrefs_before + v->hrefs_size + href_size > VISIT_TEXT_MAX ||
      !HAS_ROOM(v->hrefs, v->hrefs_room, v->hrefs_size + LINK_HEAD + href_size)) {
    v->dropped++;
    return;
  }
  uint32_t size = (uint32_t)href_size;
  char *at = v->hrefs + v->hrefs_size;
  memcpy(at, &size, sizeof size);
  at[sizeof size] = (char)flags;
  at[sizeof size + 1] = (char)element;
  memcpy(at + LINK_HEAD, href, size);
  v->hrefs_size += LINK_HEAD + size;
  v->links++;
  assert_visit(v);
}

static unsigned flags_of(const link_found *link)
{
  return (link->nofollow ? NOFOLLOW : 0U) | (link->canonical ? CANONICAL : 0U) | (link->is_cut ? CUT : 0U) |
         (link->kind == LINK_ASSET ? ASSET : 0U);
}

static void keep_link(void *context, const link_found *link)
{
  if (link->kind == LINK_BASE)
    keep_base(context, link);
  else
    keep_href(context, link->href, link->size, flags_of(link), link->element);
}

static void keep_header_link(void *context, const link_found *link)
{
  keep_href(context, link->href, link->size, flags_of(link) | HEADER, BY_HEADER_LINK);
}

static void keep_mapped(void *context, bool is_map, const char *href, size_t size)
{
  keep_href(context, href, size, is_map ? MAP : 0, is_map ? BY_SITEMAP_LOC : BY_URL_LOC);
}

static void scan(void *context, const char *bytes, size_t size)
{
  visit *v = context;
  if (v->is_plain)
    page_text_feed_plain(v->text, bytes, size);
  else
    links_feed(v->scanner, bytes, size);
}

visit *visit_create(void *owner, bool wants_images)
{
  visit *v = calloc(1, sizeof *v);
  if (!v)
    return NULL;
  v->owner = owner;
  v->hrefs_fd = -1;
  v->scanner = links_create(keep_link, v);
  v->decoder = decoder_create(scan, v);
  v->hash = body_hash_create(BODY_HASH_SHA256);
  v->revisit = revisit_create();
  if (v->scanner && v->decoder && v->hash && v->revisit) {
    links_want_images(v->scanner, wants_images);
    links_want_cut(v->scanner, true);
    return v;
  }
  visit_free(v);
  return NULL;
}

void visit_want_assets(visit *v)
{
  v->wants_assets = true;
  links_want_assets(v->scanner, true);
}

static void keep_text(void *context, const char *bytes, size_t size)
{
  page_text_feed_html(context, bytes, size);
}

bool visit_want_text(visit *v)
{
  v->text = page_text_create();
  if (v->text)
    links_want_text(v->scanner, keep_text, v->text);
  return v->text != NULL;
}

void visit_free(visit *v)
{
  if (!v)
    return;
  page_text_free(v->text);
  links_free(v->scanner);
  body_hash_free(v->hash);
  revisit_free(v->revisit);
  decoder_free(v->decoder);
  sitemap_free(v->map);
  free(v->body.bytes);
  visit_rest(v);
  free(v->hrefs);
  free(v->base);
  free(v);
}

void visit_begin(visit *v, const frontier_lease *lease)
{
  assert(v->stage == VISIT_IDLE && lease->id);
  v->lease = *lease;
  v->tries = 1;
  *v->sha256 = '\0';
  v->is_map = lease->origin.hops & VISIT_SITEMAP;
  v->is_check = lease->origin.hops & VISIT_CHECK;
  v->is_head = false;
  *v->title = '\0';
  v->holds_host = v->has_scanned = v->has_mapped = v->is_plain = v->nofollow = v->noindex = v->is_dropped = false;
  v->has_script = false;
  v->hrefs_size = v->hrefs_before = v->links = v->dropped = 0;
  v->shingles = (mlbf_shingles){.count = 0};
  free(v->base);
  v->base = NULL;
}

static bool is_type(const char *type, const char *wanted)
{
  size_t size = strcspn(type, "; \t");
  return size == strlen(wanted) && strncasecmp(type, wanted, size) == 0;
}

/* Without memory for it, it is not looked into. */
static bool read_map(visit *v, const char *content_type, const char **bytes, size_t *size)
{
  if (!v->map && !(v->map = sitemap_create(keep_mapped, v))) {
    v->dropped++;
    return false;
  }
  if (!v->has_mapped)
    sitemap_begin(v->map, charset_of_type(content_type, strlen(content_type)));
  v->has_mapped = true;
  return sitemap_feed(v->map, bytes, size);
}

static bool is_feed(const char *type)
{
  return is_type(type, "application/rss+xml") || is_type(type, "application/atom+xml");
}

bool visit_is_html(const char *content_type)
{
  return is_type(content_type, "text/html") || is_type(content_type, "application/xhtml+xml");
}

static void read_plain(visit *v, const char *content_type, const char *bytes, size_t size)
{
  if (!v->is_plain) {
    decoder_begin(v->decoder, charset_of_type(content_type, strlen(content_type)));
    page_text_begin(v->text);
  }
  v->is_plain = true;
  decoder_feed(v->decoder, bytes, size);
}

static void read_page(visit *v, const char *content_type, const char *bytes, size_t size)
{
  if (v->is_plain || (v->text && !v->has_scanned && is_type(content_type, "text/plain"))) {
    read_plain(v, content_type, bytes, size);
    return;
  }
  bool is_xml = is_type(content_type, "application/xhtml+xml") || is_type(content_type, "image/svg+xml");
  /* a missing type is looked into, as browsers sniff */
  if (!v->has_scanned && !is_xml && !is_type(content_type, "text/html") && !is_type(content_type, ""))
    return;
  if (!v->has_scanned)
    decoder_begin(v->decoder, charset_of_type(content_type, strlen(content_type)));
  if (!v->has_scanned && is_xml)
    links_expect_xml(v->scanner);
  if (!v->has_scanned && v->text)
    page_text_begin(v->text);
  v->has_scanned = true;
  decoder_feed(v->decoder, bytes, size);
}

bool visit_read(visit *v, const char *content_type, const char **bytes, size_t *size)
{
  assert_visit(v);
  if (v->is_map || v->has_mapped || (!v->has_scanned && is_feed(content_type)))
    return read_map(v, content_type, bytes, size);
  read_page(v, content_type, *bytes, *size);
  return false;
}

void visit_finish(visit *v)
{
  assert_visit(v);
  if (v->has_mapped)
    sitemap_finish(v->map);
  if (v->has_scanned || v->is_plain)
    decoder_finish(v->decoder);
  if (v->has_scanned) {
    links_finish(v->scanner);
    if (v->wants_assets)
      links_title(v->scanner, v->title);
    v->nofollow = links_page_nofollow(v->scanner);
    v->noindex = links_page_noindex(v->scanner);
    v->has_script = links_page_has_script(v->scanner);
  }
  if (v->text && (v->has_scanned || v->is_plain))
    v->shingles = page_text_finish(v->text);
}

void visit_take_headers(visit *v, const fetch_response *response)
{
  enum { FIELDS_MAX = 100 }; /* of one name; libcurl has a limit for all of them together */
  const char *value = NULL, *href;
  size_t size;
  for (size_t i = 0; i < FIELDS_MAX && (value = fetch_header(response, "X-Robots-Tag", value)); i++)
    link_headers_read_robots(value, "strata", &v->nofollow, &v->noindex);
  value = NULL;
  for (size_t i = 0; (value = fetch_header(response, "Link", value)); i++)
    if (i < FIELDS_MAX)
      link_headers_read_link(value, keep_header_link, v);
    else
      v->dropped++;
  value = fetch_header(response, "Refresh", NULL);
  if (value && refresh_find_url(value, strlen(value), &href, &size))
    keep_href(v, href, size, HEADER, BY_HEADER_REFRESH);
}

/* "You need to enable JavaScript to run this app." has nine words, and so many pairs (mlbf/pairs.h). */
bool visit_is_script_shell(const visit *v)
{
  enum { FEW = 24 };
  int pairs = 0;
  if (!v->has_script || v->links || v->dropped)
    return false;
  for (size_t i = 0; v->text && i < MLBF_PAIRS_BITS / 64; i++)
    pairs += __builtin_popcountll(page_text_pairs(v->text)->bits[i]);
  return pairs < FEW;
}

const char *visit_limit(const visit *v)
{
  if (v->dropped)
    return "too many links";
  return v->has_mapped ? sitemap_limit(v->map) : NULL;
}

const charset *visit_charset(const visit *v)
{
  return v->has_scanned ? decoder_charset(v->decoder) : NULL;
}

bool visit_gather_links(visit *v)
{
  size_t before = v->hrefs_before;
  if (!before)
    return true;
  if (!HAS_ROOM(v->hrefs, v->hrefs_room, before + v->hrefs_size)) {
    errno = ENOMEM;
    return false;
  }
  memmove(v->hrefs + before, v->hrefs, v->hrefs_size);
  if (!nameless_read(v->hrefs_fd, v->hrefs, before, 0))
    return false;
  v->hrefs_size += before;
  v->hrefs_before = 0;
  return true;
}

void visit_rest(visit *v)
{
  if (v->hrefs_fd >= 0)
    close(v->hrefs_fd);
  v->hrefs_fd = -1;
  if (v->hrefs_room <= 2 * VISIT_NEAR_MAX)
    return;
  free(v->hrefs);
  v->hrefs = NULL;
  v->hrefs_size = v->hrefs_room = 0;
}

bool visit_next_link(const visit *v, size_t *at, visit_link *link)
{
  if (*at >= v->hrefs_size)
    return false;
  uint32_t bytes;
  assert(v->hrefs_size - *at >= LINK_HEAD);
  memcpy(&bytes, v->hrefs + *at, sizeof bytes);
  unsigned flags = (unsigned char)v->hrefs[*at + sizeof bytes];
  *link = (visit_link){.href = v->hrefs + *at + LINK_HEAD,
                       .size = bytes,
                       .nofollow = flags & NOFOLLOW,
                       .is_map = flags & MAP,
                       .is_header = flags & HEADER,
                       .is_cut = flags & CUT,
                       .is_asset = flags & ASSET,
                       .canonical = flags & CANONICAL,
                       .element = (link_element)v->hrefs[*at + sizeof bytes + 1]};
  *at += LINK_HEAD + bytes;
  assert(*at <= v->hrefs_size);
  return true;
}
