/* See report_html.h. One function a section, in the order of the page: the most important section comes first, so that
 * a phone shows it. */
#include "crawler/report/report_html.h"

#include "crawler/base/message.h"
#include "crawler/base/skip.h"
#include "crawler/report/audit_html.h"
#include "crawler/report/missing.h"
#include "crawler/report/report_script.h"
#include "datasets/replay/html.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static const char style[] =
  "\n"
  ":root { --ink: #222; --paper: #fff; --line: #ddd; --bar: #3b6ea5; --bad: #b3261e; --faint: #666; }\n"
  "@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --line: #3a3d44; --bar: #6fa3dc;"
  " --bad: #f28b82; --faint: #9aa0a6; } }\n"
  "body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem;"
  " margin: 0 auto; padding: 1rem; }\n"
  "h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }\n"
  "h2 { font-size: 1.2rem; margin: 2rem 0 .4rem; }\n"
  "p { max-width: 46rem; margin: .4rem 0; } .faint { color: var(--faint); font-size: .875rem; }\n"
  ".cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .6rem; margin: 1rem 0; }\n"
  ".cards div { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .7rem; }\n"
  ".cards b { display: block; font-size: 1.3rem; } .cards span { color: var(--faint); font-size: .875rem; }\n"
  ".pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2.5rem; }\n"
  "table { border-collapse: collapse; width: 100%; font-size: .875rem; }\n"
  "th, td { padding: .2rem .4rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }\n"
  "th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; padding-left: 0; }\n"
  "td { font-variant-numeric: tabular-nums; } td:not(:first-child) { white-space: nowrap; }\n"
  ".bar { width: 30%; min-width: 3rem; } .bar svg { width: 100%; height: .8rem; display: block; margin-top: .35rem; }\n"
  "rect { fill: var(--bar); } rect.bad { fill: var(--bad); } .time { width: 100%; height: 9rem; display: block; }\n"
  ".bad { color: var(--bad); } a { color: inherit; } ul { margin: 0; padding-left: 1.1rem; }\n"
  "td a { white-space: normal; overflow-wrap: anywhere; }\n"
  ".links { table-layout: fixed; } .links th, .links td { text-align: left; white-space: normal;"
  " overflow-wrap: anywhere; }\n"
  ".links th:nth-child(2), .links th:nth-child(4) { width: 7rem; }\n"
  "th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; text-align: inherit;"
  " cursor: pointer; text-decoration: underline dotted; }\n"
  "th[aria-sort=ascending] button::after { content: ' \\2191'; }"
  " th[aria-sort=descending] button::after { content: ' \\2193'; }\n"
  ".filter { display: block; margin: .3rem 0; font-size: .875rem; } .filter input { font: inherit; color: inherit;"
  " background: var(--paper); border: 1px solid var(--faint); border-radius: .3rem; padding: .2rem .4rem;"
  " max-width: 100%; box-sizing: border-box; }\n"
  "@media (max-width: 40rem) { .links th:nth-child(2), .links th:nth-child(4) { width: 4.2rem; } }\n"
  "@media (max-width: 40rem) { body { padding: .6rem; } .wide { display: none; } }\n"
  "@media print { body { max-width: none; font-size: 11px; } h2 { break-after: avoid; }"
  " tr, .cards div { break-inside: avoid; }"
  " rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }\n";

static const html_head head = {
  .title = "strata report",
  .style_hash = "OoraTcn1hQTqyjs3/bIgocCopNZAGAwGbj1kZx8wNy0=",
  .style = style,
  .script = report_script,
  .script_hash = REPORT_SCRIPT_HASH,
};

/* ---- pieces ----------------------------------------------------------------------------------------------- */

/* http(s) alone gets into pages.jsonl; a file that says otherwise gets no link. */
void report_put_url(FILE *to, const char *address)
{
  bool is_web = strncmp(address, "http://", 7) == 0 || strncmp(address, "https://", 8) == 0;
  if (is_web) {
    fputs("<a rel=\"noopener noreferrer\" href=\"", to);
    html_text(to, address);
    fputs("\">", to);
  }
  html_text(to, address);
  if (is_web)
    fputs("</a>", to);
}

static void put_bytes(FILE *to, uint64_t bytes)
{
  char text[SAY_SIZE];
  fputs(say_bytes(bytes, text), to);
}

static void put_seconds(FILE *to, double seconds)
{
  if (seconds < 1)
    fprintf(to, "%.0f ms", 1000 * seconds);
  else
    fprintf(to, "%.1f s", seconds);
}

