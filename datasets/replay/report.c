#include "datasets/replay/report.h"
#include "datasets/replay/claims.h"
#include "datasets/replay/figures.h"
#include "datasets/replay/html.h"
#include "datasets/replay/labels.h"
#include "datasets/replay/results.h"
#include "frontier/base/own_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char theory[] =
  "<h2>Why layers cannot win at equal memory, and where they do</h2>\n"
  "<p>Formula (4), f<sup>L</sup>, would hold if every layer were wrong independently about a new URL. But most layers"
  " are not wrong: they truthfully say &#8220;known&#8221;, as a new URL shares its host and its directories with old"
  " ones. In the paper's own protocol only the last segment is new, so only its layer and the XOR array can object:"
  " about f<sup>2</sup> and not f<sup>4</sup>. Where every segment is known and only the combination is new, the XOR"
  " array is alone, and it is no larger than the classic filter it is compared with.</p>\n"
  "<p>At equal memory the same holds for any layering, over a whole crawl. Each distinct segment is unknown exactly"
  " once: when the first URL with it comes. So what a layer can object to is what it had to store. With the best"
  " sizing the gain is exp(&#8722;KL), KL being the divergence between where new URLs first differ and where distinct"
  " segments are; in a stream that is tested and inserted the two agree, and there is no gain.</p>\n"
  "<p>Where layers win: queries on hosts nobody has inserted (the host layer says so at once), and in what they"
  " <em>tell</em>: whether a URL is new by its host, by a segment or only by its combination, which is how calendars"
  " and link loops give themselves away. The filter <code>mlbf</code> therefore sizes its integrity layer alone for"
  " the promised rate, salts each segment by its layer before the XOR, and gives the layers 8&nbsp;% more.</p>\n";

static void write_percent(FILE *to, uint64_t part, uint64_t whole)
{
  fprintf(to, "<td>%.1f&#8239;%%</td>", whole > 0 ? 100 * (double)part / (double)whole : 0.0);
}

static void write_count(FILE *to, uint64_t number)
{
  fputs("<td>", to);
  html_count(to, number);
  fputs("</td>", to);
}

/* A line of /proc/cpuinfo; "unknown" where there is none. */
static void write_processor(FILE *to)
{
  char line[256] = "";
  FILE *from = fopen("/proc/cpuinfo", "r");
  while (from != NULL && fgets(line, sizeof line, from) != NULL && strncmp(line, "model name", 10) != 0)
    line[0] = '\0';
  if (from != NULL)
    fclose(from);
  line[strcspn(line, "\n")] = '\0';
  const char *colon = strchr(line, ':');
  html_text(to, colon != NULL ? colon + 2 : "unknown");
}

static void write_compiler(FILE *to)
{
#if defined(__clang__)
  html_text(to, __VERSION__);
#else
  html_text(to, "gcc " __VERSION__);
#endif
}

static void write_introduction(FILE *to, const report_input *input)
{
  struct rusage usage = {.ru_maxrss = 0};
  getrusage(RUSAGE_SELF, &usage);
  fputs("<h1>URL-seen filters on ", to);
  html_count(to, input->statistics->urls);
  fputs(" URLs</h1>\n<div class=\"scroll\"><table class=\"words\">"
        "<tr><th>File</th><th>Format</th><th>Compression</th><th>URLs</th><th>Bad rows</th></tr>\n",
        to);
  for (size_t i = 0; i < input->file_count; i++) {
    const report_file *file = &input->files[i];
    fputs("<tr><td>", to);
    html_text(to, file->path);
    fprintf(to, "</td><td>%s</td><td>%s</td>", file->format, file->compression);
    write_count(to, file->urls);
    write_count(to, file->bad);
    fputs("</tr>\n", to);
  }
  fputs("</table></div>\n<p>", to);
  html_count(to, urllist_rows(input->options->list));
  fputs(" rows, ", to);
  html_count(to, input->statistics->urls);
  fprintf(to, " different URLs (the scheme left out), in %s. Seed %llu. m = %llu, k = %u, L = %u. ",
          input->is_shuffled ? "an order drawn by the seed" : "the order of the file",
          (unsigned long long)input->options->seed, (unsigned long long)input->setting->m, (unsigned)input->setting->k,
          (unsigned)input->setting->layers);
  fputs("Processor: ", to);
  write_processor(to);
  fputs(". Compiler: ", to);
  write_compiler(to);
  fprintf(to, ". The run took %.0f s and at most %.0f MB of memory, pages of its files on disk included.</p>\n",
          input->seconds, (double)usage.ru_maxrss / 1000);
}

