/* See report.h. One function a section, in the order of the page. Always: what is not ours, such as names of files and
 * programs, is written as text. `strata replay` calls it when all else is written. */
#include "datasets/replay/report.h"
#include "datasets/replay/claims.h"
#include "datasets/replay/figures.h"
#include "datasets/replay/html.h"
#include "datasets/replay/results.h"
#include "datasets/replay/table.h"
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

/* A line of /proc/cpuinfo; "unknown" where there is none. */
static void write_processor(FILE *page)
{
  char line[256] = "";
  FILE *cpuinfo = fopen("/proc/cpuinfo", "r");
  while (cpuinfo != NULL && fgets(line, sizeof line, cpuinfo) != NULL && strncmp(line, "model name", 10) != 0)
    line[0] = '\0';
  if (cpuinfo != NULL)
    fclose(cpuinfo);
  line[strcspn(line, "\n")] = '\0';
  const char *colon = strchr(line, ':');
  html_text(page, colon != NULL ? colon + 2 : "unknown");
}

static void write_compiler(FILE *page)
{
#if defined(__clang__)
  html_text(page, __VERSION__);
#else
  html_text(page, "gcc " __VERSION__);
#endif
}

static void write_files(FILE *page, const report_input *input, const char *title)
{
  static const table_column columns[] = {
    {NULL, TABLE_NONE, "File", TABLE_TEXT},          {NULL, TABLE_NONE, "Format", TABLE_MARKUP},
    {NULL, TABLE_NONE, "Compression", TABLE_MARKUP}, {NULL, TABLE_NONE, "URLs", TABLE_COUNT},
    {NULL, TABLE_NONE, "Bad rows", TABLE_COUNT},
  };
  table files = {.html = page, .title = title, .is_words = true, TABLE_COLUMNS(columns)};
  table_begin(&files);
  for (size_t i = 0; i < input->file_count; i++) {
    const report_file *file = &input->files[i];
    table_row(&files, (table_cell[]){TABLE_WORDS(file->path), TABLE_WORDS(file->format), TABLE_WORDS(file->compression),
                                     TABLE_NUMBER(file->urls), TABLE_NUMBER(file->bad)});
  }
  table_end(&files);
}

static void write_introduction(FILE *page, const report_input *input)
{
  struct rusage usage = {.ru_maxrss = 0};
  char count[HTML_COUNT_SIZE], title[HTML_COUNT_SIZE + 40];
  getrusage(RUSAGE_SELF, &usage);
  snprintf(title, sizeof title, "URL-seen filters on %s URLs", html_count_text(input->statistics->urls, count));
  fprintf(page, "<h1>%s</h1>\n", title);
  write_files(page, input, title);
  fputs("<p>", page);
  html_count(page, urllist_rows(input->options->list));
  fputs(" rows, ", page);
  html_count(page, input->statistics->urls);
  fprintf(page, " different URLs (the scheme left out), in %s. Seed %llu. m = %llu, k = %u, L = %u. ",
          input->is_shuffled ? "an order drawn by the seed" : "the order of the file",
          (unsigned long long)input->options->seed, (unsigned long long)input->setting->m, (unsigned)input->setting->k,
          (unsigned)input->setting->layers);
  fputs("Processor: ", page);
  write_processor(page);
  fputs(". Compiler: ", page);
  write_compiler(page);
  fprintf(page, ". The run took %.0f s and at most %.0f MB of memory, pages of its files on disk included.</p>\n",
          input->seconds, (double)usage.ru_maxrss / 1000);
}

