/* See part.h. */
#include "frontier/core/part.h"

#include <stddef.h>

const part *const all_parts[] = {
  &bench_part,   &folding_part, /* before the batch: the rows of this one are not looked at */
  &recrawl_part,                /* before the batch: a URL leaves the history before it ends there once more */
  &batch_part,   &flight_part,    &hosts_part,    &checkpoint_part, /* these two before the filter goes */
  &resize_part,  &log_part,                                      /* after the batch, which it may mark as dirty again */
  &upkeep_part,  &settings_part,  &counts_part,   &journal_part, /* its lines are written to the file once all else is done */
  &chooser_part, &directory_part, &identity_part, &secret_part,     NULL,
};
