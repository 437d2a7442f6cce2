/* datasets/read/column.h: which column of a table has the URLs, found by what parses.
 *
 *     http://a.example/x TAB 1      rank TAB http://a.example/x TAB title      1,a.example      http://a.example/x 1
 *
 * Every field of each of the first lines is tried: it is a URL if rowkey.h makes a key of it and it has no blank.
 * Quotes around a field are no part of it, and separators between them are none. */
#ifndef STRATA_DATASETS_COLUMN_H
#define STRATA_DATASETS_COLUMN_H

#include "datasets/read/format.h"

typedef struct url_column {
  char separator;        /* TAB, ',', ';' or ' ' */
  int index;             /* from 0; -1: the last field, so that TABs in the others do no harm */
  unsigned place, count; /* for people: the place-th of `count` columns, from 1; 0 of 0: no field is a URL */
} url_column;

/* Of equally good columns the last. Another separator than TAB counts if with it twice as many fields are URLs. Without
 * a URL in the sample: the last TAB field. */
url_column column_find(text_span sample, bool is_whole);

text_span column_take(url_column from, text_span row); /* size 0: the row has no such field */

#endif
