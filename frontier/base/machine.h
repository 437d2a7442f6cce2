/* frontier/base/machine.h: what only the machine knows, and what is different each time it is asked: the time, how long
 * to wait, dice. No other file of frontier/ and crawler/ may ask for it (tests/layering.sh), so that a test which
 * defines these functions itself decides all of it, and the same seed gives the same crawl (tests/web/SIMULATION.md).
 *
 * Not installed. The crawler may include it although it is private to this room: one file below both is what makes one
 * clock of two. LMDB and libcurl read clocks of their own. */
#ifndef STRATA_FRONTIER_MACHINE_H
#define STRATA_FRONTIER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t machine_monotonic_ms(void); /* of a clock that only goes forward, and outlives no boot */
uint64_t machine_wall_ms(void);      /* since 1970; may be set, either way */
void machine_sleep_ms(uint64_t ms);  /* or less, if a signal comes */
bool machine_random(void *bytes, size_t size); /* unpredictable; at most 256 bytes. false: the kernel gave none */

#endif
