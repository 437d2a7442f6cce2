/* The swarm's program.
 *
 *     swarm --seeds 1-1000 --jobs 2       each a crawl of its own, until one fails
 *     swarm --seeds 17 --trace --keep     one of them, told in words, its directory left behind
 *     swarm --polite 1000x10000           no seed, but one long crawl: swarm_polite.c
 *
 * A line for each seed that breaks a promise, with the command that repeats it. Exit: 0 all held; 1 not. */
#include "crawler/commands/cmd.h"
#include "tests/contract/web/plant.h"
#include "tests/contract/web/swarm.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct settings {
  uint64_t first, last;
  unsigned jobs;
  bool keeps, traces, shows, goes_on, is_brief;
  const char *program, *more_of_web;
  unsigned long polite_hosts, polite_pages; /* one crawl of that size instead */
  unsigned within_s;
  uint64_t requests_max; /* of a seed */
} settings;

/* Of all workers. */
typedef struct totals {
  _Atomic uint64_t seeds, failed, requests, virtual_ms, slowest_ms, slowest_seed;
  _Atomic bool is_over; /* one has failed, and that is enough */
} totals;

static totals *shared;

static uint64_t real_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- one seed ---------------------------------------------------------------------------------------------------- */

void swarm_make_place(swarm_place *place)
{
  scratch_make_fast(place->root);
  scratch_join(place->root, "crawl", place->crawl);
  scratch_join(place->root, "said", place->said);
  scratch_join(place->root, "summary", place->summary);
}

/* Before a life, if one before it did anything. */
static bool compact(const swarm_life *l, const swarm_place *place)
{
  return !l->is_compacted || !witness_urls() || swarm_command(cmd_compact, place);
}

static bool live_all(const swarm_plan *plan, const swarm_place *place)
{
  swarm_lines *lines = swarm_lines_create();
  bool holds = true;
  for (unsigned life = 0; holds && life < plan->life_count; life++)
    holds = compact(&plan->lives[life], place) && swarm_live(plan, life, place) &&
            swarm_judge_lines(lines, plan, place) && swarm_judge_kept(place);
  holds = holds && swarm_judge_truth(lines, plan, place) && swarm_command(cmd_check, place);
  swarm_lines_free(lines);
  return holds;
}

static void show_plan(const swarm_plan *plan)
{
  printf("web: %s\noptions:", plan->web);
  for (int i = 0; i < plan->arg_count; i++)
    printf(" %s", plan->args[i]);
  printf("\n");
  for (unsigned i = 0; i < plan->life_count; i++) {
    const swarm_life *l = &plan->lives[i];
    printf("life %u: %u in its agenda, fatal call %u of class %d %s\n", i + 1, l->agenda_count, l->fatal_call,
           l->fatal_class, l->extra);
  }
}

static void tell(const settings *s, uint64_t seed, const swarm_place *place)
{
  if (the_sim->has_failed)
    printf("seed %llu: %s\n  again: %s --seeds %llu%s%s%s%s --trace --keep\n", (unsigned long long)seed,
           the_sim->failure, s->program, (unsigned long long)seed, planted ? " --plant " : "",
           planted ? plant_names[planted] : "", *s->more_of_web ? " --web " : "", s->more_of_web);
  else if (!s->is_brief)
    printf("seed %llu: %llu requests, %.1f virtual s, %u lives, trace %016llx\n", (unsigned long long)seed,
           (unsigned long long)the_sim->requests, (double)sim_ms() / 1000, the_sim->life,
           (unsigned long long)the_sim->trace);
  if (s->keeps)
    printf("  kept: %s\n", place->root);
  fflush(stdout);
}

static bool run_seed(const settings *s, uint64_t seed)
{
  swarm_plan plan;
  swarm_place place;
  uint64_t began_ms = real_ms();
  sim_create(seed);
  the_sim->requests_max = s->requests_max;
  witness_begin();
#ifdef FRONTIER_TINY
  swarm_draw(seed, s->more_of_web, true, &plan);
#else
  swarm_draw(seed, s->more_of_web, false, &plan);
#endif
  the_sim->us = 1000000 * (1 + sim_throw(1000));
  the_sim->wall_ms = 1767225600000; /* the 1st of January 2026 */
  sim_web = web_create(&plan.options);
  if (s->shows)
    show_plan(&plan);
  swarm_make_place(&place);
  bool holds = live_all(&plan, &place);
  tell(s, seed, &place);
  if (!s->keeps)
    scratch_remove(place.root);
  web_free(sim_web);
  shared->seeds++;
  shared->failed += !holds;
  shared->requests += the_sim->requests;
  shared->virtual_ms += sim_ms();
  uint64_t took_ms = real_ms() - began_ms;
  if (took_ms > shared->slowest_ms) {
    shared->slowest_ms = took_ms;
    shared->slowest_seed = seed;
  }
  return holds;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void work(const settings *s, unsigned worker)
{
  witness_create(WITNESS_HOSTS, WITNESS_URLS);
  sim_trace_file = s->traces ? fdopen(dup(STDOUT_FILENO), "w") : NULL; /* a life sends its stdout elsewhere */
  for (uint64_t seed = s->first + worker; seed <= s->last && !shared->is_over; seed += s->jobs)
    if (!run_seed(s, seed) && !s->goes_on)
      shared->is_over = true;
}

static bool run_all(const settings *s)
{
  bool holds = true;
  int status;
  for (unsigned i = 0; i < s->jobs; i++) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      work(s, i);
      fflush(NULL);
      _exit(0);
    }
    holds &= child > 0;
  }
  while (wait(&status) > 0)
    holds &= status == 0;
  return holds && !shared->failed;
}

