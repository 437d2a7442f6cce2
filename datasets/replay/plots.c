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

const char plots_beginning[] = "set terminal svg size 480,340 dynamic font 'sans-serif,14' background '#ffffff'\n"
                               "set encoding utf8\nset grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
                               "set key outside top center horizontal\n";

const char *plots_run(const char *directory, const char *script)
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

static bool write_script(const char *directory, const char *script, const char *text)
{
  char *path;
  if (asprintf(&path, "%s/%s", directory, script) < 0)
    return false;
  FILE *to = own_file_stream(path, "w", 0666);
  free(path);
  if (to == NULL)
    return false;
  fprintf(to, "%s%s", plots_beginning, text);
  bool is_written = ferror(to) == 0;
  return fclose(to) == 0 && is_written;
}

void plots_draw(FILE *page, const char *directory, const char *script, const char *text, const char *const *files,
                const char *const *captions, size_t count)
{
  char *paths[PLOTS_MAX] = {NULL};
  for (size_t i = 0; i < count && i < PLOTS_MAX; i++)
    if (asprintf(&paths[i], "%s/%s", directory, files[i]) >= 0)
      unlink(paths[i]);
    else
      paths[i] = NULL;
  const char *reason = write_script(directory, script, text) ? plots_run(directory, script) : own_file_words(errno);
  if (reason != NULL) {
    fputs("<p>There are no plots: ", page);
    html_text(page, reason);
    fputs(".</p>\n", page);
  } else {
    fputs("<div class=\"figures\">\n", page);
    for (size_t i = 0; i < count && i < PLOTS_MAX; i++)
      if (paths[i] != NULL)
        html_figure(page, paths[i], captions[i]);
    fputs("</div>\n", page);
  }
  for (size_t i = 0; i < PLOTS_MAX; i++)
    free(paths[i]);
}
