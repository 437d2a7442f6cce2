/* Follows SVG, MathML and templates through the tags. Exact as long as end tags match; otherwise it may be wrong. */
#include "crawler/html/foreign.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* HTML: start tags that never belong in SVG or MathML and end all of it around them. FONT: if it looks like HTML's.
 * SVG_TEMPLATE, MATH_TEMPLATE: elements of that name that are none, but end by the same tag. */
enum element {
  OTHER,
  SVG,
  FOREIGN_OBJECT,
  DESC,
  TITLE,
  SVG_TEMPLATE,
  MATH,
  MI,
  MO,
  MN,
  MS,
  MTEXT,
  ANNOTATION_XML,
  MATH_TEMPLATE,
  HTML,
  FONT,
  TEMPLATE,
};

/* clang-format off */
static const struct known_name { const char *name; enum element element; } known_names[] = { /* sorted */
  { "annotation-xml", ANNOTATION_XML }, { "b", HTML }, { "big", HTML }, { "blockquote", HTML }, { "body", HTML },
  { "br", HTML }, { "center", HTML }, { "code", HTML }, { "dd", HTML }, { "desc", DESC }, { "div", HTML },
  { "dl", HTML }, { "dt", HTML }, { "em", HTML }, { "embed", HTML }, { "font", FONT },
  { "foreignobject", FOREIGN_OBJECT }, { "h1", HTML }, { "h2", HTML }, { "h3", HTML }, { "h4", HTML }, { "h5", HTML },
  { "h6", HTML }, { "head", HTML }, { "hr", HTML }, { "i", HTML }, { "img", HTML }, { "li", HTML },
  { "listing", HTML }, { "math", MATH }, { "menu", HTML }, { "meta", HTML }, { "mi", MI }, { "mn", MN }, { "mo", MO },
  { "ms", MS }, { "mtext", MTEXT }, { "nobr", HTML }, { "ol", HTML }, { "p", HTML }, { "pre", HTML },
  { "ruby", HTML }, { "s", HTML }, { "small", HTML }, { "span", HTML }, { "strike", HTML }, { "strong", HTML },
  { "sub", HTML }, { "sup", HTML }, { "svg", SVG }, { "table", HTML }, { "template", TEMPLATE }, { "title", TITLE },
  { "tt", HTML }, { "u", HTML }, { "ul", HTML }, { "var", HTML },
};
/* clang-format on */

static int compare_names(const void *name, const void *known)
{
  return strcmp(name, ((const struct known_name *)known)->name);
}

static enum element element_named(const char *name)
{
  const struct known_name *found = bsearch(name, known_names, sizeof known_names / sizeof *known_names,
                                           sizeof *known_names, compare_names);
  return found ? found->element : OTHER;
}

static bool is_of_svg(enum element element)
{
  return element >= SVG && element < MATH;
}

static bool is_of_math(enum element element)
{
  return element >= MATH && element < HTML;
}

static struct foreign_island *innermost(foreign_place *place)
{
  assert(place->depth > 0 && place->depth <= FOREIGN_DEPTH_MAX);
  return &place->islands[place->depth - 1];
}

static void push(foreign_place *place, enum element element, bool resumes_html)
{
  if (place->depth == FOREIGN_DEPTH_MAX)
    return;
  place->islands[place->depth] = (struct foreign_island){
    .element = (unsigned char)element, .resumes_html = resumes_html, .is_inert = foreign_is_inert(place)};
  place->depth++;
}

/* Of HTML: what is in it is another document, unless it is the shadow of the element around it. */
static void push_template(foreign_place *place, bool is_shadow)
{
  bool is_inert = foreign_is_inert(place) || !is_shadow;
  if (place->depth == FOREIGN_DEPTH_MAX)
    return;
  push(place, TEMPLATE, true);
  innermost(place)->has_html = true;
  innermost(place)->is_inert = is_inert;
}

static void leave_to_html(foreign_place *place)
{
  while (foreign_is_inside(place))
    place->depth--;
}

bool foreign_is_inside(const foreign_place *place)
{
  return place->depth > 0 && !place->islands[place->depth - 1].resumes_html;
}

/* The standard asks whether the open element is foreign: foreignObject is, until HTML was opened in it. */
bool foreign_has_cdata(const foreign_place *place)
{
  return place->depth > 0 && !place->islands[place->depth - 1].has_html;
}

static void enter_from_html(foreign_place *place, enum element element, bool is_self_closing, bool has_html_attribute)
{
  bool is_root = element == SVG || element == MATH;
  if (!is_root && place->depth > 0)
    innermost(place)->has_html = true;
  if (element == TEMPLATE)
    push_template(place, has_html_attribute); /* a '/' does not close it */
  else if (is_root && !is_self_closing)
    push(place, element, false);
}

static void enter_from_foreign(foreign_place *place, enum element element, bool has_html_attribute)
{
  enum element around = innermost(place)->element;
  if (element == TEMPLATE)
    push(place, is_of_svg(around) ? SVG_TEMPLATE : MATH_TEMPLATE, false);
  else if (is_of_svg(around) && is_of_svg(element))
    push(place, element, element != SVG);
  else if (is_of_math(around) && is_of_math(element))
    push(place, element, element == ANNOTATION_XML ? has_html_attribute : element != MATH);
  else if (around == ANNOTATION_XML && element == SVG)
    push(place, SVG, false);
}

void foreign_enter(foreign_place *place, const char *name, bool is_self_closing, bool has_html_attribute)
{
  enum element element = element_named(name);
  if (element == HTML || (element == FONT && has_html_attribute))
    leave_to_html(place);
  if (!foreign_is_inside(place))
    enter_from_html(place, element, is_self_closing, has_html_attribute);
  else if (!is_self_closing)
    enter_from_foreign(place, element, has_html_attribute);
}

static bool is_template(enum element element)
{
  return element == TEMPLATE || element == SVG_TEMPLATE || element == MATH_TEMPLATE;
}

/* Nothing but its own end tag ends a template. */
void foreign_leave(foreign_place *place, const char *name)
{
  enum element element = element_named(name), open = OTHER;
  if (strcmp(name, "p") == 0 || strcmp(name, "br") == 0)
    leave_to_html(place);
  for (unsigned i = place->depth; element != OTHER && open != TEMPLATE && i > 0; i--) {
    open = place->islands[i - 1].element;
    if (open == element || (element == TEMPLATE && is_template(open))) {
      place->depth = i - 1;
      return;
    }
  }
}
