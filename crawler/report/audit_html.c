/* See audit_html.h. Each table says how many rows there are, also where not all of them are shown. */
#include "crawler/report/audit_html.h"

#include "crawler/base/utf8.h"
#include "crawler/report/report_html.h"
#include "datasets/replay/html.h"

#include <string.h>

enum { ROWS_SHOWN = 10000 }; /* of broken links: some 4 MB, which browsers sort in a second */

static void begin(FILE *to, const char *title, const char *columns)
{
  fprintf(to, "<section><h2>%s</h2>\n<table class=\"links\" aria-label=\"%s\"><thead><tr>%s</tr></thead><tbody>\n",
          title, title, columns);
}

/* `shown` rows of `all`; `note`: what they are. */
static void end(FILE *to, uint64_t shown, uint64_t all, const char *note)
{
  fputs("</tbody></table>\n<p class=\"faint\">", to);
  if (shown < all) {
    fputs("The first ", to);
    html_count(to, shown);
    fputs(" of ", to);
  }
  html_count(to, all);
  fprintf(to, "%s</p></section>\n", note);
}

static void put_cell(FILE *to, const char *address)
{
  fputs("<td>", to);
  report_put_url(to, address);
  fputs("</td>", to);
}

/* ---- broken ------------------------------------------------------------------------------------------------- */

static void put_cards(FILE *to, const audit_data *a)
{
  const broken_counts n = broken_links_count(a->broken);
  const struct {
    uint64_t count;
    const char *what;
  } cards[] = {{n.links, "links"},
               {n.broken, "broken links"},
               {n.targets, "broken targets"},
               {n.sources, "pages with broken links"},
               {n.unchecked, "links not checked"},
               {a->redirect_all, "redirecting URLs"},
               {n.mixed, "links from https to http parts"}};
  fputs("<div class=\"cards\">\n", to);
  for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
    fputs("<div><b>", to);
    html_count(to, cards[i].count);
    fprintf(to, "</b><span>%s</span></div>\n", cards[i].what);
  }
  fputs("</div>\n", to);
}

static void put_broken(FILE *to, audit_data *a)
{
  broken_link link;
  uint64_t shown = 0, all = broken_links_count(a->broken).broken;
  if (!all) {
    fputs("<section><h2>Broken links</h2>\n<p>No link is known to be broken.</p></section>\n", to);
    return;
  }
  begin(to, "Broken links",
        "<th scope=\"col\">target</th><th scope=\"col\">status</th><th scope=\"col\">source</th>"
        "<th scope=\"col\">element</th>");
  for (; shown < ROWS_SHOWN && broken_links_next(a->broken, &link); shown++) {
    char status[FETCH_ENDING_TEXT];
    fputs("<tr>", to);
    put_cell(to, link.target);
    fprintf(to, "<td>%s</td>", fetch_ending_text(link.ending, status));
    put_cell(to, *link.source ? link.source : "(a start URL)");
    fprintf(to, "<td>%s</td></tr>\n", link_element_name(link.by));
  }
  end(to, shown, all,
      " broken links. The status is that of where the target's redirects end. strata export DIR --broken prints all.");
}

/* ---- redirects ---------------------------------------------------------------------------------------------- */

static void put_redirects(FILE *to, const audit_data *a)
{
  if (!a->redirect_all)
    return;
  begin(to, "Redirects",
        "<th scope=\"col\">from</th><th scope=\"col\">hops</th><th scope=\"col\">to</th><th scope=\"col\">status</th>");
  for (size_t i = 0; i < a->redirect_count; i++) {
    const audit_redirect *r = &a->redirects[i];
    char status[FETCH_ENDING_TEXT];
    fputs("<tr>", to);
    put_cell(to, r->url);
    if (r->is_loop || r->is_too_long)
      fprintf(to, "<td>%s</td>", r->is_loop ? "loop" : "over 20");
    else
      fprintf(to, "<td>%u</td>", r->hops);
    put_cell(to, r->end);
    fprintf(to, "<td>%s</td></tr>\n", r->is_known ? fetch_ending_text(r->ending, status) : "not fetched");
  }
  char note[200];
  snprintf(note, sizeof note,
           " URLs redirect; %llu of them over several hops, %llu in a loop, %llu over more than 20 hops.",
           (unsigned long long)a->chains, (unsigned long long)a->loops, (unsigned long long)a->too_long);
  end(to, a->redirect_count, a->redirect_all, note);
}

/* ---- the rest ----------------------------------------------------------------------------------------------- */

/* In any script, as references: html_text knows no encoding. */
static void put_title(FILE *to, const char *title)
{
  enum { REPLACEMENT = 0xFFFD };
  for (size_t size; *title; title += size) {
    size_t found = (unsigned char)*title < 0x80 ? 1 : utf8_sequence(title);
    uint32_t code = found > 1 ? utf8_code(title, found) : found ? (unsigned char)*title : REPLACEMENT;
    size = found ? found : 1;
    fprintf(to, "&#%u;", utf8_is_control(code) ? REPLACEMENT : code);
  }
}

static void put_titles(FILE *to, const audit_data *a)
{
  if (!a->title_count)
    return;
  begin(to, "Duplicate titles",
        "<th scope=\"col\">title</th><th scope=\"col\">pages</th><th scope=\"col\">for example</th>");
  for (size_t i = 0; i < a->title_count; i++) {
    const audit_title *t = &a->titles[i];
    fputs("<tr><td>", to);
    put_title(to, t->title);
    fputs("</td><td>", to);
    html_count(to, t->pages);
    fputs("</td><td><ul>", to);
    for (size_t k = 0; k < AUDIT_EXAMPLES && t->examples[k]; k++) {
      fputs("<li>", to);
      report_put_url(to, t->examples[k]);
      fputs("</li>", to);
    }
    fputs("</ul></td></tr>\n", to);
  }
  end(to, a->title_count, a->title_all, " titles that several pages have.");
}

static void put_mixed(FILE *to, const audit_data *a)
{
  size_t count;
  const mixed_link *links = broken_links_mixed(a->broken, &count);
  if (!count)
    return;
  begin(to, "Mixed content",
        "<th scope=\"col\">https page</th><th scope=\"col\">element</th><th scope=\"col\">what it loads by http</th>");
  for (size_t i = 0; i < count; i++) {
    fputs("<tr>", to);
    put_cell(to, links[i].source);
    fprintf(to, "<td>%s</td>", link_element_name(links[i].by));
    put_cell(to, links[i].target);
    fputs("</tr>\n", to);
  }
  end(to, count, broken_links_count(a->broken).mixed, " links of https pages to what is loaded by http.");
}

static void put_urls(FILE *to, const audit_urls *urls, const char *title, const char *note)
{
  if (!urls->all)
    return;
  begin(to, title, "<th scope=\"col\">URL</th>");
  for (size_t i = 0; i < urls->count; i++) {
    fputs("<tr>", to);
    put_cell(to, urls->list[i]);
    fputs("</tr>\n", to);
  }
  end(to, urls->count, urls->all, note);
}

void audit_html_put(FILE *to, audit_data *a)
{
  put_cards(to, a);
  put_broken(to, a);
  put_redirects(to, a);
  put_titles(to, a);
  put_mixed(to, a);
  put_urls(to, &a->orphans, "Orphans", " pages that a sitemap names, and no page links to.");
  put_urls(to, &a->denied, "Forbidden by robots.txt",
           " URLs that were not asked for, so that links there are not checked.");
}
