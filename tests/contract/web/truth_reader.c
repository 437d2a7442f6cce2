/* Breadth first: URL -> robots.txt -> answer -> gumbo -> links -> URLs. */
#include "tests/contract/web/truth_reader.h"
#include "tests/site/target.h"
#include "tests/contract/web/truth_robots.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <gumbo.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

typedef struct site_rules {
  char *origin; /* "http://www.site1.test" */
  reader_robots robots;
} site_rules;

struct reader {
  const web *w;
  web_rules rules;
  char *scope; /* a URL of this origin, or domain, is in scope */
  uint64_t now_ms;
  web_reply reply;
  reader_page *pages;
  size_t count, room;
  uint32_t *slots; /* open addressing: index + 1 */
  size_t slot_count;
  site_rules *sites;
  size_t site_count;
};

static uint64_t hash_bytes(const char *bytes, size_t size)
{
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
  return hash;
}

static void *checked(void *memory)
{
  if (!memory)
    abort();
  return memory;
}

/* -- the URLs met -- */

static uint32_t *slot_of(const reader *r, const char *url)
{
  size_t at = hash_bytes(url, strlen(url)) & (r->slot_count - 1);
  while (r->slots[at] && strcmp(r->pages[r->slots[at] - 1].url, url) != 0)
    at = (at + 1) & (r->slot_count - 1);
  return &r->slots[at];
}

static void grow(reader *r)
{
  r->room = r->room ? 2 * r->room : 1024;
  r->slot_count = 2 * r->room;
  free(r->slots);
  r->slots = checked(calloc(r->slot_count, sizeof *r->slots));
  r->pages = checked(realloc(r->pages, r->room * sizeof *r->pages));
  for (size_t i = 0; i < r->count; i++)
    *slot_of(r, r->pages[i].url) = (uint32_t)i + 1;
}

/* Size of "http://host". */
static size_t origin_size(const char *url)
{
  const char *host = strstr(url, "://");
  return host ? (size_t)(host - url) + 3 + strcspn(host + 3, "/?#") : 0;
}

/* The last two labels of its host. */
static const char *domain_of(const char *url, size_t *size)
{
  size_t end = origin_size(url), at = end;
  for (unsigned dots = 0; at && url[at - 1] != '/'; at--)
    if (url[at - 1] == '.' && ++dots == 2)
      break;
  *size = end - at;
  return url + at;
}

static bool is_in_scope(const reader *r, const char *url)
{
  size_t size, own;
  if (r->rules.scope == WEB_SCOPE_ANY)
    return true;
  if (r->rules.scope == WEB_SCOPE_HOST)
    return strncmp(url, r->scope, strlen(r->scope)) == 0 && origin_size(url) == strlen(r->scope);
  const char *domain = domain_of(url, &size), *wanted = domain_of(r->scope, &own);
  return size == own && strncmp(domain, wanted, size) == 0;
}

static bool is_endless(const char *url)
{
  static const char *const spaces[] = {"/calendar/", "/shop/", "/lost/", "/best/"};
  const char *target = url + origin_size(url);
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (strncmp(target, spaces[i], strlen(spaces[i])) == 0)
      return true;
  return false;
}

/* `url` has no fragment; its escapes may be spelled in any way. */
static void meet(reader *r, const char *url, unsigned redirects)
{
  text target = {0}, canonical = {0};
  target_of_url(&target, url);
  for (size_t i = 0; i < origin_size(url); i++)
    text_add_byte(&canonical, (char)tolower((unsigned char)url[i]));
  if (target_canonical(&canonical, target.bytes, target.size) && is_in_scope(r, canonical.bytes) &&
      !is_endless(canonical.bytes)) {
    if (r->count == r->room)
      grow(r);
    uint32_t *slot = slot_of(r, canonical.bytes);
    if (!*slot) {
      r->pages[r->count++] = (reader_page){checked(strdup(canonical.bytes)), READER_ABSENT, 0, redirects};
      *slot = (uint32_t)r->count;
    }
  }
  text_free(&target);
  text_free(&canonical);
}

/* -- links -- */

/* Like a browser: without white space around, without the fragment. */
static CURLU *resolve(CURLU *base, const char *href)
{
  const unsigned flags = CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME;
  href += strspn(href, " \t\n\f\r");
  size_t size = strcspn(href, "#");
  while (size && strchr(" \t\n\f\r", href[size - 1]))
    size--;
  char *reference = checked(strndup(href, size));
  CURLU *url = checked(curl_url_dup(base));
  bool good = !*reference || curl_url_set(url, CURLUPART_URL, reference, flags) == CURLUE_OK;
  free(reference);
  if (good)
    return url;
  curl_url_cleanup(url);
  return NULL;
}

