/* See program.h.
 *
 *     program_ask, ... --> questions, a file --> the child of program_run --> answers, a file --> program_answers, ...
 *
 * There are never more answers than questions. A mark for each batch says when its last answer came, so marks and
 * answers are read in the order of the questions. At the end of program_run, however it ends, the child and all
 * processes of its group are gone. */
#include "datasets/replay/program.h"
#include "datasets/replay/stopwatch.h"
#include "datasets/sort/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  WORDS_MAX = 64,
  LINE_MAX_SIZE = 16, /* of an answer: longer ones are none */
  READ_SIZE = 65536,  /* what a pipe holds */
  STEP_MS = 100,      /* between two looks at what the child has read */
  NO_PROCESS = 0,
};

/* A batch of questions. */
typedef struct mark {
  uint64_t end;        /* questions up to its last one */
  uint64_t arrived_ns; /* its last answer */
} mark;

struct program {
  program_options options;
  spool *questions, *answers;
  mark *marks;
  size_t mark_count, mark_room, marks_arrived, marks_read;
  uint64_t asked, answered, given; /* lines; `given`: answers that were read */
  pid_t child;                     /* NO_PROCESS: none */
  int output;                      /* what it writes; -1: none */
  char line[LINE_MAX_SIZE + 1];    /* the beginning of an answer */
  size_t line_size;
  bool is_timed; /* it answered before it had read all */
  char failure[PROGRAM_FAILURE_SIZE];
  char bytes[READ_SIZE]; /* as they come */
};

static void assert_program(const program *p)
{
  assert(p->given <= p->answered && p->answered <= p->asked);
  assert(p->marks_read <= p->marks_arrived && p->marks_arrived <= p->mark_count && p->mark_count <= p->mark_room);
  assert(p->line_size <= LINE_MAX_SIZE);
  (void)p;
}

__attribute__((format(printf, 2, 3))) static bool fail(program *p, const char *format, ...)
{
  int size = snprintf(p->failure, sizeof p->failure, "%.150s ", p->options.name);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(p->failure + size, sizeof p->failure - (size_t)size, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- its name ---------------------------------------------------------------------------------------------------- */

bool program_is_name(const char *name)
{
  return strncmp(name, PROGRAM_PREFIX, strlen(PROGRAM_PREFIX)) == 0;
}

/* The words of a command, in a copy of it; the number of words. */
static size_t cut_words(char *command, char *words[WORDS_MAX + 1])
{
  size_t count = 0;
  for (char *word, *next; count < WORDS_MAX && (word = strtok_r(count == 0 ? command : NULL, " \t", &next)) != NULL;)
    words[count++] = word;
  words[count] = NULL;
  return count;
}

/* 0, or why the file cannot be started. */
static int look_at(const char *path)
{
  struct stat info;
  if (stat(path, &info) != 0)
    return errno;
  return S_ISDIR(info.st_mode) ? EISDIR : access(path, X_OK) == 0 ? 0 : EACCES;
}

/* As the shell finds it. */
static int look_for(const char *word)
{
  const char *usual = getenv("PATH");
  char *places = strdup(usual != NULL ? usual : "/usr/bin:/bin"), path[4096];
  int reason = places != NULL ? ENOENT : ENOMEM;
  for (char *next = places, *place; reason != 0 && next != NULL && (place = strsep(&next, ":")) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", *place != '\0' ? place : ".", word);
    int found = look_at(path);
    if (found == 0 || found == EACCES)
      reason = found;
  }
  free(places);
  return reason;
}

bool program_exists(const char *name, char failure[PROGRAM_FAILURE_SIZE])
{
  char *words[WORDS_MAX + 1], *command = strdup(name + strlen(PROGRAM_PREFIX));
  size_t count = command != NULL ? cut_words(command, words) : 0;
  int reason = count == 0 ? EINVAL : strchr(words[0], '/') != NULL ? look_at(words[0]) : look_for(words[0]);
  const char *text = reason == EINVAL   ? "names no program"
                     : reason == EACCES ? "may not be executed (chmod +x makes a file a program)"
                     : reason == ENOENT ? "is not there"
                                        : strerror(reason);
  if (reason != 0)
    snprintf(failure, PROGRAM_FAILURE_SIZE, "%.150s %s%s", name, reason == EISDIR ? "cannot be started: " : "", text);
  free(command);
  return reason == 0;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

program *program_create(const program_options *options)
{
  program *made = calloc(1, sizeof *made);
  if (made == NULL)
    return NULL;
  made->options = *options;
  made->output = -1;
  made->questions = spool_create(options->directory);
  made->answers = made->questions != NULL ? spool_create(options->directory) : NULL;
  if (made->answers != NULL)
    return made;
  int reason = errno;
  program_free(made);
  errno = reason;
  return NULL;
}

static bool add_mark(program *p)
{
  if (p->mark_count == p->mark_room) {
    size_t room = p->mark_room == 0 ? 256 : 2 * p->mark_room;
    mark *larger = realloc(p->marks, room * sizeof *larger);
    if (larger == NULL)
      return false;
    p->marks = larger;
    p->mark_room = room;
  }
  p->marks[p->mark_count++] = (mark){.end = p->asked};
  return true;
}

bool program_ask(program *p, bool is_insert, const key_batch *batch)
{
  for (size_t i = 0; i < batch->count; i++) {
    size_t size;
    const char *key = batch_key(batch, i, &size);
    assert(memchr(key, '\n', size) == NULL);
    if (!spool_write(p->questions, is_insert ? "+" : "?", 1) || !spool_write(p->questions, key, size) ||
        !spool_write(p->questions, "\n", 1))
      return false;
  }
  p->asked += batch->count;
  assert_program(p);
  return add_mark(p);
}

/* ---- the child --------------------------------------------------------------------------------------------------- */

/* Its environment is ours, and STRATA_KEYS. NULL: out of memory. */
static char **make_environment(const program *p, char setting[40])
{
  size_t count = 0, kept = 0;
  while (environ[count] != NULL)
    count++;
  char **made = malloc((count + 2) * sizeof *made);
  if (made == NULL)
    return NULL;
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], "STRATA_KEYS=", 12) != 0)
      made[kept++] = environ[i];
  snprintf(setting, 40, "STRATA_KEYS=%llu", (unsigned long long)p->options.keys);
  made[kept++] = setting;
  made[kept] = NULL;
  return made;
}

