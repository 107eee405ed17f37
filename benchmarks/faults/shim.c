/* Loaded before libc (LD_PRELOAD): counts the calls by which a process changes files below one folder,
   and, apart from them, those by which it opens and reads them; lets the n-th of one sort fail, or be the last. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, KILL, TORN, FULL, BROKEN, UNREAD };
static int kind = -1;
static long at, calls, asked;
static char below[4096];

void faults_arm(int which, long number, const char *folder) {
  at = number;
  calls = asked = 0;
  snprintf(below, sizeof below, "%s", folder);
  kind = which;
}

long faults_calls(void) { return calls; }
long faults_asked(void) { return asked; }

static int watched(int fd) {
  char link[64], path[4096];
  if (kind < 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strncmp(path, below, strlen(below)) == 0;
}

static int named(const char *path) { return kind >= 0 && strncmp(path, below, strlen(below)) == 0; }

/* Whether this call is to fail, with errno set; does not come back where the process ends here.
   Giving room back (`frees`) works on a full disk, too. */
static int struck(int frees) {
  long number = ++calls;
  if (kind == KILL && number == at) kill(getpid(), SIGKILL);
  if (kind == FULL && number >= at && !frees) { errno = ENOSPC; return 1; }
  if (kind == BROKEN && number == at) { errno = EIO; return 1; }
  return 0;
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define WRITING(name, signature, arguments, half)                       \
  ssize_t name signature {                                              \
    NEXT(name);                                                         \
    if (watched(fd)) {                                                  \
      if (struck(0)) return -1;                                         \
      if (kind == TORN && calls == at) { half; kill(getpid(), SIGKILL); } \
    }                                                                   \
    return next arguments;                                              \
  }

WRITING(write, (int fd, const void *data, size_t size), (fd, data, size), next(fd, data, size / 2))
WRITING(pwrite, (int fd, const void *data, size_t size, off_t where), (fd, data, size, where), next(fd, data, size / 2, where))
WRITING(pwrite64, (int fd, const void *data, size_t size, off64_t where), (fd, data, size, where), next(fd, data, size / 2, where))

#define PLAIN(name, signature, arguments, seen, frees)                  \
  int name signature {                                                  \
    NEXT(name);                                                         \
    if ((seen) && (struck(frees) || (kind == TORN && calls == at && kill(getpid(), SIGKILL)))) return -1; \
    return next arguments;                                              \
  }

PLAIN(fsync, (int fd), (fd), watched(fd), 1)
PLAIN(fdatasync, (int fd), (fd), watched(fd), 1)
PLAIN(ftruncate, (int fd, off_t size), (fd, size), watched(fd), 1)
PLAIN(ftruncate64, (int fd, off64_t size), (fd, size), watched(fd), 1)
PLAIN(unlink, (const char *path), (path), named(path), 1)
PLAIN(rename, (const char *from, const char *to), (from, to), named(to), 1)

static int unread(void) {
  if (++asked == at && kind == UNREAD) { errno = EIO; return 1; }
  return 0;
}

#define READING(name, signature, arguments)                             \
  ssize_t name signature {                                              \
    NEXT(name);                                                         \
    if (watched(fd) && unread()) return -1;                             \
    return next arguments;                                              \
  }

READING(read, (int fd, void *data, size_t size), (fd, data, size))
READING(pread, (int fd, void *data, size_t size, off_t where), (fd, data, size, where))
READING(pread64, (int fd, void *data, size_t size, off64_t where), (fd, data, size, where))

#define OPENING(name)                                                   \
  int name(const char *path, int flags, ...) {                          \
    NEXT(name);                                                         \
    mode_t mode = 0;                                                    \
    if (flags & (O_CREAT | O_TMPFILE)) {                                \
      va_list more;                                                     \
      va_start(more, flags);                                            \
      mode = va_arg(more, mode_t);                                      \
      va_end(more);                                                     \
    }                                                                   \
    if (named(path) && unread()) return -1;                             \
    return next(path, flags, mode);                                     \
  }

OPENING(open)
OPENING(open64)
