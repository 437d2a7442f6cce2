/* crawler/loop/sitemap_set.h: which URLs were asked for as sitemaps, over all runs.
 *
 * The frontier knows a URL by its key alone, whatever it was asked for as. A page that is named as a sitemap later is
 * asked for once more, as one; this set is why it is once. It takes SITEMAP_SET_MAX keys, as others choose them: past
 * those a URL that is known is not asked for again. 16 bytes a key in a setting of the frontier, some 40 in memory. */
#ifndef STRATA_CRAWLER_SITEMAP_SET_H
#define STRATA_CRAWLER_SITEMAP_SET_H

#include "frontier/frontier.h"

enum { SITEMAP_SET_MAX = 1 << 15 };

typedef struct sitemap_set sitemap_set;

/* As the frontier has it, which is borrowed. NULL: out of memory, or what it has cannot be read. */
sitemap_set *sitemap_set_create(frontier *f);
void sitemap_set_free(sitemap_set *s); /* NULL is fine */

/* It may be added: it is not there, and there is room. */
bool sitemap_set_lacks(const sitemap_set *s, const url *u);

/* It is not there, and there is no room: if it is known, it is not asked for as a sitemap. */
bool sitemap_set_refuses(const sitemap_set *s, const url *u);

/* What it lacks. Without memory for it, the set is full from then on. */
void sitemap_set_add(sitemap_set *s, const url *u);

/* What was added since the last time, into the frontier's open batch. */
frontier_status sitemap_set_keep(sitemap_set *s);

#endif
