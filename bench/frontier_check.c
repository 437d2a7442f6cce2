/* See frontier_check.h. A model of what was added, handed out and ended, beside the contender; 3,000 URLs of 60 hosts,
 * the first of which has a third of them. */
#include "bench/frontier_check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { URLS = 3000, HOSTS = 60, CROWD = 3, SLOW_HOST = 1, SLOW_MS = 1000, MAX = HOSTS * CONTENDER_PER_HOST };

typedef enum url_state { ABSENT, WAITING, FLYING, ENDED } url_state;

typedef struct model {
  const contender *contender;
  const char *directory;
  void *self;
  const char *broken; /* the first promise that was; NULL: none */
  struct {
    url_state state;
    uint64_t id;
    unsigned reported; /* by each_ended */
  } urls[URLS];
  unsigned next_of[HOSTS]; /* no URL of the host below this one may come */
  unsigned flying_of[HOSTS], most_flying;
  unsigned flying, ended, hosts, draws;
  bool is_slow; /* SLOW_HOST was told to be, and last started one at that time; 0: none since open */
  uint64_t slow_started_ms;
} model;

uint64_t frontier_check_clock_ms;

static void demand(model *m, bool holds, const char *promise)
{
  if (!holds && !m->broken)
    m->broken = promise;
}

/* ---- the URLs -------------------------------------------------------------------------------------------- */

static unsigned host_of(unsigned number)
{
  return number % CROWD == 0 ? 0 : number / CROWD % HOSTS;
}

static contender_text url_of(unsigned number)
{
  contender_text url;
  url.size = (size_t)snprintf(url.text, sizeof url.text, "https://host-%u.example/page/%u", host_of(number), number);
  return url;
}

/* URLS if it is none of them. */
static unsigned number_of(const char *text, size_t size)
{
  const char *digits = size < CONTENDER_TEXT ? memrchr(text, '/', size) : NULL;
  unsigned number = 0;
  for (digits = digits ? digits + 1 : text + size; digits < text + size && number < URLS; digits++)
    number = 10 * number + (unsigned)(*digits - '0');
  contender_text right = url_of(number < URLS ? number : 0);
  return number < URLS && right.size == size && memcmp(right.text, text, size) == 0 ? number : URLS;
}

static unsigned code_of(unsigned number)
{
  return number % 5 ? 200 : 404 + number % 100;
}

static contender_state ended_as(unsigned number)
{
  return number % 5 ? CONTENDER_DONE : CONTENDER_FAILED;
}

/* ---- each step ------------------------------------------------------------------------------------------- */

static void open_it(model *m)
{
  m->self = m->contender->open(m->directory, URLS);
}

/* What was in flight waits again. */
static void forget_flying(model *m)
{
  memset(m->next_of, 0, sizeof m->next_of);
  memset(m->flying_of, 0, sizeof m->flying_of);
  m->flying = 0;
  m->slow_started_ms = 0;
  for (unsigned i = 0; i < URLS; i++)
    if (m->urls[i].state == FLYING)
      m->urls[i].state = WAITING;
}

static void reopen(model *m)
{
  m->contender->close(m->self);
  forget_flying(m);
  open_it(m);
}

static void add(model *m, unsigned begin, unsigned end, bool are_new)
{
  for (unsigned i = begin; i < end; i++) {
    contender_text url = url_of(i);
    bool was_new = m->contender->add(m->self, url.text, url.size);
    demand(m, was_new == are_new, are_new ? "a new URL was refused" : "a URL was taken twice");
    if (was_new && m->urls[i].state == ABSENT)
      m->urls[i].state = WAITING;
  }
}

static void note_slow_start(model *m, unsigned host)
{
  if (host != SLOW_HOST)
    return;
  if (m->is_slow && m->slow_started_ms)
    demand(m, frontier_check_clock_ms >= m->slow_started_ms + SLOW_MS, "a host's delay");
  m->slow_started_ms = frontier_check_clock_ms;
}

static void note_started(model *m, const contender_lease *lease)
{
  unsigned number = number_of(lease->url.text, lease->url.size);
  demand(m, number < URLS, "handed out what was never added");
  if (m->broken)
    return;
  unsigned host = host_of(number);
  demand(m, m->urls[number].state == WAITING, "a URL was handed out twice");
  demand(m, number >= m->next_of[host], "order within a host");
  m->urls[number].state = FLYING;
  m->urls[number].id = lease->id;
  m->next_of[host] = number + 1;
  m->flying++;
  m->flying_of[host]++;
  demand(m, m->flying_of[host] <= CONTENDER_PER_HOST, "too many of a host in flight");
  if (m->flying_of[host] > m->most_flying)
    m->most_flying = m->flying_of[host];
  note_slow_start(m, host);
}

static size_t take(model *m, size_t max)
{
  static contender_lease leases[MAX];
  size_t count = m->contender->next(m->self, leases, max);
  for (size_t i = 0; i < count; i++)
    note_started(m, &leases[i]);
  return count;
}

/* About two of three that are in flight end, whichever they are. */
static void end_some(model *m)
{
  for (unsigned i = 0; i < URLS && !m->broken; i++)
    if (m->urls[i].state == FLYING && ++m->draws * 2654435761u % 3 != 0) {
      m->contender->done(m->self, m->urls[i].id, ended_as(i), code_of(i));
      m->urls[i].state = ENDED;
      m->flying_of[host_of(i)]--;
      m->flying--;
      m->ended++;
    }
}

