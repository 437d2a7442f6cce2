/* frontier/base/machine.h: all that differs from run to run: clocks, sleep, random bytes, threads. No other file of
 * frontier/ and crawler/ may ask the machine for them (tests/layering.sh). So a test that replaces these functions
 * controls them all, and the same seed gives the same crawl (tests/contract/web/SIMULATION.md).
 *
 * Not installed. The crawler may include it although it is private to this room, so that both have one clock. LMDB and
 * libcurl read clocks of their own. */
#ifndef STRATA_FRONTIER_MACHINE_H
#define STRATA_FRONTIER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t machine_monotonic_ms(void);           /* of a clock that only goes forward, and outlives no boot */
uint64_t machine_wall_ms(void);                /* since 1970; may be set, either way */
uint64_t machine_process_ms(int pid);          /* that it has computed; 0 where the kernel does not say */
void machine_sleep_ms(uint64_t ms);            /* or less, if a signal comes */
void machine_sleep_us(uint64_t us);            /* the same */
void machine_alarm(uint64_t ms);               /* SIGALRM then, in place of an earlier one; from handlers, too */
bool machine_random(void *bytes, size_t size); /* unpredictable; at most 256 bytes. false: the kernel gave none */

/* May the frontier make a thread? What it does when differs from run to run. */
bool machine_has_threads(void);

#endif
