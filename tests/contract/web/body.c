/* What stands on a page: words, and between them its links.
 *
 *     the tree's links     children, and from "/" of a host those that hang on it; through a door where one is drawn
 *     other links          anywhere, to what the trees reach as well
 *     what only looks so   in comments, scripts and text; all below /ghost/
 *
 * A page that may be copied writes no link that depends on its own URL. */
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <string.h>

typedef struct writer {
  const web *w;
  text *out;
  uint32_t host, page;
  web_charset charset;
  web_link from;
  char own[WEB_TARGET_MAX];  /* its target, or what its base element says */
  uint64_t links;            /* what links are drawn from */
  uint64_t words, own_words; /* and words; its own where it differs from what `words` says */
  bool differs;
} writer;

static void add_door(writer *s, uint32_t page, unsigned hops)
{
  char target[32];
  snprintf(target, sizeof target, "/go/%u/%u", hops, page);
  web_add_link(s->w, s->out, &s->from, s->host, 0, target, &s->links);
}

static void add_children(writer *s)
{
  uint64_t fan = web_page_fan(s->w, s->host), first = s->page * fan + 1, end = web_host_pages(s->w, s->host);
  for (uint64_t child = first; child < first + fan && child < end; child++) {
    uint32_t page = (uint32_t)child;
    unsigned hops = web_page_hops(s->w, s->host, page);
    if (web_page_is_map_only(s->w, s->host, page))
      continue;
    if (hops)
      add_door(s, page, hops);
    else
      web_add_link(s->w, s->out, &s->from, s->host, page, NULL, &s->links);
  }
}

/* Some by the name, or the scheme, that a host redirects from. */
static void add_hosts(writer *s)
{
  uint32_t child;
  for (uint32_t n = 0; s->page == 0 && web_host_child(s->w, s->host, n, &child); n++) {
    if (child == WEB_NO_HOST)
      continue;
    uint64_t dice = web_dice_next(&s->links);
    if (web_says(s->w, WEB_DOOR, dice))
      web_add_link_to_other_name(s->w, s->out, child, dice & 1);
    else
      web_add_link(s->w, s->out, &s->from, child, 0, NULL, &s->links);
  }
}

static void add_entrance(writer *s)
{
  const web_kind *kind = web_host_kind(s->w, s->host);
  if (s->page == 0 && kind && kind->entrance)
    web_add_link(s->w, s->out, &s->from, s->host, 0, kind->entrance, &s->links);
}

static void add_away(writer *s)
{
  char target[32];
  if (!web_page_has_away(s->w, s->host, s->page))
    return;
  snprintf(target, sizeof target, "/away/%u", s->page);
  web_add_link(s->w, s->out, &s->from, s->host, 0, target, &s->links);
}

/* To a page that the trees reach as well; else there is no link. */
static void add_further_link(writer *s)
{
  enum { SAME_HOST_OF_16 = 10 };
  uint64_t dice = web_dice_next(&s->links);
  bool is_own = (dice & 15) < SAME_HOST_OF_16;
  uint32_t host = is_own ? s->host : web_popular(web_dice_next(&s->links), s->w->options.hosts);
  uint32_t page = web_popular(web_dice_next(&s->links), web_host_pages(s->w, host));
  if (web_page_is_linked(s->w, host, page, false, false))
    web_add_link(s->w, s->out, &s->from, host, page, NULL, &s->links);
}

static void add_ghosts(writer *s)
{
  static const char *const ghosts[] = {
    "<!-- <a href=\"/ghost/1\">old</a> -->",
    "<script>var next = '<a href=\"/ghost/2\">next</a>';</script>",
    "<p title=\"<a href='/ghost/3'>\">&lt;a href=\"/ghost/4\"&gt; http://ghost.test/5</p>",
    "<textarea><a href=\"/ghost/6\"></a></textarea><style>/* <a href=\"/ghost/7\"> */</style>",
  };
  uint64_t dice = web_dice(s->w, WEB_ASK_GHOST, s->host, s->page);
  if (web_says(s->w, WEB_GHOST, dice))
    for (size_t i = 0; i < sizeof ghosts / sizeof *ghosts; i++)
      text_add(s->out, ghosts[i]);
}

/* One page in eight that may have relative links has them start elsewhere. */
static void begin(writer *s)
{
  enum { BASE_ONE_IN = 8 };
  uint64_t dice = web_dice(s->w, WEB_ASK_BASE, s->host, s->page) >> 1;
  s->from = (web_link){s->host, s->page, !web_page_may_be_copied(s->w, s->host, s->page), s->own};
  web_page_target(s->w, s->host, s->page, s->own);
  text_add(s->out, "<!DOCTYPE html>\n<html><head>");
  if (web_host_says_charset(s->w, s->host))
    text_addf(s->out, "<meta charset=\"%s\">", web_charset_name(s->charset));
  text_add(s->out, "<title>");
  uint64_t title = web_dice(s->w, WEB_ASK_TEXT, s->host, s->page);
  web_add_words(s->out, s->charset, 12, &title, NULL);
  text_add(s->out, "</title>");
  if (s->from.may_be_relative && dice % BASE_ONE_IN == 0) {
    memcpy(s->own, "/base/here/", 12);
    text_add(s->out, "<base href=\"/base/here/\">");
  }
  text_add(s->out, "</head><body>\n");
}

/* With each version some words differ; a similar page has those of its original but for some. */
static void add_text(writer *s, size_t size)
{
  text_add(s->out, "<p>");
  web_add_words(s->out, s->charset, size, &s->words, s->differs ? &s->own_words : NULL);
  text_add(s->out, "</p>\n");
}

static void begin_text(writer *s, uint64_t version)
{
  bool is_similar = web_page_form(s->w, s->host, s->page) == WEB_FORM_SIMILAR;
  uint32_t from = is_similar ? web_page_original(s->w, s->host, s->page) : s->page;
  s->words = web_dice(s->w, WEB_ASK_TEXT, s->host, from);
  s->own_words = web_dice(s->w, WEB_ASK_OWN_TEXT, s->host, s->page) + version;
  s->differs = is_similar || version;
}

/* `page` is no copy: a copy is its original, word for word. */
static void write_page(writer *s, uint64_t version)
{
  uint32_t links = (uint32_t)(web_dice_next(&s->links) % (2 * (uint64_t)s->w->options.links + 1));
  begin_text(s, version);
  size_t size = s->w->options.bytes / 2 + s->words % s->w->options.bytes;
  begin(s);
  add_text(s, size / 10);
  add_entrance(s);
  add_hosts(s);
  add_children(s);
  add_away(s);
  for (uint32_t i = 0; i < links; i++)
    add_further_link(s);
  add_ghosts(s);
  add_text(s, size - size / 10);
  text_add(s->out, "</body></html>\n");
}

void web_write_page(const web *w, uint32_t host, uint32_t page, uint64_t version, text *out)
{
  if (web_page_form(w, host, page) == WEB_FORM_COPY)
    page = web_page_original(w, host, page);
  writer s = {.w = w,
              .out = out,
              .host = host,
              .page = page,
              .charset = web_host_charset(w, host),
              .links = web_dice(w, WEB_ASK_LINKS, host, page)};
  write_page(&s, version);
}
