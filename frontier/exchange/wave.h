/* Waves: exchange.h says what they prove. Pure. */
#ifndef STRATA_FRONTIER_WAVE_H
#define STRATA_FRONTIER_WAVE_H

#include "frontier/exchange.h"

/* The number for a vector of incarnations, one after the other, in order of partition. */
uint64_t beliefs_add(uint64_t before, uint64_t incarnation);

#endif
