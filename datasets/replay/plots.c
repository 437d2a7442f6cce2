/* See plots.h. Nothing that was drawn before is taken for this run's: files go before the script is written. Called
 * with the figures of a replay and of a paper. */
#include "datasets/replay/plots.h"
#include "datasets/replay/html.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NO_SUCH_COMMAND = 127 };

static const char beginning[] = "set terminal svg size 480,340 dynamic font 'sans-serif,14' background '#ffffff'\n"
                                "set encoding utf8\nset grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
                                "set key outside top center horizontal\n";

static const char *run(const char *directory, const char *script)
{
  pid_t child = fork();
  if (child < 0)
    return strerror(errno);
  if (child == 0) {
    int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (chdir(directory) != 0 || silence < 0 || dup2(silence, STDERR_FILENO) < 0)
      _exit(1);
    execlp("gnuplot", "gnuplot", script, (char *)NULL);
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

static bool write_script(const char *directory, const char *script, const char *remark, const char *text)
{
  char *path;
  if (asprintf(&path, "%s/%s", directory, script) < 0)
    return false;
  FILE *file = own_file_stream(path, "w", 0666);
  free(path);
  if (file == NULL)
    return false;
  fprintf(file, "%s%s%s", remark, beginning, text);
  bool is_written = ferror(file) == 0;
  return fclose(file) == 0 && is_written;
}

void plots_add_series(FILE *script, const char *data, const plot_series *series, bool is_first)
{
  fprintf(script, "%s%s using 1:2 with linespoints lw 2 pt %d ps 0.8 lc rgb '%s' title '%s'", is_first ? "plot " : ", ",
          data, series->point, series->colour, series->title);
}

const char *plots_draw(const char *directory, const char *script, const char *remark, const char *text,
                       const plot *plots, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char *path;
    if (asprintf(&path, "%s/%s", directory, plots[i].file) < 0)
      return "out of memory";
    unlink(path);
    free(path);
  }
  return write_script(directory, script, remark, text) ? run(directory, script) : own_file_words(errno);
}

void plots_show(FILE *page, const char *directory, const plot *plots, size_t count)
{
  fputs("<div class=\"figures\">\n", page);
  for (size_t i = 0; i < count; i++) {
    char *path;
    if (asprintf(&path, "%s/%s", directory, plots[i].file) < 0)
      continue;
    html_figure(page, path, plots[i].caption);
    free(path);
  }
  fputs("</div>\n", page);
}
