/* One life of a crawl: `strata crawl` in a child process, which may be killed. See swarm.h. */
#include "crawler/commands/cmd.h"
#include "tests/support/faults.h"
#include "tests/contract/web/swarm.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  REAL_SECONDS_MAX = 1800,
  LIFE_DAYS_MAX = 120, /* of virtual time */
  STEPS_MAX = 50 * 1000 * 1000,
  MEMORY_MAX_KIB = 400 << 10, /* of a crawl of a thousand pages; most of it is the program, and maps */
};

bool swarm_broken(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (!the_sim->has_failed)
    vsnprintf(the_sim->failure, sizeof the_sim->failure, format, arguments);
  va_end(arguments);
  the_sim->has_failed = true;
  return false;
}

static void redirect(const char *path)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600), nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
}

static uint16_t depth_of(const swarm_life *l)
{
  unsigned depth;
  return sscanf(l->extra, "--max-depth=%u", &depth) == 1 ? (uint16_t)depth : UINT16_MAX;
}

/* What stands in the plan counts from now. */
static void set_agenda(const swarm_life *l)
{
  the_sim->agenda_done = 0;
  the_sim->agenda_count = l->agenda_count;
  for (unsigned i = 0; i < l->agenda_count; i++) {
    the_sim->agenda[i] = l->agenda[i];
    the_sim->agenda[i].at_ms += sim_ms();
  }
  the_sim->steps = 0;
  the_sim->steps_max = the_sim->is_silent ? UINT64_MAX : STEPS_MAX;
  the_sim->end_ms = sim_ms() + (uint64_t)LIFE_DAYS_MAX * 86400 * 1000;
}

static int run(const swarm_plan *plan, const swarm_life *l, const swarm_place *place)
{
  char words[SWARM_ARGS + 16][2 * SCRATCH_PATH], *argv[SWARM_ARGS + 17], name[] = "strata crawl";
  int count = 0;
  if (!the_sim->is_silent)
    alarm(REAL_SECONDS_MAX);
  argv[count++] = name;
  for (int i = 0; i < plan->arg_count; i++)
    snprintf(words[count], sizeof *words, "%s", plan->args[i]), count++;
  snprintf(words[count++], sizeof *words, "--dir=%s", place->crawl);
  snprintf(words[count++], sizeof *words, "--summary=%s", place->summary);
  snprintf(words[count++], sizeof *words, "--quiet");
  snprintf(words[count++], sizeof *words, "--allow-private");
  if (*l->extra)
    snprintf(words[count++], sizeof *words, "%s", l->extra);
  for (unsigned i = 0; i < plan->start_count; i++) {
    text start = {0};
    web_url(sim_web, plan->starts[i], 0, &start);
    snprintf(words[count++], sizeof *words, "%s", start.bytes);
    text_free(&start);
  }
  for (int i = 1; i < count; i++)
    argv[i] = words[i];
  argv[count] = NULL;
  optind = 0; /* as before the first call */
  return cmd_crawl(count, argv);
}

static bool judge_memory(const struct rusage *used)
{
#ifdef __SANITIZE_ADDRESS__
  return used != NULL;
#else
  return used->ru_maxrss <= MEMORY_MAX_KIB || swarm_broken("memory: %ld KiB", used->ru_maxrss);
#endif
}

/* With few tries a start page that rests is given up. */
static bool had_no_start(const swarm_plan *plan, const swarm_place *place)
{
  size_t size;
  char *said = scratch_read(place->said, &size);
  bool has_said = said && strstr(said, "no start URL gave a page");
  free(said);
  return has_said && !plan->has_truth;
}

static bool judge_end(const swarm_plan *plan, const swarm_life *l, const swarm_place *place, int status,
                      const struct rusage *used)
{
  if (the_sim->has_failed)
    return false;
  if (WIFSIGNALED(status)) {
    bool was_planned = WTERMSIG(status) == SIGKILL && (l->fatal_call || l->is_capped);
    return was_planned || swarm_broken("life %u died of signal %d", the_sim->life, WTERMSIG(status));
  }
  int code = WEXITSTATUS(status);
  bool is_fine = code == EXIT_DONE || (code == EXIT_STOPPED && l->is_capped) ||
                 (code == EXIT_FAILED && (l->may_fail || had_no_start(plan, place)));
  return is_fine ? judge_memory(used) : swarm_broken("life %u ended with exit code %d", the_sim->life, code);
}

/* What a budget holds back comes in another run. */
static bool judge_recrawl(const swarm_plan *plan, int status)
{
  const char *late;
  bool is_over = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE;
  return !is_over || plan->has_endless || plan->domain_budget || witness_was_in_time(&late) ||
         swarm_broken("late: a page of %s was due as life %u began, and was not fetched again", late, the_sim->life);
}

pid_t swarm_begin_life(const swarm_plan *plan, unsigned life, const swarm_place *place)
{
  const swarm_life *l = &plan->lives[life];
  witness_rules rules = plan->rules;
  the_sim->life = life + 1;
  the_sim->us += l->pause_ms * 1000;
  rules.max_depth = depth_of(l);
  rules.fetches_again = l->again;
  rules.has_endless = plan->has_endless;
  if (strcmp(l->extra, SWARM_RECRAWL) == 0) {
    rules.recrawl_least_s = 3600;
    rules.recrawl_most_s = 7200;
  }
  sim_trace("life %u", life + 1);
  set_agenda(l);
  witness_life_begins(&rules);
  fflush(NULL);
  pid_t child = fork();
  if (child)
    return child;
  redirect(place->said);
  if (l->fatal_call)
    faults_set((fault_class)l->fatal_class, l->fatal_call, FAULT_DEATH, false);
  _exit(run(plan, l, place));
}

bool swarm_live(const swarm_plan *plan, unsigned life, const swarm_place *place)
{
  int status;
  struct rusage used;
  pid_t child = swarm_begin_life(plan, life, place);
  if (child < 0 || wait4(child, &status, 0, &used) != child)
    return swarm_broken("a life could not begin");
  sim_trace("ended %d", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
  return judge_end(plan, &plan->lives[life], place, status, &used) && judge_recrawl(plan, status);
}

bool swarm_command(swarm_main *command, const swarm_place *place)
{
  char words[2][SCRATCH_PATH], *argv[] = {words[0], words[1], NULL};
  int status;
  snprintf(words[0], sizeof words[0], "strata care");
  snprintf(words[1], sizeof words[1], "%s", place->crawl);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(REAL_SECONDS_MAX);
    redirect(place->said);
    optind = 0;
    int code = command(2, argv);
    fflush(NULL);
    _exit(code);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return swarm_broken("a command could not begin");
  return status == 0 ||
         swarm_broken("strata %s fails: %s says why", command == cmd_check ? "check" : "compact", place->said);
}
