/* datasets/replay/protocol.h: the kinds of queries, once the first n distinct URLs of a list are inserted.
 *
 *     paper        every URL of the list with its row number appended, as in the seed paper
 *     fresh        URLs of the list that were not inserted
 *     recombined   the first segments of one inserted URL, the rest of another: every segment is known
 *     permuted     an inserted URL, the segments of its path in another order
 *     repeated     an inserted URL host/page and /x/x behind it, x known at both depths
 *     prefix       an inserted URL cut short at a '/'
 *     newhost      a host never inserted, the path of an inserted URL
 *     stream       every row of the list in its order, tested and inserted in one step (replay.c does it)
 *
 * A query may be a member by chance; errors are counted by the exact list. The random numbers of the queries depend
 * on seed, protocol and n only. */
#ifndef STRATA_DATASETS_PROTOCOL_H
#define STRATA_DATASETS_PROTOCOL_H

#include "datasets/replay/batch.h"

typedef enum protocol {
  PROTOCOL_PAPER,
  PROTOCOL_FRESH,
  PROTOCOL_RECOMBINED,
  PROTOCOL_PERMUTED,
  PROTOCOL_REPEATED,
  PROTOCOL_PREFIX,
  PROTOCOL_NEWHOST,
  PROTOCOL_STREAM,
} protocol;
enum { PROTOCOL_COUNT = PROTOCOL_STREAM + 1 };

const char *protocol_name(protocol which);
const char *protocol_text(protocol which); /* a sentence for people, without the full stop */
bool protocol_from_name(const char *name, protocol *which);

typedef struct query_options {
  const urllist *list;
  uint64_t inserted; /* n: ranks 0..n-1 */
  uint64_t limit;    /* at most so many queries; `paper` asks them all */
  uint32_t layers;   /* the paper's L: pieces of its last layer are not taken apart */
  uint64_t seed;
  const char *directory; /* for what does not fit in memory */
} query_options;

typedef struct query_source query_source;

/* Queries of any protocol but stream. NULL: errno says why. */
query_source *query_open(protocol which, const query_options *options);
void query_close(query_source *source); /* NULL is fine */

/* Fill the batch, emptied first. False: there are no more, and the batch is empty. There may be fewer than the limit,
 * or none, where the inserted URLs have not got what the protocol needs. */
bool query_next(query_source *source, key_batch *batch);

#endif
