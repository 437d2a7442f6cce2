/* Breadth first over the files: page -> gumbo -> hrefs -> libcurl -> targets. */
#include "tests/site/reachable.h"
#include "tests/site/target.h"
#include "tests/site/tree.h"

#include <curl/curl.h>
#include <gumbo.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ORIGIN "http://tree.invalid"

typedef struct explorer {
  const char *root;
  reachable found;
  uint32_t room;
  uint32_t *slots; /* open addressing: index + 1 */
  uint32_t slot_count;
  CURLU *base; /* of the page being read */
  bool has_base;
} explorer;

static uint32_t hash_target(const char *target)
{
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (; *target; target++)
    hash = (hash ^ (unsigned char)*target) * 16777619u;
  return hash;
}

static uint32_t *find_slot(const explorer *e, const char *target)
{
  uint32_t at = hash_target(target) & (e->slot_count - 1);
  while (e->slots[at] && strcmp(e->found.targets[e->slots[at] - 1], target) != 0)
    at = (at + 1) & (e->slot_count - 1);
  return &e->slots[at];
}

static void grow(explorer *e)
{
  e->room = e->room ? 2 * e->room : 1024;
  e->slot_count = 2 * e->room;
  free(e->slots);
  e->slots = calloc(e->slot_count, sizeof *e->slots);
  e->found.targets = realloc(e->found.targets, e->room * sizeof *e->found.targets);
  if (!e->slots || !e->found.targets)
    abort();
  for (uint32_t i = 0; i < e->found.count; i++)
    *find_slot(e, e->found.targets[i]) = i + 1;
}

static void add_target(explorer *e, const char *target)
{
  if (e->found.count == e->room)
    grow(e);
  uint32_t *slot = find_slot(e, target);
  if (*slot)
    return;
  e->found.targets[e->found.count++] = strdup(target);
  *slot = e->found.count;
}

/* The first `size` bytes of a link, without white space around, resolved against the page's base; NULL if that is
 * no URL. 7.88 resolves a lone fragment to the wrong page: cut fragments off first. */
static CURLU *resolve(CURLU *base, const char *href, size_t size)
{
  while (size && strchr(" \t\n\f\r", *href))
    href++, size--;
  while (size && strchr(" \t\n\f\r", href[size - 1]))
    size--;
  const char *fragment = memchr(href, '#', size);
  char *reference = strndup(href, fragment ? (size_t)(fragment - href) : size);
  CURLU *url = curl_url_dup(base);
  if (!reference || !url)
    abort();
  const unsigned flags = CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME;
  bool good = !*reference || curl_url_set(url, CURLUPART_URL, reference, flags) == CURLUE_OK;
  free(reference);
  if (good)
    return url;
  curl_url_cleanup(url);
  return NULL;
}

static void follow(explorer *e, const char *href)
{
  CURLU *url = resolve(e->base, href, strlen(href));
  char *string = NULL;
  text target = {0}, canonical = {0};
  if (url && curl_url_get(url, CURLUPART_URL, &string, 0) == CURLUE_OK &&
      strncmp(string, ORIGIN "/", sizeof ORIGIN) == 0) {
    target_of_url(&target, string);
    if (target_canonical(&canonical, target.bytes, target.size))
      add_target(e, canonical.bytes);
  }
  curl_free(string);
  curl_url_cleanup(url);
  text_free(&target);
  text_free(&canonical);
}

/* Does one of the words of `list` stand in `value`? */
static bool has_word(const char *value, const char *const *list)
{
  for (; value && *value; value += strcspn(value, " \t\n\f\r")) {
    value += strspn(value, " \t\n\f\r");
    size_t size = strcspn(value, " \t\n\f\r");
    for (const char *const *word = list; *word; word++)
      if (size && strlen(*word) == size && strncasecmp(*word, value, size) == 0)
        return true;
  }
  return false;
}

static const char *attribute(const GumboElement *element, const char *name)
{
  const GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);
  return found ? found->value : NULL;
}

