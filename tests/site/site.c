/* Growing a site: entries are added one after the other, each hung under a page that is already there, so all of
 * them can be reached. What a page links to besides its children is drawn when asked, from the page's own stream. */
#include "tests/site/site.h"
#include "tests/site/site_page.h"
#include "tests/site/random.h"
#include "tests/site/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct site {
  site_options options;
  spell_place place;
  char other_host[64]; /* this server under another name: another host, so out of scope, and the log would tell */
  uint64_t random;
  uint32_t size;
  site_entry *entries;
  uint32_t pages;       /* entries of kind SITE_PAGE ... */
  uint32_t *page_index; /* ... and where they are */
  uint32_t *by_target;  /* entries in order of their targets */
  text *written;        /* pages as they were first asked for: writing one costs 45 us, three times all the rest */
  size_t written_size;
};

enum { WRITTEN_MAX = 256 << 20 }; /* about 100,000 pages are kept */

/* ---- the names of things ---- */

static const char *const directories[] = {
  "/docs/", "/docs/api/",       "/docs/api/v2/", "/blog/",         "/blog/2024/05/",   "/~ann/",
  "/Docs/", "/shop/caf%C3%A9/", "/a/b/c/d/e/f/", "/private/open/", "/wiki/Main_Page/", "/very%20long%20name/",
};

/* Where entry `index` lives. The number in it makes it the only one. */
static char *make_target(uint64_t *random, uint32_t index)
{
  text t = {0};
  if (index == 0) {
    text_add(&t, "/");
    return t.bytes;
  }
  text_add(&t, directories[random_below(random, sizeof directories / sizeof *directories)]);
  switch (random_below(random, 16)) {
  case 0: text_addf(&t, "%u/", index); break;
  case 1: text_addf(&t, "%u", index); break;
  case 2: text_addf(&t, "list?page=%u&sort=name&copy=1", index); break;
  case 3: text_addf(&t, "list?page=%u&lang=en&sect=2&b=%%26", index); break;
  case 4: text_addf(&t, "?%u", index); break;
  case 5: text_addf(&t, "~page%u.html", index); break;
  case 6: text_addf(&t, "r%%C3%%A9sum%%C3%%A9-%u.html", index); break;
  case 7: text_addf(&t, "a%%20b-%u.html", index); break;
  case 8: text_addf(&t, "one%%2Fsegment-%u", index); break;
  case 9: text_addf(&t, "p;v=%u,a=b", index); break;
  case 10: text_addf(&t, "t%u:colon.html", index); break;
  case 11: text_addf(&t, "/twice-%u.html", index); break;
  case 12: text_addf(&t, "q%u?a[]=1|2&c={x}", index); break;
  case 13: text_addf(&t, "file.secret?%u", index); break; /* robots.txt forbids /<anything>.secret$ */
  default: text_addf(&t, "page-%u.html", index); break;
  }
  return t.bytes;
}

static const char robots_rules[] = "Disallow: /private/\n"
                                   "allow: /private/open/ # an exception\n"
                                   "Disallow: /*.secret$\n"
                                   "Disallow: /*/draft-\n"
                                   "Disallow: /cgi?*sid=\n"
                                   "Allow: /cgi?*sid=0&\n";

static char *make_forbidden_target(uint64_t *random, uint32_t index)
{
  text t = {0};
  switch (random_below(random, 4)) {
  case 0: text_addf(&t, "/private/page-%u.html", index); break;
  case 1: text_addf(&t, "/docs/%u.secret", index); break;
  case 2: text_addf(&t, "/blog/draft-%u.html", index); break;
  default: text_addf(&t, "/cgi?page=%u&sid=7&b=1", index); break;
  }
  return t.bytes;
}

static void write_robots(text *out, const site *s)
{
  if (s->options.seed % 2)
    text_addf(out, "User-agent: strata\n%s\nUser-agent: *\nDisallow: /\n", robots_rules);
  else
    text_addf(out, "# for all\r\nUser-agent: other\nDisallow: /\n\nUser-Agent: *\n%sDisallow:\n", robots_rules);
}

/* ---- growing ---- */

static uint32_t add_entry(site *s, site_kind kind, int status)
{
  uint32_t index = s->size++;
  site_entry *entry = &s->entries[index];
  *entry = (site_entry){.kind = kind, .status = status};
  entry->target = kind == SITE_FORBIDDEN ? make_forbidden_target(&s->random, index) : make_target(&s->random, index);
  if (kind == SITE_PAGE)
    s->page_index[s->pages++] = index;
  return index;
}

static void hang_under_a_page(site *s, uint32_t index, uint32_t pages)
{
  site_entry *parent = &s->entries[s->page_index[random_below(&s->random, pages)]];
  s->entries[index].next_sibling = parent->first_child;
  parent->first_child = index + 1;
}

