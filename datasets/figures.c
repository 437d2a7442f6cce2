#include "datasets/figures.h"
#include "datasets/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NO_SUCH_COMMAND = 127, SERIES_MAX = 4 };

static const char *const paper_series[SERIES_MAX + 1] = { "bloom-paper", "mlbf-paper", NULL };
static const char *const equal_series[SERIES_MAX + 1] = { "mlbf-paper", "bloom", "mlbf", "line", NULL };

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
  const char *const *series;
  double (*value)(const replay_result *row);
  bool is_logarithmic;
} figures[FIGURE_COUNT] = {
  { { "fig5.svg", "Figure 5: false positives, the paper's two filters" },
    "false positives", paper_series, false_positives, true },
  { { "fig6.svg", "Figure 6: time of an insertion, the paper's two filters" },
    "ns an insertion", paper_series, insert_ns, false },
  { { "fig7.svg", "Figure 7: time of a query, the paper's two filters" }, "ns a query", paper_series, query_ns, false },
  { { "fig5-equal.svg", "False positives at equal memory (none is drawn at 0.5)" },
    "false positives", equal_series, false_positives, true },
  { { "fig6-equal.svg", "Time of an insertion at equal memory" }, "ns an insertion", equal_series, insert_ns, false },
  { { "fig7-equal.svg", "Time of a query at equal memory" }, "ns a query", equal_series, query_ns, false },
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

/* A data block and the plot of it for each filter that was run; whether there is one. */
static bool write_series(FILE *to, int index, const replay_options *options, const replay_results *results)
{
  static const char *const colours[] = { "#c1440e", "#1f5fa8", "#2b8a3e", "#7a3e9d" };
  int drawn = 0;
  for (int s = 0; figures[index].series[s] != NULL; s++) {
    const char *filter = figures[index].series[s];
    if (results_find(results, figures_protocol(options), filter, options->sizes[0]) == NULL)
      continue;
    fprintf(to, "%s'-' using 1:2 with linespoints lw 2 pt %d ps 0.8 lc rgb '%s' title '%s'",
            drawn++ == 0 ? "plot " : ", ", 5 + 2 * s, colours[s], filter);
  }
  fputc('\n', to);
  for (int s = 0; figures[index].series[s] != NULL; s++) {
    bool has_rows = false;
    for (size_t n = 0; n < options->size_count; n++) {
      const replay_result *row = results_find(results, figures_protocol(options), figures[index].series[s],
                                              options->sizes[n]);
      if (row != NULL)
        fprintf(to, "%.6g %.6g\n", (double)row->n / 1e6, figures[index].value(row));
      has_rows |= row != NULL;
    }
    fputs(has_rows ? "e\n" : "", to);
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
                                          : "unset logscale\nset yrange [0:*]\nset format y '%.0f'", block);
  free(block);
}

static bool write_script(const replay_options *options, const replay_results *results, const char *directory)
{
  char *path;
  if (asprintf(&path, "%s/figures.gnuplot", directory) < 0)
    return false;
  FILE *to = fopen(path, "w");
  free(path);
  if (to == NULL)
    return false;
  fprintf(to, "# Protocol: %s. Run again with: gnuplot figures.gnuplot\n"
              "set terminal svg size 640,400 dynamic font 'sans-serif,14' background '#ffffff'\n"
              "set encoding utf8\nset grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
              "set key outside bottom center horizontal\nset xlabel 'URLs inserted, millions'\n"
              "set offsets graph 0.03, graph 0.03\n", protocol_name(figures_protocol(options)));
  for (int i = 0; i < FIGURE_COUNT; i++)
    write_figure(to, i, options, results);
  bool is_written = ferror(to) == 0;
  return fclose(to) == 0 && is_written;
}

static const char *run_gnuplot(const char *directory)
{
  pid_t child = fork();
  if (child < 0)
    return strerror(errno);
  if (child == 0) {
    int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (chdir(directory) != 0 || silence < 0 || dup2(silence, STDERR_FILENO) < 0)
      _exit(1);
    execlp("gnuplot", "gnuplot", "figures.gnuplot", (char *)NULL);
    _exit(EXIT_NO_SUCH_COMMAND);
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return strerror(errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_SUCH_COMMAND)
    return "gnuplot is not installed (Debian: gnuplot-nox)";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : "gnuplot failed";
}

bool figures_draw(const replay_options *options, const replay_results *results, const char *directory,
                  const char **reason)
{
  *reason = write_script(options, results, directory) ? run_gnuplot(directory) : strerror(errno);
  return *reason == NULL;
}