/* The link of an element, NULL if it has none that a crawl follows. */
static const char *link_of(const GumboElement *element)
{
  /* link types that name another page, not something this page is made of */
  static const char *const page_rels[] = {"alternate", "author",  "bookmark", "canonical", "chapter",  "contents",
                                          "copyright", "first",   "glossary", "help",      "home",     "index",
                                          "last",      "license", "next",     "prev",      "previous", "search",
                                          "section",   "start",   "toc",      "top",       "up",       NULL};
  static const char *const no_page_rels[] = {"nofollow", "stylesheet", NULL};
  const char *rel = attribute(element, "rel");
  switch (element->tag) {
  case GUMBO_TAG_A:
  case GUMBO_TAG_AREA: return has_word(rel, no_page_rels) ? NULL : attribute(element, "href");
  case GUMBO_TAG_FRAME:
  case GUMBO_TAG_IFRAME: return attribute(element, "src");
  case GUMBO_TAG_LINK:
    return has_word(rel, page_rels) && !has_word(rel, no_page_rels) ? attribute(element, "href") : NULL;
  default: return NULL;
  }
}

static void follow_node(explorer *e, const GumboNode *node)
{
  if (node->type != GUMBO_NODE_ELEMENT)
    return;
  const GumboElement *element = &node->v.element;
  const char *base = element->tag == GUMBO_TAG_BASE && !e->has_base ? attribute(element, "href") : NULL;
  CURLU *moved = base ? resolve(e->base, base, strlen(base)) : NULL;
  if (moved) {
    curl_url_cleanup(e->base);
    e->base = moved;
    e->has_base = true;
  }
  const char *href = link_of(element);
  if (href)
    follow(e, href);
  for (unsigned i = 0; i < element->children.length; i++)
    follow_node(e, element->children.data[i]);
}

static void read_page(explorer *e, const char *target, const char *file)
{
  text page = {0};
  text url = {0};
  text_addf(&url, ORIGIN "%s", target);
  e->base = curl_url();
  e->has_base = false;
  if (!text_add_file(&page, file) || curl_url_set(e->base, CURLUPART_URL, url.bytes, 0) != CURLUE_OK)
    abort();
  GumboOutput *tree = gumbo_parse_with_options(&kGumboDefaultOptions, page.bytes, page.size);
  follow_node(e, tree->root);
  gumbo_destroy_output(&kGumboDefaultOptions, tree);
  curl_url_cleanup(e->base);
  text_free(&page);
  text_free(&url);
}

static void visit(explorer *e, const char *target)
{
  text path = {0}, file = {0};
  bool wants_slash = false;
  if (reachable_is_forbidden(&e->found, target)) {
    e->found.forbidden++;
    return;
  }
  if (!tree_unescape(&path, target, strcspn(target, "?")) || !tree_find(e->root, path.bytes, &file, &wants_slash)) {
    e->found.others++;
    if (wants_slash) {
      text_clear(&file);
      text_addf(&file, "%.*s/%s", (int)strcspn(target, "?"), target, target + strcspn(target, "?"));
      add_target(e, file.bytes);
    }
  } else if (strcmp(tree_content_type(file.bytes), "text/html") == 0) {
    e->found.pages++;
    read_page(e, target, file.bytes);
  } else {
    e->found.files++;
  }
  text_free(&path);
  text_free(&file);
}

reachable reachable_find(const char *root, const char *forbidding)
{
  explorer e = {.root = root, .found.forbidding = forbidding};
  add_target(&e, "/");
  for (uint32_t i = 0; i < e.found.count; i++)
    visit(&e, e.found.targets[i]);
  free(e.slots);
  return e.found;
}

void reachable_free(reachable *r)
{
  for (uint32_t i = 0; i < r->count; i++)
    free(r->targets[i]);
  free(r->targets);
  *r = (reachable){0};
}

bool reachable_is_forbidden(const reachable *r, const char *target)
{
  return r->forbidding && strncmp(target, r->forbidding, strlen(r->forbidding)) == 0;
}

uint32_t reachable_index(const reachable *r, const char *target)
{
  for (uint32_t i = 0; i < r->count; i++)
    if (strcmp(r->targets[i], target) == 0)
      return i;
  return UINT32_MAX;
}
