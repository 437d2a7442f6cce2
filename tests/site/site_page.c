/* How a page writes its links, and what it writes that only looks like one. Both tables are the test: a row that
 * a browser would read otherwise is a mistake here. `@` is where the URL goes; QUOTE is what stands around it. */
#include "tests/site/site_page.h"
#include "tests/site/random.h"

#include <ctype.h>
#include <string.h>

static const struct {
  char quote; /* '"', '\'' or 0: how the value may be written */
  const char *html;
} links[] = {
  {'"', "<a href=\"@\">link</a>"},
  {'\'', "<a href='@'>link</a>"},
  {0, "<a href=@>link</a>"},
  {0, "<A HREF=@ TARGET=_top>link</A>"},
  {'"', "<A HREF = \"@\" >link</A>"},
  {'"', "<a\n  class=x\n  href=\n\"@\"\n>link</a>"},
  {'\'', "<a title=\"a > b\" href='@'>link</a>"},
  {'"', "<a title='<a href=/trap/title.html>' href=\"@\">link</a>"},
  {'"', "<a href=\"@\" href=\"/trap/second-href.html\">the first href counts</a>"},
  {'"', "<a href=\"@\"title=x>no space between attributes</a>"},
  {'"', "<a/href=\"@\">a slash for a space</a>"},
  {'"', "<a rel=\"nofollowed noopener\" href=\"@\">not the token nofollow</a>"},
  {'"', "<map name=m><area shape=rect coords='0,0,1,1' HREF=\"@\"></map>"},
  {'"', "<iframe src=\"@\"></iframe>"},
  {'\'', "<iframe width=1 SRC='@'><a href=/trap/iframe-content.html></iframe>"},
  {'"', "<frame src=\"@\">"},
  {'"', "<link rel=\"next\" href=\"@\">"},
  {'\'', "<LINK HREF='@' REL=Prev>"},
  {'"', "<link rel='alternate' hreflang=fr href=\"@\"/>"},
  {'"', "<!--> a comment that ends at once <a href=\"@\">link</a> <!-- -->"},
  {'"', "<!-- a comment that ends oddly --!><a href=\"@\">link</a>"},
  {'"', "<script>if (a<b) { s = '</scrip>'; }</script ><a href=\"@\">link</a>"},
  {'"', "<script><!-- one escaped </script><a href=\"@\">link</a>"},
  {'"', "<textarea></textareas></TEXTAREA\n><a href=\"@\">link</a>"},
  {'"', "<p>1 < 2 <3 <a href=\"@\">link</a>"},
  {'"', "</><a href=\"@\">after an empty end tag</a>"},
  {'"', "<p title=\"an unclosed ' in it\"><a href=\"@\">link</a></p>"},
};

static const char *const look_alikes[] = {
  "<!-- <a href=\"/trap/comment.html\">x</a> -->",
  "<!-- -- > <a href='/trap/comment-space.html'> -- -->",
  "<!x <a href=/trap/bogus-comment.html><p>",
  "<?php <a href=/trap/instruction.html> ?>",
  "<![CDATA[ <a href=/trap/cdata.html> ]]>",
  "</a href=\"/trap/end-tag.html\">",
  "<script>document.write('<a href=\"/trap/script.html\">x</a>');</script>",
  "<SCRIPT type=text/plain><!-- <script> </script> <a href=/trap/double-escaped.html> --></SCRIPT>",
  "<script src=\"/trap/script-source.js\"></script>",
  "<style>p::after { content: '<a href=\"/trap/style.html\">' } @import '/trap/import.css';</style>",
  "<textarea><a href=\"/trap/textarea.html\">x</a></textarea>",
  "<noframes><a href=\"/trap/noframes.html\">x</a></noframes>",
  "<noembed><a href=\"/trap/noembed.html\">x</a></noembed>",
  "<xmp><a href=\"/trap/xmp.html\">x</a></xmp>",
  "<p title='<a href=\"/trap/attribute.html\">'>x</p>",
  "<img alt=\"<a href=/trap/alt.html>\" src=\"/trap/image.png\">",
  "<p href=\"/trap/not-a.html\" data-href=\"/trap/data.html\">x</p>",
  "<div <a href=\"/trap/inside-a-tag.html\">x</div>",
  "<a data-href=\"/trap/data-href.html\" hrefs=/trap/hrefs.html>x</a>",
  "<abbr href=\"/trap/abbr.html\">x</abbr>",
  "<a name=top>x</a> &lt;a href=\"/trap/entity.html\"&gt;",
  "<a rel=nofollow href=\"/trap/nofollow.html\">x</a>",
  "<a href=/trap/nofollow-tokens.html rel=\"external\nNoFollow noopener\">x</a>",
  "<link rel=stylesheet href=\"/trap/style.css\"><link rel=\"shortcut icon\" href=/trap/icon.png>",
  "<form action=\"/trap/form.html\"><input formaction=\"/trap/formaction.html\"></form>",
  "<a href=\"javascript:location='/trap/javascript.html'\">x</a> <a href=mailto:trap@example.org>x</a>",
  "<a href=\"data:text/html,<a href=/trap/data-url.html>\">x</a> <a href=tel:+123>x</a>",
  "<a href=\"ftp://127.0.0.1/trap/ftp.html\">x</a>",
  "<a href=\"http://localhost.:1/trap/other-port.html\">x</a> <a href=\"http://[bad/trap/bad-host.html\">x</a>",
};

enum {
  LINKS = sizeof links / sizeof *links,
  LOOK_ALIKES = sizeof look_alikes / sizeof *look_alikes,
};

