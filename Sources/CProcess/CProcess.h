#ifndef FIRSTFRAME_CPROCESS_H
#define FIRSTFRAME_CPROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>

// Declared by unistd.h for those only who ask for it.
extern int pipe2(int ends[2], int flags);
// The same of spawn.h.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
                                                const char *path);
#endif

/// Makes this process two, which differ in the answer: 0 in the new one, in the old one the number
/// of the new one, or -1. For a process with one thread: no other one is taken along, and what it
/// held stays held.
static inline pid_t process_fork(void) {
#if defined(__linux__)
  return fork();
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// From now on this process is killed when the one that began it ends, or, of one with several
/// threads, the thread that began it; false where the system cannot do that.
static inline int process_ends_with_parent(void) {
#if defined(__linux__)
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
#else
  return 0;
#endif
}

/// What is begun with these actions begins in a folder: 0, or the number of an error.
static inline int process_begins_in(posix_spawn_file_actions_t *actions, const char *folder) {
#if defined(__linux__)
  return posix_spawn_file_actions_addchdir_np(actions, folder);
#else
  return ENOSYS;
#endif
}

/// A pipe whose ends no process inherits that is not given them: 0, or -1.
static inline int process_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC);
#else
  errno = ENOSYS;
  return -1;
#endif
}

#endif
