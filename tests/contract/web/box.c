/* A server for one test. */
#include "tests/contract/web/box.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "tests/contract/web: %s\n", what);
  abort();
}

/* Waits for the line that the server prints once it listens. */
static void read_ports(box *b, const char *path)
{
  char start[256] = "";
  for (double end = process_clock() + PROCESS_SECONDS_MAX; process_clock() < end && !*start; process_sleep(0.01)) {
    text said = {0};
    if (text_add_file(&said, path) && said.size && said.bytes[said.size - 1] == '\n')
      must(sscanf(said.bytes, "http=%d https=%d dns=%d start=%255s", &b->http, &b->https, &b->dns, start) == 4, path);
    text_free(&said);
  }
  must(*start, "the server does not begin");
  text_add(&b->start, start);
  snprintf(b->proxy, sizeof b->proxy, "http://127.0.0.1:%d", b->http);
}

box *box_open(const char *line)
{
  char error[256], out[SCRATCH_PATH];
  web_options options;
  box *b = calloc(1, sizeof *b);
  must(b, "out of memory");
  must(web_options_read(&options, line, error, sizeof error), error);
  b->w = web_create(&options);
  b->line = line;
  scratch_make(b->home);
  scratch_join(b->home, "log", b->log);
  scratch_join(b->home, "ca.pem", b->authority);
  scratch_join(b->home, "server", out);
  const char *const words[] = {WEB_SERVER, "--web", line, "--log", b->log, "--ca", b->authority, NULL};
  b->server = process_start(words, &(process_files){.out = out});
  read_ports(b, out);
  return b;
}

static void end_server(box *b)
{
  process_end end;
  if (!b->server)
    return;
  kill(b->server, SIGTERM);
  must(process_wait(b->server, &end) && end.code == 0, "the server did not end well");
  b->server = 0;
}

void box_close(box *b)
{
  end_server(b);
  scratch_remove(b->home);
  text_free(&b->start);
  web_free(b->w);
  free(b);
}

int box_strata(box *b, const char *const words[])
{
  enum { WORDS_MAX = 60 };
  char directory[SCRATCH_PATH];
  process_end end;
  const char *all[WORDS_MAX + 1] = {
    STRATA_PROGRAM, "crawl",   "--quiet", "--allow-private", "--per-address", "0",     "--scope",
    "any",          "--proxy", b->proxy,  "--ca-file",       b->authority,    "--dir", directory};
  size_t count = 0;
  scratch_join(b->home, "crawl", directory);
  while (all[count])
    count++;
  for (; *words; words++) {
    must(count + 2 < WORDS_MAX, "too many words");
    all[count++] = *words;
  }
  all[count] = b->start.bytes;
  pid_t pid = process_start(all, &(process_files){0});
  must(process_wait(pid, &end), "strata takes too long");
  return end.code;
}

score box_score(box *b, const web_rules *rules, uint64_t delay_ms)
{
  char *line = NULL;
  size_t room = 0;
  serve_log_line read;
  end_server(b);
  judge *j = judge_create(b->w, rules, delay_ms);
  FILE *file = fopen(b->log, "re");
  must(file, "there is no log");
  while (getline(&line, &room, file) > 0) {
    must(serve_log_read(line, &read), "a line of the log cannot be read");
    judge_take(j, &read);
  }
  fclose(file);
  free(line);
  score end = judge_end(j);
  judge_free(j);
  return end;
}
