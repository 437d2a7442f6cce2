/* strata report: its numbers are those of the crawl, and whatever is in pages.jsonl, the page is inert. */
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})

static trial *t;

static int serve(void **state)
{
  (void)state;
  t = trial_open(&(trial_options){.seed = 41, .entries = 300});
  return STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--tries", "1", "--per-host", "4", "--allow-private",
                "URL");
}

static int stop(void **state)
{
  (void)state;
  trial_close(t);
  return 0;
}

/* ---- nothing in it acts or comes from elsewhere ----------------------------------------------------------- */

static bool is_one_of(const char *word, const char *const *words)
{
  while (*words && strcmp(word, *words) != 0)
    words++;
  return *words;
}

static void assert_inert_element(const GumboNode *node)
{
  static const char *const elements[] = {"html", "head", "meta", "title", "style", "body",    "h1",     "h2", "p",
                                         "div",  "b",    "span", "table", "thead", "tbody",   "tr",     "th", "td",
                                         "svg",  "rect", "a",    "ul",    "li",    "section", "script", NULL};
  static const char *const attributes[] = {
    "lang",        "charset", "name",       "content", "class", "viewbox", "preserveaspectratio",
    "aria-hidden", "width",   "height",     "x",       "y",     "role",    "aria-label",
    "rel",         "href",    "http-equiv", "scope",   NULL};
  const GumboElement *e = &node->v.element;
  const char *name = gumbo_normalized_tagname(e->tag);
  if (e->tag == GUMBO_TAG_UNKNOWN)
    name = strncmp(e->original_tag.data, "<rect", 5) == 0 ? "rect" : "unknown";
  if (!is_one_of(name, elements))
    fail_msg("an element <%s>", name);
  for (unsigned i = 0; i < e->attributes.length; i++) {
    const GumboAttribute *a = e->attributes.data[i];
    char lower[32] = "";
    for (size_t k = 0; a->name[k] && k + 1 < sizeof lower; k++)
      lower[k] = (char)(a->name[k] | (a->name[k] >= 'A' && a->name[k] <= 'Z' ? 0x20 : 0));
    if (!is_one_of(lower, attributes))
      fail_msg("an attribute %s of <%s>", a->name, name);
    if (strcmp(lower, "href") == 0)
      assert_true(e->tag == GUMBO_TAG_A &&
                  (strncmp(a->value, "http://", 7) == 0 || strncmp(a->value, "https://", 8) == 0));
  }
}

static void assert_inert(const GumboNode *node)
{
  if (node->type != GUMBO_NODE_ELEMENT)
    return;
  assert_inert_element(node);
  for (unsigned i = 0; i < node->v.element.children.length; i++)
    assert_inert(node->v.element.children.data[i]);
}

static void assert_page_is_inert(const text *page)
{
  assert_non_null(page->bytes);
  assert_null(strstr(page->bytes, "url("));
  assert_null(strstr(page->bytes, "@import"));
  for (size_t i = 0; i < page->size; i++)
    assert_true(page->bytes[i] == '\n' || (page->bytes[i] >= 0x20 && page->bytes[i] < 0x7F));
  GumboOutput *parsed = gumbo_parse_with_options(&kGumboDefaultOptions, page->bytes, page->size);
  assert_int_equal(parsed->errors.length, 0);
  assert_inert(parsed->root);
  gumbo_destroy_output(&kGumboDefaultOptions, parsed);
}

/* ---- cases ------------------------------------------------------------------------------------------------ */

/* "...<b>NUMBER</b><span>WHAT": the card of that name. */
static long card(const char *page, const char *what)
{
  text end = {0};
  text_addf(&end, "</b><span>%s</span>", what);
  const char *at = strstr(page, end.bytes);
  text_free(&end);
  if (!at)
    fail_msg("no card \"%s\"", what);
  const char *begin = at;
  while (begin > page && begin[-1] != '>')
    begin--;
  long number = 0;
  for (; begin < at; begin++)
    if (strncmp(begin, "&#8239;", 7) == 0)
      begin += 6;
    else
      number = 10 * number + (*begin - '0');
  return number;
}

