/* See sim.h. */
#include "tests/contract/web/sim.h"

#include "tests/site/random.h"

#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

sim *the_sim;
web *sim_web;
FILE *sim_trace_file;

void sim_create(uint64_t seed)
{
  if (!the_sim) {
    void *memory = mmap(NULL, sizeof *the_sim, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      perror("memory to share");
      exit(1);
    }
    the_sim = memory;
  }
  memset(the_sim, 0, sizeof *the_sim);
  the_sim->seed = seed;
  the_sim->dice = random_stream(seed, 1);
  the_sim->steps_max = UINT64_MAX;
  the_sim->end_ms = UINT64_MAX;
  the_sim->requests_max = UINT64_MAX;
}

uint64_t sim_throw(uint64_t sides)
{
  return random_next(&the_sim->dice) % sides;
}

/* FNV-1a: what is asked of it is to be the same. */
static uint64_t hash_on(uint64_t hash, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001B3U;
  return hash;
}

void sim_trace(const char *format, ...)
{
  char line[SIM_TEXT];
  va_list arguments;
  if (the_sim->is_silent)
    return;
  va_start(arguments, format);
  int size = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  size_t kept = (size_t)size < sizeof line ? (size_t)size : sizeof line - 1;
  the_sim->trace = hash_on(hash_on(the_sim->trace, line, kept), "\n", 1);
  the_sim->trace_lines++;
  if (sim_trace_file) {
    fprintf(sim_trace_file, "%u %9llu.%03llu %s\n", the_sim->life, (unsigned long long)(the_sim->us / 1000),
            (unsigned long long)(the_sim->us % 1000), line);
    fflush(sim_trace_file); /* it may be killed any moment */
  }
}

void sim_fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (!the_sim->has_failed) {
    int size = snprintf(the_sim->failure, sizeof the_sim->failure, "life %u, %llu.%03llu s: ", the_sim->life,
                        (unsigned long long)(the_sim->us / 1000000), (unsigned long long)(the_sim->us / 1000 % 1000));
    vsnprintf(the_sim->failure + size, sizeof the_sim->failure - (size_t)size, format, arguments);
  }
  va_end(arguments);
  the_sim->has_failed = true;
  if (sim_trace_file)
    fprintf(sim_trace_file, "BROKEN %s\n", the_sim->failure);
  if (sim_trace_file)
    fflush(sim_trace_file);
  _exit(SIM_BROKEN);
}
