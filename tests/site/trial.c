/* Server, directory and program of one end-to-end test. */
#include "tests/site/trial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

char *trial_path(const trial *t, const char *name)
{
  text path = {0};
  text_addf(&path, "%s/%s", t->home, name);
  return path.bytes;
}

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  perror(what);
  abort();
}

static char *make_home(void)
{
  const char *above = getenv("TMPDIR");
  text path = {0};
  text_addf(&path, "%s/strata-trial-XXXXXX", above ? above : "/tmp");
  must(mkdtemp(path.bytes) != NULL, path.bytes);
  return path.bytes;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
  (void)info, (void)kind, (void)where;
  return remove(path);
}

/* Waits for the server to print its URL; false if it ended instead. */
static bool read_url(trial *t, const char *path)
{
  for (double end = process_clock() + PROCESS_SECONDS_MAX; process_clock() < end; process_sleep(0.002)) {
    text line = {0};
    if (text_add_file(&line, path) && line.size && line.bytes[line.size - 1] == '\n') {
      line.bytes[line.size - 1] = '\0';
      t->url = line.bytes;
      t->port = (unsigned)strtoul(strrchr(line.bytes, ':') + 1, NULL, 10);
      return true;
    }
    text_free(&line);
    if (process_has_ended(t->server))
      return false;
  }
  return false;
}

static bool start_server(trial *t, const trial_options *options)
{
  const struct {
    const char *name;
    unsigned long long value;
  } numbers[] = {{"site", options->seed},
                 {"entries", options->entries},
                 {"port", options->port},
                 {"latency", options->latency_ms},
                 {"jitter", options->jitter_ms},
                 {"close-after", options->close_after},
                 {"drop-after", options->drop_after}};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  const char *address = options->address ? options->address : "127.0.0.1";
  const char *argv[NUMBERS + 10] = {
    SITE_SERVER, "--log", t->log, "--address", address, "--host", options->host ? options->host : address};
  size_t count = 7;
  text words[NUMBERS] = {0};
  for (size_t i = 0; i < NUMBERS; i++) {
    text_addf(&words[i], "--%s=%llu", numbers[i].name, numbers[i].value);
    argv[count++] = words[i].bytes;
  }
  if (options->root) {
    argv[count++] = "--root";
    argv[count] = options->root;
  }
  char *out = trial_path(t, "server.out"), *err = trial_path(t, "server.err");
  t->server = process_start(argv, &(process_files){.out = out, .err = err});
  bool good = read_url(t, out);
  free(out);
  free(err);
  for (size_t i = 0; i < NUMBERS; i++)
    text_free(&words[i]);
  return good;
}

trial *trial_open(const trial_options *options)
{
  trial *t = calloc(1, sizeof *t);
  must(t != NULL, "trial");
  t->home = make_home();
  t->crawl = trial_path(t, "crawl");
  t->pages = trial_path(t, "crawl/pages.jsonl");
  t->log = trial_path(t, "requests.log");
  if (!start_server(t, options)) {
    must(options->port != 0, "server");
    trial_close(t);
    return NULL;
  }
  if (!options->root) {
    const site_options made = {options->seed, options->entries, options->host ? options->host : "127.0.0.1", t->port};
    t->made = site_create(&made);
  }
  return t;
}

void trial_close(trial *t)
{
  if (!t)
    return;
  process_kill(t->server);
  nftw(t->home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  char *const strings[] = {t->url, t->home, t->crawl, t->pages, t->log};
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
    free(strings[i]);
  text_free(&t->out);
  text_free(&t->err);
  site_free(t->made);
  free(t);
}

static pid_t start_strata(trial *t, const char *const words[], const process_files *files)
{
  enum { WORDS_MAX = 40 };
  const char *argv[WORDS_MAX + 2] = {STRATA_PROGRAM};
  for (size_t i = 0; words[i]; i++) {
    must(i < WORDS_MAX, "too many words");
    argv[i + 1] = strcmp(words[i], "DIR") == 0 ? t->crawl : strcmp(words[i], "URL") == 0 ? t->url : words[i];
  }
  char *out = trial_path(t, "strata.out"), *err = trial_path(t, "strata.err");
  process_files all = *files;
  all.out = all.out ? all.out : out;
  all.err = all.err ? all.err : err;
  pid_t pid = process_start(argv, &all);
  free(out);
  free(err);
  return pid;
}

pid_t trial_strata_start(trial *t, const char *const words[])
{
  return start_strata(t, words, &(process_files){0});
}

int trial_collect(trial *t, pid_t pid)
{
  bool in_time = process_wait(pid, &t->end);
  char *out = trial_path(t, "strata.out"), *err = trial_path(t, "strata.err");
  text_clear(&t->out);
  text_clear(&t->err);
  text_add_file(&t->out, out);
  text_add_file(&t->err, err);
  free(out);
  free(err);
  return in_time ? t->end.code : -1;
}

int trial_strata_with(trial *t, const char *const words[], const process_files *files)
{
  return trial_collect(t, start_strata(t, words, files));
}

int trial_strata(trial *t, const char *const words[])
{
  return trial_strata_with(t, words, &(process_files){0});
}

size_t trial_requests(const trial *t)
{
  text log = {0};
  size_t lines = 0;
  if (text_add_file(&log, t->log))
    for (const char *c = log.bytes; (c = strchr(c, '\n')); c++)
      lines++;
  text_free(&log);
  return lines;
}

bool trial_wait_requests(const trial *t, size_t count, pid_t process)
{
  for (double end = process_clock() + PROCESS_SECONDS_MAX; process_clock() < end; process_sleep(0.001)) {
    if (trial_requests(t) >= count)
      return true;
    if (process_has_ended(process))
      return false;
  }
  return false;
}

static bool log_has(const trial *t, const char *words)
{
  text log = {0};
  bool has = text_add_file(&log, t->log) && strstr(log.bytes, words);
  text_free(&log);
  return has;
}

void trial_mark(const trial *t, const char *name)
{
  text request = {0}, line = {0};
  text_addf(&request, "GET /%s HTTP/1.1\r\nHost: mark\r\nConnection: close\r\n\r\n", name);
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)t->port)};
  inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  must(fd >= 0 && connect(fd, (struct sockaddr *)&server, sizeof server) == 0 &&
         send(fd, request.bytes, request.size, MSG_NOSIGNAL) == (ssize_t)request.size,
       "mark");
  char answer[512];
  while (recv(fd, answer, sizeof answer, 0) > 0) {}
  close(fd);
  text_addf(&line, "\tmark\tGET\t/%s\t", name);
  while (!log_has(t, line.bytes)) /* written at the end of the server's turn, so after the answer */
    process_sleep(0.0005);
  text_free(&request);
  text_free(&line);
}