/* A character as HTML has it in an attribute: itself, by name, by number. */
static void add_character(text *out, uint64_t *random, char c, char quote)
{
  static const struct {
    char c;
    const char *name;
  } names[] = {{'/', "&sol;"},    {':', "&colon;"}, {'?', "&quest;"},    {'=', "&equals;"},
               {'.', "&period;"}, {'\t', "&Tab;"},  {'\n', "&NewLine;"}, {'%', "&percnt;"}};
  bool must_code = !quote && isspace((unsigned char)c);
  if (!must_code && !random_one_in(random, 40)) {
    text_add_byte(out, c);
    return;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].c == c && random_one_in(random, 2)) {
      text_add(out, names[i].name);
      return;
    }
  text_addf(out, random_one_in(random, 2) ? "&#x%X;" : "&#%u;", (unsigned)(unsigned char)c);
}

/* Names such as "&copy" are references even without their semicolon, but in an attribute not before "=": so an
 * ampersand may stand alone before "name=". Returns how many bytes of `c` were written as they are. */
static size_t add_ampersand(text *out, uint64_t *random, const char *c)
{
  static const char *const ways[] = {"&amp;", "&#38;", "&#x26;", "&AMP;"};
  size_t name = 1;
  while (isalnum((unsigned char)c[name]))
    name++;
  if (c[name] == '=' && random_one_in(random, 2)) {
    text_add_bytes(out, c, name + 1);
    return name + 1;
  }
  text_add(out, ways[random_below(random, 4)]);
  return 1;
}

static void add_attribute(text *out, uint64_t *random, const char *href, char quote)
{
  static const char e_acute[] = "\xC3\xA9";
  for (const char *c = href; *c; c++)
    if (*c == '&') {
      c += add_ampersand(out, random, c) - 1;
    } else if (strncmp(c, e_acute, 2) == 0 && random_one_in(random, 2)) {
      text_add(out, "&eacute;");
      c++;
    } else if ((unsigned char)*c >= 0x80) {
      text_add_byte(out, *c);
    } else {
      add_character(out, random, *c, quote);
    }
}

/* Write `html` with the URL at its `@`. */
static void add_filled(text *out, uint64_t *random, const char *html, const char *href, char quote)
{
  const char *place = strchr(html, '@');
  text_add_bytes(out, html, (size_t)(place - html));
  add_attribute(out, random, href, quote);
  text_add(out, place + 1);
  text_add_byte(out, '\n');
}

/* Links the page at `base` to `target`: in general spelled anew each time. */
static void write_link(text *out, uint64_t *random, const site *s, const char *base, const char *target)
{
  static const struct {
    char quote;
    const char *html;
  } refreshes[] = {
    {'"', "<meta http-equiv=\"refresh\" content=\"30; url=@\">"},
    {'\'', "<META CONTENT='0;URL=@' HTTP-EQUIV=Refresh>"},
    {'"', "<meta http-equiv=refresh content=\" 5 , url = '@'\">"},
  };
  text href = {0};
  if (random_one_in(random, 25)) {
    unsigned way = random_below(random, 3);
    spell_href(&href, random, site_place(s), SPELL_HEADER, base, target);
    add_filled(out, random, refreshes[way].html, href.bytes, refreshes[way].quote);
  } else {
    unsigned way = random_below(random, LINKS);
    spell_href(&href, random, site_place(s), SPELL_ATTRIBUTE, base, target);
    add_filled(out, random, links[way].html, href.bytes, links[way].quote);
  }
  text_free(&href);
}

/* Chooses what relative links start from: the page, or a <base>, of which only the first counts. */
static const char *write_base(text *out, uint64_t *random, const site *s, const char *own_target)
{
  if (!random_one_in(random, 5)) {
    text_add(out, "<a href=#top>up</a> <a href=\"\">again</a>\n");
    return own_target;
  }
  const char *base = site_entry_at(s, random_below(random, site_size(s)))->target;
  text_add(out, "<base target=_top><BASE\nHREF='");
  if (random_one_in(random, 2))
    spell_origin(out, site_place(s));
  text_addf(out, "%s'><base href=\"/trap/second-base/\">\n", base);
  return base;
}

void page_write(text *out, const site *s, uint32_t index)
{
  const site_entry *entry = site_entry_at(s, index);
  uint64_t random = random_stream(site_seed(s) + 1, index);
  text_addf(out, "<!DOCTYPE html>\n<html><head><title>Page %u <a href=/trap/title-element.html></title>\n", index);
  const char *base = write_base(out, &random, s, entry->target);
  if (entry->kind == SITE_NOFOLLOW) {
    text_add(out, "<meta name=ROBOTS content=\"noarchive, NoFollow\">\n<a href=\"/trap/nofollow-page.html\">x</a>\n");
    return;
  }
  uint32_t target;
  for (uint32_t n = 0; (target = site_link(s, index, n)) != SITE_NOWHERE; n++) {
    write_link(out, &random, s, base, site_entry_at(s, target)->target);
    if (random_one_in(&random, 20))
      text_addf(out, "<a href=%s>out of scope</a>\n", site_other_host(s));
    if (random_one_in(&random, 3))
      text_addf(out, "%s\n", look_alikes[random_below(&random, LOOK_ALIKES)]);
  }
  if (random_one_in(&random, 10))
    text_add(out, "<plaintext><a href=/trap/plaintext.html>");
}

void page_write_file(text *out, uint32_t index)
{
  text_addf(out, "File %u <html><a href=\"/trap/not-html.html\">x</a>\n%s\n", index, links[0].html);
}