CASE(numbers_of_the_crawl)
{
  long pages = 0, redirects = 0, errors = 0;
  const char *line = strstr(t->err.bytes, " pages, ");
  assert_non_null(line);
  while (line > t->err.bytes && line[-1] != '\n')
    line--;
  pages = strtol(line, NULL, 10);
  redirects = strtol(strstr(line, "; ") + 2, NULL, 10);
  errors = strtol(strstr(line, "redirects, ") + 11, NULL, 10);
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
  assert_page_is_inert(&t->out);
  assert_int_equal(card(t->out.bytes, "pages"), pages);
  assert_int_equal(card(t->out.bytes, "redirects"), redirects);
  assert_int_equal(card(t->out.bytes, "failed"), errors);
  assert_int_equal(card(t->out.bytes, "waiting"), 0);
  static const char *const sections[] = {"Timeline", "Answers", "Not taken", "Hosts",   "Depth",
                                         "Sizes",    "Types",   "Slowest",   "Largest", "Seen or new"};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    text heading = {0};
    text_addf(&heading, "<h2>%s</h2>", sections[i]);
    if (!strstr(t->out.bytes, heading.bytes))
      fail_msg("no section \"%s\"", sections[i]);
    text_free(&heading);
  }
}

static void write_pages(const char *lines)
{
  FILE *file = fopen(t->pages, "w");
  assert_non_null(file);
  assert_true(fputs(lines, file) >= 0 && fclose(file) == 0);
}

CASE(hostile_lines)
{
#define EVIL "<script>alert(1)</script><img src=x onerror=alert(1)>\\\"'--></style>&lt;\\u001b[2J\\u202e\\ud83d\\ude00"
#define PAGE(url)                                                                                                \
  "{\"url\":\"" url "\",\"type\":\"" EVIL "\",\"status\":200,\"body_bytes\":5,\"outcome\":\"done\","             \
  "\"sha256\":\"0123456789abcdef\",\"start_ms\":1700000000000,\"seconds\":1.5,\"depth\":3,\"near\":\"" url "\"," \
  "\"near_share\":-1e308}\n"
  write_pages(PAGE("http://h/" EVIL) PAGE("https://" EVIL "/") PAGE("javascript:alert(1)//http://h/") PAGE(
    EVIL) "{\"url\":\"http://h/\",\"error\":\"" EVIL "\",\"seconds\":-1e300,\"start_ms\":9223372036854775807}\n"
          "{\"url\":\"\",\"status\":-5,\"depth\":99999999999,\"seconds\":1e308,\"start_ms\":1,\"body_bytes\":-1}\n"
          "{\"url\":7}\nnot json\n\n{\"url\":\"torn");
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
  assert_page_is_inert(&t->out);
  assert_non_null(strstr(t->out.bytes, "<h2>Duplicates</h2>")); /* all have one hash */
  assert_non_null(strstr(t->out.bytes, "Pages with the body of an earlier one, by SHA-256 of what was decoded: 3."));
  assert_non_null(strstr(t->out.bytes, "Pages that say what an earlier one says (at least 90 %"));
  assert_non_null(strstr(t->out.bytes, " of each text is in the other): 4."));
  assert_non_null(strstr(t->out.bytes, "4 lines of pages.jsonl could not be read"));
}

static bool has_row(const char *name, unsigned count)
{
  text row = {0};
  text_addf(&row, "<tr><td>%s</td><td>%u</td>", name, count);
  bool is_there = strstr(t->out.bytes, row.bytes) != NULL;
  text_free(&row);
  return is_there;
}