static void write_claims(FILE *to, const report_input *input)
{
  static const char *const classes[] = {
    [CLAIM_UNKNOWN] = "few", [CLAIM_HOLDS] = "holds", [CLAIM_PARTLY] = "partly",
    [CLAIM_FAILS] = "fails", [CLAIM_TOO_FEW] = "few",
  };
  claim claims[CLAIMS_MAX];
  size_t count = claims_judge(input->asked, claims);
  fputs("<h2>The paper's claims, and what was measured at n = ", to);
  html_count(to, input->asked->n);
  fputs("</h2>\n<p>Y. Cen, K. Xu, Y. Sun: <cite>A Multi-Layer Bloom Filter for Duplicated URL Detection</cite>.</p>\n"
        "<div class=\"scroll\"><table class=\"words\"><tr><th>Claim</th><th>Measured</th><th>Verdict</th></tr>\n",
        to);
  for (size_t i = 0; i < count; i++) {
    fputs("<tr><td>", to);
    html_text(to, claims[i].said);
    fputs("</td><td>", to);
    html_text(to, claims[i].measured);
    fprintf(to, "</td><td class=\"%s\">%s</td></tr>\n", classes[claims[i].verdict],
            claim_verdict_text(claims[i].verdict));
  }
  fputs("</table></div>\n", to);
}

static void write_figures(FILE *to, const report_input *input)
{
  fprintf(to, "<h2>Figures</h2>\n<p>Queries: %s (protocol <code>%s</code>).</p>\n",
          protocol_text(figures_protocol(input->options)), protocol_name(figures_protocol(input->options)));
  if (input->no_figures != NULL) {
    fputs("<p>There are none: ", to);
    html_text(to, input->no_figures);
    fputs(".</p>\n", to);
    return;
  }
  fputs("<div class=\"figures\">\n", to);
  for (int i = 0; i < FIGURE_COUNT; i++) {
    char *path;
    if (asprintf(&path, "%s/%s", input->directory, figures_get(i)->file) < 0)
      continue;
    html_figure(to, path, figures_get(i)->caption);
    free(path);
  }
  fputs("</div>\n", to);
}

/* The rate; of too few events in grey. What chance explains is no rate above the promise. */
static void write_rate(FILE *to, const replay_result *row)
{
  char events[RESULTS_EVENTS_SIZE];
  if (results_is_by_chance(row))
    fprintf(to, "<td class=\"few\">%s: not significant</td>", results_events_text(row, events));
  else
    fprintf(to, "<td%s>%.3g</td>", row->false_positives < CLAIM_EVENTS ? " class=\"few\"" : "", results_rate(row));
}

/* That of a program is not to be compared with the others. */
static void write_time(FILE *to, const replay_result *row, double ns)
{
  if (!row->is_program)
    fprintf(to, "<td>%.0f</td>", ns);
  else if (ns > 0)
    fprintf(to, "<td class=\"few\">%.0f, apart</td>", ns);
  else
    fputs("<td class=\"few\">not timed</td>", to);
}

static void write_result(FILE *to, const replay_result *row)
{
  double low, high;
  results_interval(row, RESULTS_Z_95, &low, &high);
  fputs("<tr><td>", to);
  html_text(to, row->filter);
  fputs("</td>", to);
  write_count(to, row->n);
  if (row->is_program)
    fputs("<td>unknown</td>", to);
  else
    fprintf(to, "<td>%.2f</td>", (double)row->bits / (double)row->n);
  write_rate(to, row);
  fprintf(to, "<td>%.2g &#8211; %.2g</td>", low, high);
  if (row->promised_rate > 0)
    fprintf(to, "<td>%.3g</td>", row->promised_rate);
  else
    fputs("<td>&#8211;</td>", to);
  write_count(to, row->false_positives);
  write_count(to, row->queries);
  write_count(to, row->members);
  write_count(to, row->false_negatives);
  write_time(to, row, row->insert_ns);
  write_time(to, row, row->query_ns);
  fputs("</tr>\n", to);
}