static const char usage[] =
  "Usage: swarm [--seeds A-B] [--jobs N] [--plant NAME] [--web WORDS] [--most REQUESTS] [--go-on] [--show] [--brief]\n"
  "             [--trace] [--keep]\n"
  "       swarm --polite HOSTSxPAGES [--within SECONDS] [--web WORDS]\n";

static bool read_seeds(const char *words, settings *s)
{
  unsigned long long first, last;
  int count = sscanf(words, "%llu-%llu", &first, &last);
  s->first = first;
  s->last = count == 2 ? last : first;
  return count >= 1 && s->last >= s->first;
}

static bool read_plant(const char *name)
{
  for (int i = 0; i < PLANTS; i++)
    if (strcmp(name, plant_names[i]) == 0) {
      planted = (plant)i;
      return true;
    }
  return false;
}

static bool read_options(int argc, char **argv, settings *s)
{
  static const struct option options[] = {
    {"seeds", required_argument, NULL, 's'},
    {"jobs", required_argument, NULL, 'j'},
    {"plant", required_argument, NULL, 'p'},
    {"web", required_argument, NULL, 'm'},
    {"polite", required_argument, NULL, 'o'},
    {"within", required_argument, NULL, 'i'},
    {"most", required_argument, NULL, 'n'},
    {"keep", no_argument, NULL, 'k'},
    {"trace", no_argument, NULL, 't'},
    {"show", no_argument, NULL, 'w'},
    {"go-on", no_argument, NULL, 'g'},
    {"brief", no_argument, NULL, 'b'},
    {NULL, 0, NULL, 0},
  };
  bool good = true;
  for (int option; good && (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
    switch (option) {
    case 's': good = read_seeds(optarg, s); break;
    case 'j': good = (s->jobs = (unsigned)atoi(optarg)) > 0; break;
    case 'p': good = read_plant(optarg); break;
    case 'o': good = sscanf(optarg, "%lux%lu", &s->polite_hosts, &s->polite_pages) == 2; break;
    case 'i': s->within_s = (unsigned)atoi(optarg); break;
    case 'n': s->requests_max = strtoull(optarg, NULL, 10); break;
    case 'm': s->more_of_web = optarg; break;
    case 'k': s->keeps = true; break;
    case 't': s->traces = s->shows = true; break;
    case 'w': s->shows = true; break;
    case 'g': s->goes_on = true; break;
    case 'b': s->is_brief = true; break;
    default: good = false;
    }
  return good && optind == argc;
}

int main(int argc, char **argv)
{
  settings s = {.first = 1,
                .last = 20,
                .jobs = 1,
                .program = argv[0],
                .more_of_web = "",
                .within_s = 3600,
                .requests_max = UINT64_MAX};
  if (!read_options(argc, argv, &s)) {
    fputs(usage, stderr);
    return 2;
  }
  unsetenv("SSL_CERT_FILE"); /* each life would read all its certificates, which takes as long as a crawl of 30 pages */
  setenv("SSL_CERT_DIR", "/", 1);
  if (s.polite_hosts)
    return swarm_polite((uint32_t)s.polite_hosts, s.polite_pages, s.more_of_web, s.within_s) ? 0 : 1;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 2;
  uint64_t began_ms = real_ms();
  bool holds = run_all(&s);
  printf("%llu seeds, %llu failed; %llu requests, %.0f virtual hours in %.1f s; the slowest took %.2f s, seed %llu\n",
         (unsigned long long)shared->seeds, (unsigned long long)shared->failed, (unsigned long long)shared->requests,
         (double)shared->virtual_ms / 3.6e6, (double)(real_ms() - began_ms) / 1000, (double)shared->slowest_ms / 1000,
         (unsigned long long)shared->slowest_seed);
  return holds ? 0 : 1;
}
