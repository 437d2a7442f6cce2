/* crawler/loop/domain_budget.h: how many URLs of one registered domain are fetched, over all its names.
 *
 * Names without end below one domain escape limits for each host. A domain gets `budget` URLs, and as many again for
 * each other domain that links to it, as in IRLbot (Lee et al., WWW 2008): a spammer can make names for nothing, but
 * not domains. Domains of start URLs, and those that some 260 others link to, have no limit. Of IPv6 addresses that are
 * hosts themselves a /64 network is one domain.
 *
 * 24 to 48 bytes for each domain that was linked to. How many URLs were fetched can be counted again from the
 * frontier's hosts; who links to those with a 64th of the budget or more is saved. */
#ifndef STRATA_CRAWLER_DOMAIN_BUDGET_H
#define STRATA_CRAWLER_DOMAIN_BUDGET_H

#include "mlbf/secret.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct domain_budget domain_budget;

/* budget >= 1. NULL: out of memory. Where memory is out later, a domain has no limit. */
domain_budget *domain_budget_create(uint64_t budget, const uint8_t secret[MLBF_SECRET_BYTES]);
void domain_budget_free(domain_budget *b); /* NULL is fine */

/* Hosts are host[:port], as in fetch URLs. */
void domain_budget_exempt(domain_budget *b, const char *host, size_t size);               /* of a start URL */
void domain_budget_count(domain_budget *b, const char *host, size_t size, uint64_t urls); /* were fetched */
bool domain_budget_is_over(const domain_budget *b, const char *host, size_t size);

/* The links noted after it are those of a page of this host. */
void domain_budget_page(domain_budget *b, const char *host, size_t size);
void domain_budget_link(domain_budget *b, const char *host, size_t size);

/* Has a domain that was over its budget got a larger one since domain_budget_reviewed? */
bool domain_budget_has_grown(const domain_budget *b);
void domain_budget_reviewed(domain_budget *b);

/* Who links to which domain, for the next run: malloc'd, `*size` bytes, 16 for each; NULL: out of memory. What is read
 * back adds to what is there. */
void *domain_budget_save(const domain_budget *b, size_t *size);
void domain_budget_read(domain_budget *b, const void *saved, size_t size);

#endif
