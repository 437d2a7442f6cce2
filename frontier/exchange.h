/* frontier/exchange.h: one crawl in several directories, each with a part of all hosts.
 *
 * A crawl is divided into options.partitions; each directory is one of them (options.partition), and has all URLs of
 * its hosts. A link of another partition gets the verdict FRONTIER_ELSEWHERE, and goes there in a parcel. No socket is
 * opened here: the caller carries messages, which are bytes, by any means. It may lose them, double them, change their
 * order, delay them, and deliver old ones again; what is not acknowledged is to be handed out again.
 *
 *     partition 3                                              partition 7
 *     frontier_add: ELSEWHERE                                  frontier_inbox_take
 *       page done + parcel 42 for 7: ONE transaction             URLs + "have 42 of 3": ONE transaction
 *     frontier_outbox_next -- parcel 42 of 3, incarnation 1 -->
 *     frontier_outbox_heard <------ "have 42, kept 40" ------- frontier_inbox_tell, after the commit
 *       drops 1 to 40
 *
 * No URL is lost whatever the carrier does, whatever process is killed, and if a directory is lost of which there is a
 * copy:
 *   have         a receiver has committed all parcels up to this number;
 *   kept         ... and its last copy elsewhere has them, too. A sender keeps parcels until then.
 *   incarnation  a number of the life of a directory. One that was restored from a copy, or copied, gets a higher one
 *                by frontier_incarnate before it is opened, or URLs are lost. Parcels and acknowledgments of an earlier
 *                life are known by it.
 * Whatever arrives is taken for hostile: sizes, syntax of URLs, and the partition of each are checked. Not checked is
 * who sent it: one who can write to the carrier can add URLs, and lose some by false acknowledgments. Sign messages
 * where that matters.
 *
 * A carrier, for each other partition q (two_partitions.c, installed with the documents, is a whole one):
 *   send     frontier_outbox_next(f, q, after, ...) and so on, with the last number as the next `after`; again from 0
 *            on after a while without an acknowledgment, after any loss of connection, and when
 *            frontier_lane.incarnation has changed. What was acknowledged is not handed out again.
 *   take     frontier_inbox_take, or frontier_outbox_heard, of each message
 *   tell     frontier_inbox_tell(f, q, ...): send it if it is news. There is news for all q after open.
 *   commit   as ever: frontier_next commits when it is due, also if only messages were taken. So call it, although
 *            there may be nothing to lease.
 *
 * Threads: as frontier.h. Pointers are valid until the next call of the same function on the handle. Functions that
 * take no frontier are pure. */
#ifndef STRATA_FRONTIER_EXCHANGE_H
#define STRATA_FRONTIER_EXCHANGE_H

#include "frontier/frontier.h"
#include "frontier/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FRONTIER_PARTITIONS_MAX = 1024,
  FRONTIER_PARCEL_URLS = 500,       /* at most, in a parcel */
  FRONTIER_PARCEL_MAX = 128 * 1024, /* bytes of a parcel: of one with two URLs or more half of it */
  FRONTIER_ACK_SIZE = 56,           /* bytes of these messages */
  FRONTIER_WAVE_SIZE = 24,
  FRONTIER_REPLY_SIZE = 56,
  FRONTIER_EXCHANGE_PROTO = 1, /* first byte of each message */
};

/* ---- which partition ------------------------------------------------------------------------------------ */

/* The partition of a host[:port], or of "/" and the name of a group. Of a URL the host is that of its key, so that URLs
 * with one key are in one partition; of a frontier_link with a group it is that of the group. */
uint32_t frontier_route(const uint8_t route_key[FRONTIER_ROUTE_KEY_BYTES], uint32_t partitions, const char *host,
                        size_t size);
/* The same for a URL, by the options of `f`; 0 without partitions. `u` was made with the profile of `f`. */
uint32_t frontier_partition_of(const frontier *f, const url *u);

typedef struct frontier_life {
  uint32_t partitions, partition; /* 0, 0: it is not divided */
  uint64_t incarnation;           /* fixed while the directory is open */
  uint64_t boot;                  /* random: of this handle */
  uint64_t crawl;                 /* a number for partitions and route key, which all messages of a crawl have */
  uint8_t route_key[FRONTIER_ROUTE_KEY_BYTES];
} frontier_life;
/* Of this handle and its directory; without partitions all zeros. */
static inline void frontier_life_read(const frontier *f, frontier_life *life);

