#ifndef FIRSTFRAME_CHEAP_H
#define FIRSTFRAME_CHEAP_H

#include <stdint.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#endif

/// Bytes of a large page where there are any (x86-64, and arm64 with pages of 4 KiB).
static const int64_t heap_large_page = 2 << 20;

/// Gives every thread memory from one heap, the only one that can be reserved. Threads that have
/// asked for memory before keep to the heap they have.
static inline void heap_share(void) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}

/// Reserves the heap's next bytes and asks the kernel for large pages behind them; nothing is used
/// before it is written to. What is free afterwards stays with the process. Where there are no large
/// pages, small ones are reserved.
static inline void heap_reserve(int64_t bytes) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
  void *memory = malloc((size_t)bytes);
  if (!memory) return;
  int64_t from = ((int64_t)memory + heap_large_page - 1) & ~(heap_large_page - 1);
  int64_t to = ((int64_t)memory + bytes) & ~(heap_large_page - 1);
  if (from < to) madvise((void *)from, (size_t)(to - from), MADV_HUGEPAGE);
  free(memory);
#else
  (void)bytes;
#endif
}

#endif
