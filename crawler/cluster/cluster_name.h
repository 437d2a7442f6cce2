/* crawler/cluster/cluster_name.h: what --cluster names.
 *
 *     redis://[USER@]HOST:PORT[,HOST:PORT...]/NAME                    one server and its replicas
 *     redis+sentinel://[USER@]HOST:PORT[,HOST:PORT...]/MASTER/NAME    sentinels, asked for the master
 *
 * A port may be left out: 6379, of sentinels 26379. HOST in brackets is an IPv6 address. NAME is of letters, digits,
 * '.', '_' and '-'. A password has no place in it: it would stand in the list of processes. */
#ifndef STRATA_CRAWLER_CLUSTER_NAME_H
#define STRATA_CRAWLER_CLUSTER_NAME_H

#include <stdbool.h>

enum { CLUSTER_HOSTS_MAX = 16, CLUSTER_HOST_SIZE = 254, CLUSTER_WORD_SIZE = 65, CLUSTER_NAME_MESSAGE = 160 };

typedef struct cluster_server {
  char host[CLUSTER_HOST_SIZE];
  int port;
} cluster_server;

typedef struct cluster_name {
  bool is_sentinel;
  char user[CLUSTER_WORD_SIZE]; /* "": the default one */
  cluster_server servers[CLUSTER_HOSTS_MAX];
  int server_count;
  char master[CLUSTER_WORD_SIZE]; /* of sentinels */
  char name[CLUSTER_WORD_SIZE];   /* of the crawl */
} cluster_name;

/* false: `message` says what is wrong, without what may be a password. */
bool cluster_name_read(const char *text, cluster_name *name, char message[CLUSTER_NAME_MESSAGE]);

#endif