/* The rows of one protocol whose n is from `least` on. */
static void write_protocol_table(FILE *to, const report_input *input, protocol which, uint64_t least)
{
  const char *step = which == PROTOCOL_STREAM ? "step, ns" : NULL;
  fprintf(to,
          "<div class=\"scroll\"><table><tr><th>Filter</th><th>n</th><th>bits/URL</th><th>rate</th>"
          "<th>95&#8239;%%</th><th>promised</th><th>false positives</th><th>queries</th><th>members</th>"
          "<th>false negatives</th><th>%s</th><th>%s</th></tr>\n",
          step != NULL ? step : "insert, ns", step != NULL ? step : "query, ns");
  for (size_t i = 0; i < input->results->count; i++)
    if (input->results->rows[i].protocol == which && input->results->rows[i].n >= least)
      write_result(to, &input->results->rows[i]);
  fputs("</table></div>\n", to);
}

static void write_protocol(FILE *to, const report_input *input, protocol which)
{
  size_t sizes = input->options->size_count;
  fprintf(to, "<h3>%s</h3>\n<p>Asked: %s.</p>\n", protocol_name(which), protocol_text(which));
  write_protocol_table(to, input, which, input->options->sizes[sizes - 1]);
  if (sizes == 1)
    return;
  fputs("<details><summary>Every n</summary>\n", to);
  write_protocol_table(to, input, which, 0);
  fputs("</details>\n", to);
}

static void write_results(FILE *to, const report_input *input)
{
  fputs(
    "<h2>Every protocol, every filter</h2>\n<p>A false positive is &#8220;seen&#8221; of a URL that was not"
    " inserted; in <code>stream</code> it is a URL a crawler would lose. The rate is per query that is no member,"
    " its 95&#8239;% interval Wilson's; it is grey with fewer than 30 false positives. A rate above the promise that"
    " chance gives to more than one run in 20 is not told: the row has the number of events. A false negative is"
    " &#8220;new&#8221; of a URL that was inserted: all n are asked again. The same numbers"
    " are in <code>results.csv</code>.</p>\n",
    to);
  for (int which = 0; which < PROTOCOL_COUNT; which++)
    if (input->options->protocols[which])
      write_protocol(to, input, (protocol)which);
}

static void write_formula(FILE *to, const report_input *input)
{
  fputs("<h2>Formula (4) beside measurement</h2>\n"
        "<div class=\"scroll\"><table><tr><th>n</th><th>f<sup>L</sup>, formula (4)</th>"
        "<th>measured, mlbf-paper</th><th>95&#8239;%</th><th>measured / formula</th></tr>\n",
        to);
  for (size_t i = 0; i < input->options->size_count; i++) {
    uint64_t n = input->options->sizes[i];
    const replay_result *row = results_find(input->results, PROTOCOL_PAPER, "mlbf-paper", n);
    if (row == NULL)
      continue;
    double printed = claims_formula_4(input->setting, n), low, high;
    results_interval(row, RESULTS_Z_95, &low, &high);
    fputs("<tr>", to);
    write_count(to, n);
    fprintf(to, "<td>%.3g</td><td>%.3g</td><td>%.2g &#8211; %.2g</td><td>%.3g</td></tr>\n", printed, results_rate(row),
            low, high, results_rate(row) / printed);
  }
  fputs("</table></div>\n", to);
}

