#include "tests/support/lives.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES_MOST = 219 }; /* of a filter for 250,000 keys at 28.8 bits, which one of the lives has */

bool has_failed(story *s, mlbf_status status)
{
  if (status == MLBF_OK)
    return false;
  assert_int_equal(status, s->what == FAULT_ALLOC ? MLBF_NO_MEMORY : MLBF_IO);
  assert_true(s->what == FAULT_ALLOC || errno == ENOSPC);
  assert_true(faults_have_struck());
  faults_end();
  s->failures++;
  return true;
}

/* Pages of this process: what a filter's body takes, and no malloc knows of. */
static unsigned long pages_mapped(void)
{
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return pages;
}

/* How often something failed. */
static unsigned fail_each_of(fault_loop l, life *live, story *s)
{
  unsigned failures = 0;
  while (fault_next(&l)) {
    s->failures = 0;
    if (fault_begin(&l)) {
      live(s);
      fault_end(&l, 0);
    }
    assert_int_equal(s->failures, l.has_struck); /* each failure was told, and only once */
    failures += s->failures;
  }
  return failures;
}

void lives_fail(life *const lives[], size_t count, fault_class what, int error, bool stays)
{
  story s = {.what = what};
  scratch_make_fast(s.root);
  scratch_join(s.root, "filter", s.path);
  unsigned failures = 0;
  for (size_t i = 0; i < count; i++)
    lives[i](&s); /* undisturbed, and what is allocated once in a program is now */
  unsigned long before = pages_mapped();
  for (size_t i = 0; i < count; i++)
    failures += fail_each_of((fault_loop){.what = what, .error = error, .stays = stays}, lives[i], &s);
  scratch_remove(s.root);
  unsigned long after = pages_mapped();
  print_message("%u failures, %lu pages before, %lu after\n", failures, before, after);
  assert_true(failures >= 5);
#ifndef __SANITIZE_ADDRESS__ /* it maps more itself; of malloc's memory it knows what was leaked */
  assert_true(after < before + PAGES_MOST);
#endif
}
