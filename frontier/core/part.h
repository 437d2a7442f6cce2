/* The parts of the handle. Each is a struct of its own in struct frontier; only the files that state.h names there read
 * it, the others call its functions. What happens to every part is in this list of operations, any of which may be
 * NULL:
 *
 *     commit    put, each --> store_seal --> sealed, each     one transaction, gathered: memory goes on from here
 *               sync, each --> store_land                     without the mutex, maybe in the commit thread
 *               landed, each                                  it is on disk
 *     close     close, each
 *
 * The order is that of the table in part.c. */
#ifndef STRATA_FRONTIER_PART_H
#define STRATA_FRONTIER_PART_H

#include "frontier/frontier.h"

typedef struct part {
  void (*check)(const frontier *f);       /* asserts what holds of it between any two calls */
  void (*put)(frontier *f);               /* its records, into the transaction; what fails, store_seal reports */
  void (*sealed)(frontier *f);            /* they will be written, sooner or later; cannot fail */
  bool (*sync)(frontier *f);              /* what must be on disk before the transaction; false: it is not begun */
  frontier_status (*landed)(frontier *f); /* it is committed; what fails is tried again with the next */
  void (*close)(frontier *f);             /* what it holds; of a part that is all zeros too */
} part;

extern const part *const all_parts[]; /* NULL after the last */

extern const part folding_part, bench_part, queue_part, recrawl_part, batch_part, flight_part, hosts_part,
  checkpoint_part, renewal_part, log_part, settings_part, counts_part, journal_part, chooser_part, directory_part,
  identity_part, secret_part, wake_part, found_part, late_part, ordering_part, sharing_part;

#endif
