/* See definition.h. */
#include "crawler/cluster/definition.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void definition_put(definition *d, const char *name, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  size_t room = sizeof d->text - d->size;
  int size = snprintf(d->text + d->size, room, "%s ", name);
  if (size > 0 && (size_t)size < room) {
    int more = vsnprintf(d->text + d->size + size, room - (size_t)size, format, arguments);
    size = more < 0 ? more : size + more;
  }
  va_end(arguments);
  if (size < 0 || (size_t)size + 1 >= room) {
    d->is_cut = true;
    d->text[d->size] = '\0';
    return;
  }
  d->size += (size_t)size;
  d->text[d->size++] = '\n';
  d->text[d->size] = '\0';
}

bool definition_get(const char *text, const char *name, char *value, size_t room)
{
  size_t name_size = strlen(name);
  while (*text) {
    size_t line = strcspn(text, "\n");
    if (line > name_size && text[name_size] == ' ' && memcmp(text, name, name_size) == 0) {
      size_t size = line - name_size - 1;
      if (size >= room)
        return false;
      memcpy(value, text + name_size + 1, size);
      value[size] = '\0';
      return true;
    }
    text += line + (text[line] == '\n');
  }
  return false;
}

/* Each line of `ours` stands in `theirs`. */
static bool are_in(const char *ours, const char *theirs, bool is_swapped, char message[DEFINITION_MESSAGE])
{
  char name[64], mine[128] = "", other[128];
  while (*ours) {
    other[0] = mine[0] = '\0';
    size_t line = strcspn(ours, "\n"), size = strcspn(ours, " ");
    if (*ours != '.' && size < line && size < sizeof name) {
      memcpy(name, ours, size);
      name[size] = '\0';
      bool is_known = definition_get(ours, name, mine, sizeof mine);
      if (!is_known || !definition_get(theirs, name, other, sizeof other) || strcmp(mine, other) != 0) {
        const char *begun = is_swapped ? mine : other, *asked = is_swapped ? other : mine;
        bool is_option = strcmp(name, "seeds") != 0; /* these may be words of their own */
        snprintf(message, DEFINITION_MESSAGE, "%s%s: the crawl was begun with %.80s, and this is %.80s",
                 is_option ? "--" : "", is_option ? name : "start URLs", *begun ? begun : "another version of strata",
                 *asked ? asked : "another version of strata");
        return false;
      }
    }
    ours += line + (ours[line] == '\n');
  }
  return true;
}

bool definition_agrees(const char *theirs, const char *ours, char message[DEFINITION_MESSAGE])
{
  return are_in(ours, theirs, false, message) && are_in(theirs, ours, true, message);
}
