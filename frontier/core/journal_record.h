/* The journal as a part of the handle (part.h): its records "journal" and "journal-sum" in the transaction. */
#ifndef STRATA_FRONTIER_JOURNAL_RECORD_H
#define STRATA_FRONTIER_JOURNAL_RECORD_H

#include "frontier/store/journal.h"

enum { JOURNAL_HEAD = 8, JOURNAL_SUM_SIZE = 16 };

frontier_status journal_record_open(frontier *f); /* the journal of the options, if they name one */
/* One line of the caller's, with the batch; of a frontier without a journal, nothing. false: no memory. */
bool journal_record_add(frontier *f, const char *report, size_t size);

/* Before a last commit: true if one is worth it, as then nothing is owed, and a journal that its user moves away takes
 * all lines along. */
bool journal_record_settle(frontier *f);

/* Why its lines could not be synced. */
frontier_status journal_record_failed(frontier *f);

/* How much of the journal's file a copy of the directory needs whose record says `recorded`: so much; or nothing, if
 * this writer found the file moved away, has begun it again, and has not committed since. */
uint64_t journal_record_end(const frontier *f, uint64_t recorded);

#endif
