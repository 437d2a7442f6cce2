/* The list of `strata stat --traps`: hosts with probable trap URLs, those with most first, the directories that most of
 * the waiting ones are in, and examples; and the directories whose pages nearly all say the same (loop/suspects.h). */
#ifndef STRATA_CRAWLER_TRAP_LIST_H
#define STRATA_CRAWLER_TRAP_LIST_H

#include "crawler/base/json.h"
#include "frontier/traps.h"
#include "mlbf/count.h"

enum { TRAP_HOSTS = 100, TRAP_EXAMPLES = 5, TRAP_DIRECTORIES = 3, TRAP_SUSPECTS = 100 };

typedef struct trap_directory {
  char *name;       /* "/cal/", or "/list?" */
  uint64_t id;      /* frontier_trapped.directory */
  uint32_t waiting; /* URLs below it; 65535: or more */
} trap_directory;

typedef struct trap_host {
  char *name;
  uint64_t waiting, taken;
  uint64_t found, suspect;
  trap_directory directories[TRAP_DIRECTORIES]; /* those with most, the most first */
  unsigned directory_count;
  char *examples[TRAP_EXAMPLES];
  unsigned example_count;
} trap_host;

typedef struct trap_list {
  uint64_t hosts, waiting, taken; /* of all hosts */
  trap_host list[TRAP_HOSTS];     /* the first of them */
  unsigned count;
  uint64_t suspects;                  /* directories whose pages nearly all say the same */
  char *suspect_names[TRAP_SUSPECTS]; /* the first of them: "a.org/lost/" */
  mlbf_count *below;                  /* URLs that wait, by directory; while they are read */
  bool failed;                        /* out of memory */
} trap_list;

/* Reads the hosts, the URLs that wait, and of those that were taken as many as it takes. FRONTIER_OK, or what the
 * frontier said. */
frontier_status trap_list_read(frontier *f, trap_list *traps);
void trap_list_free(trap_list *traps);

void trap_list_print(const trap_list *traps); /* on stdout */
void trap_list_json(const trap_list *traps, json *out);

#endif