/* In a group of its own, which can be killed as a whole. 0, or why there is none. */
static int spawn(program *p, int output, char **words, char **environment)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  int reason = posix_spawn_file_actions_init(&files);
  if (reason != 0)
    return reason;
  reason = posix_spawnattr_init(&attributes);
  if (reason == 0) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    reason = posix_spawn_file_actions_adddup2(&files, spool_descriptor(p->questions), STDIN_FILENO);
    if (reason == 0)
      reason = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (reason == 0)
      reason = posix_spawnp(&p->child, words[0], &files, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return reason;
}

static bool start(program *p)
{
  char *words[WORDS_MAX + 1], setting[40], *command = strdup(p->options.name + strlen(PROGRAM_PREFIX));
  char **environment = make_environment(p, setting);
  int ends[2] = {-1, -1}, reason = ENOMEM;
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, nobody hears how a program ended, and its number may be another's */
  if (command != NULL && environment != NULL && cut_words(command, words) > 0)
    reason = pipe2(ends, O_CLOEXEC) == 0 ? spawn(p, ends[1], words, environment) : errno;
  if (ends[1] >= 0)
    close(ends[1]);
  p->output = ends[0];
  free(command);
  free(environment);
  if (reason == 0)
    return true;
  p->child = NO_PROCESS;
  return fail(p, "cannot be started: %s%s", strerror(reason),
              reason == ENOEXEC ? " (a script needs a first line such as #!/usr/bin/env python3)" : "");
}

/* Has it ended? It is not reaped yet, so that nobody else has its number. */
static bool has_ended(const program *p)
{
  siginfo_t info = {.si_pid = 0};
  return waitid(P_PID, (id_t)p->child, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == p->child;
}

/* All that is left of it; how it ended, or was ended. */
static int reap(program *p)
{
  int status = 0;
  kill(-p->child, SIGKILL);
  kill(p->child, SIGKILL); /* it may have left its group */
  while (waitpid(p->child, &status, 0) < 0 && errno == EINTR)
    continue;
  p->child = NO_PROCESS;
  return status;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* "1", "seen", "0", "new"; a blank or CR behind it is none of it. */
static bool read_answer(char *line, bool *is_seen)
{
  for (size_t size = strlen(line); size > 0 && strchr(" \t\r", line[size - 1]) != NULL; size--)
    line[size - 1] = '\0';
  *is_seen = strcmp(line, "1") == 0 || strcmp(line, "seen") == 0;
  return *is_seen || strcmp(line, "0") == 0 || strcmp(line, "new") == 0;
}

static bool refuse_line(program *p)
{
  char shown[4 * LINE_MAX_SIZE + 1];
  size_t size = 0;
  for (size_t i = 0; i < p->line_size; i++) {
    unsigned char byte = (unsigned char)p->line[i];
    size += (size_t)snprintf(shown + size, sizeof shown - size, byte < 0x20 || byte > 0x7E ? "\\x%02X" : "%c", byte);
  }
  shown[size] = '\0';
  return fail(p, "wrote \"%s%s\" after %llu answers; an answer is 1, 0, seen or new", shown,
              p->line_size == LINE_MAX_SIZE ? "..." : "", (unsigned long long)p->answered);
}

/* The line is complete. */
static bool take_line(program *p)
{
  char line[LINE_MAX_SIZE + 1];
  bool is_seen;
  memcpy(line, p->line, p->line_size);
  line[p->line_size] = '\0';
  if (p->line_size == LINE_MAX_SIZE || strlen(line) != p->line_size || !read_answer(line, &is_seen))
    return refuse_line(p);
  if (p->answered == p->asked)
    return fail(p, "wrote more lines than the %llu that it was asked", (unsigned long long)p->asked);
  p->line_size = 0;
  p->answered++;
  if (!spool_write(p->answers, is_seen ? "1" : "0", 1))
    return fail(p, "answers, but they cannot be written: %s", strerror(errno));
  return true;
}

static bool take_bytes(program *p, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] != '\n')
      p->line[p->line_size++] = bytes[i];
    if ((bytes[i] == '\n' || p->line_size == LINE_MAX_SIZE) && !take_line(p))
      return false;
  }
  uint64_t now = stopwatch_now_ns();
  while (p->marks_arrived < p->mark_count && p->marks[p->marks_arrived].end <= p->answered)
    p->marks[p->marks_arrived++].arrived_ns = now;
  assert_program(p);
  return true;
}

