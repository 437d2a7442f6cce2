/* Responses that have too much of something: header fields, cookies, redirects, decoded bytes, tags. A body is made as
 * a whole before it is sent, so what never ends by itself is in program/test_crawl_attacks.c instead. */
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_often(text *out, const char *piece, unsigned times)
{
  while (times--)
    text_add(out, piece);
}

static void fields(web_reply *reply)
{
  add_often(&reply->headers, "X: another one\r\n", 5000);
}

static void long_fields(web_reply *reply)
{
  text line = {0};
  text_add(&line, "X-Long: ");
  add_often(&line, "longer and ", 5000);
  text_add(&line, "\r\n");
  add_often(&reply->headers, line.bytes, 10);
  text_free(&line);
}

static void one_line(web_reply *reply)
{
  text_add(&reply->headers, "X-Long: ");
  add_often(&reply->headers, "longer and ", 50000);
  text_add(&reply->headers, "\r\n");
}

static void many_cookies(web_reply *reply)
{
  for (unsigned i = 0; i < 900; i++)
    text_addf(&reply->headers, "Set-Cookie: n%u=%u; Path=/\r\n", i, i);
}

/* Twenty megabytes of zeros. */
static void bomb(web_reply *reply)
{
  static const char packed[] = "\xcf\xff\xff\x7f\xf8\x27\x00\xe2\xb1\x40\x20\xf7"
                               "\xfe\x3f\xff\x59\x62\xf0\x4f\x00\xc4\x61\x01\x80\x2e\x49\x0c";
  text_add(&reply->headers, "Content-Encoding: br\r\n");
  text_add_bytes(&reply->body, packed, sizeof packed - 1);
}

static void attributes(web_reply *reply)
{
  text_add(&reply->body, "<p");
  for (unsigned i = 0; i < 30000; i++)
    text_addf(&reply->body, " a%u=%u", i, i);
  text_add(&reply->body, ">");
}

static void nesting(web_reply *reply)
{
  add_often(&reply->body, "<svg><math><table><b><p>", 20000);
}

static void links(web_reply *reply)
{
  for (unsigned i = 0; i < 110000; i++)
    text_addf(&reply->body, "<a href=//h%u.invalid/>", i);
}

static const struct flood {
  const char *name;
  void (*answer)(web_reply *reply);
} floods[] = {
  {"fields", fields}, {"long-fields", long_fields}, {"line", one_line},   {"cookies", many_cookies},
  {"bomb", bomb},     {"attributes", attributes},   {"nesting", nesting}, {"links", links},
};
enum { FLOODS = sizeof floods / sizeof *floods };

bool web_is_flood(const char *target)
{
  return strncmp(target, "/flood/", 7) == 0;
}

static void redirect(web_reply *reply, unsigned long next)
{
  reply->status = 302;
  text_addf(&reply->headers, "Location: /flood/chain/%lu\r\n", next);
}

/* "/flood/" leads to each of them, and to redirects without end; each of them leads back. */
void web_answer_flood(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply)
{
  (void)w;
  (void)request;
  (void)host;
  const char *what = target + strlen("/flood/");
  text_add(&reply->body, "<a href=/flood/>all of them</a>\n");
  if (strncmp(what, "chain/", 6) == 0) {
    redirect(reply, strtoul(what + 6, NULL, 10) + 1);
    return;
  }
  for (size_t i = 0; i < FLOODS; i++)
    if (strcmp(what, floods[i].name) == 0) {
      if (floods[i].answer == bomb)
        text_clear(&reply->body);
      floods[i].answer(reply);
      return;
    }
  for (size_t i = 0; i < FLOODS; i++)
    text_addf(&reply->body, "<a href=/flood/%s>%s</a>\n", floods[i].name, floods[i].name);
  text_add(&reply->body, "<a href=/flood/chain/0>a chain</a>\n");
}
