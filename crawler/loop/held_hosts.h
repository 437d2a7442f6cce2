/* crawler/loop/held_hosts.h: hosts of domains that have used up their budget (domain_budget.h). The frontier blocks
 * them (frontier/host.h), so their URLs stay queued, are counted as held, and wait for a run with a larger budget, or
 * for more domains that link there. */
#ifndef STRATA_CRAWLER_HELD_HOSTS_H
#define STRATA_CRAWLER_HELD_HOSTS_H

#include "crawler/loop/crawl_state.h"

/* Before the first lease: what was fetched of each domain in earlier runs, and whose hosts need not be held any more.
 * Without budgets every host that an earlier run held is let go. */
void held_hosts_begin(crawl *c);

/* May this lease be fetched? false: it went back, and its host is held. */
bool held_hosts_allow(crawl *c, visit *v);

/* Lets hosts go whose domains' budgets have grown: once a minute, or when all else is done, for it looks at all. */
void held_hosts_review(crawl *c);

/* Which domains link to others, with the next commit. */
void held_hosts_keep(crawl *c);

#endif