/* Where a chain of redirects ends: at something new, something known, itself, or outside. */
static void end_chain(site *s, uint32_t first, uint32_t last)
{
  const char *const outside[] = {"ftp://127.0.0.1/trap/ftp.html", "", "http://[bad/", "mailto:a@b.c", s->other_host};
  bool room = s->size < s->options.entries;
  switch (random_below(&s->random, 6)) {
  case 0:
  case 1: /* a page that may have no other way in */
    s->entries[last].goes_to = (room ? add_entry(s, SITE_PAGE, 200) : 0) + 1;
    break;
  case 2: s->entries[last].goes_to = room ? add_entry(s, SITE_FORBIDDEN, 200) + 1 : 1; break;
  case 3:
    s->entries[last].goes_to = first + 1; /* round in circles, or to itself */
    break;
  case 4: s->entries[last].location = outside[random_below(&s->random, sizeof outside / sizeof *outside)]; break;
  default: s->entries[last].goes_to = random_below(&s->random, first) + 1; break;
  }
}

static uint32_t add_redirects(site *s)
{
  static const int codes[] = {301, 302, 303, 307, 308};
  uint32_t first = s->size, last = first, length = 1 + random_below(&s->random, 4);
  for (uint32_t i = 0; i < length && s->size < s->options.entries; i++) {
    uint32_t next = add_entry(s, SITE_REDIRECT, codes[random_below(&s->random, 5)]);
    if (i > 0)
      s->entries[last].goes_to = next + 1;
    last = next;
  }
  end_chain(s, first, last);
  return first;
}

static uint32_t add_something(site *s)
{
  switch (random_below(&s->random, 20)) {
  case 0: return add_entry(s, SITE_EMPTY, 200);
  case 1: return add_entry(s, SITE_FILE, 200);
  case 2: return add_entry(s, SITE_MISSING, 404);
  case 3: return add_entry(s, SITE_BROKEN, 500);
  case 4: return add_entry(s, SITE_FORBIDDEN, 200);
  case 5: return add_entry(s, SITE_NOFOLLOW, 200);
  case 6:
  case 7: return add_redirects(s);
  default: return add_entry(s, SITE_PAGE, 200);
  }
}

/* ---- what is known ---- */

uint32_t site_link(const site *s, uint32_t index, uint32_t n)
{
  const site_entry *entry = &s->entries[index];
  uint32_t children = 0;
  for (uint32_t child = entry->first_child; child; child = s->entries[child - 1].next_sibling)
    if (children++ == n)
      return child - 1;
  uint64_t random = random_stream(s->options.seed + 2, index);
  uint32_t others = 3 + random_below(&random, 6);
  if (n - children >= others)
    return SITE_NOWHERE;
  uint32_t other = 0;
  for (uint32_t i = children; i <= n; i++)
    other = random_below(&random, s->size);
  return other;
}

/* The n-th way on from an entry: a page's links, a redirect's target; SITE_NOWHERE past the last. */
static uint32_t way_on(const site *s, uint32_t index, uint32_t n)
{
  const site_entry *entry = &s->entries[index];
  if (entry->kind == SITE_PAGE)
    return site_link(s, index, n);
  return entry->goes_to && n == 0 ? entry->goes_to - 1 : SITE_NOWHERE;
}

void site_measure(const site *s, uint32_t start, const char *prefix, bool count_hops, uint32_t *depths)
{
  for (uint32_t i = 0; i < s->size; i++)
    depths[i] = UINT32_MAX;
  depths[start] = 0;
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < s->size; i++) {
      uint32_t depth = depths[i] + (s->entries[i].kind != SITE_REDIRECT || count_hops);
      for (uint32_t n = 0, next; depths[i] != UINT32_MAX && (next = way_on(s, i, n)) != SITE_NOWHERE; n++)
        if (depth < depths[next] && strncmp(s->entries[next].target, prefix, strlen(prefix)) == 0) {
          depths[next] = depth;
          changed = true;
        }
    }
  }
}

static int compare_targets(const void *a, const void *b, void *context)
{
  const site *s = context;
  return strcmp(s->entries[*(const uint32_t *)a].target, s->entries[*(const uint32_t *)b].target);
}

static void sort_targets(site *s)
{
  for (uint32_t i = 0; i < s->size; i++)
    s->by_target[i] = i;
  qsort_r(s->by_target, s->size, sizeof *s->by_target, compare_targets, s);
}

site *site_create(const site_options *options)
{
  site *s = calloc(1, sizeof *s);
  if (!s)
    abort();
  s->options = *options;
  /* RFC 9309 has an Allow cover the escaped spellings of a path, Google's matcher has not: leave that question out */
  s->place = (spell_place){options->host, options->port, "/private/open/"};
  snprintf(s->other_host, sizeof s->other_host, "http://%s:%u/trap/other-host.html",
           strcmp(options->host, "localhost") ? "localhost" : "127.0.0.1", options->port);
  s->random = random_stream(options->seed, 0);
  s->entries = calloc(options->entries, sizeof *s->entries);
  s->page_index = calloc(options->entries, sizeof *s->page_index);
  s->by_target = calloc(options->entries, sizeof *s->by_target);
  s->written = calloc(options->entries, sizeof *s->written);
  if (!s->entries || !s->page_index || !s->by_target || !s->written)
    abort();
  add_entry(s, SITE_PAGE, 200);
  while (s->size < options->entries) {
    uint32_t pages = s->pages; /* the parent must be older than what a chain of redirects adds */
    hang_under_a_page(s, add_something(s), pages);
  }
  sort_targets(s);
  return s;
}

