/* A program on the frontier library that loads a plugin: stranger_host PLUGIN. What the plugin calls by its own names
 * is its own, though the library came first. */
#include <frontier/frontier.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
  int (*run)(void);
  void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  void *found = plugin ? dlsym(plugin, "plugin_run") : NULL;
  if (!found || frontier_abi() != FRONTIER_ABI) {
    fprintf(stderr, "%s\n", plugin ? "no plugin_run" : dlerror());
    return 1;
  }
  memcpy(&run, &found, sizeof run);
  int answer = run();
  printf("the plugin answers %d\n", answer);
  return answer != 42;
}