static void write_claims(FILE *page, const report_input *input)
{
  static const char *const classes[] = {
    [CLAIM_UNKNOWN] = "few", [CLAIM_HOLDS] = "holds", [CLAIM_PARTLY] = "partly",
    [CLAIM_FAILS] = "fails", [CLAIM_TOO_FEW] = "few",
  };
  static const table_column columns[] = {
    {NULL, TABLE_NONE, "Claim", TABLE_TEXT},
    {NULL, TABLE_NONE, "Measured", TABLE_TEXT},
    {NULL, TABLE_NONE, "Verdict", TABLE_TEXT},
  };
  claim claims[CLAIMS_MAX];
  size_t count = claims_judge(input->asked, claims);
  char number[HTML_COUNT_SIZE], title[HTML_COUNT_SIZE + 60];
  snprintf(title, sizeof title, "The paper's claims, and what was measured at n = %s",
           html_count_text(input->asked->n, number));
  fprintf(page,
          "<h2>%s</h2>\n<p>Y. Cen, K. Xu, Y. Sun: <cite>A Multi-Layer Bloom Filter for Duplicated URL Detection</cite>."
          "</p>\n",
          title);
  table rows = {.html = page, .title = title, .is_words = true, TABLE_COLUMNS(columns)};
  table_begin(&rows);
  for (size_t i = 0; i < count; i++)
    table_row(&rows,
              (table_cell[]){TABLE_WORDS(claims[i].said),
                             TABLE_WORDS(claims[i].measured),
                             {.text = claim_verdict_text(claims[i].verdict), .style = classes[claims[i].verdict]}});
  table_end(&rows);
}

static void write_figures(FILE *page, const report_input *input)
{
  fprintf(page, "<h2>Figures</h2>\n<p>Queries: %s (protocol <code>%s</code>).</p>\n",
          protocol_text(figures_protocol(input->options)), protocol_name(figures_protocol(input->options)));
  if (input->no_figures != NULL) {
    fputs("<p>There are none: ", page);
    html_text(page, input->no_figures);
    fputs(".</p>\n", page);
    return;
  }
  figures_show(page, input->directory);
}

/* ---- every protocol, every filter ---------------------------------------------------------------------------- */

enum { RANGE_SIZE = 64, TIME_SIZE = 40 };

static const char *range_text(double low, double high, char text[RANGE_SIZE])
{
  snprintf(text, RANGE_SIZE, "%.2g &#8211; %.2g", low, high);
  return text;
}

/* The rate; of too few events in grey. What chance explains is no rate above the promise. */
static table_cell rate_cell(const replay_result *row, char text[TIME_SIZE])
{
  char events[RESULTS_EVENTS_SIZE];
  if (!results_is_by_chance(row))
    return (table_cell){.number = results_rate(row), .style = row->false_positives < CLAIM_EVENTS ? "few" : NULL};
  snprintf(text, TIME_SIZE, "%s: not significant", results_events_text(row, events));
  return (table_cell){.text = text, .style = "few"};
}

/* That of a program is not to be compared with the others. */
static table_cell time_cell(const replay_result *row, double ns, char text[TIME_SIZE])
{
  if (!row->is_program)
    return TABLE_NUMBER(ns);
  snprintf(text, TIME_SIZE, "%.0f, apart", ns);
  return (table_cell){.text = ns > 0 ? text : "not timed", .style = "few"};
}

static void write_result(const table *results, const replay_result *row)
{
  char range[RANGE_SIZE], rate[TIME_SIZE], insertion[TIME_SIZE], query[TIME_SIZE];
  double low, high;
  results_interval(row, RESULTS_Z_95, &low, &high);
  table_row(results, (table_cell[]){
                       TABLE_WORDS(row->filter),
                       TABLE_NUMBER(row->n),
                       row->is_program ? TABLE_WORDS("unknown") : TABLE_NUMBER((double)row->bits / (double)row->n),
                       rate_cell(row, rate),
                       TABLE_WORDS(range_text(low, high, range)),
                       row->promised_rate > 0 ? TABLE_NUMBER(row->promised_rate) : TABLE_WORDS("&#8211;"),
                       TABLE_NUMBER(row->false_positives),
                       TABLE_NUMBER(row->queries),
                       TABLE_NUMBER(row->members),
                       TABLE_NUMBER(row->false_negatives),
                       time_cell(row, row->insert_ns, insertion),
                       time_cell(row, row->query_ns, query),
                     });
}

