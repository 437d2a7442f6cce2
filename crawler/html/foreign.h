/* crawler/html/foreign.h: is this place of an HTML page inside SVG or MathML, or in a template?
 *
 * In SVG and MathML <style> and <title> are ordinary elements, <![CDATA[ ]]> is text, and <a> is the only element that
 * can be a link. The tree builder knows (WHATWG HTML, section 13.2.6.5); this follows it from the tags alone, by the
 * stack of those open elements that change the answer: svg, math, and the elements in which HTML resumes
 * (foreignObject, desc, mi, ...). A template is one of these, too: its contents are another document, in which nothing
 * is the page's (4.12.3), but for a declarative shadow root, which belongs to the element around it. */
#ifndef STRATA_CRAWLER_FOREIGN_H
#define STRATA_CRAWLER_FOREIGN_H

#include <stdbool.h>

enum { FOREIGN_DEPTH_MAX = 64 }; /* deeper nesting is not followed */

typedef struct foreign_place {
  unsigned depth;
  struct foreign_island {
    unsigned char element;
    bool resumes_html;          /* its children are HTML */
    bool has_html;              /* one was seen */
    bool is_inert;              /* it is a template, or is in one */
  } islands[FOREIGN_DEPTH_MAX]; /* outermost first */
} foreign_place;

/* A start tag. `has_html_attribute`: it has the attribute that makes it HTML's, as <font color> or <annotation-xml
 * encoding=text/html>, or the page's, as <template shadowrootmode=open>. Names are lower-cased. */
void foreign_enter(foreign_place *place, const char *name, bool is_self_closing, bool has_html_attribute);
void foreign_leave(foreign_place *place, const char *name); /* an end tag */

bool foreign_is_inside(const foreign_place *place); /* does a child of the open element belong to SVG or MathML? */

/* Is it in a template, so that nothing here is the page's? */
static inline bool foreign_is_inert(const foreign_place *place)
{
  return place->depth > 0 && place->islands[place->depth - 1].is_inert;
}
bool foreign_has_cdata(const foreign_place *place); /* is <![CDATA[ ]]> text here? */

#endif
