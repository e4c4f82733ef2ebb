// What firstframe-bench measures itself against, and what it needs of the C library. None of it is
// linked into another program.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The hold model on std::priority_queue with the kernel's full order: time, phase, target, source,
// sequence. Events have 16 bytes of payload. Delays are taken from `delays` in turn; `mask` is its
// length, a power of two, less one.
typedef struct BenchHold BenchHold;

// `inSlab`: the heap moves 24-byte keys and payloads stay in a slab; otherwise it moves events.
// `touchesState`: each event goes to a random entity and changes its 64 bytes of state.
BenchHold *bench_hold_make(int inSlab, int touchesState, uint64_t pending, uint64_t entities,
                           const int64_t *delays, uint64_t mask);
// Handles `count` events and returns a sum over their times and targets, in order.
uint64_t bench_hold_run(BenchHold *hold, uint64_t count);
void bench_hold_free(BenchHold *hold);

// Misses of an LRU cache of `capacity` objects: std::list and std::unordered_map.
uint64_t bench_lru_misses(const uint32_t *objects, uint64_t count, uint64_t capacity);

// What malloc and its kin did so far; -1 where the C library is not glibc.
typedef struct {
  int64_t allocations, liveBytes, peakBytes;
} BenchHeap;
BenchHeap bench_heap(void);
// Makes the present size the peak.
void bench_heap_reset_peak(void);

// Instructions of this process in user mode; -1 when the machine does not count them.
int64_t bench_instructions(void);

// CPU time of this process, seconds.
double bench_cpu_seconds(void);

#ifdef __cplusplus
}
#endif
