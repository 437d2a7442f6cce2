/* fork, exec, wait. */
#include "tests/site/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void redirect(int fd, const char *path, int flags)
{
  int file = open(path, flags | O_CLOEXEC, 0644);
  if (file < 0 || dup2(file, fd) < 0)
    _exit(126);
}

/* In the child, up to exec. */
static void become(const char *const argv[], const process_files *files, pid_t parent)
{
  enum { WRITE_FLAGS = O_WRONLY | O_CREAT | O_TRUNC };
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(125);
  redirect(STDIN_FILENO, files->in ? files->in : "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, files->out ? files->out : "/dev/null", WRITE_FLAGS);
  if (files->err)
    redirect(STDERR_FILENO, files->err, WRITE_FLAGS);
  if (files->file_size_max) {
    const struct rlimit limit = {files->file_size_max, files->file_size_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
  }
  enum { WORDS_MAX = 64 };
  char *words[WORDS_MAX + 1] = {0}; /* execv's type, unlike execv, would not keep its hands off constants */
  for (size_t i = 0; i < WORDS_MAX && argv[i]; i++)
    words[i] = strdup(argv[i]);
  execv(words[0] ? words[0] : "", words);
  _exit(127);
}

pid_t process_start(const char *const argv[], const process_files *files)
{
  pid_t parent = getpid(), pid = fork();
  if (pid == 0)
    become(argv, files, parent);
  if (pid < 0) {
    perror("fork");
    abort();
  }
  return pid;
}

process_turns process_turns_of(pid_t pid)
{
  char path[64];
  unsigned long long ran_ns = 0, waited_ns = 0;
  snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%llu %llu", &ran_ns, &waited_ns) != 2)
    ran_ns = waited_ns = 0;
  if (file)
    fclose(file);
  return (process_turns){.ran = (double)ran_ns / 1e9, .waited = (double)waited_ns / 1e9};
}

double process_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void process_sleep(double seconds)
{
  struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {}
}

bool process_has_ended(pid_t pid)
{
  siginfo_t gone = {0};
  return waitid(P_PID, (id_t)pid, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid == pid;
}

bool process_wait(pid_t pid, process_end *end)
{
  double deadline = process_clock() + PROCESS_SECONDS_MAX;
  bool in_time = true;
  int status = 0;
  pid_t got;
  while ((got = wait4(pid, &status, in_time ? WNOHANG : 0, &end->usage)) == 0) {
    if (process_clock() > deadline) {
      in_time = false;
      kill(pid, SIGKILL);
    } else {
      process_sleep(0.001);
    }
  }
  if (got != pid) {
    perror("wait4");
    abort();
  }
  end->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return in_time;
}

void process_kill(pid_t pid)
{
  process_end end;
  if (pid <= 0)
    return;
  kill(pid, SIGKILL);
  process_wait(pid, &end);
}
