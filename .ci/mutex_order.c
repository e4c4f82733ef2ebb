// Tells the thread sanitizer of the order that a contended Mutex of Swift's Synchronization makes.
//
// The slow paths of that lock stand in the toolchain's library, which is not built with the
// sanitizer, so that every Mutex for which two threads wait is reported as a race. Preloaded, this
// stands before the two calls and says what they do. Where a toolchain has other names for them,
// nothing here is called.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Weak: programs that a test starts may be without the sanitizer.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slow(uint32_t owner, SELF) __asm__(LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t owner, SELF) {
  SWIFT void (*call)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  call(owner, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
  if (__tsan_release) __tsan_release(self);
  SWIFT void (*call)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  call(self);
}
