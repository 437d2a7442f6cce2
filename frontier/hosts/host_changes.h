/* A log of host changes: one value per commit; the hosts' records are updated later, some with each commit.
 *
 *     commit        the hosts it touched    -> one value at the end of table host-changes
 *                   the next few that changed, id after id, round and round -> their records in table hosts
 *
 *     hosts         [=== as of this round ===|--- as of the one before ---]
 *                                            at
 *     host-changes  [-- of the round before --|== of this one ==]   a round's end deletes values from before `begun`
 *                   first                     begun              next
 *
 * A record for each host that a commit touches would write a page of 4 KiB for nearly each of its URLs. A change
 * has absolute values, so a host's last change overrides its record. FORMAT.md has the bytes. */
#ifndef STRATA_FRONTIER_HOST_CHANGES_H
#define STRATA_FRONTIER_HOST_CHANGES_H

#include "frontier/hosts/hosts.h"
#include "frontier/store/store.h"

typedef struct host_changes {
  uint64_t first, begun, next; /* keys */
  uint64_t size, size_begun;   /* bytes of them all, and of those before `begun` */
  uint32_t at, end;            /* ids: the round is at `at`, and this commit takes it to `end` */
  uint64_t known, records;     /* hosts of which the disk knows, and those with a record in table hosts */
  uint8_t *value;              /* of the open transaction */
  size_t value_size, value_room;
} host_changes;

void host_changes_free(host_changes *c);

/* Into the open transaction, all that was touched; and once it is committed. */
void host_changes_put(host_changes *c, const hosts *h, store *s);
void host_changes_settle(host_changes *c, hosts *h);

/* All hosts, from both tables as of one commit. DAMAGED, NO_MEMORY, or what the store said (*of_store). */
frontier_status host_changes_load(host_changes *c, hosts *h, store *s, bool *of_store);

/* One change, as it stands in a value. */
typedef struct host_change {
  uint64_t id;
  const uint8_t *record; /* a whole one, as in table hosts; NULL: the counts alone */
  size_t record_size;
  host_counts counts;
} host_change;

/* Each change of a value, until `visit` returns false. false: it is no such value; those before were visited. */
typedef bool host_change_visitor(void *context, const host_change *change);
bool host_changes_each(const uint8_t *body, size_t size, host_change_visitor *visit, void *context);

/* Does the last value agree with what is in both tables: its first key, records, and hosts in all? */
bool host_changes_agree(const uint8_t *body, uint64_t first, uint64_t records, uint64_t all);

/* What it says, onto this host. DAMAGED, NO_MEMORY. */
frontier_status host_change_apply(hosts *h, host *who, const host_change *change);

#endif
