/* Responses that write where a terminal, a line or a file of ours might obey: control characters of every kind (C0,
 * DEL, C1, bidi controls, broken UTF-8), a line that looks like ours, a record that looks like a WARC's. A status line
 * cannot be chosen here: program/test_crawl_shown.c has those. */
#include "tests/contract/web/web_inside.h"

#include <string.h>

// NOLINTBEGIN(misc-misleading-bidirectional): crawls of this web show that they mislead nobody
#define PAINT                               \
  "\x1b]0;owned\x07\x1b[2J\x7f\xc2\x9b"     \
  "31m\xe2\x80\xae"                         \
  "gpj\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8\x9b" \
  "2J\xff"
#define IN_HEADERS  \
  "\x1b[2J\xc2\x9b" \
  "31m\xe2\x80\xae\xff"

static const struct wall {
  const char *name;
  unsigned status;
  const char *headers, *body;
} walls[] = {
  {"title", 200, "", "<title>" PAINT "\nstrata: forged\n</title>"},
  {"type", 200, "Content-Type: text/" IN_HEADERS "; charset=" IN_HEADERS "\r\n", "x"},
  {"moved", 302, "Location: /wall/" IN_HEADERS "\r\n", ""},
  {"away", 302, "Location: http://" IN_HEADERS ".test/\r\n", ""},
  {"gone", 404, "Retry-After: " IN_HEADERS "\r\n", PAINT},
  {"coding", 200, "Content-Encoding: " IN_HEADERS "\r\n", "x"},
  {"folded", 200, "X-A: b\r\n\tWARC-Type: request\r\nX-B: c\rWARC-Type: request\r\n", "x"},
  {"record", 200, "", "WARC/1.1\r\nWARC-Type: response\r\n\r\n"},
  {"links", 200, "Link: </wall/" PAINT ">; rel=next\r\n",
   "<a href='/wall/" PAINT "'>x</a><a href='/wall/?" PAINT "'>x</a><a href='http://" PAINT "/'>x</a>"
   "<a href='/wall/&#13;&#10;x'>x</a><a href='/wall/&#x9b;31m&#x202e;'>x</a><a href='/wall/%0d%0aWARC-Type:x'>x</a>"},
};
// NOLINTEND(misc-misleading-bidirectional)
enum { WALLS = sizeof walls / sizeof *walls };

bool web_is_wall(const char *target)
{
  return strncmp(target, "/wall/", 6) == 0;
}

/* "/wall/" leads to each of them, and so does whatever they make up. */
void web_answer_wall(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply)
{
  (void)w;
  (void)request;
  (void)host;
  for (size_t i = 0; i < WALLS; i++)
    if (strcmp(target + strlen("/wall/"), walls[i].name) == 0) {
      reply->status = walls[i].status;
      text_add(&reply->headers, walls[i].headers);
      text_add(&reply->body, walls[i].body);
      return;
    }
  for (size_t i = 0; i < WALLS; i++)
    text_addf(&reply->body, "<a href=/wall/%s>%s</a>\n", walls[i].name, walls[i].name);
}
