/* Spilling, BUbiNG's workbench virtualizer: moves long queues of one host to disk, so that memory has room for others.
 *
 * The window holds the head of the queue. When the caller could take more URLs than are due, and the disk has unread
 * ones, the window is full of hosts that are not due. Then URLs past a host's share move from the queue into chunks,
 * each one record of up to SPILL_CHUNK URLs of that host, and the queue is read further:
 *
 *     queue on disk:  h h h h h h h h h h h a h h b h ...
 *                     |-- share of h -| \            \
 *     window:         h h h h            a            b        due now: a, b
 *     chunks of h:            [h h h h h h] [h h h] ...        read back, one at a time, as the line of h runs low
 *
 * A chunk that is read back goes into the queue table again, under its old sequence numbers, in the transaction that
 * deletes the chunk: a URL is in exactly one place at every commit. */
#ifndef STRATA_FRONTIER_SPILL_H
#define STRATA_FRONTIER_SPILL_H

#include "frontier/hosts/entry_list.h"
#include "frontier/hosts/hosts.h"
#include "frontier/store/store.h"

/* On its way between queue and chunks; a part of the handle (part.h). */
typedef struct spilling {
  entry_list leaving;   /* from the queue into chunks with the next commit; no other list has them */
  entry_list returning; /* from chunks into the queue; in lines, in flight, or ended meanwhile */
  uint64_t *read;       /* keys of the chunks they stood in */
  size_t read_count, read_room;
  /* The last URL of the chunks found at open: none is read back before the reading of the queue is past it, or it
   * would come by, in the queue again, and be taken a second time. */
  uint64_t ahead[FRONTIER_CLASSES];
  struct low_line {
    host *who;
    frontier_class class;
  } * low; /* lines that run low while chunks wait, first come first served */
  size_t low_count, low_room;
} spilling;

/* At open: which hosts have chunks. */
frontier_status spill_find_chunks(frontier *f);

/* Make room for hosts that are due: cut long lines, read on in the queue. In bounded steps: `*progressed` is false when
 * there is nothing more to read. */
frontier_status spill_read_on(frontier *f, bool *progressed);

/* Chunks back into lines that run low, as far as the window has room. */
frontier_status spill_read_back(frontier *f);

/* A URL of this host was taken, or may be taken again: does a line of it run low while chunks wait? */
void spill_watch(frontier *f, host *who);

/* The records in a chunk, as `visit` would get them from the queue table. false: it said so, or the chunk ends within
 * one. */
bool spill_each(const uint8_t *body, size_t size, store_visitor *visit, void *context);

/* The key of a chunk, by its number in its line; and whose the chunk under a key is. */
uint64_t spill_key(const host *who, frontier_class class, uint32_t number);
frontier_class spill_class_of(uint64_t key);

/* URLs wait in chunks, and none in lines. */
bool spill_waits_in_chunks(const frontier *f);

/* Does a URL at the end of this line belong behind chunks, to keep its host's order? */
bool spill_is_behind_chunks(const line *l);

/* A URL of the queue, for the next chunk of its host. false: no memory. */
bool spill_add(frontier *f, entry *e);

#endif
