/* URLs on disk as their readers want them: with the whole fetch URL, the host, and the fields. */
#ifndef STRATA_FRONTIER_URL_RECORDS_H
#define STRATA_FRONTIER_URL_RECORDS_H

#include "frontier/hosts/hosts.h"
#include "frontier/store/store_urls.h"

typedef struct url_record {
  uint64_t sequence;
  url_state state;
  frontier_class class; /* of the queue it waits in, or waited in last */
  frontier_origin origin;
  frontier_verdict verdict;
  host *who;
  const char *url; /* NUL-terminated */
  size_t url_size;
  uint32_t host_begin, host_end; /* in it; both 0: it has none */
  bool is_opaque;
  field fields; /* all of them: fields.h */
} url_record;   /* all of it is valid during the call of the visitor */

typedef bool url_record_visitor(void *context, const url_record *record); /* false: enough */

/* Every committed URL that waits or has ended (STORED_...), from `from` on, in order of sequence. On failure
 * frontier_fail was called. */
frontier_status url_records_each(frontier *f, unsigned wanted, uint64_t from, url_record_visitor *visit, void *context);

/* The same for a visitor who may take long, as one that prints: it is called between read transactions, each of which
 * reads up to 2,048 URLs as of the last commit. So it holds no page of an old commit back, which a writer would make up
 * for with new ones. */
frontier_status url_records_each_in_steps(frontier *f, unsigned wanted, url_record_visitor *visit, void *context);

/* This one; NOT_FOUND. On failure as above. */
frontier_status url_records_one(frontier *f, uint64_t sequence, url_record_visitor *visit, void *context);

/* These, in this order, as far as they are there; their states are not known. */
frontier_status url_records_find(frontier *f, const uint64_t *sequences, size_t count, url_record_visitor *visit,
                                 void *context);

/* The reading of a queue: see store_read_waiting. */
frontier_status url_records_waiting(frontier *f, frontier_class class, uint64_t from, size_t most,
                                    url_record_visitor *visit, void *context, uint64_t *next, bool *is_over);

/* Those whose newest row is in table `again`: all of them wait. */
frontier_status url_records_again(frontier *f, uint64_t from, url_record_visitor *visit, void *context);

/* The same in memory. NULL: no memory. */
entry *url_record_entry(const url_record *record, entry_pool *pool);

/* The group of its host, without NUL; size 0: it is a host. */
static inline mlbf_span group_of(const host *who)
{
  return host_is_group(who->name) ? (mlbf_span){who->name + 1, who->name_size - 1} : (mlbf_span){0};
}

/* The row of an entry, in this class: points into it. */
url_row entry_row(const entry *e, frontier_class class);
/* Its row, to be written again with another class: points into the record. */
url_row url_record_row(const url_record *record, frontier_class class);

#endif
