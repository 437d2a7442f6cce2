/* The main() of a program of tests. Its arguments are patterns of names, FILE.CASE; what they choose is run: one case
 * in this process, so that a debugger can follow it, several in a process each. `--list` prints the names.
 *
 * ctest starts the program once for each case (support.cmake), which is where cases run beside each other. */
#include "tests/support/test.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 256, FAILED = 1 };

static test_case *cases;
static test_fixture *fixtures;

void test_register(test_case *entry)
{
  test_case **at = &cases; /* as they stand in the file */
  while (*at)
    at = &(*at)->next;
  *at = entry;
}

void test_register_fixture(test_fixture *fixture)
{
  fixture->next = fixtures;
  fixtures = fixture;
}

unsigned test_times(unsigned usual)
{
  const char *times = getenv("STRATA_TIMES");
  return times ? (unsigned)strtoul(times, NULL, 10) : usual;
}

/* Its file without path, test_ and .c; a dot; its own name. */
static const char *name_of(const test_case *entry, char name[static NAME_MAX_BYTES])
{
  const char *file = strrchr(entry->file, '/');
  file = (file ? file + 1 : entry->file) + strlen("test_");
  snprintf(name, NAME_MAX_BYTES, "%.*s%s.%s", (int)(strlen(file) - strlen(".c")), file, TEST_SUFFIX, entry->name);
  return name;
}

static const test_fixture *fixture_of(const test_case *entry, bool is_outer)
{
  const test_fixture *found = fixtures;
  while (found && (found->is_outer != is_outer || strcmp(found->file, entry->file) != 0))
    found = found->next;
  return found;
}

/* cmocka says how it ended, and tests/skipped.awk and ctest read that. */
static int run(const test_case *entry)
{
  static char name[NAME_MAX_BYTES];
  struct CMUnitTest test = {name_of(entry, name), entry->run, entry->set_up, entry->tear_down, NULL};
  const test_fixture *each = entry->has_fixture ? NULL : fixture_of(entry, false), *all = fixture_of(entry, true);
  if (each) {
    test.setup_func = each->set_up;
    test.teardown_func = each->tear_down;
  }
  return _cmocka_run_group_tests(name, &test, 1, all ? all->set_up : NULL, all ? all->tear_down : NULL) ? FAILED : 0;
}

static int run_apart(const test_case *entry)
{
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    exit(run(entry));
  int status = FAILED;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return FAILED;
  char name[NAME_MAX_BYTES];
  if (WIFSIGNALED(status))
    printf("[  FAILED  ] %s: %s\n", name_of(entry, name), strsignal(WTERMSIG(status)));
  return status ? FAILED : 0;
}

int main(int argc, char **argv)
{
  bool lists = argc == 2 && strcmp(argv[1], "--list") == 0;
  test_case *first = NULL, **last = &first;
  char name[NAME_MAX_BYTES];
  for (test_case *entry = cases, *next; entry; entry = next) {
    next = entry->next;
    bool is_chosen = argc == 1 || lists;
    for (int i = 1; i < argc && !is_chosen; i++)
      is_chosen = fnmatch(argv[i], name_of(entry, name), 0) == 0;
    if (!is_chosen)
      continue;
    *last = entry;
    last = &entry->next;
    *last = NULL;
  }
  if (!first) {
    fprintf(stderr, "%s: no case is called so; --list prints their names\n", argv[0]);
    return 2;
  }
  int result = 0;
  for (const test_case *entry = first; entry; entry = entry->next)
    if (lists)
      puts(name_of(entry, name));
    else
      result |= first->next ? run_apart(entry) : run(entry);
  return result;
}