/* The rows of one protocol whose n is from `least` on. */
static void write_protocol_table(FILE *page, const report_input *input, protocol which, uint64_t least)
{
  bool is_step = which == PROTOCOL_STREAM;
  const table_column columns[] = {
    {NULL, TABLE_NONE, "Filter", TABLE_TEXT},
    {NULL, TABLE_NONE, "n", TABLE_COUNT},
    {NULL, TABLE_NONE, "bits/URL", TABLE_FIXED(2)},
    {NULL, TABLE_NONE, "rate", TABLE_GENERAL(3)},
    {NULL, TABLE_NONE, "95&#8239;%", TABLE_MARKUP},
    {NULL, TABLE_NONE, "promised", TABLE_GENERAL(3)},
    {NULL, TABLE_NONE, "false positives", TABLE_COUNT},
    {NULL, TABLE_NONE, "queries", TABLE_COUNT},
    {NULL, TABLE_NONE, "members", TABLE_COUNT},
    {NULL, TABLE_NONE, "false negatives", TABLE_COUNT},
    {NULL, TABLE_NONE, is_step ? "step, ns" : "insert, ns", TABLE_FIXED(0)},
    {NULL, TABLE_NONE, is_step ? "step, ns" : "query, ns", TABLE_FIXED(0)},
  };
  table results = {.html = page, .title = protocol_name(which), TABLE_COLUMNS(columns)};
  table_begin(&results);
  for (size_t i = 0; i < input->results->count; i++)
    if (input->results->rows[i].protocol == which && input->results->rows[i].n >= least)
      write_result(&results, &input->results->rows[i]);
  table_end(&results);
}

static void write_protocol(FILE *page, const report_input *input, protocol which)
{
  size_t sizes = input->options->size_count;
  fprintf(page, "<h3>%s</h3>\n<p>Asked: %s.</p>\n", protocol_name(which), protocol_text(which));
  write_protocol_table(page, input, which, input->options->sizes[sizes - 1]);
  if (sizes == 1)
    return;
  fputs("<details><summary>Every n</summary>\n", page);
  write_protocol_table(page, input, which, 0);
  fputs("</details>\n", page);
}

static void write_results(FILE *page, const report_input *input)
{
  fputs(
    "<h2>Every protocol, every filter</h2>\n<p>A false positive is &#8220;seen&#8221; of a URL that was not"
    " inserted; in <code>stream</code> it is a URL a crawler would lose. The rate is per query that is no member,"
    " its 95&#8239;% interval Wilson's; it is grey with fewer than 30 false positives. A rate above the promise that"
    " chance gives to more than one run in 20 is not told: the row has the number of events. A false negative is"
    " &#8220;new&#8221; of a URL that was inserted: all n are asked again. The same numbers"
    " are in <code>results.csv</code>.</p>\n",
    page);
  for (int which = 0; which < PROTOCOL_COUNT; which++)
    if (input->options->protocols[which])
      write_protocol(page, input, (protocol)which);
}

static void write_formula(FILE *page, const report_input *input)
{
  static const table_column columns[] = {
    {NULL, TABLE_NONE, "n", TABLE_COUNT},
    {NULL, TABLE_NONE, "f<sup>L</sup>, formula (4)", TABLE_GENERAL(3)},
    {NULL, TABLE_NONE, "measured, mlbf-paper", TABLE_GENERAL(3)},
    {NULL, TABLE_NONE, "95&#8239;%", TABLE_MARKUP},
    {NULL, TABLE_NONE, "measured / formula", TABLE_GENERAL(3)},
  };
  table rows = {.html = page, .title = "Formula (4) beside measurement", TABLE_COLUMNS(columns)};
  fprintf(page, "<h2>%s</h2>\n", rows.title);
  table_begin(&rows);
  for (size_t i = 0; i < input->options->size_count; i++) {
    uint64_t n = input->options->sizes[i];
    const replay_result *row = results_find(input->results, PROTOCOL_PAPER, "mlbf-paper", n);
    if (row == NULL)
      continue;
    double printed = claims_formula_4(input->setting, n), low, high;
    char range[RANGE_SIZE];
    results_interval(row, RESULTS_Z_95, &low, &high);
    table_row(&rows,
              (table_cell[]){TABLE_NUMBER(n), TABLE_NUMBER(printed), TABLE_NUMBER(results_rate(row)),
                             TABLE_WORDS(range_text(low, high, range)), TABLE_NUMBER(results_rate(row) / printed)});
  }
  table_end(&rows);
}

