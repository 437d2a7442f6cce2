/* The program in a child, its three streams in files. */
#include "tests/support/command.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(const char *what)
{
  perror(what);
  abort();
}

static int file_of(const char *text)
{
  FILE *file = tmpfile();
  if (!file || fputs(text, file) < 0 || fflush(file) != 0)
    fail("tmpfile");
  int number = dup(fileno(file));
  fclose(file);
  if (number < 0 || lseek(number, 0, SEEK_SET) < 0)
    fail("lseek");
  return number;
}

static void read_back(int file, char text[COMMAND_OUTPUT_SIZE])
{
  ssize_t size = pread(file, text, COMMAND_OUTPUT_SIZE - 1, 0);
  if (size < 0)
    fail("pread");
  text[size] = '\0';
  close(file);
}

static _Noreturn void run_child(const char *arguments)
{
  enum { WORDS_MAX = 40 };
  char name[] = STRATA_PROGRAM, *line = strdup(arguments), *rest = line, *argv[WORDS_MAX + 1] = {name};
  int argc = 1;
  for (char *word; line && (word = strsep(&rest, " ")) && argc < WORDS_MAX;)
    if (*word)
      argv[argc++] = word;
  execv(STRATA_PROGRAM, argv);
  fail(STRATA_PROGRAM);
}

int command_run(const char *arguments, const char *input, const char *out_path, char out[COMMAND_OUTPUT_SIZE],
                char err[COMMAND_OUTPUT_SIZE])
{
  int files[3] = {file_of(input), file_of(""), file_of("")};
  fflush(NULL);
  pid_t child = fork();
  if (child < 0)
    fail("fork");
  if (child == 0) {
    int streams[3] = {files[0], out_path ? open(out_path, O_WRONLY | O_CLOEXEC) : files[1], files[2]};
    for (int i = 0; i < 3; i++)
      if (dup2(streams[i], i) < 0)
        fail("dup2");
    run_child(arguments);
  }
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
    fail("the command did not exit");
  close(files[0]);
  read_back(files[1], out);
  read_back(files[2], err);
  return WEXITSTATUS(status);
}

unsigned command_differences(const command_row *rows, size_t count)
{
  unsigned differences = 0;
  for (const command_row *row = rows; row < rows + count; row++) {
    char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
    int status = command_run(row->arguments, row->input, NULL, out, err);
    bool is_said = *row->err ? strstr(err, row->err) != NULL : !*err;
    if (status == row->status && strcmp(out, row->out) == 0 && is_said)
      continue;
    printf("strata %s: exit %d\n%s%s\n", row->arguments, status, out, err);
    differences++;
  }
  return differences;
}
