/* One long crawl with the manners strata has when nothing is said: so many hosts, so many pages, in virtual time.
 *
 *     swarm --polite 100000x1000000 [--web WORDS] [--within SECONDS]
 *
 * What a web of that size takes of a crawler: how long it would have run, how long this machine takes, how much memory
 * and disk. All the witness looks at holds, or the run fails; in the end every wanted page was fetched, and the
 * directory is sound. After so many real seconds it is told to stop, and says how far it came. */
#include "crawler/commands/cmd.h"
#include "tests/contract/web/swarm.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct memory {
  unsigned long anonymous, file; /* KiB, the most there was */
} memory;

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Of the process that crawls; what it shares with the witness is counted apart by the system, and not here. */
static void sample(pid_t child, memory *most)
{
  char path[64], line[256];
  unsigned long kib;
  snprintf(path, sizeof path, "/proc/%d/status", (int)child);
  FILE *status = fopen(path, "r");
  while (status && fgets(line, sizeof line, status)) {
    if (sscanf(line, "RssAnon: %lu", &kib) == 1 && kib > most->anonymous)
      most->anonymous = kib;
    if (sscanf(line, "RssFile: %lu", &kib) == 1 && kib > most->file)
      most->file = kib;
  }
  if (status)
    fclose(status);
}

static size_t power_over(uint64_t least)
{
  size_t power = 1 << 12;
  while (power < least)
    power *= 2;
  return power;
}

static uint64_t bytes_of(const char *directory, const char *name)
{
  char path[SCRATCH_PATH];
  struct stat info;
  scratch_join(directory, name, path);
  return stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

static json_int_t counted(const char *summary, const char *name, char *end, size_t end_size)
{
  json_error_t error;
  json_t *object = json_load_file(summary, 0, &error);
  const char *word = json_string_value(json_object_get(object, "end"));
  json_int_t count = json_integer_value(json_object_get(object, name));
  snprintf(end, end_size, "%s", word ? word : "no summary");
  json_decref(object);
  return count;
}

/* false: it broke a promise, or was not to be begun. */
static bool watch(pid_t child, unsigned within_s, memory *most)
{
  double began = seconds_now();
  bool was_told = false;
  int status;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const struct timespec moment = {.tv_nsec = 200000000};
    sample(child, most);
    nanosleep(&moment, NULL);
    if (!was_told && seconds_now() - began > within_s)
      was_told = kill(child, SIGTERM) == 0;
  }
  if (WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_DONE || WEXITSTATUS(status) == EXIT_STOPPED))
    return !the_sim->has_failed;
  return swarm_broken("the crawl ended with status %d", status);
}

bool swarm_polite(uint32_t hosts, uint64_t pages, const char *more_of_web, unsigned within_s)
{
  swarm_plan plan = {.starts = {0}, .start_count = 1, .life_count = 1};
  swarm_place place;
  memory most = {0};
  char error[256], end[64];
  uint64_t each = pages / hosts ? pages / hosts : 1;
  snprintf(plan.web, sizeof plan.web, "hosts=%u,pages=%u,latency=50-500%s%s", hosts, (unsigned)each,
           *more_of_web ? "," : "", more_of_web);
  if (!web_options_read(&plan.options, plan.web, error, sizeof error)) {
    fprintf(stderr, "%s: %s\n", plan.web, error);
    return false;
  }
  plan.rules = (witness_rules){.delay_ms = 1000, .per_host = 1, .connections = 64, .max_depth = UINT16_MAX};
  plan.rules.truth = (web_rules){.scope = WEB_SCOPE_ANY, .sitemaps = true};
  snprintf(plan.args[plan.arg_count++], SWARM_ARG, "--scope=any");
  sim_create(1);
  the_sim->is_silent = true;
  the_sim->us = 1000000;
  the_sim->wall_ms = 1767225600000;
  witness_create(power_over(4 * (uint64_t)hosts), power_over(3 * each * hosts));
  witness_begin();
  sim_web = web_create(&plan.options);
  swarm_make_place(&place);
  double began = seconds_now();
  pid_t child = swarm_begin_life(&plan, 0, &place);
  bool holds = child > 0 && watch(child, within_s, &most);
  double took = seconds_now() - began;
  uint64_t wanted = web_count(sim_web, &plan.rules.truth).pages[WEB_WANTED];
  uint64_t fetched = (uint64_t)counted(place.summary, "pages", end, sizeof end);
  if (holds && strcmp(end, "finished") == 0 && fetched != wanted)
    holds = swarm_broken("%llu pages were fetched", (unsigned long long)fetched);
  holds = holds && swarm_command(cmd_check, &place);
  printf("%s: %s; %llu of %llu pages wanted, %llu requests; %.0f virtual s in %.1f s: %.0f pages a second\n", plan.web,
         end, (unsigned long long)fetched, (unsigned long long)wanted, (unsigned long long)the_sim->requests,
         (double)sim_ms() / 1000, took, (double)fetched / took);
  printf("memory: %lu MiB of its own, %lu MiB of files; data.mdb %llu MiB, pages.jsonl %llu MiB\n",
         most.anonymous >> 10, most.file >> 10, (unsigned long long)bytes_of(place.crawl, "frontier/data.mdb") >> 20,
         (unsigned long long)bytes_of(place.crawl, "pages.jsonl") >> 20);
  if (!holds)
    printf("%s\n", the_sim->failure);
  scratch_remove(place.root);
  web_free(sim_web);
  return holds;
}
