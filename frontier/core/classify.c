/* The priority class of a new URL: by its host, its depth, the watch for traps, and the caller. */
#include "frontier/core/state.h"

enum { DEPTH_LOW = 16 }; /* links from a start: beyond, a chain of "next" more often than what people look for */

void frontier_classify(frontier *f, frontier_classifier *classifier, void *context)
{
  LOCKED(f);
  f->chooser.classifier = classifier;
  f->chooser.context = context;
}

frontier_class host_classify(frontier *f, host *who, const frontier_link *link, frontier_verdict verdict)
{
  frontier_class class = who->control ? who->control->priority : FRONTIER_NORMAL;
  if (class == FRONTIER_NORMAL && link->origin.depth > DEPTH_LOW)
    class = FRONTIER_LOW;
  if (f->chooser.watch && !host_is_group(who->name) && trap_detector_judge(f->chooser.watch, who, link->target))
    class = FRONTIER_TRAP;
  if (f->chooser.classifier)
    class = f->chooser.classifier(f->chooser.context, link, verdict, class);
  return (unsigned)class < FRONTIER_CLASSES ? class : FRONTIER_NORMAL;
}

static void close_it(frontier *f)
{
  trap_detector_free(f->chooser.watch);
  trap_marks_free(f->chooser.marks);
}

const part chooser_part = {.close = close_it};
