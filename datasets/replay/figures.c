#include "datasets/replay/figures.h"
#include "datasets/replay/plots.h"
#include "datasets/replay/results.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SERIES_MAX = 4 };

/* A filter has one look in all figures. */
typedef struct series {
  const char *filter, *colour; /* NULL: after the last */
  int point;                   /* gnuplot's number of a shape */
} series;

static const series paper_series[SERIES_MAX + 1] = {
  {"bloom-paper", "#c1440e", 5},
  {"mlbf-paper", "#1f5fa8", 7},
  {NULL, NULL, 0},
};
static const series equal_series[SERIES_MAX + 1] = {
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

static const struct {
  figure public;
  const char *axis;
  const series *series;
  double (*value)(const replay_result *row);
  bool is_logarithmic;
} figures[FIGURE_COUNT] = {
  {{"fig5.svg", "Figure 5: false positives, the paper's two filters"},
   "false positives",
   paper_series,
   false_positives,
   true},
  {{"fig6.svg", "Figure 6: time of an insertion, the paper's two filters"},
   "ns an insertion",
   paper_series,
   insert_ns,
   false},
  {{"fig7.svg", "Figure 7: time of a query, the paper's two filters"}, "ns a query", paper_series, query_ns, false},
  {{"fig5-equal.svg", "False positives at equal memory (none is drawn at 0.5)"},
   "false positives",
   equal_series,
   false_positives,
   true},
  {{"fig6-equal.svg", "Time of an insertion at equal memory"}, "ns an insertion", equal_series, insert_ns, false},
  {{"fig7-equal.svg", "Time of a query at equal memory"}, "ns a query", equal_series, query_ns, false},
};

const figure *figures_get(int index)
{
  return &figures[index].public;
}

protocol figures_protocol(const replay_options *options)
{
  int which = PROTOCOL_PAPER;
  while (which < PROTOCOL_STREAM && !options->protocols[which])
    which++;
  return (protocol)which;
}

static const replay_result *row_of(const series *of, size_t size, const replay_options *options,
                                   const replay_results *results)
{
  return results_find(results, figures_protocol(options), of->filter, options->sizes[size]);
}

/* The plot command, and behind it the points of each filter that was run; whether there is one. */
static bool write_series(FILE *to, int index, const replay_options *options, const replay_results *results)
{
  int drawn = 0;
  for (const series *of = figures[index].series; of->filter != NULL; of++)
    if (row_of(of, 0, options, results) != NULL)
      fprintf(to, "%s'-' using 1:2 with linespoints lw 2 pt %d ps 0.8 lc rgb '%s' title '%s'",
              drawn++ == 0 ? "plot " : ", ", of->point, of->colour, of->filter);
  fputc('\n', to);
  for (const series *of = figures[index].series; of->filter != NULL; of++) {
    if (row_of(of, 0, options, results) == NULL)
      continue;
    for (size_t size = 0; size < options->size_count; size++) {
      const replay_result *row = row_of(of, size, options, results);
      fprintf(to, "%.6g %.6g\n", (double)row->n / 1e6, figures[index].value(row));
    }
    fputs("e\n", to);
  }
  return drawn > 0;
}

static void write_figure(FILE *to, int index, const replay_options *options, const replay_results *results)
{
  char *block;
  size_t size;
  FILE *memory = open_memstream(&block, &size);
  if (memory == NULL)
    return;
  bool has_series = write_series(memory, index, options, results);
  fclose(memory);
  if (has_series)
    fprintf(to, "set output '%s'\nset ylabel '%s'\n%s\n%s", figures[index].public.file, figures[index].axis,
            figures[index].is_logarithmic ? "set logscale y\nset yrange [0.4:*]\nset format y '%.0f'"
                                          : "unset logscale\nset yrange [0:*]\nset format y '%.0f'",
            block);
  free(block);
}

/* A mark for each n, as long as there is room for them. */
static void write_marks(FILE *to, const replay_options *options)
{
  enum { ROOM = 8 };
  for (size_t size = 0; size < options->size_count && options->size_count <= ROOM; size++)
    fprintf(to, "%s%.6g%s", size == 0 ? "set xtics (" : ", ", (double)options->sizes[size] / 1e6,
            size + 1 == options->size_count ? ")\n" : "");
}

static bool write_script(const replay_options *options, const replay_results *results, const char *directory)
{
  char *path;
  if (asprintf(&path, "%s/figures.gnuplot", directory) < 0)
    return false;
  FILE *to = own_file_stream(path, "w", 0666);
  free(path);
  if (to == NULL)
    return false;
  fprintf(to,
          "# Protocol: %s. Run again with: gnuplot figures.gnuplot\n"
          "%sset xlabel 'URLs inserted, millions'\n"
          "set autoscale xfixmin\nset autoscale xfixmax\nset offsets graph 0.06, graph 0.06\n",
          protocol_name(figures_protocol(options)), plots_beginning);
  write_marks(to, options);
  for (int i = 0; i < FIGURE_COUNT; i++)
    write_figure(to, i, options, results);
  bool is_written = ferror(to) == 0;
  return fclose(to) == 0 && is_written;
}

/* Figures of an earlier run in this directory would be taken for this one's where it draws none. */
static void remove_old(const char *directory)
{
  for (int i = 0; i < FIGURE_COUNT; i++) {
    char *path;
    if (asprintf(&path, "%s/%s", directory, figures[i].public.file) < 0)
      return;
    unlink(path);
    free(path);
  }
}

bool figures_draw(const replay_options *options, const replay_results *results, const char *directory,
                  const char **reason)
{
  remove_old(directory);
  *reason = write_script(options, results, directory) ? plots_run(directory, "figures.gnuplot") : own_file_words(errno);
  return *reason == NULL;
}
