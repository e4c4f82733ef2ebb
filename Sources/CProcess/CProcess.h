#ifndef FIRSTFRAME_CPROCESS_H
#define FIRSTFRAME_CPROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
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

/// The pointers to `count` texts that stand one behind the other, each with its zero, and a null
/// behind them; null where there is no memory. For free().
static inline char **process_texts(const char *texts, size_t count) {
  char **pointers = calloc(count + 1, sizeof(char *));
  for (size_t index = 0; pointers != NULL && index < count; index++) {
    pointers[index] = (char *)texts;
    texts += strlen(texts) + 1;
  }
  return pointers;
}

/// Begins a program that is looked for on PATH: with no signal blocked, those that this process may
/// ignore heard, and where wanted in a group of its own, so that what it begins can be ended with
/// it. Words and variables stand one behind the other, each with its zero; the first word is the
/// program. 0, or the number of an error.
static inline int process_start(pid_t *pid, const posix_spawn_file_actions_t *actions,
                                int in_own_group, const char *words, size_t word_count,
                                const char *variables, size_t variable_count) {
  static const int heard[] = {SIGINT, SIGTERM, SIGPIPE, SIGHUP};
  posix_spawnattr_t attributes;
  sigset_t set;
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  int code = posix_spawnattr_init(&attributes);
  if (code != 0) return code;
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&attributes, &set);
  for (size_t index = 0; index < sizeof heard / sizeof *heard; index++)
    sigaddset(&set, heard[index]);
  posix_spawnattr_setsigdefault(&attributes, &set);
  if (in_own_group) {
    posix_spawnattr_setpgroup(&attributes, 0);
    flags |= POSIX_SPAWN_SETPGROUP;
  }
  posix_spawnattr_setflags(&attributes, flags);
  char **arguments = process_texts(words, word_count);
  char **environment = process_texts(variables, variable_count);
  code = arguments == NULL || environment == NULL
             ? ENOMEM
             : posix_spawnp(pid, words, actions, &attributes, arguments, environment);
  free(arguments);
  free(environment);
  posix_spawnattr_destroy(&attributes);
  return code;
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
