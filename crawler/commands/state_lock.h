/* One process at a time uses a state file. */
#ifndef STRATA_CRAWLER_STATE_LOCK_H
#define STRATA_CRAWLER_STATE_LOCK_H

/* Locks the file `state` by a lock on `state`.lock beside it, which holds the process id; the state itself may be
 * replaced meanwhile. Returns a file to be closed, which unlocks, as does any end of the process; `state`.lock stays.
 * -1: another process has it, or it cannot be made; `command` said so. */
int state_lock(const char *command, const char *state);

#endif
