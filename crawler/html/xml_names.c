/* See xml_names.h. links.c asks for the name of each tag of XHTML. */
#include "crawler/html/xml_names.h"

#include <assert.h>
#include <string.h>

static const char xmlns[] = "xmlns";
enum { XMLNS = sizeof xmlns - 1 };

bool xml_names_is_declaration(const char *attribute, size_t size)
{
  return size >= XMLNS && memcmp(attribute, xmlns, XMLNS) == 0 && (size == XMLNS || attribute[XMLNS] == ':');
}

static bool is_prefix(const char *known, const char *prefix, size_t size)
{
  return strlen(known) == size && memcmp(known, prefix, size) == 0;
}

bool xml_names_has(const xml_names *names, const char *prefix, size_t size)
{
  for (size_t i = 0; size && i < XML_NAMES_PREFIXES; i++)
    if (is_prefix(names->prefixes[i], prefix, size))
      return true;
  return !size && !names->is_default_other;
}

static void bind_prefix(xml_names *names, const char *prefix, size_t size, bool is_html)
{
  for (size_t i = 0; i < XML_NAMES_PREFIXES; i++)
    if (is_prefix(names->prefixes[i], prefix, size))
      *names->prefixes[i] = '\0';
  for (size_t i = 0; is_html && size <= XML_NAMES_PREFIX && i < XML_NAMES_PREFIXES; i++)
    if (!*names->prefixes[i]) {
      memcpy(names->prefixes[i], prefix, size);
      names->prefixes[i][size] = '\0';
      return;
    }
}

void xml_names_declare(xml_names *names, const char *attribute, size_t attribute_size, bool is_root, const char *value,
                       size_t size)
{
  assert(xml_names_is_declaration(attribute, attribute_size));
  bool is_html = size == sizeof XML_NAMES_HTML - 1 && memcmp(value, XML_NAMES_HTML, size) == 0;
  if (attribute_size > XMLNS + 1)
    bind_prefix(names, attribute + XMLNS + 1, attribute_size - XMLNS - 1, is_html);
  else if (is_root || is_html)
    names->is_default_other = !is_html;
}
