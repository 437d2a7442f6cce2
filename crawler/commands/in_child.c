/* See in_child.h. Where no child can be started the command runs here, unprotected but no worse.
 *
 * Always: the parent only waits. After a crash: the kernel ends the child with its parent (PR_SET_PDEATHSIG), and waits
 * for it in the parent's place. */
#include "crawler/commands/in_child.h"

#include "crawler/base/message.h"
#include "crawler/commands/cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a fault of memory sends, and an abort. */
static bool is_of_what_it_read(int number)
{
  return number == SIGBUS || number == SIGSEGV || number == SIGABRT || number == SIGFPE || number == SIGILL;
}

/* The first word that is a directory, as far as can be seen from here. */
static const char *directory_among(int argc, char **argv)
{
  struct stat file;
  for (int i = 1; i < argc; ++i)
    if (stat(argv[i], &file) == 0 && S_ISDIR(file.st_mode))
      return argv[i];
  return "DIR";
}

static int die_of(int number)
{
  signal(number, SIG_DFL);
  raise(number);
  return 128 + number; /* it is blocked, or stops only */
}

static int report(const char *command, const char *directory, int number)
{
  if (!is_of_what_it_read(number))
    return die_of(number);
  say_note("%s: %.400s/frontier/data.mdb: a reader dies of it (signal %d), so it is damaged, or was cut short"
           " meanwhile; strata check says more",
           command, directory, number);
  return EXIT_FAILED;
}

int in_child(in_child_command *run, int argc, char **argv)
{
  int status = 0;
  const char *command = argv[0], *directory = directory_among(argc, argv); /* getopt moves words */
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return run(argc, argv);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(EXIT_FAILED);
    exit(run(argc, argv));
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED(status) ? report(command, directory, WTERMSIG(status)) : WEXITSTATUS(status);
}
