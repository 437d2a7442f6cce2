/* What witness.c and witness_turns.c share. */
#ifndef STRATA_TESTS_WEB_WITNESS_INSIDE_H
#define STRATA_TESTS_WEB_WITNESS_INSIDE_H

#include "tests/contract/web/witness.h"

void witness_leased_one(const frontier_lease *lease, uint64_t now_ms);
void witness_turn_back(void); /* a lease was put back: that was no turn */

#endif