static void put_bar(FILE *to, uint64_t part, uint64_t whole, bool is_bad)
{
  fprintf(to,
          "<td class=\"bar\"><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
          "<rect%s width=\"%.2f\" height=\"10\"/></svg></td>",
          is_bad ? " class=\"bad\"" : "", whole ? 100 * (double)part / (double)whole : 0.0);
}

static void put_card(FILE *to, uint64_t number, const char *what)
{
  fputs("<div><b>", to);
  html_count(to, number);
  fprintf(to, "</b><span>%s</span></div>\n", what);
}

/* A row of a table whose bars are shares of `whole`: NAME count bar */
static void begin_row(FILE *to, const char *name, uint64_t count)
{
  fputs("<tr><td>", to);
  html_text(to, name);
  fputs("</td><td>", to);
  html_count(to, count);
  fputs("</td>", to);
}

static void put_row(FILE *to, const char *name, uint64_t count, uint64_t whole, bool is_bad)
{
  begin_row(to, name, count);
  put_bar(to, count, whole, is_bad);
  fputs("</tr>\n", to);
}

static void begin_table(FILE *to, const char *title, const char *columns)
{
  fprintf(to, "<section><h2>%s</h2>\n<table aria-label=\"%s\"><thead><tr>%s</tr></thead><tbody>\n", title, title,
          columns);
}

static void end_table(FILE *to)
{
  fputs("</tbody></table></section>\n", to);
}

static void put_time(FILE *to, uint64_t epoch_ms)
{
  time_t seconds = (time_t)(epoch_ms / 1000);
  struct tm utc;
  char text[32];
  if (gmtime_r(&seconds, &utc) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc))
    fputs(text, to);
}

/* ---- the sections ----------------------------------------------------------------------------------------- */

static void put_summary(FILE *to, const report_input *in)
{
  const report_data *d = in->data;
  const frontier_stats *s = in->stats;
  uint64_t waiting = s->queued + s->in_flight;
  fputs("<h1>Crawl in ", to);
  html_text(to, in->directory);
  fputs("</h1>\n<p>", to);
  if (d->fetches) {
    put_time(to, d->first_ms);
    fputs(" to ", to);
    put_time(to, d->last_ms);
    fputs(". ", to);
  }
  if (d->fetches > d->urls) {
    html_count(to, d->urls);
    fputs(" URLs were fetched, some of them again: ", to);
    html_count(to, d->fetches);
    fputs(" fetches. ", to);
  }
  fprintf(to,
          waiting + s->unconfirmed ? "Not finished: URLs are waiting.</p>\n" : "Finished: nothing is waiting.</p>\n");
  fputs("<div class=\"cards\">\n", to);
  put_card(to, d->pages, "pages");
  put_card(to, d->redirects, "redirects");
  if (d->unchanged)
    put_card(to, d->unchanged, "unchanged");
  put_card(to, s->failed, "failed");
  put_card(to, waiting, "waiting");
  put_card(to, s->hosts, "hosts");
  fputs("<div><b>", to);
  put_bytes(to, d->body_bytes);
  fputs("</b><span>decoded; ", to);
  put_bytes(to, d->wire_bytes);
  fputs(" on the wire</span></div>\n</div>\n", to);
  if (d->bad_lines)
    fprintf(to, "<p class=\"bad\">%" PRIu64 " lines of pages.jsonl could not be read.</p>\n", d->bad_lines);
}

static void put_timeline(FILE *to, const report_data *d)
{
  enum { WIDTH = 10, HEIGHT = 100 };
  uint64_t most = 1;
  size_t used = 1;
  for (size_t i = 0; i < REPORT_BARS; i++) {
    most = d->bars[i] > most ? d->bars[i] : most;
    used = d->bars[i] ? i + 1 : used;
  }
  fprintf(to,
          "<section><h2>Timeline</h2>\n<svg class=\"time\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\""
          " role=\"img\" aria-label=\"fetches over time\">\n",
          used * WIDTH, HEIGHT);
  for (size_t i = 0; i < used; i++) {
    double all = HEIGHT * (double)d->bars[i] / (double)most, failed = HEIGHT * (double)d->failed_bars[i] / (double)most;
    fprintf(to, "<rect x=\"%zu\" y=\"%.2f\" width=\"9\" height=\"%.2f\"/>", i * WIDTH, HEIGHT - all, all);
    if (failed > 0)
      fprintf(to, "<rect class=\"bad\" x=\"%zu\" y=\"%.2f\" width=\"9\" height=\"%.2f\"/>", i * WIDTH, HEIGHT - failed,
              failed);
  }
  char stretch[SAY_SIZE];
  fprintf(to,
          "</svg>\n<p class=\"faint\">Fetches that ended in each %s, at most %" PRIu64
          "; those that failed in the other colour.</p></section>\n",
          say_seconds((double)d->bar_ms / 1000, stretch), most);
}

