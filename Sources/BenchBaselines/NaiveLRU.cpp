#include "BenchBaselines.h"

#include <list>
#include <unordered_map>

uint64_t bench_lru_misses(const uint32_t *objects, uint64_t count, uint64_t capacity) {
  std::list<uint32_t> recent;
  std::unordered_map<uint32_t, std::list<uint32_t>::iterator> places;
  uint64_t misses = 0;
  for (uint64_t i = 0; i < count; i++) {
    auto found = places.find(objects[i]);
    if (found != places.end()) {
      recent.splice(recent.begin(), recent, found->second);
      continue;
    }
    misses++;
    if (places.size() == capacity) {
      places.erase(recent.back());
      recent.pop_back();
    }
    recent.push_front(objects[i]);
    places[objects[i]] = recent.begin();
  }
  return misses;
}
