#include "tests/support/lacking_site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>
#include <zlib.h>

#define NO_BODY "Content-Length: 0\r\nConnection: close\r\n\r\n"
#define NOT_THERE "HTTP/1.1 404 Not Found\r\n" NO_BODY
#define BUSY "HTTP/1.1 503 Later\r\n" NO_BODY
enum { CHAIN = 25, LONG = 9000, BODY = 10000 };

small lacking_served;
struct lacking_shared *lacking_shared;

static const char *robots, *kind; /* of the site that is served */
static unsigned urls;             /* of its sitemap, or pages */

static void send_text(int fd, text *page)
{
  raw_send(fd, page->bytes, page->size);
  text_free(page);
}

static void send_large(int fd, unsigned number)
{
  text page = {0};
  if (raw_request_has("If-None-Match: \"1\"")) {
    raw_send_string(fd, "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n");
    return;
  }
  lacking_shared->unconditional++;
  text_add(&page, SMALL_HEAD "text/html\r\nETag: \"1\"\r\n\r\n");
  for (unsigned i = 0; i < BODY; i++)
    text_add(&page, "x ");
  text_addf(&page, "<a href=/behind/%u>x</a>", number);
  send_text(fd, &page);
}

static void send_links(int fd, const char *head, const char *each, unsigned count, const char *end)
{
  text page = {0};
  text_add(&page, head);
  for (unsigned i = 0; i < count; i++)
    text_add(&page, each);
  text_add(&page, end);
  send_text(fd, &page);
}

static void send_numbered(int fd, const char *before, unsigned count)
{
  text page = {0};
  text_add(&page, SMALL_HTML);
  for (unsigned i = 0; i < count; i++)
    text_addf(&page, "<a href=%s%u>x</a>", before, i);
  send_text(fd, &page);
}

static void send_map(int fd)
{
  text page = {0};
  text_add(&page, SMALL_HEAD "application/xml\r\n\r\n<urlset>");
  for (unsigned i = 0; i < urls; i++)
    text_addf(&page, "<url><loc>/%s</loc></url>", i + 1 < urls ? "leaf" : "behind/0");
  text_add(&page, "</urlset>");
  send_text(fd, &page);
}

/* Its last bytes do not come; or it is in two parts, which are one file as gunzip reads it. */
static void send_packed(int fd, bool is_whole)
{
  static const char *const parts[] = {"<urlset><url><loc>/leaf</loc></url>",
                                      "<url><loc>/behind/0</loc></url></urlset>"};
  raw_send_string(fd, SMALL_HEAD "application/gzip\r\n\r\n");
  for (unsigned i = 0; i < 2; i++) {
    unsigned char packed[4096];
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)parts[i],
                  .avail_in = (unsigned)strlen(parts[i]),
                  .next_out = packed,
                  .avail_out = sizeof packed};
    deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    raw_send(fd, packed, sizeof packed - z.avail_out - (is_whole ? 0 : 12));
    deflateEnd(&z);
    if (!is_whole)
      return;
  }
}

static void send_named_maps(int fd, unsigned count)
{
  text page = {0};
  text_add(&page, SMALL_HEAD "text/plain\r\n\r\n");
  for (unsigned i = 0; i < count; i++)
    text_add(&page, i + 1 < count ? "Sitemap: /gone.xml\n" : "Sitemap: /map.xml\n");
  send_text(fd, &page);
}

static void send_long_link(int fd, const char *before)
{
  text page = {0};
  text_addf(&page, SMALL_HTML "<a href=\"%s", before);
  for (unsigned i = 0; i < LONG; i++)
    text_add(&page, "y");
  text_add(&page, "\">x</a>");
  send_text(fd, &page);
}

static bool is_kind(const char *name)
{
  return strcmp(kind, name) == 0;
}

