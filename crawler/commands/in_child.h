/* A command in a child process: a file that is cut short or changed while it is mapped ends the process that reads it
 * with a signal, and that is then the child, so the parent can say so. */
#ifndef STRATA_CRAWLER_IN_CHILD_H
#define STRATA_CRAWLER_IN_CHILD_H

typedef int in_child_command(int argc, char **argv);

/* Its exit code; EXIT_FAILED after one sentence on stderr if it died of what it read. Standard streams are shared.
 * Signals from outside end both: Ctrl-C goes to both, and the child dies with its parent, which dies of what the child
 * died of. Called before any thread is started. */
int in_child(in_child_command *run, int argc, char **argv);

#endif