static void put_statuses(FILE *to, const report_data *d)
{
  char name[64];
  begin_table(to, "Answers", "<th scope=\"col\">status or error</th><th scope=\"col\">URLs</th><td></td>");
  for (unsigned status = 1; status < REPORT_STATUSES; status++)
    if (d->statuses[status]) {
      snprintf(name, sizeof name, "%u", status);
      put_row(to, name, d->statuses[status], d->urls, status >= 400);
    }
  for (size_t i = 0; i < d->errors.count; i++)
    put_row(to, d->errors.rows[i].name, d->errors.rows[i].count, d->urls, true);
  end_table(to);
}

static void put_skipped(FILE *to, const report_input *in)
{
  uint64_t all = 0;
  for (int i = 0; i < CRAWL_SKIPS; i++)
    all += frontier_counter(in->frontier, crawl_skip_name((crawl_skip)i));
  if (!all)
    return;
  begin_table(to, "Not taken", "<th scope=\"col\">why</th><th scope=\"col\">links</th><td></td>");
  for (int i = 0; i < CRAWL_SKIPS; i++) {
    const char *name = crawl_skip_name((crawl_skip)i);
    uint64_t count = frontier_counter(in->frontier, name);
    if (count)
      put_row(to, name + strlen("skipped-"), count, all, false);
  }
  end_table(to);
}

static void put_missing(FILE *to, const report_input *in)
{
  char text[MISSING_SENTENCE];
  missing m = missing_read(in->frontier, in->stats);
  if (m.is_complete) {
    fprintf(to, "<p>Complete: every page %s was fetched.</p>\n", m.rest.too_deep ? "within --max-depth" : "in scope");
    return;
  }
  fputs("<section><h2>Missing</h2>\n<ul>\n", to);
  for (size_t i = 0; missing_sentence(&m, i, text); i++) {
    fputs("<li>", to);
    html_text(to, text);
    fputs("</li>\n", to);
  }
  fputs("</ul></section>\n", to);
}

static void put_hosts(FILE *to, const report_data *d)
{
  enum { SHOWN = 30 };
  begin_table(to, "Hosts",
              "<th scope=\"col\">host</th><th scope=\"col\">URLs</th><td></td><th scope=\"col\">failed</th>"
              "<th scope=\"col\" class=\"wide\">bytes</th>"
              "<th scope=\"col\" class=\"wide\">mean time</th>");
  for (size_t i = 0; i < d->hosts.count && i < SHOWN; i++) {
    const tally_row *row = &d->hosts.rows[i];
    begin_row(to, row->name, row->count);
    put_bar(to, row->count, d->hosts.rows[0].count, false);
    fputs("<td>", to);
    html_count(to, row->failed);
    fputs("</td><td class=\"wide\">", to);
    put_bytes(to, row->bytes);
    fputs("</td><td class=\"wide\">", to);
    put_seconds(to, row->seconds / (double)row->count);
    fputs("</td></tr>\n", to);
  }
  end_table(to);
  uint64_t more = d->hosts.count > SHOWN ? d->hosts.count - SHOWN : 0;
  if (more)
    fprintf(to, "<p class=\"faint\">and %" PRIu64 "%s more hosts</p>\n", more, d->hosts.others.count ? " and" : "");
}

static uint64_t largest_of(const uint64_t *counts, size_t size)
{
  uint64_t most = 1;
  for (size_t i = 0; i < size; i++)
    most = counts[i] > most ? counts[i] : most;
  return most;
}

static void put_depths(FILE *to, const report_data *d)
{
  char name[32];
  begin_table(to, "Depth", "<th scope=\"col\">links from a start URL</th><th scope=\"col\">URLs</th><td></td>");
  for (size_t i = 0; i < REPORT_DEPTHS; i++)
    if (d->depths[i]) {
      snprintf(name, sizeof name, "%zu%s", i, i + 1 == REPORT_DEPTHS ? " and more" : "");
      put_row(to, name, d->depths[i], largest_of(d->depths, REPORT_DEPTHS), false);
    }
  end_table(to);
}