/* Begins a new life of a directory that was restored from a copy, or copied, and is not open: its incarnation becomes
 * the larger of `least` and the old one + 1. Give wall-clock milliseconds for `least`: one copy that is restored twice
 * must not get one number twice. What this partition heard of others stays, its own parcels are sent again, and each
 * other partition hears by the next message what this one still has. BUSY, NOT_FOUND, IO, ...: as frontier_repair.
 * BAD_ARGUMENT: it is not divided. `incarnation` may be NULL. */
frontier_status frontier_incarnate(const char *directory, uint64_t least, uint64_t *incarnation,
                                   char message[FRONTIER_MESSAGE_SIZE]);

/* ---- commits -------------------------------------------------------------------------------------------- */

/* Number of the last commit of this handle that is on disk, and of the one that has, or will have, all changes so far:
 * these are on disk once frontier_committed(f) is at least what frontier_commit_number(f) was then. For files of the
 * caller, and messages, that may go only after a commit. */
uint64_t frontier_committed(const frontier *f);
uint64_t frontier_commit_number(const frontier *f);

/* ---- sending -------------------------------------------------------------------------------------------- */

/* What a parcel's bytes say. This struct and the next one never grow. */
typedef struct frontier_parcel {
  uint64_t crawl;
  uint32_t from, to;
  uint32_t urls;
  uint64_t incarnation;  /* of the sender */
  uint64_t base, number; /* the sender holds all parcels from `base` on, this is `number`; >= 1 */
  const void *bytes;     /* the message */
  size_t size;
} frontier_parcel;

/* The parcel for `to` with the lowest number above `after` that is committed, complete, and not acknowledged. Complete:
 * full, or options.linger_ms after its first URL. Read from disk. NOT_FOUND: nothing is to be sent now. `wait_ms` (may
 * be NULL): after so long one will be complete by time, if it is committed then; FRONTIER_WAIT_FOREVER: no. */
frontier_status frontier_outbox_next(frontier *f, uint32_t to, uint64_t after, uint64_t now_ms, frontier_parcel *parcel,
                                     int64_t *wait_ms);

/* "`from` has all parcels of `to` up to `have`, and its copy elsewhere those up to `kept`." */
typedef struct frontier_ack {
  uint64_t crawl;
  uint32_t from, to;           /* the receiver of the parcels, who says this, and their sender */
  uint64_t incarnation;        /* of `from` */
  uint64_t sender_incarnation; /* of `to`, for which the numbers hold; 0: `from` has nothing of it */
  uint64_t have, kept;
} frontier_ack;

/* Notes an acknowledgment. Parcels up to min(have, kept) are dropped with the next commits. One of an earlier life of
 * `from` is ignored; the first of a later one takes back what the earlier ones said, so that all parcels that are held
 * are handed out again. The numbers count only for this life of `to`. With numbers of 0 it may be used to tell f of an
 * incarnation that the caller learned in another way. BAD_ARGUMENT: not for this partition of this crawl.
 * MISMATCH: it speaks of a later life of this directory, or of parcels that this one has not made: another copy of it
 * is, or was, in use, and this one must not go on. Nothing is changed then. */
frontier_status frontier_outbox_heard(frontier *f, const frontier_ack *ack);

/* ---- receiving ------------------------------------------------------------------------------------------ */

/* Which URLs of others are taken; as frontier_text_filter: 0, or the URL is dropped, and counted as refused. */
typedef struct frontier_inbox_rules {
  frontier_text_filter *accept; /* is not asked of opaque targets. NULL: every URL is taken */
  void *context;
} frontier_inbox_rules;

typedef struct frontier_taken {
  frontier_parcel parcel; /* without its bytes */
  bool is_repeat;         /* nothing new in it: it was taken before */
  uint32_t fresh;         /* URLs that were new */
  uint32_t refused;       /* by the rules */
  uint64_t lost;          /* parcels before this one that its sender no longer has, and this directory has not: it was
                             restored from an older copy than the last one given to frontier_inbox_kept */
} frontier_taken;