/* Of each URL the last line counts, or the one before a 304; a body is no copy of itself. */
CASE(urls_that_were_fetched_again)
{
#define LINE(url, more) \
  "{\"url\":\"http://h/" url "\",\"outcome\":\"done\",\"start_ms\":1700000000000,\"seconds\":1," more "}\n"
#define MOVED "\"status\":301,\"redirect\":\"http://h/a\""
#define BODY(sha256) "\"status\":200,\"type\":\"text/html\",\"body_bytes\":5,\"sha256\":\"" sha256 "\""
  static const char first[] = LINE("a", BODY("aaaaaaaaaaaaaaaa") ",\"near\":\"http://h/b\",\"near_share\":0.95")
    LINE("b", BODY("bbbbbbbbbbbbbbbb")) LINE("c", BODY("bbbbbbbbbbbbbbbb")) LINE("r", MOVED)
      LINE("d", BODY("dddddddddddddddd"));
  static const char again[] = LINE("a", "\"status\":304") LINE("b", BODY("bbbbbbbbbbbbbbbb"))
    LINE("c", BODY("cccccccccccccccc"))
      LINE("r", MOVED) "{\"url\":\"http://h/d\",\"outcome\":\"failed\",\"error\":\"timeout\"}\n" LINE("new",
                                                                                                      "\"status\":304");
  text both = {0};
  write_pages(first);
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
  assert_int_equal(card(t->out.bytes, "pages"), 4);
  assert_non_null(strstr(t->out.bytes, "by SHA-256 of what was decoded: 1."));
  assert_null(strstr(t->out.bytes, "<span>unchanged<"));
  assert_null(strstr(t->out.bytes, "some of them again"));
  text_addf(&both, "%s%s", first, again);
  write_pages(both.bytes);
  text_free(&both);
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
  assert_page_is_inert(&t->out);
  assert_int_equal(card(t->out.bytes, "pages"), 3);
  assert_int_equal(card(t->out.bytes, "redirects"), 1);
  assert_int_equal(card(t->out.bytes, "unchanged"), 3);
  assert_non_null(strstr(t->out.bytes, "6 URLs were fetched, some of them again: 11 fetches."));
  assert_null(strstr(t->out.bytes, "<h2>Duplicates</h2>"));
  assert_non_null(strstr(t->out.bytes, " of each text is in the other): 1."));
  assert_true(has_row("200", 3) && has_row("301", 1) && has_row("304", 1) && has_row("timeout", 1));
  assert_true(has_row("h", 6) && has_row("text/html", 3) && has_row("under 1 kB", 3));
}

CASE(the_file_or_standard_output)
{
  char *own = trial_path(t, "crawl/report.html"), *other = trial_path(t, "other.html");
  text page = {0}, said = {0};
  assert_int_equal(STRATA(t, "report", "DIR"), 0); /* not to a terminal, either */
  text_addf(&said, "%s\n", own);
  assert_string_equal(t->out.bytes, said.bytes);
  assert_true(text_add_file(&page, own));
  assert_page_is_inert(&page);
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
  assert_int_equal(t->out.size, page.size);
  assert_memory_equal(t->out.bytes, page.bytes, page.size);
  assert_int_equal(STRATA(t, "report", "DIR", "--out", other), 0);
  page.size = 0;
  assert_true(text_add_file(&page, other));
  assert_page_is_inert(&page);
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "/nowhere/page.html"), 1);
  assert_non_null(strstr(t->err.bytes, "/nowhere/page.html"));
  free(own);
  free(other);
  text_free(&page);
  text_free(&said);
}

CASE(no_pages_at_all)
{
  write_pages("");
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 0);
  assert_page_is_inert(&t->out);
  assert_int_equal(card(t->out.bytes, "pages"), 0);
  assert_int_equal(remove(t->pages), 0);
  assert_int_equal(STRATA(t, "report", "DIR", "--out", "-"), 1);
  assert_non_null(strstr(t->err.bytes, "pages.jsonl"));
  assert_int_equal(STRATA(t, "report", "/nowhere"), 1);
  assert_int_equal(STRATA(t, "report"), 2);
  assert_int_equal(STRATA(t, "report", "DIR", "--nonsense"), 2);
}

EACH_CASE(serve, stop)