static void put_sizes(FILE *to, const report_data *d)
{
  static const char *const names[REPORT_SIZES] = {"under 1 kB",    "1 to 2 kB",     "2 to 4 kB",      "4 to 8 kB",
                                                  "8 to 16 kB",    "16 to 32 kB",   "32 to 64 kB",    "64 to 128 kB",
                                                  "128 to 256 kB", "256 to 512 kB", "512 kB and more"};
  begin_table(to, "Sizes", "<th scope=\"col\">decoded</th><th scope=\"col\">pages</th><td></td>");
  for (size_t i = 0; i < REPORT_SIZES; i++)
    if (d->sizes[i])
      put_row(to, names[i], d->sizes[i], largest_of(d->sizes, REPORT_SIZES), false);
  end_table(to);
}

static void put_types(FILE *to, const report_data *d)
{
  enum { SHOWN = 15 };
  begin_table(to, "Types",
              "<th scope=\"col\">Content-Type</th><th scope=\"col\">pages</th><td></td><th scope=\"col\">bytes</th>");
  for (size_t i = 0; i < d->types.count && i < SHOWN; i++) {
    begin_row(to, d->types.rows[i].name, d->types.rows[i].count);
    put_bar(to, d->types.rows[i].count, d->types.rows[0].count, false);
    fputs("<td>", to);
    put_bytes(to, d->types.rows[i].bytes);
    fputs("</td></tr>\n", to);
  }
  end_table(to);
}

static void put_list(FILE *to, const char *title, const report_list *list, bool is_bytes)
{
  begin_table(to, title,
              is_bytes ? "<th scope=\"col\">page</th><th scope=\"col\">decoded</th>"
                       : "<th scope=\"col\">URL</th><th scope=\"col\">time</th>");
  for (size_t i = 0; i < list->count; i++) {
    fputs("<tr><td>", to);
    report_put_url(to, list->pages[i].url);
    fputs("</td><td>", to);
    if (is_bytes)
      put_bytes(to, (uint64_t)list->pages[i].value);
    else
      put_seconds(to, list->pages[i].value);
    fputs("</td></tr>\n", to);
  }
  end_table(to);
}

static void put_copies(FILE *to, const report_data *d)
{
  if (!d->copies_count)
    return;
  begin_table(to, "Duplicates",
              "<th scope=\"col\">pages with one body, for example</th><th scope=\"col\">pages</th>"
              "<th scope=\"col\">bytes each</th>");
  for (size_t i = 0; i < d->copies_count; i++) {
    const report_copies *c = &d->copies[i];
    fputs("<tr><td><ul>", to);
    for (size_t k = 0; k < REPORT_EXAMPLES && c->examples[k]; k++) {
      fputs("<li>", to);
      report_put_url(to, c->examples[k]);
      fputs("</li>", to);
    }
    fputs("</ul></td><td>", to);
    html_count(to, c->count);
    fputs("</td><td>", to);
    put_bytes(to, c->bytes);
    fputs("</td></tr>\n", to);
  }
  end_table(to);
  fputs("<p class=\"faint\">", to);
  fputs("Pages with the body of an earlier one, by SHA-256 of what was decoded: ", to);
  html_count(to, d->copied_pages);
  fputs(".</p>\n", to);
}

/* `note`: of what the number is said. */
static void put_pairs(FILE *to, const char *title, const report_pairs *p, const char *note)
{
  if (!p->all)
    return;
  begin_table(to, title, "<th scope=\"col\">this</th><th scope=\"col\">is like this</th><th scope=\"col\">share</th>");
  for (size_t i = 0; i < p->count; i++) {
    fputs("<tr><td>", to);
    report_put_url(to, p->best[i].one);
    fputs("</td><td>", to);
    report_put_url(to, p->best[i].other);
    fprintf(to, "</td><td>%.0f %%</td></tr>\n", 100 * p->best[i].share);
  }
  end_table(to);
  fputs("<p class=\"faint\">", to);
  fprintf(to, "%s: ", note);
  html_count(to, p->all);
  fputs(".</p>\n", to);
}

static void put_promise(FILE *to, const report_input *in)
{
  const frontier_stats *s = in->stats;
  char promise[SAY_SIZE], late[SAY_LATE_SIZE];
  say_count((uint64_t)(1 / s->filter.promised_rate + 0.5), promise);
  if (frontier_is_exact(in->frontier))
    fprintf(to, "No URL is missed; at most 1 new URL in %s comes late. %s.", promise,
            say_late(s->unconfirmed, s->late, late));
  else
    fprintf(to, "The filter promises at most 1 new URL in %s wrongly called seen; expected so far: %.2g.", promise,
            s->expected_lost);
  fputs("</p>\n", to);
}

