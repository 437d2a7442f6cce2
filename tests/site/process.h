/* tests/site/process.h: other programs, started, watched and ended by a test.
 *
 * A process started here dies with the test program, whatever becomes of that. */
#ifndef STRATA_TESTS_SITE_PROCESS_H
#define STRATA_TESTS_SITE_PROCESS_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

typedef struct process_files {
  const char *in, *out, *err;  /* stdin, stdout, stderr; NULL: /dev/null, and inherited for err */
  unsigned long file_size_max; /* RLIMIT_FSIZE in bytes, 0 for none: writes beyond it fail with EFBIG */
} process_files;

/* `argv` ends with NULL, after 64 words at most; argv[0] is the path of the program. If there can be no further
 * process, the test program ends. */
pid_t process_start(const char *const argv[], const process_files *files);

typedef struct process_end {
  int code;   /* exit code, or -1 */
  int signal; /* what killed it, or 0 */
  struct rusage usage;
} process_end;

/* For what hangs, and nothing else: a machine that is busy with others may take any time for any work. */
enum { PROCESS_SECONDS_MAX = 1800 };

/* Waits PROCESS_SECONDS_MAX at most; then kills it and returns false. Either way it is gone, and `*end` says how. */
bool process_wait(pid_t pid, process_end *end);

void process_kill(pid_t pid); /* and wait until it is gone; 0: there is none */

bool process_has_ended(pid_t pid); /* and has still to be waited for */

/* Seconds that its first thread has run, and that it could have, while others had the cores: what is asserted of a
 * program's wall time is less those. 0 and 0 where the kernel does not count them, or the program has ended and was
 * waited for. */
typedef struct process_turns {
  double ran, waited;
} process_turns;
process_turns process_turns_of(pid_t pid);

double process_clock(void); /* seconds of a clock that only goes forward */
void process_sleep(double seconds);

#endif