static uint64_t bytes_read(const program *p)
{
  off_t place = lseek(spool_descriptor(p->questions), 0, SEEK_CUR);
  return place > 0 ? (uint64_t)place : 0;
}

static bool tell_silence(program *p)
{
  return fail(p, "neither read nor answered for %.3g s after %llu of %llu answers (--exec-limit allows more)",
              p->options.limit_ms / 1000.0, (unsigned long long)p->answered, (unsigned long long)p->asked);
}

/* Until its output ends. */
static bool read_answers(program *p, const advance *told)
{
  uint64_t alive_ns = stopwatch_now_ns(), most_read = 0;
  bool is_good = true;
  while (is_good) {
    struct pollfd wait = {.fd = p->output, .events = POLLIN};
    int ready = poll(&wait, 1, STEP_MS);
    uint64_t has_read = bytes_read(p), now = stopwatch_now_ns();
    if (ready > 0) {
      ssize_t size = read(p->output, p->bytes, sizeof p->bytes);
      if (size <= 0)
        break;
      p->is_timed = p->is_timed || (p->answered == 0 && has_read < spool_size(p->questions));
      is_good = take_bytes(p, p->bytes, (size_t)size);
      if (told != NULL)
        told->told(told->context, p->answered, p->asked);
    } else if (has_ended(p)) {
      break; /* and a child of its own holds the pipe */
    }
    if (ready > 0 || has_read > most_read) /* it may go back in its input, but that is no progress */
      alive_ns = now;
    else if (now - alive_ns > (uint64_t)p->options.limit_ms * 1000000)
      is_good = tell_silence(p);
    most_read = has_read > most_read ? has_read : most_read;
  }
  return is_good && (p->line_size == 0 || take_bytes(p, "\n", 1)); /* the last line may lack its end */
}

/* Its output has ended: it has to end as well. */
static bool judge_end(program *p)
{
  uint64_t closed_ns = stopwatch_now_ns();
  while (!has_ended(p))
    if (stopwatch_now_ns() - closed_ns > (uint64_t)p->options.limit_ms * 1000000)
      return fail(p, "closed its output after %llu of %llu answers, but did not end in %.3g s (--exec-limit)",
                  (unsigned long long)p->answered, (unsigned long long)p->asked, p->options.limit_ms / 1000.0);
    else
      poll(NULL, 0, 1);
  int status = reap(p);
  char ending[80];
  if (WIFSIGNALED(status))
    snprintf(ending, sizeof ending, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    snprintf(ending, sizeof ending, "ended with exit status %d", WEXITSTATUS(status));
  if (p->answered == p->asked && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  return fail(p, "%s after %llu of %llu answers", ending, (unsigned long long)p->answered,
              (unsigned long long)p->asked);
}

bool program_run(program *p, const advance *told)
{
  assert(p->child == NO_PROCESS && p->answered == 0);
  if (!spool_finish(p->questions) || lseek(spool_descriptor(p->questions), 0, SEEK_SET) != 0)
    return fail(p, "cannot be asked: %s", strerror(errno));
  bool is_good = start(p) && read_answers(p, told) && judge_end(p);
  if (p->child != NO_PROCESS)
    reap(p);
  if (is_good && !spool_finish(p->answers))
    return fail(p, "answers, but they cannot be read: %s", strerror(errno));
  return is_good;
}

const char *program_failure(const program *failed)
{
  return failed->failure;
}

bool program_answers(program *p, size_t count, bool *is_seen, uint64_t *ns)
{
  assert(p->marks_read < p->marks_arrived && p->marks[p->marks_read].end == p->given + count);
  const char *answers = (const char *)spool_bytes(p->answers) + p->given;
  for (size_t i = 0; i < count; i++)
    is_seen[i] = answers[i] == '1';
  p->given += count;
  size_t index = p->marks_read++;
  bool is_timed = index > 0 && p->is_timed;
  if (is_timed)
    *ns = p->marks[index].arrived_ns - p->marks[index - 1].arrived_ns;
  return is_timed;
}

void program_free(program *old)
{
  if (old == NULL)
    return;
  if (old->child != NO_PROCESS)
    reap(old);
  if (old->output >= 0)
    close(old->output);
  spool_free(old->questions);
  spool_free(old->answers);
  free(old->marks);
  free(old);
}
