/* Messages between partitions: a head, and for a parcel its URLs (parcel_row.h). All numbers little-endian.
 *
 *     OFFSET SIZE  all                     parcel                ack                  reply          wave
 *          0    1  FRONTIER_EXCHANGE_PROTO
 *          1    1  kind                    'P'                   'A'                  'R'            'W'
 *          2    2  partition               from                  from                 partition      0
 *          4    4  checksum of the others
 *          8    8                          to, URLs, body size   to                   wave           number
 *         16    8                          crawl                 crawl                incarnation    digest
 *         24    8                          incarnation           incarnation          boot
 *         32    8                          base                  incarnation of `to`  version
 *         40    8                          number                have                 beliefs
 *         48    8                          the body              kept                 1: idle
 *
 * The first 8 bytes of a parcel are: to (2), URLs (2), bytes of the body (4). */
#ifndef STRATA_FRONTIER_WIRE_H
#define STRATA_FRONTIER_WIRE_H

#include "frontier/exchange.h"

enum { PARCEL_HEAD = 48 };
#define PARCEL_NUMBER_MAX (((uint64_t)1 << 48) - 1)

/* The head of a parcel whose body follows it in `bytes`. */
void parcel_head_write(const frontier_parcel *p, uint8_t *bytes, size_t body_size);

#endif
