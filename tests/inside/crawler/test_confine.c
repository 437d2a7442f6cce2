/* Rights on files given up, by each version of Landlock up to the kernel's, in a child process each. */
#include "crawler/base/confine.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char home[SCRATCH_PATH];

static const char *in_home(const char *name)
{
  static char path[4][SCRATCH_PATH + 32];
  static unsigned turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof *path, "%s/%s", home, name);
  return path[turn];
}

static void make_file(const char *name)
{
  FILE *file = fopen(in_home(name), "w");
  assert_non_null(file);
  fclose(file);
}

static int set_up(void **state)
{
  (void)state;
  scratch_make(home);
  mkdir(in_home("own"), 0700);
  mkdir(in_home("own/below"), 0700);
  mkdir(in_home("other"), 0700);
  make_file("own/old");
  make_file("other/named");
  make_file("other/secret");
  return 0;
}

static int clean_up(void **state)
{
  (void)state;
  scratch_remove(home);
  return 0;
}

static bool opens(const char *path, int flags)
{
  int fd = open(path, flags | O_CLOEXEC, 0600);
  return fd >= 0 && close(fd) == 0;
}

static bool is_refused(bool is_done)
{
  return !is_done && (errno == EACCES || errno == EXDEV);
}

/* Lines below 256 fit into an exit code. */
#define HOLDS(fact) \
  if (!(fact))      \
  return __LINE__

/* The line of the first fact that does not hold; 0: all do. */
static int look_around(int version)
{
  HOLDS(opens(in_home("own/new"), O_RDWR | O_CREAT | O_EXCL));
  HOLDS(opens(in_home("own/old"), O_RDWR | O_TRUNC));
  HOLDS(opens(in_home("own"), O_RDWR | O_TMPFILE) || errno == EOPNOTSUPP);
  HOLDS(mkdir(in_home("own/folder"), 0700) == 0);
  HOLDS(rename(in_home("own/new"), in_home("own/newer")) == 0);
  HOLDS(version < 2 || rename(in_home("own/newer"), in_home("own/below/newer")) == 0);
  HOLDS(rmdir(in_home("own/folder")) == 0);
  HOLDS(unlink(in_home("own/old")) == 0);
  HOLDS(opens(in_home("own"), O_RDONLY | O_DIRECTORY));
  HOLDS(opens(in_home("other/named"), O_RDONLY));
  HOLDS(opens("/etc/hosts", O_RDONLY));
  HOLDS(opens("/proc/self/status", O_RDONLY));
  HOLDS(opens("/dev/null", O_RDONLY));
  HOLDS(is_refused(opens(in_home("other/named"), O_WRONLY)));
  HOLDS(is_refused(opens(in_home("other/secret"), O_RDONLY)));
  HOLDS(is_refused(opens(in_home("other"), O_RDONLY | O_DIRECTORY)));
  HOLDS(is_refused(opens(in_home("other/new"), O_WRONLY | O_CREAT)));
  HOLDS(is_refused(mkfifo(in_home("own/fifo"), 0600) == 0));
  HOLDS(is_refused(opens("/dev/full", O_WRONLY)));
  return 0;
}

static const char *const *named(void)
{
  static char path[SCRATCH_PATH + 32];
  static const char *const names[] = {NULL, "/nowhere/at all", path};
  snprintf(path, sizeof path, "%s", in_home("other/named"));
  return names;
}

CASE(each_version)
{
  int newest = confine_version();
  if (newest == 0) {
    print_message("skipped: this kernel has no Landlock, or it is switched off\n");
    skip();
  }
  for (int version = 1; version <= newest; version++) {
    int status;
    set_up(state);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
      _exit(confine(version, in_home("own"), named(), 3, NULL, 0) ? look_around(version) : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
      print_error("version %d: line %d\n", version, WEXITSTATUS(status));
    assert_int_equal(status, 0);
    clean_up(state);
  }
}

/* The process can do afterwards what it could before. */
CASE_WITH(what_cannot_be_is_not_half_done, set_up, clean_up)
{
  assert_false(confine(0, in_home("own"), NULL, 0, NULL, 0));
  assert_false(confine(confine_version(), in_home("nowhere"), NULL, 0, NULL, 0));
  assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0);
  assert_true(opens(in_home("other/new"), O_WRONLY | O_CREAT));
}
