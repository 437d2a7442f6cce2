/* One command measured, finer than time(1), and beside it what the server that it talks to spent meanwhile.
 *   bench_run SERVER LIMIT SAID COMMAND [ARGUMENT]...
 * SERVER is the number of a process whose children serve (nginx's master), 0 for none. A command that takes more than
 * LIMIT seconds is killed. What it prints goes into the file SAID. Printed is one line: seconds, its CPU seconds, its
 * peak kilobytes, its exit code (124: killed), CPU seconds of the server. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LATE = 124, CANNOT_RUN = 127 };

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The first number of schedstat is the time on a core, in nanoseconds; nginx's processes have one thread each. */
static double cpu_of(long pid)
{
  char path[64];
  double spent = 0;
  snprintf(path, sizeof path, "/proc/%ld/schedstat", pid);
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%lf", &spent) != 1) {
    fprintf(stderr, "bench_run: %s cannot be read\n", path);
    exit(2);
  }
  fclose(file);
  return spent / 1e9;
}

static double cpu_of_children(long pid)
{
  char path[64];
  double sum = 0;
  if (pid == 0)
    return 0;
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
  FILE *file = fopen(path, "r");
  for (long child; file && fscanf(file, "%ld", &child) == 1;)
    sum += cpu_of(child);
  if (file)
    fclose(file);
  return sum;
}

static void become(char **command, const char *said, const sigset_t *before)
{
  int in = open("/dev/null", O_RDONLY), out = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  sigprocmask(SIG_SETMASK, before, NULL);
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
    _exit(CANNOT_RUN);
  execvp(command[0], command);
  perror(command[0]);
  _exit(CANNOT_RUN);
}

int main(int argc, char **argv)
{
  if (argc < 5) {
    fprintf(stderr, "usage: bench_run SERVER LIMIT SAID COMMAND [ARGUMENT]...\n");
    return 2;
  }
  long server = strtol(argv[1], NULL, 10);
  const struct timespec limit = {.tv_sec = strtol(argv[2], NULL, 10)};
  sigset_t child_ends, before;
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ends, &before);

  double served = cpu_of_children(server), begin = now();
  pid_t pid = fork();
  if (pid == 0)
    become(argv + 4, argv[3], &before);
  if (pid < 0) {
    perror("fork");
    return 2;
  }
  int is_late = sigtimedwait(&child_ends, NULL, &limit) < 0, status = 0;
  if (is_late)
    kill(pid, SIGKILL);
  struct rusage used;
  if (wait4(pid, &status, 0, &used) != pid) {
    perror("wait4");
    return 2;
  }
  double seconds = now() - begin;
  double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  int code = is_late ? LATE : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  printf("%.4f %.4f %ld %d %.4f\n", seconds, cpu, used.ru_maxrss, code, cpu_of_children(server) - served);
  return 0;
}