static void follow(reader *r, CURLU *base, const char *href, unsigned redirects)
{
  CURLU *url = resolve(base, href);
  char *string = NULL;
  if (url && curl_url_get(url, CURLUPART_URL, &string, CURLU_NO_DEFAULT_PORT) == CURLUE_OK)
    meet(r, string, redirects);
  curl_free(string);
  curl_url_cleanup(url);
}

static CURLU *url_of(const char *url)
{
  CURLU *parsed = checked(curl_url());
  if (curl_url_set(parsed, CURLUPART_URL, url, 0) != CURLUE_OK)
    abort();
  return parsed;
}

static void follow_node(reader *r, CURLU **base, const GumboNode *node)
{
  if (node->type != GUMBO_NODE_ELEMENT)
    return;
  const GumboElement *element = &node->v.element;
  const GumboAttribute *href = gumbo_get_attribute(&element->attributes, "href");
  if (href && element->tag == GUMBO_TAG_BASE) {
    CURLU *moved = resolve(*base, href->value);
    curl_url_cleanup(*base);
    *base = checked(moved);
  } else if (href && element->tag == GUMBO_TAG_A) {
    follow(r, *base, href->value, 0);
  }
  for (unsigned i = 0; i < element->children.length; i++)
    follow_node(r, base, element->children.data[i]);
}

/* Is all of it in UTF-8? */
static bool is_utf8(const text *body)
{
  char *from = body->bytes, room[4096], *to = room;
  size_t left = body->size, free_room = sizeof room;
  iconv_t converter = iconv_open("utf-8", "utf-8");
  while (iconv(converter, &from, &left, &to, &free_room) == (size_t)-1 && errno == E2BIG)
    to = room, free_room = sizeof room;
  iconv_close(converter);
  return left == 0;
}

/* `body` in UTF-8, whatever its Content-Type says it is in. */
static void read_letters(text *out, const char *headers, text *body)
{
  char charset[32] = "utf-8", *from = body->bytes;
  const char *said = strstr(headers, "charset=");
  if (said)
    sscanf(said, "charset=%31[^\r;]", charset);
  else if (!is_utf8(body))
    memcpy(charset, "windows-1252", sizeof "windows-1252");
  /* browsers read Shift_JIS as Windows does: 7E is a tilde there */
  iconv_t converter = iconv_open("utf-8", strcmp(charset, "shift_jis") == 0 ? "cp932" : charset);
  if (converter == (iconv_t)-1) /* NOLINT(performance-no-int-to-ptr): what POSIX says */
    abort();
  size_t left = body->size, room = 4 * body->size + 1;
  char *bytes = checked(malloc(room)), *to = bytes;
  if (iconv(converter, &from, &left, &to, &room) == (size_t)-1)
    abort(); /* this web only sends what is valid */
  text_add_bytes(out, bytes, (size_t)(to - bytes));
  free(bytes);
  iconv_close(converter);
}

static void read_page(reader *r, const char *url)
{
  text page = {0};
  read_letters(&page, r->reply.headers.bytes, &r->reply.body);
  CURLU *base = url_of(url);
  GumboOutput *tree = gumbo_parse_with_options(&kGumboDefaultOptions, page.bytes, page.size);
  follow_node(r, &base, tree->root);
  gumbo_destroy_output(&kGumboDefaultOptions, tree);
  curl_url_cleanup(base);
  text_free(&page);
}

/* -- requests -- */

static bool header_of(const text *headers, const char *name, char *value, size_t size)
{
  const char *found = headers->bytes ? strstr(headers->bytes, name) : NULL;
  if (!found)
    return false;
  found += strlen(name);
  snprintf(value, size, "%.*s", (int)strcspn(found, "\r"), found);
  return true;
}

static void ask_once(reader *r, const char *url)
{
  bool is_https = strncmp(url, "https", 5) == 0;
  size_t scheme = is_https ? 8 : 7, origin = origin_size(url);
  web_answer(r->w,
             &(web_request){.is_https = is_https,
                            .host = url + scheme,
                            .host_size = origin - scheme,
                            .target = url + origin,
                            .target_size = strlen(url + origin),
                            .now_ms = r->now_ms},
             &r->reply);
}

/* Until the answer is one that stays. The pauses grow: else they could keep step with the page's bad times. */
static void ask(reader *r, const char *url)
{
  enum { TRIES = 200, PAUSE_MS = 1000 };
  char retry[32];
  for (unsigned i = 1; i <= TRIES; i++) {
    ask_once(r, url);
    r->now_ms += r->reply.latency_ms + (uint64_t)i * PAUSE_MS;
    if (r->reply.ending == WEB_WHOLE && header_of(&r->reply.headers, "Retry-After: ", retry, sizeof retry))
      r->now_ms += 1000 * strtoull(retry, NULL, 10);
    else if (r->reply.ending == WEB_RESET || r->reply.ending == WEB_CUT)
      continue;
    else
      return;
  }
}

static bool is_redirect(const reader *r, char *location, size_t size)
{
  return r->reply.ending == WEB_WHOLE && r->reply.status / 100 == 3 &&
         header_of(&r->reply.headers, "Location: ", location, size);
}

