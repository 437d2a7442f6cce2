/* crawler/loop/held_hosts.h: hosts of domains that have used up their budget (domain_budget.h), and those whose address
 * is not public, without --allow-private. The frontier blocks them (frontier/host.h), so their URLs stay queued, are
 * counted as held, and wait for a run with a larger budget, or that may ask there, or for more domains that link there.
 * Each run lets those of the last one go: it has its own budget, and finds out anew what is public. */
#ifndef STRATA_CRAWLER_HELD_HOSTS_H
#define STRATA_CRAWLER_HELD_HOSTS_H

#include "crawler/loop/crawl_state.h"

/* Before the first lease: what was fetched of each domain before, and which hosts need not be held any more. */
void held_hosts_begin(crawl *c);

/* May this lease be fetched? false: it went back, and its host is held. */
bool held_hosts_allow(crawl *c, visit *v);

/* The address of a visit's host is not public: its lease goes back, and its host is held. */
void held_hosts_refuse(crawl *c, visit *v);

/* How many URLs wait at addresses that are not public. Looks at all hosts. */
uint64_t held_hosts_not_public(crawl *c);

/* Lets hosts go whose domains' budgets have grown: once a minute, or when all else is done, for it looks at all. Those
 * that are not public are then found out anew, which costs a refusal each. */
void held_hosts_review(crawl *c);

/* Which domains link to others, with the next commit. */
void held_hosts_keep(crawl *c);

#endif
