/* What two partitions know of each other's parcels: the rules of watermarks and lives, without disk and without bytes.
 *
 *     we send                                                 we receive
 *       parcels base .. next - 1 are held                       taken     all of its parcels up to this one are here,
 *       have     it has ours up to this one                               of its life taken_incarnation
 *       kept     ... and so has its copy elsewhere              landed    ... and committed: what it is told
 *       dropped: up to min(have, kept)                          taken_kept  ... and in our copy elsewhere
 *
 *     its life           ours
 *     a later one        ack: what earlier lives said that they have is taken back, and all that is held is sent again
 *                        parcel: the mark begins anew before the lowest one that it holds
 *     an earlier one     ack: says nothing. parcel: its URLs are as good as any, its number says nothing
 *
 * Always: base - 1 <= have <= closed_landed < next, and numbers are dense. */
#ifndef STRATA_FRONTIER_LANE_H
#define STRATA_FRONTIER_LANE_H

#include "frontier/exchange.h"

enum { LANE_ROW = 72 }; /* bytes in table `marks` */

typedef struct lane_mark {
  uint64_t incarnation, number; /* of the other; 0, 0: nothing of it */
} lane_mark;

typedef struct lane {
  uint64_t incarnation; /* of the other, the highest heard of; 0: none */
  uint64_t base, next, have, kept;
  uint64_t closed, closed_sealed, closed_landed; /* parcels up to this one are complete, and may be sent once on disk */
  uint64_t dropping;                             /* the transaction that is gathered drops up to this one; 0: none */

  lane_mark taken, sealed, landed, taken_kept;
  uint64_t *ahead; /* numbers above taken.number + 1 that are here, rising; in memory only: they are sent again */
  size_t ahead_count, ahead_room;

  bool is_dirty; /* its row is to be written */
  bool is_news;  /* the other is to be told */
} lane;

void lane_begin(lane *l); /* it was all zeros: no parcel was sent, none was heard of */
void lane_free(lane *l);

/* We have a new incarnation. */
void lane_reborn(lane *l);
/* An incarnation of the other. */
void lane_believe(lane *l, uint64_t incarnation);
/* An acknowledgment; `own`: our incarnation. MISMATCH: another copy of this directory is, or was, in use. */
frontier_status lane_heard(lane *l, const frontier_ack *ack, uint64_t own);

typedef enum lane_arrival { LANE_NEW, LANE_REPEAT, LANE_OLD_LIFE } lane_arrival;
/* Before the URLs of a parcel are added: are they known? They are if it is a repeat. And after. `*lost`: parcels that
 * neither has. */
lane_arrival lane_arrives(const lane *l, const frontier_parcel *p);
void lane_took(lane *l, const frontier_parcel *p, uint64_t *lost);

/* A copy of this directory elsewhere has this mark. */
void lane_keep(lane *l, lane_mark mark);
void lane_tell(const lane *l, bool keeps_copies, frontier_ack *ack);

/* Up to which number the next transaction may drop; the last one less than `base` if none. */
uint64_t lane_droppable(const lane *l);

/* A transaction is gathered, which drops up to l->dropping; and is on disk. */
void lane_sealed(lane *l);
void lane_landed(lane *l);

/* `own`: our incarnation, for which `have` and `kept` hold. false: the row makes no sense. */
void lane_write(const lane *l, uint64_t own, uint8_t row[LANE_ROW]);
bool lane_read(lane *l, uint64_t own, const uint8_t *row, size_t size);
lane_mark lane_read_mark(const uint8_t row[LANE_ROW]); /* taken */

#endif
