// malloc and its kin of this program, counted, and what the machine counts.
#define _GNU_SOURCE
#include "BenchBaselines.h"

#include <time.h>

double bench_cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#if defined(__linux__)
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int64_t bench_instructions(void) {
  // -2: not opened yet.
  static int file = -2;
  if (file == -2) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  }
  int64_t count;
  if (file < 0 || read(file, &count, sizeof count) != sizeof count) return -1;
  return count;
}
#else
int64_t bench_instructions(void) { return -1; }
#endif

#if defined(__GLIBC__)
#include <errno.h>
#include <malloc.h>

// glibc's own names for what is replaced here.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static int64_t allocations, live, peak;

static void *counted(void *memory) {
  if (memory) {
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    int64_t size = (int64_t)malloc_usable_size(memory);
    int64_t now = __atomic_add_fetch(&live, size, __ATOMIC_RELAXED);
    // Exact on one thread, which is all that is measured.
    if (now > __atomic_load_n(&peak, __ATOMIC_RELAXED)) {
      __atomic_store_n(&peak, now, __ATOMIC_RELAXED);
    }
  }
  return memory;
}

static void forget(void *memory) {
  if (memory) {
    __atomic_sub_fetch(&live, (int64_t)malloc_usable_size(memory), __ATOMIC_RELAXED);
  }
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *memory, size_t size) {
  forget(memory);
  return counted(__libc_realloc(memory, size));
}

void *memalign(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

void free(void *memory) {
  forget(memory);
  __libc_free(memory);
}

BenchHeap bench_heap(void) {
  BenchHeap heap = {allocations, live, peak};
  return heap;
}

void bench_heap_reset_peak(void) { peak = live; }
#else
BenchHeap bench_heap(void) {
  BenchHeap heap = {-1, -1, -1};
  return heap;
}

void bench_heap_reset_peak(void) {}
#endif
