/* See part.h. */
#include "frontier/core/part.h"

#include <stddef.h>

const part *const all_parts[] = {&bench_part, &queue_part, &recrawl_part,
                                 &folding_part, /* before the batch: the rows of this one are not looked at */
                                 &batch_part, &flight_part, &ordering_part,
                                 /* these three before the filters go */
                                 &hosts_part, &checkpoint_part, &renewal_part,
                                 /* after the batch, which they may mark as dirty again */
                                 &late_part, &sharing_part, &log_part, &settings_part, &counts_part,
                                 /* its lines go to the file once all else is done */
                                 &journal_part, &chooser_part, &directory_part, &identity_part, &secret_part,
                                 /* nothing looks at the event while the others close */
                                 &wake_part, &found_part, NULL};