static double percent(uint64_t part, uint64_t whole)
{
  return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void write_layers(FILE *page, const layer_statistics *layers, uint64_t urls, const char *title)
{
  static const table_column columns[] = {
    {NULL, TABLE_NONE, "Layer", TABLE_MARKUP},
    {NULL, TABLE_NONE, "URLs that have it", TABLE_COUNT},
    {NULL, TABLE_NONE, "share", {TABLE_KIND_FIXED, 1, 0, "&#8239;%"}},
    {NULL, TABLE_NONE, "distinct segments", TABLE_COUNT},
    {NULL, TABLE_NONE, "per URL of the list", TABLE_FIXED(3)},
    {NULL, TABLE_NONE, "URLs new here first", {TABLE_KIND_FIXED, 1, 0, "&#8239;%"}},
  };
  table rows = {.html = page, .title = title, TABLE_COLUMNS(columns)};
  fprintf(page, "<h3>%s</h3>\n", title);
  table_begin(&rows);
  for (uint32_t layer = 0; layer < layers->layers && layers->urls[layer] > 0; layer++) {
    char name[24];
    snprintf(name, sizeof name, "%u%s", (unsigned)layer + 1, layer == 0 ? " (host)" : "");
    table_row(&rows,
              (table_cell[]){TABLE_WORDS(name), TABLE_NUMBER(layers->urls[layer]),
                             TABLE_NUMBER(percent(layers->urls[layer], urls)), TABLE_NUMBER(layers->distinct[layer]),
                             TABLE_NUMBER(urls > 0 ? (double)layers->distinct[layer] / (double)urls : 0),
                             TABLE_NUMBER(percent(layers->first_new[layer], layers->new_urls))});
  }
  table_row(&rows,
            (table_cell[]){TABLE_WORDS("none: all known, new combination"), TABLE_EMPTY, TABLE_EMPTY, TABLE_EMPTY,
                           TABLE_EMPTY, TABLE_NUMBER(percent(layers->combinations, layers->new_urls))});
  table_end(&rows);
}

static void write_statistics(FILE *page, const report_input *input)
{
  const list_statistics *list = input->statistics;
  uint64_t segments = 0;
  for (int layer = 0; layer < MLBF_LAYERS_MAX; layer++)
    segments += list->cuts[CUT_LAYERS].urls[layer];
  fprintf(page,
          "<h2>The data set</h2>\n<p>Without scheme a URL has %.1f bytes on average (median %zu, longest %zu)"
          " and %.1f segments, host included; %.1f&#8239;%% have a query. The last column: of the second half of"
          " the list, each URL as it comes, which layer is the first to see something new.</p>\n",
          list->mean_size, list->median_size, list->longest,
          list->urls > 0 ? (double)segments / (double)list->urls : 0.0,
          list->urls > 0 ? 100 * (double)list->with_query / (double)list->urls : 0.0);
  write_layers(page, &list->cuts[CUT_PAPER], list->urls, "Cut at / as the paper has it; the last layer takes the rest");
  write_layers(page, &list->cuts[CUT_LAYERS], list->urls, "Cut at /, ? and &amp; as mlbf has it");
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
static void write_programs(FILE *page, const report_input *input)
{
  static const char text[] =
    "<p>Filters called <code>exec:</code> are programs, timed apart: each ran alone, its time is a mean, and reading"
    " keys and writing answers is in it. Compare it with those of other programs only. What a program answers after it"
    " has read all keys has no time; its memory is unknown.</p>\n";
  for (size_t i = 0; i < input->options->filter_count; i++)
    if (input->options->is_program[i]) {
      fputs(text, page);
      return;
    }
}

static void write_page(FILE *page, const report_input *input)
{
  html_begin(page);
  write_introduction(page, input);
  write_claims(page, input);
  write_figures(page, input);
  write_formula(page, input);
  write_results(page, input);
  fputs(theory, page);
  write_statistics(page, input);
  fputs(method, page);
  write_programs(page, input);
  html_end(page);
}

bool report_write(const report_input *input)
{
  char *path;
  if (asprintf(&path, "%s/report.html", input->directory) < 0)
    return false;
  FILE *page = own_file_stream(path, "w", 0666);
  free(path);
  if (page == NULL)
    return false;
  write_page(page, input);
  bool is_written = ferror(page) == 0;
  return fclose(page) == 0 && is_written;
}
