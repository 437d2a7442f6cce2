/* crawler/html/link_headers.c: Link: and X-Robots-Tag: as rows. */
#include "crawler/html/link_headers.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

/* What a header gave, as text: "a b! c^" (! nofollow, ^ canonical). */
typedef struct found {
  char text[256];
  size_t size;
} found;

static void note(void *context, const link_found *link)
{
  found *said = context;
  int added = snprintf(said->text + said->size, sizeof said->text - said->size, "%s%.*s%s%s", said->size ? " " : "",
                       (int)link->size, link->href, link->nofollow ? "!" : "", link->canonical ? "^" : "");
  said->size += (size_t)added < sizeof said->text - said->size ? (size_t)added : 0;
}

CASE(link_headers)
{
  /* clang-format off */
  static const struct { const char *value, *wanted; } rows[] = {
    {"</2>; rel=next", "/2"}, {"</2>;rel=\"next\"", "/2"}, {"</2> ; rel = \"next\" ", "/2"},
    {"</c>; rel=Canonical", "/c^"}, {"</1>; rel=prev, </3>; rel=next", "/1 /3"},
    {"</s.css>; rel=preload; as=style, </3>; rel=next", "/3"},
    {"</s.css>; rel=\"alternate stylesheet\"", ""}, {"</2>; rel=\"nofollow next\"", "/2!"},
    {"</2>; title=\"a, b; rel=x\\\" <\"; rel=next", "/2"}, {"</2>; rel=next; rel=preload", "/2"},
    {"</2>; rel=preload; rel=next", ""}, {"</2>; rel=next; anchor=\"/other\"", ""}, {"</2>", ""}, {"</2>; rel", ""},
    {"</2; rel=next", ""}, {"/2; rel=next", ""}, {"", ""}, {",, ,</2>;;rel=next,,", "/2"}, {"<>; rel=next", ""},
    {"</a,b>; rel=next", "/a,b"}, {"</2>; rel=\"next", "/2"}, {"</2>; rel=\"next\\", ""},
    {"</2> junk, </3>; rel=next", "/3"},
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    found said = {.size = 0};
    link_headers_read_link(rows[i].value, note, &said);
    if (strcmp(said.text, rows[i].wanted) != 0)
      fail_msg("%s: \"%s\", not \"%s\"", rows[i].value, said.text, rows[i].wanted);
  }
}

CASE(robots_headers)
{
  /* clang-format off */
  static const struct { const char *value; bool nofollow, noindex; } rows[] = {
    {"noindex", false, true}, {"NoFollow", true, false}, {"none", true, true}, {"noindex, nofollow", true, true},
    {"noindex nofollow", true, true}, {"all", false, false}, {"", false, false}, {"nofollowing", false, false},
    {"otherbot: none", false, false}, {"strata: none", true, true}, {"Strata : nofollow", true, false},
    {"*: nofollow", true, false}, {"unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", true, false},
    {"max-snippet: 3, noindex", false, true}, {"noindex, max-snippet: 3", false, true},
    /* of several agents */
    {"otherbot: noindex, strata: nofollow", true, false}, {"strata: nofollow, otherbot: noindex", true, false},
    {"noindex, otherbot: nofollow", false, true}, {"otherbot: noindex, nofollow", false, false},
    {"strata: noindex, nofollow", true, true}, {"otherbot: none,*:nofollow", true, false},
    {"otherbot: max-snippet: 1, none, strata : max-image-preview:none, noindex", false, true},
    {"a: b: strata: nofollow", true, false}, {"strata: a: nofollow", false, false}, {": nofollow", false, false},
    {"strata:nofollow,,, ,other:noindex", true, false}, {"strata", false, false}, {"strata:", false, false},
    /* dates */
    {"unavailable_after: Friday, 25-Jun-2010 15:00:00 PST, nofollow", true, false},
    {"otherbot: unavailable_after: Friday, 25 Jun 2010 15:00:00 GMT, nofollow, strata: noindex", false, true},
    {"unavailable_after: Fri,25-Jun-10T15:00:00, nofollow", true, false},
    {"unavailable_after: 2010-06-25T15:00:00+00:00, strata: nofollow, 25bot: noindex", true, false},
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool nofollow = false, noindex = false;
    link_headers_read_robots(rows[i].value, "strata", &nofollow, &noindex);
    if (nofollow != rows[i].nofollow || noindex != rows[i].noindex)
      fail_msg("%s: nofollow %d, noindex %d", rows[i].value, nofollow, noindex);
  }
}
