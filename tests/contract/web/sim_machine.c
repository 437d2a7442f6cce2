/* The machine's clocks, waiting and dice (frontier/base/machine.h), as the simulation wants them. Defined here, they
 * are not taken from the library. */
#include "frontier/base/machine.h"
#include "tests/support/faults.h"
#include "tests/contract/web/sim.h"

#include <signal.h>

/* Reading a clock takes time, as all that a program does: who waits for a moment by reading on will see it come, and a
 * budget of time (frontier_maintain) is one of so many steps. */
enum { READING_US = 5 };

static void happen(const sim_happening *h)
{
  switch (h->deed) {
  case SIM_KILL:
    sim_trace("killed");
    raise(SIGKILL);
    break;
  case SIM_STOP:
    sim_trace("told to stop");
    raise(SIGTERM);
    break;
  case SIM_WALL:
    sim_trace("wall clock set by %lld ms", (long long)h->amount_ms);
    the_sim->wall_ms += h->amount_ms;
    break;
  case SIM_SUSPEND:
    sim_trace("suspended for %lld ms", (long long)h->amount_ms);
    the_sim->us += (uint64_t)h->amount_ms * 1000;
    break;
  case SIM_DISK_ILL:
    sim_trace("disk ill: class %d, call %u, error %d", h->what, h->number, h->error);
    faults_set((fault_class)h->what, h->number, h->error, true);
    break;
  case SIM_DISK_WELL:
    sim_trace("disk well");
    faults_end();
    break;
  }
}

void sim_pass_us(uint64_t us)
{
  uint64_t until_us = the_sim->us + us;
  while (the_sim->agenda_done < the_sim->agenda_count) {
    const sim_happening *next = &the_sim->agenda[the_sim->agenda_done];
    if (next->at_ms * 1000 > until_us)
      break;
    if (next->at_ms * 1000 > the_sim->us)
      the_sim->us = next->at_ms * 1000;
    the_sim->agenda_done++;
    happen(next);
  }
  if (until_us > the_sim->us)
    the_sim->us = until_us;
  if (the_sim->us / 1000 > the_sim->end_ms)
    sim_fail("the crawl does not end: it should have by now");
}

uint64_t sim_ms(void)
{
  return the_sim->us / 1000;
}

static void take_step(void)
{
  if (++the_sim->steps > the_sim->steps_max)
    sim_fail("the crawl does not end: a clock was read %llu times", (unsigned long long)the_sim->steps);
  sim_pass_us(READING_US);
}

uint64_t machine_monotonic_ms(void)
{
  take_step();
  return the_sim->read_ms = sim_ms();
}

uint64_t machine_wall_ms(void)
{
  take_step();
  int64_t wall_ms = (int64_t)sim_ms() + the_sim->wall_ms;
  return wall_ms > 0 ? (uint64_t)wall_ms : 0;
}

uint64_t machine_process_ms(int pid)
{
  (void)pid; /* of real time, as machine_alarm */
  return 0;
}

void machine_sleep_ms(uint64_t ms)
{
  take_step();
  sim_pass_us(ms * 1000);
}

void machine_alarm(uint64_t ms)
{
  (void)ms; /* of real time, while the crawl's is another */
}

bool machine_random(void *bytes, size_t size)
{
  uint8_t *at = bytes;
  for (size_t i = 0; i < size; i++)
    at[i] = (uint8_t)sim_throw(256);
  return true;
}

bool machine_has_threads(void)
{
  return false;
}
