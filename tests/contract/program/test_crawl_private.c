/* Nobody leads a crawl to an address that is not public: not by a name, by another answer to the same name, by a
 * redirect, or by an odd spelling. In a network of its own (Linux namespaces), where public and private addresses are
 * all this machine's and a name server of the test answers, so that whatever is not refused is reached, and noticed. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/server.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC "93.184.216.34"
#define HTML "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n"

/* Shared by all processes of the test. */
typedef struct seen {
  int trapped;      /* requests that should never have come */
  int rebind_asked; /* times the name server was asked for rebind.example */
  int kept_asked;   /* and for kept.example */
  int kept_again;   /* requests that came on a connection after the first, */
  int kept_private; /* of them, or first ones, to another address than PUBLIC */
} seen;
static seen *shared;
static unsigned port, other_port;

/* ---- a network of our own -------------------------------------------------------------------------------- */

static bool set_address(int fd, const char *interface, const char *address)
{
  struct ifreq request = {0};
  struct sockaddr_in in = {.sin_family = AF_INET};
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
  inet_pton(AF_INET, address, &in.sin_addr);
  memcpy(&request.ifr_addr, &in, sizeof in);
  return ioctl(fd, SIOCSIFADDR, &request) == 0;
}

static bool set_addresses(void)
{
  static const char *const more[] = {PUBLIC, "169.254.169.254", "10.1.2.3", "100.64.0.1", "192.168.7.7"};
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool done = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  for (size_t i = 0; done && i < sizeof more / sizeof *more; i++) {
    char name[16];
    snprintf(name, sizeof name, "lo:%zu", i + 1);
    done = set_address(fd, name, more[i]);
  }
  close(fd);
  return done;
}

/* Another file in place of one in /etc, for the programs of this test only. */
static bool put_over(const char *path, const char *contents)
{
  char temporary[] = "/tmp/strata-etc-XXXXXX";
  int fd = mkstemp(temporary);
  bool done = fd >= 0 && write(fd, contents, strlen(contents)) == (ssize_t)strlen(contents) && fchmod(fd, 0644) == 0 &&
              mount(temporary, path, NULL, MS_BIND, NULL) == 0;
  close(fd);
  unlink(temporary);
  return done;
}

static bool enter_network(void)
{
  return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         put_over("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1\n") &&
         put_over("/etc/hosts", "127.0.0.1 localhost\n") && put_over("/etc/nsswitch.conf", "hosts: files dns\n") &&
         set_addresses();
}

/* ---- the name server -------------------------------------------------------------------------------------- */

/* The address of a name in DNS form, or NULL. rebind.example and kept.example are public when first asked for, and
 * loopback ever after. */
static const char *address_of(const char *name)
{
  if (strcmp(name, "\6public\7example") == 0)
    return PUBLIC;
  if (strcmp(name, "\7private\7example") == 0)
    return "10.1.2.3";
  if (strcmp(name, "\6rebind\7example") == 0)
    return shared->rebind_asked++ == 0 ? PUBLIC : "127.0.0.1";
  if (strcmp(name, "\4kept\7example") == 0)
    return shared->kept_asked++ == 0 ? PUBLIC : "127.0.0.1";
  return NULL;
}

/* RFC 1035: the question comes back, and behind it one address that may not be kept. */
static size_t answer_query(unsigned char *packet, size_t size)
{
  enum { HEAD = 12 };
  size_t end = HEAD + strnlen((char *)packet + HEAD, size - HEAD) + 5;
  if (size < HEAD + 5 || end > size)
    return 0;
  bool is_ipv4 = packet[end - 3] == 1 && packet[end - 4] == 0;
  const char *address = is_ipv4 ? address_of((char *)packet + HEAD) : NULL;
  packet[2] = 0x84;
  packet[3] = 0;
  memset(packet + 6, 0, 6);
  packet[7] = address != NULL;
  if (!address)
    return end;
  static const unsigned char record[] = {0xC0, HEAD, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4};
  memcpy(packet + end, record, sizeof record);
  inet_pton(AF_INET, address, packet + end + sizeof record);
  return end + sizeof record + 4;
}

static pid_t start_names(void)
{
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (bind(fd, (struct sockaddr *)&here, sizeof here) != 0)
    return -1;
  pid_t pid = fork();
  if (pid != 0) {
    close(fd);
    return pid;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    unsigned char packet[1024];
    struct sockaddr_in from;
    socklen_t from_size = sizeof from;
    ssize_t got = recvfrom(fd, packet, 512, 0, (struct sockaddr *)&from, &from_size);
    size_t size = got > 0 ? answer_query(packet, (size_t)got) : 0;
    if (size)
      sendto(fd, packet, size, 0, (struct sockaddr *)&from, from_size);
  }
}

/* ---- the web server --------------------------------------------------------------------------------------- */

