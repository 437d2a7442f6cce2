/* The link scanner against libgumbo, a whole HTML5 parser, over trees of real pages: of the links that gumbo's tree
 * has, each distinct one a page, at least 99.96 % must be found.
 *
 * The trees are Debian's documentation packages where they are installed (postgresql-doc-15, python3.11-doc,
 * cmake-doc, libboost1.74-doc, or any other), or the directory named by LINKS_TREE. */
#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>
#include <gumbo.h>

#include "crawler/links.h"
#include "tests/pages.h"

/* A set of strings: collected, then sorted and made unique. */
typedef struct strings {
  char **list;
  size_t count, capacity;
} strings;

static void add(strings *set, const char *text, size_t size)
{
  if (set->count == set->capacity) {
    set->capacity = 2 * set->capacity + 64;
    set->list = realloc(set->list, set->capacity * sizeof *set->list);
    assert_non_null(set->list);
  }
  set->list[set->count] = strndup(text, size);
  assert_non_null(set->list[set->count++]);
}

static int compare_strings(const void *left, const void *right)
{
  return strcmp(*(char *const *)left, *(char *const *)right);
}

static void make_unique(strings *set)
{
  if (set->count == 0)
    return;
  qsort(set->list, set->count, sizeof *set->list, compare_strings);
  size_t kept = 1;
  for (size_t i = 1; i < set->count; i++)
    if (strcmp(set->list[kept - 1], set->list[i]) == 0)
      free(set->list[i]);
    else
      set->list[kept++] = set->list[i];
  set->count = kept;
}

static void clear(strings *set)
{
  for (size_t i = 0; i < set->count; i++)
    free(set->list[i]);
  set->count = 0;
}

static bool contains(const strings *set, const char *text)
{
  return set->count > 0 && bsearch(&text, set->list, set->count, sizeof *set->list, compare_strings);
}

static void add_link(void *context, const link_found *link)
{
  if (link->kind != LINK_BASE)
    add(context, link->href, link->size);
}

static void ours(links_scanner *scanner, const html_page *page, strings *found)
{
  links_feed(scanner, page->bytes, page->size);
  links_finish(scanner);
  make_unique(found);
}

static const char *attribute(const GumboElement *element, const char *name)
{
  const GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);
  return found ? found->value : NULL;
}

/* Those <link>s that documentation has and everybody calls pages. */
static bool is_page_rel(const char *rel)
{
  static const char *const rels[] = { "next", "prev", "up", "home", "index", "copyright", "search", "author", "canonical" };
  for (size_t i = 0; rel && i < sizeof rels / sizeof *rels; i++)
    if (strcasecmp(rel, rels[i]) == 0)
      return true;
  return false;
}

static const char *link_of(const GumboElement *element)
{
  switch (element->tag) {
  case GUMBO_TAG_A: case GUMBO_TAG_AREA: return attribute(element, "href");
  case GUMBO_TAG_FRAME: case GUMBO_TAG_IFRAME: return attribute(element, "src");
  case GUMBO_TAG_LINK: return is_page_rel(attribute(element, "rel")) ? attribute(element, "href") : NULL;
  default: return NULL;
  }
}

static const GumboVector *children_of(const GumboNode *node)
{
  static const GumboVector none = { 0 };
  return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE ? &node->v.element.children : &none;
}

/* Every node in the order of the page, without recursion, as pages nest as deep as they like. */
static const GumboNode *node_after(const GumboNode *node, const GumboNode *root)
{
  if (children_of(node)->length > 0)
    return children_of(node)->data[0];
  for (; node != root; node = node->parent)
    if (node->index_within_parent + 1 < children_of(node->parent)->length)
      return children_of(node->parent)->data[node->index_within_parent + 1];
  return NULL;
}

static void gumbos(const html_page *page, strings *found)
{
  GumboOutput *parsed = gumbo_parse_with_options(&kGumboDefaultOptions, page->bytes, page->size);
  for (const GumboNode *node = parsed->root; node; node = node_after(node, parsed->root)) {
    bool is_element = node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;
    const char *href = is_element ? link_of(&node->v.element) : NULL;
    if (href)
      add(found, href, strlen(href));
  }
  gumbo_destroy_output(&kGumboDefaultOptions, parsed);
  make_unique(found);
}

typedef struct tally {
  size_t gumbo, missed, extra;
} tally;

static void compare_page(links_scanner *scanner, const html_page *page, strings *our_links, tally *sum)
{
  strings gumbo_links = { 0 };
  ours(scanner, page, our_links);
  gumbos(page, &gumbo_links);
  sum->gumbo += gumbo_links.count;
  for (size_t i = 0; i < gumbo_links.count; i++)
    if (!contains(our_links, gumbo_links.list[i])) {
      if (sum->missed++ < 20)
        printf("missed: %s in %s\n", gumbo_links.list[i], page->name);
    }
  for (size_t i = 0; i < our_links->count; i++)
    sum->extra += !contains(&gumbo_links, our_links->list[i]);
  clear(our_links);
  clear(&gumbo_links);
  free(gumbo_links.list);
}

/* True if there were pages. */
static bool compare_tree(const char *directory)
{
  pages tree = pages_read(directory, (size_t)256 << 20);
  strings our_links = { 0 };
  tally sum = { 0 };
  links_scanner *scanner = links_create(add_link, &our_links);
  assert_non_null(scanner);
  for (size_t i = 0; i < tree.count; i++)
    compare_page(scanner, &tree.list[i], &our_links, &sum);
  if (tree.count > 0)
    printf("%s: %zu pages, %zu distinct links of gumbo's, %zu missed (%.4f %% found), %zu more\n", directory, tree.count,
           sum.gumbo, sum.missed, sum.gumbo ? 100.0 * (double)(sum.gumbo - sum.missed) / (double)sum.gumbo : 100.0, sum.extra);
  assert_true(sum.missed * 10000 <= sum.gumbo * 4);
  bool had_pages = tree.count > 0;
  links_free(scanner);
  free(our_links.list);
  pages_free(&tree);
  return had_pages;
}

static void real_pages_give_gumbos_links(void **state)
{
  (void)state;
  static const char *const packages[] = {
    "/usr/share/doc/postgresql-doc-15", "/usr/share/doc/python3.11", "/usr/share/doc/cmake-data", "/usr/share/doc/libboost1.74-doc" };
  const char *named = getenv("LINKS_TREE");
  unsigned compared = named ? compare_tree(named) : 0;
  for (size_t i = 0; !named && i < sizeof packages / sizeof *packages; i++)
    compared += compare_tree(packages[i]);
  if (compared == 0) {
    printf("skipped: none of the documentation packages is installed\n");
    skip();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(real_pages_give_gumbos_links) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
