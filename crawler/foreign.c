/* Follows SVG and MathML through the tags. Exact as long as end tags match; where they do not, it errs as the tags do. */
#include "crawler/foreign.h"

#include <string.h>

enum element { OTHER, SVG, FOREIGN_OBJECT, DESC, TITLE, MATH, MI, MO, MN, MS, MTEXT, ANNOTATION_XML };

static const char *const svg_names[] = { "svg", "foreignobject", "desc", "title" };
static const char *const math_names[] = { "math", "mi", "mo", "mn", "ms", "mtext", "annotation-xml" };

/* Start tags that never belong there: they end all SVG and MathML around them. */
static const char *const html_names[] = {
  "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3",
  "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s",
  "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var",
};

enum { SVG_NAMES = sizeof svg_names / sizeof *svg_names, MATH_NAMES = sizeof math_names / sizeof *math_names,
       HTML_NAMES = sizeof html_names / sizeof *html_names };

static unsigned name_index(const char *const names[], unsigned count, const char *name, size_t size)
{
  unsigned i = 0;
  while (i < count && !(names[i][0] == name[0] && strlen(names[i]) == size && memcmp(names[i], name, size) == 0))
    i++;
  return i;
}

static enum element svg_element(const char *name, size_t size)
{
  unsigned i = name_index(svg_names, SVG_NAMES, name, size);
  return i < SVG_NAMES ? (enum element)(SVG + i) : OTHER;
}

static enum element math_element(const char *name, size_t size)
{
  unsigned i = name_index(math_names, MATH_NAMES, name, size);
  return i < MATH_NAMES ? (enum element)(MATH + i) : OTHER;
}

static struct foreign_island *innermost(foreign_place *place)
{
  return &place->islands[place->depth - 1];
}

static void push(foreign_place *place, enum element element, bool resumes_html)
{
  if (place->depth < FOREIGN_DEPTH_MAX)
    place->islands[place->depth++] = (struct foreign_island){ .element = (unsigned char)element, .resumes_html = resumes_html };
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

static void enter_from_html(foreign_place *place, enum element root, bool is_self_closing)
{
  if (root != OTHER && !is_self_closing)
    push(place, root, false);
  else if (root == OTHER && place->depth > 0)
    innermost(place)->has_html = true;
}

static void enter_from_foreign(foreign_place *place, const char *name, size_t size, bool has_html_attribute)
{
  enum element around = innermost(place)->element;
  enum element svg = svg_element(name, size), math = math_element(name, size);
  if (around < MATH) {
    if (svg != OTHER)
      push(place, svg, svg != SVG);
  } else if (math != OTHER)
    push(place, math, math == ANNOTATION_XML ? has_html_attribute : math != MATH);
  else if (around == ANNOTATION_XML && svg == SVG)
    push(place, SVG, false);
}

bool foreign_enter(foreign_place *place, const char *name, size_t size, bool is_self_closing, bool has_html_attribute)
{
  bool is_font = size == 4 && memcmp(name, "font", 4) == 0;
  if (foreign_is_inside(place) &&
      (name_index(html_names, HTML_NAMES, name, size) < HTML_NAMES || (is_font && has_html_attribute)))
    leave_to_html(place);
  if (foreign_is_inside(place)) {
    if (!is_self_closing)
      enter_from_foreign(place, name, size, has_html_attribute);
    return true;
  }
  bool is_svg = size == 3 && memcmp(name, "svg", 3) == 0, is_math = size == 4 && memcmp(name, "math", 4) == 0;
  enter_from_html(place, is_svg ? SVG : is_math ? MATH : OTHER, is_self_closing);
  return is_svg || is_math;
}

void foreign_leave(foreign_place *place, const char *name, size_t size)
{
  if (foreign_is_inside(place) && (name_index((const char *const[]){ "p", "br" }, 2, name, size) < 2)) {
    leave_to_html(place);
    return;
  }
  enum element svg = svg_element(name, size), math = math_element(name, size);
  enum element element = svg != OTHER ? svg : math;
  for (unsigned i = place->depth; element != OTHER && i > 0; i--)
    if (place->islands[i - 1].element == element) {
      place->depth = i - 1;
      return;
    }
}