void site_free(site *s)
{
  if (!s)
    return;
  for (uint32_t i = 0; i < s->size; i++) {
    free(s->entries[i].target);
    text_free(&s->written[i]);
  }
  free(s->entries);
  free(s->written);
  free(s->page_index);
  free(s->by_target);
  free(s);
}

uint32_t site_size(const site *s)
{
  return s->size;
}

const site_entry *site_entry_at(const site *s, uint32_t index)
{
  return &s->entries[index];
}

uint64_t site_seed(const site *s)
{
  return s->options.seed;
}

const char *site_other_host(const site *s)
{
  return s->other_host;
}

const spell_place *site_place(const site *s)
{
  return &s->place;
}

const char *site_kind_name(site_kind kind)
{
  static const char *const names[] = {
    [SITE_PAGE] = "page",     [SITE_NOFOLLOW] = "nofollow",   [SITE_EMPTY] = "empty",
    [SITE_FILE] = "file",     [SITE_REDIRECT] = "redirect",   [SITE_MISSING] = "missing",
    [SITE_BROKEN] = "broken", [SITE_FORBIDDEN] = "forbidden",
  };
  return names[kind];
}

bool site_entry_is_wanted(const site_entry *entry, bool ignore_robots)
{
  return ignore_robots || entry->kind != SITE_FORBIDDEN;
}

bool site_entry_is_page(const site_entry *entry)
{
  bool leads_nowhere = entry->kind == SITE_REDIRECT && entry->location && !*entry->location;
  return leads_nowhere || (entry->status == 200 && entry->kind != SITE_EMPTY);
}

bool site_is_in_circle(const site *s, uint32_t index)
{
  enum { HOPS_MAX = 20 }; /* which are followed */
  const site_entry *e = &s->entries[index];
  for (unsigned hops = 0; hops < HOPS_MAX && e->kind == SITE_REDIRECT && e->goes_to; hops++) {
    if (e->goes_to - 1 == index)
      return true;
    e = &s->entries[e->goes_to - 1];
  }
  return false;
}

uint32_t site_find(const site *s, const char *target, size_t size)
{
  text canonical = {0};
  uint32_t low = 0, high = target_canonical(&canonical, target, size) ? s->size : 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = strcmp(canonical.bytes, s->entries[s->by_target[middle]].target);
    if (order == 0) {
      text_free(&canonical);
      return s->by_target[middle];
    }
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  text_free(&canonical);
  return SITE_NOWHERE;
}

/* ---- answering ---- */

/* Writes the Location of a redirect into `*location`; false if it has none. */
static bool write_location(text *location, const site *s, uint32_t index)
{
  const site_entry *entry = &s->entries[index];
  uint64_t random = random_stream(s->options.seed + 3, index);
  text_clear(location);
  if (entry->location)
    text_add(location, entry->location);
  else
    spell_href(location, &random, &s->place, SPELL_HEADER, entry->target, s->entries[entry->goes_to - 1].target);
  return location->size > 0;
}

static void add_page(text *out, site *s, uint32_t index)
{
  text *page = &s->written[index];
  if (!page->size && s->written_size < WRITTEN_MAX) {
    page_write(page, s, index);
    s->written_size += page->size;
  }
  if (page->size)
    text_add_bytes(out, page->bytes, page->size);
  else
    page_write(out, s, index);
}

static void answer_entry(site *s, uint32_t index, http_reply *reply)
{
  static text location; /* outlives the call, as promised */
  static const char *const types[] = {"text/plain", "application/pdf", "image/png", "application/json"};
  const site_entry *entry = &s->entries[index];
  reply->status = entry->status;
  reply->type = index % 3 ? "text/html; charset=utf-8" : "TEXT/HTML;charset=\"UTF-8\"";
  switch (entry->kind) {
  case SITE_PAGE:
  case SITE_NOFOLLOW: add_page(&reply->body, s, index); break;
  case SITE_EMPTY: break;
  case SITE_FILE:
    reply->type = types[index % 4];
    page_write_file(&reply->body, index);
    break;
  case SITE_REDIRECT:
    reply->location = write_location(&location, s, index) ? location.bytes : NULL;
    text_add(&reply->body, "<p>It has moved.</p>\n");
    break;
  case SITE_MISSING:
  case SITE_BROKEN:
  case SITE_FORBIDDEN: text_addf(&reply->body, "<p>A %s page.</p>\n", site_kind_name(entry->kind)); break;
  }
}

void site_answer(void *context, const http_request *request, http_reply *reply)
{
  site *s = context;
  uint32_t index = site_find(s, request->target.bytes, request->target.size);
  if (http_span_is(request->target, "/robots.txt")) {
    reply->status = 200;
    reply->type = "text/plain";
    write_robots(&reply->body, s);
  } else if (index != SITE_NOWHERE) {
    answer_entry(s, index, reply);
  } else {
    reply->status = 404;
  }
}
