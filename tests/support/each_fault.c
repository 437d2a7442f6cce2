#include "tests/support/each_fault.h"
#include "tests/support/share.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { STRUCK = 64, RETURNED = 128 }; /* of a child's status */

bool fault_next(fault_loop *l)
{
  unsigned share = l->share ? l->share : 1;
  if (l->number && !l->has_struck) {
    print_message("class %d, error %d%s: calls up to %u failed, one in %u\n", (int)l->what, l->error,
                  l->stays ? " that stays" : "", l->number - 1, share_step(share));
    return false;
  }
  l->number = l->number ? l->number + share_step(share) : share_first(share);
  return true;
}

static bool forks(const fault_loop *l)
{
  return l->forks || l->error == FAULT_DEATH;
}

/* A child whose assertion fails ends like a test program, without RETURNED. */
static void await_child(fault_loop *l, pid_t child)
{
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  bool has_died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && l->error == FAULT_DEATH;
  if (!has_died && !(WIFEXITED(status) && WEXITSTATUS(status) & RETURNED))
    fail_msg("class %d, error %d, call %u: the child's status is %d", (int)l->what, l->error, l->number, status);
  l->has_struck = has_died || WEXITSTATUS(status) & STRUCK;
  l->outcome = has_died ? 0 : WEXITSTATUS(status) & (STRUCK - 1);
}

bool fault_begin(fault_loop *l)
{
  if (forks(l)) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child) {
      await_child(l, child);
      return false;
    }
  }
  faults_set(l->what, l->number, l->error, l->stays);
  return true;
}

void fault_end(fault_loop *l, int outcome)
{
  faults_end();
  l->has_struck = faults_have_struck();
  l->outcome = outcome;
  if (forks(l))
    _exit(RETURNED | (l->has_struck ? STRUCK : 0) | outcome);
}

void *fault_witness(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(memory != MAP_FAILED);
  return memory;
}
