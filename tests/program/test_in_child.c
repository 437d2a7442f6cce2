/* A command in a child process: what it returns, what it writes, and what its parent says when it dies. */
#include "crawler/commands/cmd.h"
#include "crawler/commands/in_child.h"
#include "tests/support/command.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Copies its input, and ends as its first word says. */
static int as_told(int argc, char **argv)
{
  char text[64];
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  while (fgets(text, sizeof text, stdin))
    printf("%d:%s", argc, text);
  if (strcmp(argv[1], "bus") == 0) { /* a file that ends before its map */
    FILE *file = tmpfile();
    volatile char *bytes = file ? mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0) : NULL;
    signal(SIGBUS, SIG_DFL);
    return bytes ? bytes[100] : 1;
  }
  if (strcmp(argv[1], "term") == 0)
    raise(SIGTERM);
  return atoi(argv[1]);
}

static int in_a_child(int argc, char **argv)
{
  return in_child(as_told, argc, argv);
}

static void codes_and_streams_pass(void **state)
{
  (void)state;
  static const command_row rows[] = {
    {"try 0 x", "one\ntwo\n", 0, "3:one\n3:two\n", ""},
    {"try 3", "", 3, "", ""},
    {"try 1", "a\n", 1, "2:a\n", ""},
    {"try bus /", "", EXIT_FAILED, "", "try: //frontier/data.mdb: a reader dies of it"},
    {"try bus nowhere", "", EXIT_FAILED, "", "strata check"},
  };
  assert_int_equal(command_differences(in_a_child, rows, sizeof rows / sizeof *rows), 0);
}

/* Killed from outside, it ends its parent by the same signal, without a word; and no child is left. */
static void signals_pass(void **state)
{
  (void)state;
  int status;
  pid_t child = fork();
  if (child == 0) {
    char name[] = "try", word[] = "term", *argv[] = {name, word, NULL};
    fclose(stdin);
    _exit(in_a_child(2, argv));
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGTERM);
  assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
}

/* The parent alone is killed: the child, which waits for input, ends too. */
static void a_child_ends_with_its_parent(void **state)
{
  (void)state;
  int input[2], told[2];
  char byte;
  assert_int_equal(pipe(input) | pipe(told), 0);
  pid_t parent = fork();
  if (parent == 0) {
    char name[] = "try", word[] = "0", *argv[] = {name, word, NULL};
    close(input[1]);
    close(told[0]);
    dup2(input[0], STDIN_FILENO);
    _exit(in_a_child(2, argv));
  }
  close(input[0]);
  close(told[1]); /* the two of them have the other ends */
  usleep(50000);
  kill(parent, SIGKILL);
  waitpid(parent, NULL, 0);
  alarm(20);
  assert_int_equal(read(told[0], &byte, 1), 0);
  alarm(0);
  close(input[1]);
  close(told[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(codes_and_streams_pass),
    cmocka_unit_test(signals_pass),
    cmocka_unit_test(a_child_ends_with_its_parent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
