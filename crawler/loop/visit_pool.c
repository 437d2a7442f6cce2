/* See visit_pool.h. */
#include "crawler/loop/visit_pool.h"

#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>

static void assert_visits(const visit_pool *vs)
{
  assert(vs->count <= vs->room && vs->active <= vs->count);
  assert(vs->idle || vs->active == vs->count); /* every visit is one or the other */
  assert(!vs->idle || (vs->active < vs->count && vs->idle->stage == VISIT_IDLE));
  (void)vs;
}

static visit *make_one(visit_pool *vs)
{
  if (!HAS_ROOM(vs->all, vs->room, vs->count + 1))
    return NULL;
  visit *v = visit_create(vs->owner, vs->wants_images);
  if (v && vs->wants_text && !visit_want_text(v)) {
    visit_free(v);
    return NULL;
  }
  if (!v)
    return NULL;
  if (vs->wants_assets)
    visit_want_assets(v);
  v->directory = vs->directory;
  vs->all[vs->count++] = v;
  return v;
}

visit *visit_pool_take(visit_pool *vs)
{
  visit *v = vs->idle;
  assert_visits(vs);
  if (v)
    vs->idle = v->next;
  else
    v = make_one(vs);
  vs->active += v != NULL;
  assert_visits(vs);
  return v;
}

void visit_pool_put_back(visit_pool *vs, visit *v)
{
  assert_visits(vs);
  assert(vs->active && v->stage != VISIT_IDLE); /* else it were in the list twice */
  visit_rest(v);
  vs->active--;
  v->stage = VISIT_IDLE;
  v->next = vs->idle;
  vs->idle = v;
}

void visit_pool_free(visit_pool *vs)
{
  for (size_t i = 0; i < vs->count; i++)
    visit_free(vs->all[i]);
  free(vs->all);
}
