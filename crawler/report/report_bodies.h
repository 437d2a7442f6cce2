/* Bodies that are alike by the similarity digests of DIR/digests.sdbf (body_digests.h), for the report. */
#ifndef STRATA_CRAWLER_REPORT_BODIES_H
#define STRATA_CRAWLER_REPORT_BODIES_H

#include "crawler/report/report_pairs.h"

/* A pair is alike from this score on, of 100. */
enum { REPORT_BODIES_SCORE = 50 };

/* Pairs of bodies that are alike and not equal. Each is compared with the 64 that follow it by their number of
 * features, as long as these have no more than half as many again. No such file: none. False: errno says why it cannot
 * be read. */
bool report_bodies_read(const char *path, report_pairs *pairs);

#endif
