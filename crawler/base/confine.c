/* See confine.h. The calls and structs are those of linux/landlock.h, written out: Debian 12's knows the first two
 * versions only, and a kernel refuses what is newer than itself, so that each right is masked by its version. */
#include "crawler/base/confine.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { VERSION_MAX = 6, VERSION_FLAG = 1, PATH_BENEATH = 1 };

/* LANDLOCK_ACCESS_FS_... */
enum {
  EXECUTE = 1 << 0,
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_DIR = 1 << 3,
  REMOVE_DIR = 1 << 4,
  REMOVE_FILE = 1 << 5,
  MAKE_DIR = 1 << 7,
  MAKE_REG = 1 << 8,
  REFER = 1 << 13,     /* version 2: rename from one directory to another */
  TRUNCATE = 1 << 14,  /* 3 */
  IOCTL_DEV = 1 << 15, /* 5 */
  OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV, /* all others are of directories */
  READING = READ_FILE | READ_DIR,
  WRITING = READING | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER,
};

/* struct landlock_ruleset_attr; zeros behind what a kernel knows do not disturb it */
typedef struct ruleset {
  uint64_t files;
  uint64_t net;    /* since 4: bit 0 is to bind TCP sockets, which listening needs */
  uint64_t scopes; /* since 6: bit 0 abstract sockets, bit 1 signals */
} ruleset;

/* struct landlock_path_beneath_attr */
typedef struct __attribute__((packed)) rule {
  uint64_t allowed;
  int32_t parent;
} rule;

/* What libraries open while a crawl runs. Places that a system does not have are passed over. */
static const char *const places[] = {
  "/usr",
  "/lib",
  "/lib32",
  "/lib64",
  "/nix/store",
  "/gnu/store", /* NSS modules, charsets, certificates */
  "/etc",
  "/run/systemd",
  "/run/NetworkManager",
  "/run/resolvconf",
  "/run/connman", /* names of hosts */
  "/var/db",
  "/var/lib/misc",
  "/var/lib/sss",
  "/var/lib/samba",
  "/var/lib/libvirt/dnsmasq", /* ... by NSS modules */
  "/proc",
  "/sys/devices/system",
  "/dev/null",
  "/dev/urandom",
  "/dev/random",
};

/* These are replaced by renaming, so that it is their directory that must be allowed, wherever links to them lead. */
static const char *const replaced[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf"};

/* Paths, with colons between: of modules of libraries, of certificates, of aliases of hosts. */
static const char *const lists[] = {"LD_LIBRARY_PATH", "GCONV_PATH",      "SSL_CERT_DIR",
                                    "OPENSSL_MODULES", "OPENSSL_ENGINES", "HOSTALIASES"};

int confine_version(void)
{
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_FLAG);
  return version < 0 ? 0 : version < VERSION_MAX ? (int)version : VERSION_MAX;
}

static ruleset all_of(int version)
{
  enum { FILES_1 = 13 }; /* rights in version 1 */
  int files = version < 4 ? FILES_1 + version - 1 : version < 5 ? 15 : 16;
  return (ruleset){.files = (UINT64_C(1) << files) - 1, .net = version >= 4, .scopes = version >= 6 ? 3 : 0};
}

/* Returns a descriptor of `path`, or -1. */
static int allow(int rules, const ruleset *known, const char *path, uint64_t rights)
{
  struct stat info;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) != 0)
    return fd;
  const rule r = {.allowed = rights & known->files & (S_ISDIR(info.st_mode) ? UINT64_MAX : OF_FILES), .parent = fd};
  if (syscall(SYS_landlock_add_rule, rules, PATH_BENEATH, &r, 0) == 0)
    return fd;
  close(fd);
  return -1;
}

static void allow_one(int rules, const ruleset *known, const char *path, uint64_t rights)
{
  int fd = allow(rules, known, path, rights);
  if (fd >= 0)
    close(fd);
}

static void allow_reading(int rules, const ruleset *known, const char *path)
{
  allow_one(rules, known, path, READING);
}

static void allow_list(int rules, const ruleset *known, const char *list)
{
  char path[PATH_MAX];
  for (size_t size; list && *list; list += size + (list[size] == ':')) {
    size = strcspn(list, ":");
    snprintf(path, sizeof path, "%.*s", size < sizeof path ? (int)size : 0, list);
    allow_reading(rules, known, path);
  }
}

static void allow_all_reading(int rules, const ruleset *known, const char *const named[], size_t count)
{
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    allow_reading(rules, known, places[i]);
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    if (realpath(replaced[i], path) && strrchr(path, '/') != path)
      allow_reading(rules, known, dirname(path));
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    allow_list(rules, known, getenv(lists[i]));
  for (size_t i = 0; i < count; i++)
    if (named[i])
      allow_reading(rules, known, named[i]);
}

bool confine(int version, const char *own, const char *const named[], size_t count, const char *const written[],
             size_t written_count)
{
  const ruleset known = all_of(version);
  long made = version > 0 ? syscall(SYS_landlock_create_ruleset, &known, sizeof known, 0) : -1;
  if (made < 0)
    return false;
  int rules = (int)made;
  /* it stays open: on some file systems (9p) a directory that nobody has open comes back as another inode, for which
   * the rule would not hold */
  int fd = allow(rules, &known, own, WRITING);
  allow_all_reading(rules, &known, named, count);
  for (size_t i = 0; i < written_count; i++)
    if (written[i])
      allow_one(rules, &known, written[i], READ_FILE | WRITE_FILE | TRUNCATE | MAKE_REG | REMOVE_FILE);
  bool is_confined = fd >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                     syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  if (!is_confined && fd >= 0)
    close(fd);
  return is_confined;
}