/* Takes a parcel: adds its URLs, as by frontier_add with these origins (`via` is 0), and notes its number, in one
 * transaction or, where a batch is full, the number in the last one. Any order is fine, and any repetition. A parcel of
 * an earlier life of its sender is taken too; only nothing is told of it.
 * BAD_ARGUMENT: it is no parcel for this partition of this crawl, or has a URL that is invalid or not ours: nothing
 * of it is taken, and frontier_message says why. Other failures: some URLs may have been added; take it again. `rules`
 * may be NULL. */
static inline frontier_status frontier_inbox_take(frontier *f, const void *bytes, size_t size,
                                                  const frontier_inbox_rules *rules, uint64_t now_ms,
                                                  frontier_taken *taken);

/* What `from` is to be told: what is committed here of its parcels, and never more. `*is_news`: that has changed since
 * the last call for `from`, or `from` has repeated itself since, or there was no call since open. Tell it then, even
 * that there is nothing. */
frontier_status frontier_inbox_tell(frontier *f, uint32_t from, frontier_ack *ack, bool *is_news);

/* With options.keeps_copies: `snapshot` is a copy of this directory, made by frontier_snapshot, of which another copy
 * is elsewhere now, for good. Reads what it has of others' parcels, to be told as `kept`; nobody may write to it
 * meanwhile, and nothing is written there. Older copies are not to be restored from now on. MISMATCH: it is no copy of
 * this directory, or of an earlier life of it. */
frontier_status frontier_inbox_kept(frontier *f, const char *snapshot, char message[FRONTIER_MESSAGE_SIZE]);

/* ---- numbers -------------------------------------------------------------------------------------------- */

typedef struct frontier_lane {
  uint64_t incarnation;              /* of the other, as last heard; 0: nothing was heard of it */
  uint64_t base, next;               /* parcels for it from `base` to `next` - 1 are held */
  uint64_t have, kept;               /* what it said of them: have >= base - 1 */
  uint64_t taken_incarnation, taken; /* of its parcels: all up to this one are committed here */
  uint64_t taken_kept;               /* ... and in our copy elsewhere */
} frontier_lane;
/* BAD_ARGUMENT: no other partition. */
static inline frontier_status frontier_lane_read(frontier *f, uint32_t other, frontier_lane *lane);

typedef struct frontier_exchange_stats {
  uint64_t sent_urls;    /* since open: links put into parcels, */
  uint64_t lately;       /* and links that were not, as they were put into one lately */
  uint64_t held;         /* parcels on disk */
  uint64_t waiting;      /* of these, not acknowledged */
  uint64_t taken, fresh; /* since open: parcels taken, URLs in them that were new */
  uint64_t refused;      /* messages that were refused */
  uint64_t lost;         /* as frontier_taken.lost, since open */
} frontier_exchange_stats;
/* BAD_ARGUMENT: without partitions; then all are 0. */
static inline frontier_status frontier_exchange_stats_read(frontier *f, frontier_exchange_stats *stats);

/* ---- messages ------------------------------------------------------------------------------------------- */

/* Each begins with FRONTIER_EXCHANGE_PROTO and a byte for its kind, and has a checksum; `read` gives false for any
 * other bytes. A message of a parcel is frontier_parcel.bytes; frontier_parcel_read checks its head and checksum, and
 * not its URLs. */
bool frontier_parcel_read(const void *bytes, size_t size, frontier_parcel *parcel);
void frontier_ack_write(const frontier_ack *ack, uint8_t bytes[FRONTIER_ACK_SIZE]);
bool frontier_ack_read(const void *bytes, size_t size, frontier_ack *ack);

/* ---- is the crawl over? --------------------------------------------------------------------------------- */

/* Nothing is queued but what is deferred or held, nothing is in flight, unconfirmed or uncommitted, and every parcel is
 * acknowledged. `*version` (may be NULL) changes whenever a URL is accepted, ends, or is put into or taken from a
 * parcel. That all are idle, each at some time, does not mean that the crawl is over: */
bool frontier_idle(frontier *f, uint64_t *version);