static void visit_ended(void *context, const char *url, size_t size, contender_state state, unsigned code)
{
  model *m = context;
  unsigned number = number_of(url, size);
  demand(m, number < URLS && m->urls[number].state == ENDED, "history has what did not end");
  if (m->broken)
    return;
  m->urls[number].reported++;
  demand(m, state == ended_as(number) && code == code_of(number), "state and code of a URL");
}

/* ---- what must hold -------------------------------------------------------------------------------------- */

/* One call for as many as all hosts may start: each host that has URLs is among them. */
static void check_turns(model *m)
{
  take(m, MAX);
  for (unsigned host = 0; host < HOSTS; host++)
    demand(m, m->next_of[host] > 0, "a host did not get its turn");
}

/* A host is told by what is in flight of it. */
static void slow_down(model *m)
{
  demand(m, m->contender->delay, "a host's delay");
  for (unsigned i = 0; i < URLS && !m->is_slow && !m->broken; i++)
    if (m->urls[i].state == FLYING && host_of(i) == SLOW_HOST) {
      m->contender->delay(m->self, m->urls[i].id, SLOW_MS);
      m->is_slow = true;
    }
}

/* The rest comes, as time goes on: half a delay a step, so some steps must pass without the slow host. */
static void take_all(model *m)
{
  for (unsigned idle = 0; !m->broken && m->ended < URLS; frontier_check_clock_ms += SLOW_MS / 2) {
    idle = take(m, MAX) || m->flying ? 0 : idle + 1;
    end_some(m);
    demand(m, idle < 8, "a URL that was added does not come");
  }
}

static void check_history(model *m)
{
  m->contender->each_ended(m->self, visit_ended, m);
  for (unsigned i = 0; i < URLS; i++)
    demand(m, m->urls[i].reported == 1, "history lacks a URL, or has it twice");
}

static void visit_host(void *context, const contender_host *found)
{
  model *m = context;
  unsigned number = 0, done = 0, failed = 0;
  char name[CONTENDER_TEXT];
  snprintf(name, sizeof name, "%.*s", (int)found->name_size, found->name);
  demand(m, sscanf(name, "host-%u.example", &number) == 1 && number < HOSTS, "a host that no URL is of");
  for (unsigned i = 0; i < URLS; i++)
    if (host_of(i) == number)
      *(ended_as(i) == CONTENDER_DONE ? &done : &failed) += 1;
  demand(m, found->done == done && found->failed == failed, "what is counted of a host");
  demand(m, found->delay_ms == (number == SLOW_HOST ? SLOW_MS : 0), "a host's delay");
  m->hosts++;
}

static void check_hosts(model *m)
{
  m->contender->each_host(m->self, visit_host, m);
  demand(m, m->hosts == HOSTS, "a host is not recorded");
}

static void check(model *m)
{
  static void (*const steps[])(model * m) = {check_turns, slow_down, end_some, reopen};
  for (size_t i = 0; i < sizeof steps / sizeof *steps && !m->broken; i++)
    steps[i](m);
  if (!m->broken) {
    add(m, 0, URLS / 2, false);
    add(m, URLS / 2, URLS, true);
    take_all(m);
    demand(m, m->most_flying == CONTENDER_PER_HOST, "fewer of a host in flight than may be");
  }
  if (!m->broken) {
    reopen(m);
    demand(m, take(m, MAX) == 0, "a URL that ended came again");
    add(m, 0, URLS, false);
    check_history(m);
    check_hosts(m);
  }
}

/* ---- processes ------------------------------------------------------------------------------------------- */

enum { KEPT = 0, BROKEN = 2 }; /* how a life ends that is not killed; 1 is contender_fail's */

/* A life that ends by a kill: half of the URLs were accepted, and some are in flight, of which it told nobody. */
static void live_and_die(model *m)
{
  open_it(m);
  add(m, 0, URLS / 2, true);
  reopen(m);
  take(m, MAX);
  raise(SIGKILL);
}

static void live_on(model *m)
{
  for (unsigned i = 0; i < URLS / 2; i++)
    m->urls[i].state = WAITING;
  open_it(m);
  check(m);
  m->contender->close(m->self);
  printf("%-12s %s\n", m->contender->name, m->broken ? m->broken : "keeps the contract");
  fflush(stdout);
  _exit(m->broken ? BROKEN : KEPT);
}

/* Each life is a process of its own: a library with threads must not have been open in its parent. */
static int status_of(model *m, void live(model *m))
{
  int status;
  pid_t child = fork();
  if (child == 0)
    live(m);
  if (child < 0 || waitpid(child, &status, 0) < 0)
    contender_fail(m->contender->name, "no process for it");
  return status;
}

static bool check_in(const contender *c, const char *parent)
{
  static model m;
  char directory[4096], command[4200];
  snprintf(directory, sizeof directory, "%s/check-frontier-XXXXXX", parent);
  if (!mkdtemp(directory))
    contender_fail(directory, "cannot be made");
  m = (model){.contender = c, .directory = directory};
  int died = status_of(&m, live_and_die), lived = status_of(&m, live_on);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0)
    contender_fail(directory, "cannot be removed");
  bool good = WIFSIGNALED(died) && WTERMSIG(died) == SIGKILL && WIFEXITED(lived) &&
              WEXITSTATUS(lived) == (c->keeps_contract ? KEPT : BROKEN);
  if (!good)
    printf("%-12s is not what it says it is\n", c->name);
  fflush(stdout);
  return good;
}

int frontier_check(const contender *const *row, size_t count, const char *directory)
{
  bool good = true;
  frontier_check_clock_ms = 1000000;
  for (size_t i = 0; i < count; i++)
    good &= check_in(row[i], directory);
  return good ? 0 : 1;
}
