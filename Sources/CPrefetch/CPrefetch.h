#ifndef FIRSTFRAME_CPREFETCH_H
#define FIRSTFRAME_CPREFETCH_H

/// Asks the processor to bring the cache line at an address into its caches. Never faults, and
/// changes nothing that a program can see.
static inline void cache_prefetch(const void *address) {
  __builtin_prefetch(address, 0, 3);
}

#endif