static void answer_index(int fd)
{
  /* clang-format off */
  static const char *const hosts[] = {
    "private.example", "localhost", "127.0.0.1", "0x7f.1", "2130706433", "017700000001", "127.1", "0.0.0.0", "[::1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::127.0.0.1]", "[fd00::1]", "[fe80::1]", "169.254.169.254",
    "100.64.0.1", "192.168.7.7", "%31%32%37.0.0.1", "127.0.0.1.",
    "[3fff::1]", "[2001:2::1]", "[5f00::1]", "[100:0:0:1::1]", "[2002:7f00:1::]",
    "\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x97.0.0.1"};
  /* clang-format on */
  text page = {0};
  text_add(&page, HTML "<a href=/fine>x</a><a href=/redirect>x</a>");
  text_addf(&page, "<a href=http://rebind.example:%u/first>x</a><a href=http://kept.example:%u/kept/1>x</a>", port,
            port);
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    text_addf(&page, "<a href='http://%s:%u/trap/%zu'>x</a>", hosts[i], port, i);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static bool is_at_public(int fd)
{
  struct sockaddr_in here = {0};
  socklen_t size = sizeof here;
  struct in_addr public;
  inet_pton(AF_INET, PUBLIC, &public);
  return getsockname(fd, (struct sockaddr *)&here, &size) == 0 && here.sin_addr.s_addr == public.s_addr;
}

/* The next request's head, of which nothing is wanted; false: the other side has closed. */
static bool skip_request(int fd)
{
  char last[4] = {0};
  while (memcmp(last, "\r\n\r\n", 4) != 0) {
    memmove(last, last + 1, 3);
    if (read(fd, last + 3, 1) != 1)
      return false;
  }
  return true;
}

/* Any number of pages on one connection, each leading to the others, and to a port where the name is looked up anew. */
static void answer_kept(int fd)
{
  text body = {0}, page = {0};
  text_addf(&body, "<a href=/kept/2>x</a><a href=/kept/3>x</a><a href=http://kept.example:%u/trap/kept>x</a>",
            other_port);
  text_addf(&page, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n%s", body.size,
            body.bytes);
  do {
    shared->kept_private += !is_at_public(fd);
    raw_send(fd, page.bytes, page.size);
  } while (skip_request(fd) && ++shared->kept_again);
  text_free(&body);
  text_free(&page);
}

static void answer(int fd, const char *target)
{
  text page = {0};
  if (strstr(target, "/trap"))
    shared->trapped++;
  if (strcmp(target, "/") == 0)
    answer_index(fd);
  else if (strncmp(target, "/kept/", 6) == 0)
    answer_kept(fd);
  else if (strcmp(target, "/redirect") == 0)
    text_addf(&page,
              "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n"
              "Location: http://127.0.0.1:%u/trap\r\n\r\n",
              port);
  else if (strcmp(target, "/first") == 0)
    text_addf(&page, HTML "<a href=http://rebind.example:%u/trap>x</a>", other_port);
  else
    text_add(&page, HTML "leaf");
  if (page.size)
    raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static unsigned waiting_traps(trial *t)
{
  const char *const words[] = {"export", "DIR", "--state", "queued", NULL};
  unsigned count = 0;
  assert_int_equal(trial_strata(t, words), 0);
  for (const char *at = t->out.bytes; (at = strstr(at, "/trap")); at++)
    count++;
  return count;
}

static bool is_here;

CASE(a_crawl_among_traps)
{
  if (!is_here) {
    print_message("skipped: no network namespaces here\n");
    skip();
  }
  trial *t = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  pid_t other = raw_start_at(answer, "0.0.0.0", &other_port), server = raw_start_at(answer, "0.0.0.0", &port);
  pid_t names = start_names();
  assert_true(names > 0);
  text url = {0};
  text_addf(&url, "http://public.example:%u/", port);
  const char *const words[] = {"crawl", "--dir",     "DIR", "--delay", "0",   "--ignore-robots", "--tries",
                               "1",     "--timeout", "5",   "--scope", "any", url.bytes,         NULL};
  int code = trial_strata(t, words);
  if (code != 0)
    print_error("%s", t->err.bytes);
  assert_int_equal(code, 0);
  page_log log = pages_read(t->pages);
  assert_int_equal(pages_count(&log), 7); /* /, /fine, /redirect, /first, /kept/1 to 3: a public address is fine */
  for (size_t i = 0; i < pages_count(&log); i++)
    if (strstr(pages_url(&log, i), "/trap") || json_object_get(json_array_get(log.list, i), "error"))
      fail_msg("%s: fetched, or failed", pages_url(&log, i));
  assert_non_null(strstr(t->err.bytes, "Waiting: 28 URLs whose address is not public; --allow-private fetches them\n"));
  assert_int_equal(waiting_traps(t), 28); /* each spelling with its own path, the redirect's target, the names that
                                             changed */
  assert_true(shared->rebind_asked >= 2);
  /* A connection that is used again leads where it led: it is kept by name, but the name is not asked for again. There
   * is none to a refused address, as that is refused before there is a socket. */
  assert_int_equal(shared->kept_again, 2);
  assert_int_equal(shared->kept_private, 0);
  assert_true(shared->kept_asked >= 2); /* /kept/1 and the trap, which the name has led to by then */
  assert_int_equal(shared->trapped, 0);
  pages_free(&log);
  /* and that the traps are traps: whoever allows it gets there */
  char *allowed = trial_path(t, "allowed");
  const char *const reckless[] = {"crawl",           "--dir",   allowed,     "--delay", "0",       "--ignore-robots",
                                  "--tries",         "1",       "--timeout", "5",       "--scope", "any",
                                  "--allow-private", url.bytes, NULL};
  assert_int_equal(trial_strata(t, reckless), 0);
  assert_true(shared->trapped > 10);
  free(allowed);
  text_free(&url);
  process_kill(names);
  process_kill(server);
  process_kill(other);
  trial_close(t);
}

static int prepare(void **state)
{
  (void)state;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  is_here = shared != MAP_FAILED && enter_network();
  return 0;
}

EACH_CASE(prepare, NULL)
