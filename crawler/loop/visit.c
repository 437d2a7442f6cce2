/* See visit.h. */
#include "crawler/loop/visit.h"

#include "crawler/base/mime_type.h"
#include "crawler/base/nameless.h"
#include "crawler/html/link_headers.h"
#include "crawler/html/refresh.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINK_HEAD = sizeof(uint32_t) + 2, NOFOLLOW = 1, MAP = 2, HEADER = 4, CANONICAL = 8, CUT = 16, ASSET = 32 };

static void assert_visit(const visit *v)
{
  assert(v->links <= VISIT_LINKS_MAX && v->hrefs_size <= v->hrefs_room);
  assert(v->hrefs_before + v->hrefs_size >= v->links * LINK_HEAD);
  assert(!v->has_mapped || v->map);
  assert(!v->is_plain || v->text);
  assert(v->has_scanned + v->has_mapped + v->is_plain <= 1);                  /* a body is read in one way, ... */
  assert(v->is_decided || !(v->has_scanned || v->has_mapped || v->is_plain)); /* ... once it is known in which */
  assert(v->held_size <= SNIFF_MAX && (!v->held_size || v->held));
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

static const charset *declared_charset(void *context)
{
  const visit *v = context;
  return v->has_scanned ? links_page_charset(v->scanner) : NULL;
}

static void forget_links(visit *v)
{
  v->hrefs_size = v->hrefs_before = v->links = v->dropped = 0;
  free(v->base);
  v->base = NULL;
}

/* The page comes again, in another charset. */
static void read_again(void *context)
{
  visit *v = context;
  assert(v->has_scanned);
  forget_links(v);
  links_finish(v->scanner);
  if (v->text)
    page_text_begin(v->text);
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
    decoder_listen(v->decoder, declared_charset, read_again);
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
  free(v->held);
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
  v->has_script = v->is_decided = v->is_page = false;
  v->sniffed = SNIFFED_NOTHING;
  v->held_size = 0;
  v->shingles = (mlbf_shingles){.count = 0};
  forget_links(v);
}

/* ---- in which way a body is read ------------------------------------------------------------------------------- */

bool visit_is_html(const char *content_type)
{
  mime_type type;
  mime_type_read(content_type, strlen(content_type), &type);
  return mime_type_is_html(&type);
}

bool visit_may_be_page(const char *content_type)
{
  mime_type type;
  mime_type_read(content_type, strlen(content_type), &type);
  return mime_type_is_html(&type) || mime_type_is_unknown(&type);
}

/* Without memory for it, it is not looked into. */
static void begin_map(visit *v, const charset *said)
{
  if (!v->map && !(v->map = sitemap_create(keep_mapped, v))) {
    v->dropped++;
    return;
  }
  sitemap_begin(v->map, said);
  v->has_mapped = true;
}

static void begin_plain(visit *v, const charset *said)
{
  if (!v->text)
    return;
  decoder_begin(v->decoder, said);
  page_text_begin(v->text);
  v->is_plain = true;
}

static void begin_markup(visit *v, const charset *said, bool is_xml)
{
  decoder_begin(v->decoder, said);
  if (is_xml) {
    decoder_expect_xml(v->decoder);
    links_expect_xml(v->scanner);
  }
  if (v->text)
    page_text_begin(v->text);
  v->has_scanned = true;
}

static void begin_reading(visit *v, sniffed what, const mime_type *type)
{
  const charset *said = charset_of_label(type->charset, strlen(type->charset));
  v->is_decided = true;
  v->is_page = what == SNIFFED_HTML || what == SNIFFED_XHTML;
  switch (what) {
  case SNIFFED_NOTHING: break;
  case SNIFFED_TEXT: begin_plain(v, said); break;
  case SNIFFED_FEED: begin_map(v, said); break;
  default: begin_markup(v, said, what != SNIFFED_HTML); break;
  }
}

/* What the type says by itself. SNIFFED_NOTHING: nothing, or that nobody looks into such bodies. */
static sniffed kind_of(const visit *v, const mime_type *type)
{
  if (v->is_map || mime_type_is_feed(type))
    return SNIFFED_FEED;
  if (mime_type_is(type, "text/html"))
    return SNIFFED_HTML;
  if (mime_type_is(type, "application/xhtml+xml"))
    return SNIFFED_XHTML;
  if (mime_type_is(type, "image/svg+xml"))
    return SNIFFED_SVG;
  return mime_type_is(type, "text/plain") ? SNIFFED_TEXT : SNIFFED_NOTHING;
}

/* Holds the first bytes back for it. false: out of memory. */
static bool hold(visit *v, const char **bytes, size_t *size)
{
  size_t taken = *size < SNIFF_MAX - v->held_size ? *size : SNIFF_MAX - v->held_size;
  if (!v->held && !(v->held = malloc(SNIFF_MAX)))
    return false;
  memcpy(v->held + v->held_size, *bytes, taken);
  v->held_size += taken;
  *bytes += taken;
  *size -= taken;
  return true;
}

static bool read_on(visit *v, const char **bytes, size_t *size)
{
  if (v->has_mapped)
    return sitemap_feed(v->map, bytes, size);
  if (v->has_scanned || v->is_plain)
    decoder_feed(v->decoder, *bytes, *size);
  return false;
}

static void read_held(visit *v)
{
  const char *bytes = v->held;
  size_t size = v->held_size;
  while (size && read_on(v, &bytes, &size))
    ; /* no more than SNIFF_MAX, and nothing of it is packed */
  v->held_size = 0;
}

/* All that is there of what it takes. */
static void sniff_held(visit *v)
{
  assert(!v->is_decided && v->held_size);
  mime_type type = {.essence = ""};
  memcpy(type.charset, v->held_charset, sizeof type.charset);
  v->sniffed = (v->is_held_xml ? sniff_xml : sniff_unknown)(v->held, v->held_size);
  begin_reading(v, v->sniffed, &type);
  read_held(v);
}

/* From its type, or from its first bytes. false: more of them must come. */
static bool decide(visit *v, const char *content_type, const char **bytes, size_t *size)
{
  if (!v->held_size) {
    mime_type type;
    mime_type_read(content_type, strlen(content_type), &type);
    sniffed what = kind_of(v, &type);
    v->is_held_xml = mime_type_is_xml(&type);
    if (what != SNIFFED_NOTHING || !(v->is_held_xml || mime_type_is_unknown(&type))) {
      begin_reading(v, what, &type);
      return true;
    }
    memcpy(v->held_charset, type.charset, sizeof v->held_charset);
  }
  if (!hold(v, bytes, size)) {
    v->is_decided = true;
    v->dropped++;
  } else if (v->held_size == SNIFF_MAX) {
    sniff_held(v);
  }
  return v->is_decided;
}

bool visit_read(visit *v, const char *content_type, const char **bytes, size_t *size)
{
  assert_visit(v);
  return (v->is_decided || decide(v, content_type, bytes, size)) && read_on(v, bytes, size);
}

void visit_finish(visit *v)
{
  assert_visit(v);
  if (v->held_size)
    sniff_held(v);
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
  enum { MULTIPLE_CHOICES = 300, FIELDS_MAX = 100 }; /* of one name; libcurl has a limit for all of them together */
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
  if (response->status == MULTIPLE_CHOICES && *response->location) /* the server's own choice (RFC 9110, 15.4.1) */
    keep_href(v, response->location, strlen(response->location), HEADER, BY_HEADER_LINK);
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
