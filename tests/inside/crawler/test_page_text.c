/* What a page says: markup, references, scripts and charset do not matter, and nor does how it is cut into pieces. */
#include "crawler/html/links.h"
#include "crawler/html/page_text.h"
#include "tests/support/test.h"

#include <string.h>

static page_text *t;
static links_scanner *scanner;

static void ignore(void *context, const link_found *link)
{
  (void)context, (void)link;
}

static void take(void *context, const char *bytes, size_t size)
{
  page_text_feed_html(context, bytes, size);
}

static int begin(void **state)
{
  (void)state;
  t = page_text_create();
  scanner = links_create(ignore, NULL);
  links_want_text(scanner, take, t);
  return t && scanner ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  page_text_free(t);
  links_free(scanner);
  return 0;
}

/* A short text has one shingle, of all its words: two are the same text if that is the same. 0: it has none. */
static uint64_t shingle_of_html(const char *page, size_t piece, bool is_xml)
{
  page_text_begin(t);
  if (is_xml)
    links_expect_xml(scanner);
  for (size_t at = 0, size = strlen(page); at < size; at += piece)
    links_feed(scanner, page + at, size - at < piece ? size - at : piece);
  links_finish(scanner);
  mlbf_shingles s = page_text_finish(t);
  return s.count ? s.at[0] : 0;
}

static uint64_t shingle_of_plain(const char *words)
{
  page_text_begin(t);
  page_text_feed_plain(t, words, strlen(words));
  mlbf_shingles s = page_text_finish(t);
  return s.count ? s.at[0] : 0;
}

static const struct row {
  const char *html, *says;
  bool is_xml;
} rows[] = {
  {"Fish &amp; chips", "fish chips", false},
  {"caf&eacute; <b>no</b>ir", "caf\xC3\xA9 no ir", false}, /* a tag parts words */
  {"two&nbsp;words", "two words", false},
  {"&#x41;&#66;&#67;", "abc", false},
  {"a&b; &nosuchname; &", "a b nosuchname", false},
  {"&&amp;x&", "x", false},
  {"&CounterClockwiseContourIntegral;y", "\xE2\x88\xB3y", false},
  {"&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
   false},
  {"<title>not this</title>but this<script>if (a < b) no()</script>", "but this", false},
  {"<style>a{}</style><!-- no --><textarea>no</textarea>yes", "yes", false},
  {"1 < 2 words", "1 2 words", false},
  {"<p>one<p>two", "one two", false},
  {"<html><title>no</title><script>no</script><p>yes</p></html>", "yes", true},
  {"<script src='x'/><p>yes</p>", "yes", true},
  {"<script>only code</script><img alt='no'>", "", false},
};

CASE(what_is_said)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t piece = 1; piece < 12; piece++)
      if (shingle_of_html(rows[i].html, piece, rows[i].is_xml) != shingle_of_plain(rows[i].says))
        fail_msg("%s, in pieces of %zu, does not say: %s", rows[i].html, piece, rows[i].says);
  assert_true(shingle_of_plain("one two") != shingle_of_plain("onetwo"));
  assert_true(shingle_of_plain("") == 0);
}

EACH_CASE(begin, end)
