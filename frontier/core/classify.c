/* The priority class of a new URL: by its host, its depth, the watch for traps, and the caller. */
#include "frontier/core/state.h"

enum { DEPTH_LOW = 16 }; /* links from a start: beyond, a chain of "next" more often than what people look for */

void frontier_classify(frontier *f, frontier_classifier *classifier, void *context)
{
  LOCKED(f);
  f->classifier = (class_chooser){classifier, context};
}

frontier_class host_classify(frontier *f, host *who, const frontier_link *link, frontier_verdict verdict)
{
  frontier_class class = who->control ? who->control->priority : FRONTIER_NORMAL;
  if (class == FRONTIER_NORMAL && link->origin.depth > DEPTH_LOW)
    class = FRONTIER_LOW;
  if (f->watch && watch_judge(f->watch, who, link->target))
    class = FRONTIER_TRAP;
  if (f->classifier.choose)
    class = f->classifier.choose(f->classifier.context, link, verdict, class);
  return (unsigned)class < FRONTIER_CLASSES ? class : FRONTIER_NORMAL;
}