static void write_layers(FILE *to, const layer_statistics *of, uint64_t urls, const char *title)
{
  fprintf(to,
          "<h3>%s</h3>\n<div class=\"scroll\"><table><tr><th>Layer</th><th>URLs that have it</th><th>share</th>"
          "<th>distinct segments</th><th>per URL of the list</th><th>URLs new here first</th></tr>\n",
          title);
  for (uint32_t layer = 0; layer < of->layers && of->urls[layer] > 0; layer++) {
    fprintf(to, "<tr><td>%u%s</td>", (unsigned)layer + 1, layer == 0 ? " (host)" : "");
    write_count(to, of->urls[layer]);
    write_percent(to, of->urls[layer], urls);
    write_count(to, of->distinct[layer]);
    fprintf(to, "<td>%.3f</td>", urls > 0 ? (double)of->distinct[layer] / (double)urls : 0.0);
    write_percent(to, of->first_new[layer], of->new_urls);
    fputs("</tr>\n", to);
  }
  fputs("<tr><td>none: all known, new combination</td><td></td><td></td><td></td><td></td>", to);
  write_percent(to, of->combinations, of->new_urls);
  fputs("</tr></table></div>\n", to);
}

static void write_statistics(FILE *to, const report_input *input)
{
  const list_statistics *of = input->statistics;
  uint64_t segments = 0;
  for (int layer = 0; layer < MLBF_LAYERS_MAX; layer++)
    segments += of->cuts[CUT_LAYERS].urls[layer];
  fprintf(to,
          "<h2>The data set</h2>\n<p>Without scheme a URL has %.1f bytes on average (median %zu, longest %zu)"
          " and %.1f segments, host included; %.1f&#8239;%% have a query. The last column: of the second half of"
          " the list, each URL as it comes, which layer is the first to see something new.</p>\n",
          of->mean_size, of->median_size, of->longest, of->urls > 0 ? (double)segments / (double)of->urls : 0.0,
          of->urls > 0 ? 100 * (double)of->with_query / (double)of->urls : 0.0);
  write_layers(to, &of->cuts[CUT_PAPER], of->urls, "Cut at / as the paper has it; the last layer takes the rest");
  write_layers(to, &of->cuts[CUT_LAYERS], of->urls, "Cut at /, ? and &amp; as mlbf has it");
}

static const char method[] =
  "<h2>How it was measured</h2>\n"
  "<p>The filters take turns, a batch of 1&#8239;024 URLs each, another one first every time;"
  " times are medians over batches and include hashing, but not reading, canonicalising or cutting the URL. Keys lie in"
  " the processor's caches when a filter gets them; of the filter lies there what its own use and the others' turns"
  " have left, so filters larger than the caches pay for memory. All filters are called in batches, which lets those"
  " that can fetch ahead. Queries are drawn with replacement, so where few are possible (prefix, recombined) some are"
  " asked again and the intervals are a little too narrow. The truth is exact: 128-bit hashes of all URLs, sorted on"
  " disk.</p>\n";

/* Only where there is one. */
static void write_programs(FILE *to, const report_input *input)
{
  static const char text[] =
    "<p>Filters called <code>exec:</code> are programs, timed apart: each ran alone, its time is a mean, and reading"
    " keys and writing answers is in it. Compare it with those of other programs only. What a program answers after it"
    " has read all keys has no time; its memory is unknown.</p>\n";
  for (size_t i = 0; i < input->options->filter_count; i++)
    if (input->options->is_program[i]) {
      fputs(text, to);
      return;
    }
}

static void write_page(FILE *to, const report_input *input)
{
  html_begin(to);
  write_introduction(to, input);
  write_claims(to, input);
  write_figures(to, input);
  write_formula(to, input);
  write_results(to, input);
  fputs(theory, to);
  write_statistics(to, input);
  fputs(method, to);
  write_programs(to, input);
  html_end(to);
}

bool report_write(const report_input *input)
{
  char *path, *page = NULL;
  size_t size;
  if (asprintf(&path, "%s/report.html", input->directory) < 0)
    return false;
  FILE *to = own_file_stream(path, "w", 0666);
  free(path);
  if (to == NULL)
    return false;
  FILE *memory = open_memstream(&page, &size);
  if (memory != NULL)
    write_page(memory, input);
  bool is_written = memory != NULL && fclose(memory) == 0;
  if (is_written)
    labels_write(to, page);
  free(page);
  is_written = is_written && ferror(to) == 0;
  return fclose(to) == 0 && is_written;
}