/* Waves. Any process may draw a wave, and publishes it; each partition reads it and then replies to it; the replies are
 * published. If all P replied, the next wave is drawn, and says so. A crawl is over if all reply idle to a wave that
 * was drawn after all had replied idle, and nothing changed in between: each was idle from its first to its second
 * reply, and all of these times contain the moment of drawing. Only links from outside can make one busy again.
 * Waves have random numbers, as what carries them may be emptied, or go back in time.
 *
 * A sender counts a parcel as acknowledged by a certain life of the receiver; so all must believe in the lives that
 * replied. Give the incarnation of each reply to frontier_outbox_heard, with numbers of 0: the message that said it may
 * be lost, and would not be sent again to one who has nothing to send.
 *
 *     draw, if there is no wave, all have replied to the last one, or a second has passed since it was drawn
 *     over = frontier_wave_is_over(wave, replies to it)
 *
 * "Over" is to be published with the frontier_reply.beliefs of these replies, never with the publisher's own, and
 * counts for those whose frontier_beliefs are equal: replies may be old, and a partition restored since. */
typedef struct frontier_wave {
  uint64_t number; /* random, not 0 */
  uint64_t digest; /* of all replies to the wave before it; 0: not all were idle, or it is the first */
} frontier_wave;

typedef struct frontier_reply {
  uint64_t wave; /* 0: no reply */
  uint32_t partition;
  bool is_idle;
  uint64_t incarnation, boot, version;
  uint64_t beliefs;
} frontier_reply;

/* To be called after `wave` was read. BAD_ARGUMENT: without partitions. */
frontier_status frontier_wave_reply(frontier *f, const frontier_wave *wave, frontier_reply *reply);
/* The next wave after `last` (NULL: none), of which replies[p] is the reply of partition p, or zeros. `random`: 64 bits
 * that were never used before, not 0. `next` may be `last`. */
void frontier_wave_next(const frontier_wave *last, const frontier_reply *replies, uint32_t partitions, uint64_t random,
                        frontier_wave *next);
bool frontier_wave_is_over(const frontier_wave *wave, const frontier_reply *replies, uint32_t partitions);
/* A number for the incarnations of all partitions, as `f` has heard of them. */
uint64_t frontier_beliefs(const frontier *f);

/* A wave and a reply as messages; false: the bytes are no such message. */
void frontier_wave_write(const frontier_wave *wave, uint8_t bytes[FRONTIER_WAVE_SIZE]);
bool frontier_wave_read(const void *bytes, size_t size, frontier_wave *wave);
void frontier_reply_write(const frontier_reply *reply, uint8_t bytes[FRONTIER_REPLY_SIZE]);
bool frontier_reply_read(const void *bytes, size_t size, frontier_reply *reply);

/* ---- sizes ---------------------------------------------------------------------------------------------- */

/* The functions of the same names above, with the size of the caller's struct: see frontier_open_sized. */
void frontier_life_read_sized(const frontier *f, frontier_life *life, size_t size);
frontier_status frontier_inbox_take_sized(frontier *f, const void *bytes, size_t size,
                                          const frontier_inbox_rules *rules, size_t rules_size, uint64_t now_ms,
                                          frontier_taken *taken, size_t taken_size);
frontier_status frontier_lane_read_sized(frontier *f, uint32_t other, frontier_lane *lane, size_t size);
frontier_status frontier_exchange_stats_read_sized(frontier *f, frontier_exchange_stats *stats, size_t size);

static inline void frontier_life_read(const frontier *f, frontier_life *life)
{
  frontier_life_read_sized(f, life, sizeof *life);
}

static inline frontier_status frontier_inbox_take(frontier *f, const void *bytes, size_t size,
                                                  const frontier_inbox_rules *rules, uint64_t now_ms,
                                                  frontier_taken *taken)
{
  return frontier_inbox_take_sized(f, bytes, size, rules, sizeof *rules, now_ms, taken, sizeof *taken);
}

static inline frontier_status frontier_lane_read(frontier *f, uint32_t other, frontier_lane *lane)
{
  return frontier_lane_read_sized(f, other, lane, sizeof *lane);
}

static inline frontier_status frontier_exchange_stats_read(frontier *f, frontier_exchange_stats *stats)
{
  return frontier_exchange_stats_read_sized(f, stats, sizeof *stats);
}

#ifdef __cplusplus
}
#endif
#endif
