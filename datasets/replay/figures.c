/* See figures.h. A filter has one look in all figures; a figure shows those of its filters that were run. */
#include "datasets/replay/figures.h"
#include "datasets/replay/plots.h"
#include "datasets/replay/results.h"

#include <stdio.h>
#include <stdlib.h>

enum { SERIES_MAX = 4, FIGURES = 6 };

/* Called as its filter; NULL: after the last. */
static const plot_series paper_series[SERIES_MAX + 1] = {
  {"bloom-paper", "#c1440e", 5},
  {"mlbf-paper", "#1f5fa8", 7},
  {NULL, NULL, 0},
};
static const plot_series equal_series[SERIES_MAX + 1] = {
  {"mlbf-paper", "#1f5fa8", 7}, {"bloom", "#a87900", 11}, {"mlbf", "#2b8a3e", 9},
  {"line", "#7a3e9d", 13},      {NULL, NULL, 0},
};

static double false_positives(const replay_result *row)
{
  return row->false_positives > 0 ? (double)row->false_positives : 0.5; /* a logarithmic scale has no zero */
}

static double insert_ns(const replay_result *row)
{
  return row->insert_ns;
}

static double query_ns(const replay_result *row)
{
  return row->query_ns;
}

static const plot plots[FIGURES] = {
  {"fig5.svg", "Figure 5: false positives, the paper's two filters"},
  {"fig6.svg", "Figure 6: time of an insertion, the paper's two filters"},
  {"fig7.svg", "Figure 7: time of a query, the paper's two filters"},
  {"fig5-equal.svg", "False positives at equal memory (none is drawn at 0.5)"},
  {"fig6-equal.svg", "Time of an insertion at equal memory"},
  {"fig7-equal.svg", "Time of a query at equal memory"},
};

static const struct {
  const char *axis;
  const plot_series *series;
  double (*value)(const replay_result *row);
  bool is_logarithmic;
} figures[FIGURES] = {
  {"false positives", paper_series, false_positives, true},
  {"ns an insertion", paper_series, insert_ns, false},
  {"ns a query", paper_series, query_ns, false},
  {"false positives", equal_series, false_positives, true},
  {"ns an insertion", equal_series, insert_ns, false},
  {"ns a query", equal_series, query_ns, false},
};

protocol figures_protocol(const replay_options *options)
{
  int which = PROTOCOL_PAPER;
  while (which < PROTOCOL_STREAM && !options->protocols[which])
    which++;
  return (protocol)which;
}

static const replay_result *find_row(const plot_series *series, size_t size, const replay_options *options,
                                     const replay_results *results)
{
  return results_find(results, figures_protocol(options), series->title, options->sizes[size]);
}

/* The plot command, and behind it the points of each filter that was run; whether there is one. */
static bool write_series(FILE *script, int index, const replay_options *options, const replay_results *results)
{
  int drawn = 0;
  for (const plot_series *series = figures[index].series; series->title != NULL; series++)
    if (find_row(series, 0, options, results) != NULL)
      plots_add_series(script, "'-'", series, drawn++ == 0);
  fputc('\n', script);
  for (const plot_series *series = figures[index].series; series->title != NULL; series++) {
    if (find_row(series, 0, options, results) == NULL)
      continue;
    for (size_t size = 0; size < options->size_count; size++) {
      const replay_result *row = find_row(series, size, options, results);
      fprintf(script, "%.6g %.6g\n", (double)row->n / 1e6, figures[index].value(row));
    }
    fputs("e\n", script);
  }
  return drawn > 0;
}

static void write_figure(FILE *script, int index, const replay_options *options, const replay_results *results)
{
  char *block;
  size_t size;
  FILE *memory = open_memstream(&block, &size);
  if (memory == NULL)
    return;
  bool has_series = write_series(memory, index, options, results);
  fclose(memory);
  if (has_series)
    fprintf(script, "set output '%s'\nset ylabel '%s'\n%s\n%s", plots[index].file, figures[index].axis,
            figures[index].is_logarithmic ? "set logscale y\nset yrange [0.4:*]\nset format y '%.0f'"
                                          : "unset logscale\nset yrange [0:*]\nset format y '%.0f'",
            block);
  free(block);
}

/* A mark for each n, as long as there is room for them. */
static void write_marks(FILE *script, const replay_options *options)
{
  enum { ROOM = 8 };
  for (size_t size = 0; size < options->size_count && options->size_count <= ROOM; size++)
    fprintf(script, "%s%.6g%s", size == 0 ? "set xtics (" : ", ", (double)options->sizes[size] / 1e6,
            size + 1 == options->size_count ? ")\n" : "");
}

bool figures_draw(const replay_options *options, const replay_results *results, const char *directory,
                  const char **reason)
{
  char remark[120], *text = NULL;
  size_t size;
  FILE *script = open_memstream(&text, &size);
  *reason = "out of memory";
  if (script == NULL)
    return false;
  snprintf(remark, sizeof remark, "# Protocol: %s. Run again with: gnuplot figures.gnuplot\n",
           protocol_name(figures_protocol(options)));
  fputs("set xlabel 'URLs inserted, millions'\n"
        "set autoscale xfixmin\nset autoscale xfixmax\nset offsets graph 0.06, graph 0.06\n",
        script);
  write_marks(script, options);
  for (int i = 0; i < FIGURES; i++)
    write_figure(script, i, options, results);
  if (fclose(script) == 0)
    *reason = plots_draw(directory, "figures.gnuplot", remark, text, plots, FIGURES);
  free(text);
  return *reason == NULL;
}

void figures_show(FILE *page, const char *directory)
{
  plots_show(page, directory, plots, FIGURES);
}
