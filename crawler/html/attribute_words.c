/* See attribute_words.h. links.c asks. */
#include "crawler/html/attribute_words.h"

#include "crawler/base/chars.h"

#include <string.h>

bool words_equal(const char *text, size_t size, const char *word)
{
  size_t i = 0;
  while (i < size && word[i] && lower(text[i]) == word[i])
    i++;
  return i == size && !word[i];
}

/* The next word of [*at, end) into [begin, *at); false past the last. */
static bool next_word(const char **begin, const char **at, const char *end, const char *separators,
                      size_t separator_count)
{
  while (*at < end && memchr(separators, **at, separator_count))
    (*at)++;
  *begin = *at;
  while (*at < end && !memchr(separators, **at, separator_count))
    (*at)++;
  return *at > *begin;
}

/* The link types of the standard that make a hyperlink of <link>, those of HTML 4.01, and two in wide use. */
static const char *const page_rels[] = {
  "alternate", "amphtml",   "appendix",  "author",   "bookmark",   "canonical", "chapter",
  "contents",  "copyright", "first",     "glossary", "help",       "home",      "index",
  "last",      "license",   "me",        "next",     "prev",       "previous",  "privacy-policy",
  "search",    "section",   "shortlink", "start",    "subsection", "tag",       "terms-of-service",
  "toc",       "top",       "up",
};

/* What a page needs besides style sheets. Of preconnect and dns-prefetch nothing is loaded. */
static const char *const asset_rels[] = {
  "icon",     "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "manifest", "modulepreload", "preload",
  "prefetch", "image_src",
};

static unsigned rel_word(const char *word, size_t size)
{
  if (words_equal(word, size, "nofollow"))
    return REL_NOFOLLOW;
  if (words_equal(word, size, "stylesheet"))
    return REL_STYLESHEET | REL_ASSET;
  for (size_t i = 0; i < sizeof asset_rels / sizeof *asset_rels; i++)
    if (words_equal(word, size, asset_rels[i]))
      return REL_ASSET;
  for (size_t i = 0; i < sizeof page_rels / sizeof *page_rels; i++)
    if (words_equal(word, size, page_rels[i]))
      return words_equal(word, size, "canonical") ? REL_PAGE | REL_CANONICAL : REL_PAGE;
  return 0;
}

unsigned words_rel(const char *value, size_t size)
{
  unsigned rel = 0;
  const char *word, *at = value, *end = value + size;
  while (next_word(&word, &at, end, " \t\n\f\r", 5))
    rel |= rel_word(word, (size_t)(at - word));
  return rel;
}

void words_robots(const char *content, size_t size, bool *nofollow, bool *noindex)
{
  const char *word, *at = content, *end = content + size;
  while (next_word(&word, &at, end, ", \t\n\f\r", 6)) {
    size_t word_size = (size_t)(at - word);
    bool is_none = words_equal(word, word_size, "none");
    *nofollow |= is_none || words_equal(word, word_size, "nofollow");
    *noindex |= is_none || words_equal(word, word_size, "noindex");
  }
}