/* What the filter said about the links that were in scope: many new combinations of known parts hint at a trap. */
static void put_verdicts(FILE *to, const report_input *in)
{
  static const char *const meanings[FRONTIER_OUTCOMES] = {"seen before",
                                                          "new",
                                                          "new: first of its host",
                                                          "new: a segment never seen at its depth",
                                                          "new: every segment known, the whole is new",
                                                          "new here, known to an earlier crawl"};
  const frontier_stats *s = in->stats;
  uint64_t all = 0, fresh = 0;
  for (int i = 0; i < FRONTIER_OUTCOMES; i++) {
    all += s->outcomes[i];
    fresh += i == FRONTIER_SEEN ? 0 : s->outcomes[i];
  }
  begin_table(to, "Seen or new",
              "<th scope=\"col\">verdict on links in scope</th><th scope=\"col\">links</th><td></td>");
  for (int i = 0; i < FRONTIER_OUTCOMES; i++)
    if (s->outcomes[i])
      put_row(to, meanings[i], s->outcomes[i], all, false);
  end_table(to);
  fprintf(to,
          "<p class=\"faint\">%.0f %% of the new URLs are new combinations of known parts: 4 to 19 %% is usual,"
          " calendars, facets and link loops come near 100 %%. ",
          fresh ? 100 * (double)s->outcomes[FRONTIER_NEW_COMBINATION] / (double)fresh : 0.0);
  put_promise(to, in);
}

/* Hosts with URLs that look like a calendar's, a facet's or a link loop's; what was found to be suspect waits. */
static void put_traps(FILE *to, const trap_list *traps)
{
  if (!traps->count)
    return;
  begin_table(to, "Traps",
              "<th scope=\"col\">host, and URLs that look like a trap's</th><th scope=\"col\">new</th>"
              "<th scope=\"col\">suspect</th>"
              "<th scope=\"col\" class=\"wide\">taken</th><th scope=\"col\" class=\"wide\">waiting</th>");
  for (unsigned i = 0; i < traps->count; i++) {
    const trap_host *host = &traps->list[i];
    const uint64_t numbers[] = {host->found, host->suspect, host->taken, host->waiting};
    fputs("<tr><td>", to);
    html_text(to, host->name);
    fputs("<ul>", to);
    for (unsigned k = 0; k < host->example_count; k++) {
      fputs("<li>", to);
      report_put_url(to, host->examples[k]);
      fputs("</li>", to);
    }
    fputs("</ul></td>", to);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
      fputs(k < 2 ? "<td>" : "<td class=\"wide\">", to);
      html_count(to, numbers[k]);
      fputs("</td>", to);
    }
    fputs("</tr>\n", to);
  }
  end_table(to);
}

/* Of these directories what their own pages lead to is last. */
static void put_suspects(FILE *to, const trap_list *traps)
{
  if (!traps->suspects)
    return;
  begin_table(to, "Suspect directories", "<th scope=\"col\">directory whose pages nearly all say the same</th>");
  for (uint64_t i = 0; i < traps->suspects && i < TRAP_SUSPECTS; i++) {
    fputs("<tr><td>", to);
    html_text(to, traps->suspect_names[i]);
    fputs("</td></tr>\n", to);
  }
  end_table(to);
  if (traps->suspects > TRAP_SUSPECTS) {
    fputs("<p class=\"faint\">The first of ", to);
    html_count(to, traps->suspects);
    fputs("</p>\n", to);
  }
}

bool report_html_write(FILE *to, const report_input *in)
{
  const report_data *d = in->data;
  html_open(to, &head);
  put_summary(to, in);
  put_missing(to, in);
  if (in->audit)
    audit_html_put(to, in->audit);
  if (d->fetches) {
    put_timeline(to, d);
    fputs("<div class=\"pair\">\n", to);
    put_statuses(to, d);
    put_skipped(to, in);
    fputs("</div>\n", to);
    put_hosts(to, d);
    fputs("<div class=\"pair\">\n", to);
    put_depths(to, d);
    put_sizes(to, d);
    put_types(to, d);
    put_list(to, "Slowest", &d->slowest, false);
    put_list(to, "Largest", &d->largest, true);
    fputs("</div>\n", to);
    put_copies(to, d);
    put_pairs(to, "Near-duplicates", &d->near,
              "Pages that say what an earlier one says (at least 90 % of each text is in the other)");
    put_pairs(to, "Bodies that are alike", &d->bodies,
              "Pairs of what is no HTML with at least half of the smaller in common, by similarity digests");
  }
  put_traps(to, in->traps);
  put_suspects(to, in->traps);
  put_verdicts(to, in);
  fprintf(to, "<script>%s</script>\n", report_script);
  html_end(to);
  return fflush(to) == 0 && !ferror(to);
}