static void send_robots(int fd)
{
  if (is_kind("robots-503") && !lacking_shared->is_well)
    raw_send_string(fd, BUSY);
  else if (is_kind("robots-broken") && !lacking_shared->is_well)
    raw_send_string(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
  else if (is_kind("named-maps"))
    send_named_maps(fd, urls);
  else
    raw_send_string(fd, robots ? robots : NOT_THERE);
}

static void send_start(int fd)
{
  if (is_kind("large"))
    send_numbered(fd, "/large/", urls);
  else if (is_kind("forged"))
    raw_send_string(fd, SMALL_HEAD "text/html\r\nETag: \x01"
                                   "A\r\nLast-Modified: \x01"
                                   "A\r\n\r\n<a href=/large/1>x</a><a href=/large/2>x</a>");
  else if (is_kind("links"))
    send_links(fd, SMALL_HTML, "<a href=/leaf>x</a>", LINKS_MAX, "<a href=/behind/0>x</a>");
  else if (is_kind("feed"))
    raw_send_string(fd, SMALL_HTML "<a href=/feed>x</a>");
  else if (is_kind("chain"))
    raw_send_string(fd, SMALL_HTML "<a href=/chain/0>x</a>");
  else if (is_kind("long"))
    send_long_link(fd, "/");
  else if (is_kind("long-elsewhere"))
    send_long_link(fd, "http://elsewhere.example/?");
  else if (is_kind("longer"))
    send_links(fd, SMALL_HTML "<a href=\"/", "yyyyyyyyyyyyyyyy", 2000, "\">x</a>");
  else if (is_kind("data"))
    send_links(fd, SMALL_HTML "<a href=\"data:", "yyyyyyyyyyyyyyyy", 2000, "\">x</a>");
  else if (is_kind("failing"))
    raw_send_string(fd, SMALL_HTML "<a href=/503>x</a><a href=/broken>x</a><a href=/fields>x</a><a href=/429>x</a>"
                                   "<a href=/404>x</a><a href=/410>x</a><a href=/leaf>x</a>");
  else if (is_kind("slow"))
    raw_send_string(fd, SMALL_HTML "<a href=/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxzy>x</a>");
  else if (is_kind("calendar"))
    send_numbered(fd, "/agenda/2026-1-", 28);
  else if (is_kind("deep"))
    raw_send_string(fd, SMALL_HTML "<a href=/1>x</a>");
  else
    raw_send_string(fd, SMALL_HTML "<a href=/leaf>x</a><a href=/404>x</a><a href=/private>x</a>"
                                   "<a href=/unwanted rel=nofollow>x</a><a href=http://elsewhere.example/>x</a>");
}

static void send_ill(int fd, const char *target)
{
  if (strcmp(target, "/503") == 0)
    raw_send_string(fd, BUSY);
  else if (strcmp(target, "/429") == 0)
    raw_send_string(fd, "HTTP/1.1 429 Slow down\r\n" NO_BODY);
  else if (strcmp(target, "/broken") == 0)
    raw_send_string(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: text/html\r\n\r\n");
  else
    send_links(fd, "HTTP/1.1 200 OK\r\n", "X: y\r\n", 2000, "\r\n");
}

static void answer(int fd, const char *target)
{
  unsigned a, b;
  if (strcmp(target, "/robots.txt") == 0)
    send_robots(fd);
  else if (strcmp(target, "/") == 0)
    send_start(fd);
  else if (sscanf(target, "/large/%u", &a) == 1)
    send_large(fd, a);
  else if (sscanf(target, "/behind/%u", &a) == 1)
    lacking_shared->behind++, raw_send_string(fd, SMALL_LEAF);
  else if (sscanf(target, "/chain/%u", &a) == 1 && a < CHAIN) {
    text head = {0};
    text_addf(&head, "HTTP/1.1 302 On\r\nLocation: /chain/%u\r\n" NO_BODY, a + 1);
    send_text(fd, &head);
  } else if (sscanf(target, "/agenda/2026-%u-%u", &a, &b) == 2) {
    text page = {0};
    text_addf(&page, SMALL_HTML "<a href=/agenda/2026-%02u-%02u>x</a><a href=/agenda/2026-%02u-%02u>x</a>", a % 12 + 1,
              b, a, b % 28 + 1);
    for (unsigned i = 0; i < 40; i++)
      text_addf(&page, "<a href=/agenda/%u-%02u-%02u>x</a>", 1900 + i, a, b);
    send_text(fd, &page);
  } else if (sscanf(target, "/%u", &a) == 1 && a < 10)
    send_numbered(fd, a == 1 ? "/2" : "/9", 1);
  else if (strcmp(target, "/feed") == 0)
    send_links(fd, SMALL_HEAD "application/rss+xml\r\n\r\n<rss><channel>", "<item><link>/leaf</link></item>", URLS_MAX,
               "<item><link>/behind/0</link></item></channel></rss>");
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-503") && !lacking_shared->is_well)
    raw_send_string(fd, BUSY);
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-cut"))
    send_packed(fd, false);
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-in-two"))
    send_packed(fd, true);
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-bad"))
    raw_send_string(fd, SMALL_HEAD "application/xml\r\n\r\n<urlset><url><loc>/beh\xFFind</loc></url>"
                                   "<url><loc>/leaf</loc></url></urlset>");
  else if (strcmp(target, "/map.xml") == 0 && urls)
    send_map(fd);
  else if (strcmp(target, "/503") == 0 || strcmp(target, "/429") == 0 || strcmp(target, "/broken") == 0 ||
           strcmp(target, "/fields") == 0)
    lacking_shared->is_well ? raw_send_string(fd, SMALL_LEAF) : send_ill(fd, target);
  else if (strcmp(target, "/410") == 0)
    raw_send_string(fd, "HTTP/1.1 410 Gone\r\n" NO_BODY);
  else
    raw_send_string(fd, strcmp(target, "/404") == 0 || strstr(target, "xml") ? NOT_THERE : SMALL_LEAF);
}

/* ---- serving -------------------------------------------------------------------------------------------------- */

void lacking_serve_again(const char *of_kind, unsigned count, const char *its_robots)
{
  kind = of_kind;
  urls = count;
  robots = its_robots;
  lacking_served = small_open_with(answer);
}

void lacking_serve(const char *of_kind, unsigned count)
{
  lacking_serve_again(of_kind, count, NULL);
}

int lacking_begin(void **state)
{
  (void)state;
  if (!lacking_shared)
    lacking_shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(lacking_shared, MAP_FAILED);
  memset(lacking_shared, 0, sizeof *lacking_shared);
  return 0;
}

int lacking_end(void **state)
{
  (void)state;
  small_close(&lacking_served);
  return 0;
}