static void read_map(reader *r, const char *url)
{
  ask(r, url);
  if (r->reply.ending != WEB_WHOLE || r->reply.status != 200)
    return;
  char *map = checked(strdup(r->reply.body.bytes));
  bool is_index = strstr(map, "<sitemapindex");
  for (char *at = map; (at = strstr(at, "<loc>"));) {
    at += 5;
    char *end = strstr(at, "</loc>");
    *end = '\0';
    for (char *reference; (reference = strstr(at, "&amp;"));)
      memmove(reference + 1, reference + 5, strlen(reference + 5) + 1);
    if (is_index)
      read_map(r, at);
    else
      meet(r, at, 0);
    at = end + 1;
  }
  free(map);
}

static const reader_robots *robots_of(reader *r, const char *url)
{
  text robots = {0};
  size_t size = origin_size(url);
  for (size_t i = 0; i < r->site_count; i++)
    if (strncmp(r->sites[i].origin, url, size) == 0 && strlen(r->sites[i].origin) == size)
      return &r->sites[i].robots;
  text_add_bytes(&robots, url, size);
  text_add(&robots, "/robots.txt");
  ask(r, robots.bytes);
  char location[WEB_NAME_MAX + 600];
  for (unsigned hops = 0; hops < 5 && is_redirect(r, location, sizeof location); hops++) {
    CURLU *base = url_of(robots.bytes), *next = checked(resolve(base, location));
    char *string = NULL;
    curl_url_get(next, CURLUPART_URL, &string, 0);
    text_clear(&robots);
    text_add(&robots, string);
    curl_free(string);
    curl_url_cleanup(base);
    curl_url_cleanup(next);
    ask(r, robots.bytes);
  }
  text_free(&robots);
  site_rules new = {.origin = checked(strndup(url, size))};
  int status = r->reply.ending == WEB_WHOLE ? r->reply.status : 0;
  reader_robots_read(&new.robots, status, status == 200 ? r->reply.body.bytes : "");
  r->sites = checked(realloc(r->sites, (r->site_count + 1) * sizeof *r->sites));
  r->sites[r->site_count++] = new;
  if (r->rules.sitemaps && *new.robots.sitemap)
    read_map(r, r->sites[r->site_count - 1].robots.sitemap);
  return &r->sites[r->site_count - 1].robots;
}

static reader_end visit(reader *r, size_t index, uint64_t *body_hash)
{
  enum { REDIRECTS_MAX = 20 };
  const char *url = r->pages[index].url;
  unsigned redirects = r->pages[index].redirects + 1;
  char location[WEB_NAME_MAX + 600];
  const reader_robots *robots = robots_of(r, url);
  const char *target = url + origin_size(url);
  if (robots->is_dead && !r->rules.ignores_robots)
    return READER_DEAD;
  if (!r->rules.ignores_robots && !reader_robots_allow(robots, target))
    return READER_BARRED;
  ask(r, url);
  if (r->reply.ending != WEB_WHOLE)
    return READER_DEAD;
  if (is_redirect(r, location, sizeof location)) {
    CURLU *base = url_of(url);
    if (redirects <= REDIRECTS_MAX)
      follow(r, base, location, redirects);
    curl_url_cleanup(base);
    return READER_SENT_ON;
  }
  if (r->reply.status != 200)
    return READER_FAILED;
  *body_hash = hash_bytes(r->reply.body.bytes, r->reply.body.size);
  read_page(r, url);
  return READER_GOT;
}

reader *reader_run(const web *w, const web_rules *rules, const char *start)
{
  reader *r = checked(calloc(1, sizeof *r));
  r->w = w;
  r->rules = *rules;
  r->scope = checked(strndup(start, origin_size(start)));
  meet(r, start, 0);
  for (size_t i = 0; i < r->count; i++) {
    uint64_t hash = 0;
    reader_end end = visit(r, i, &hash);
    r->pages[i].end = end; /* pages may have moved */
    r->pages[i].body_hash = hash;
  }
  return r;
}

void reader_free(reader *r)
{
  for (size_t i = 0; i < r->count; i++)
    free(r->pages[i].url);
  for (size_t i = 0; i < r->site_count; i++) {
    free(r->sites[i].origin);
    reader_robots_free(&r->sites[i].robots);
  }
  free(r->sites);
  free(r->pages);
  free(r->slots);
  free(r->scope);
  web_reply_free(&r->reply);
  free(r);
}

size_t reader_count(const reader *r)
{
  return r->count;
}

const reader_page *reader_page_at(const reader *r, size_t index)
{
  return &r->pages[index];
}

reader_page reader_look(const reader *r, const char *url)
{
  uint32_t slot = r->slot_count ? *slot_of(r, url) : 0;
  return slot ? r->pages[slot - 1] : (reader_page){.end = READER_ABSENT};
}
