/* A stranger's plugin on the frontier library, with names that the library has inside: they are the plugin's own. */
#include <frontier/frontier.h>

int store_open(void);
int frontier_fail(void);
int plugin_run(void);

int store_open(void)
{
  return 40;
}

int frontier_fail(void)
{
  return 2;
}

int plugin_run(void)
{
  return frontier_abi() == FRONTIER_ABI ? store_open() + frontier_fail() : 0;
}
