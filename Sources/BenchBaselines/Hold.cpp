#include "BenchBaselines.h"

#include <functional>
#include <queue>
#include <vector>

namespace {

struct Payload {
  uint64_t first, second;
};

struct Key {
  int64_t time;
  // phase << 60 | target << 30 | source
  uint64_t order;
  uint32_t sequence;
  uint32_t slot;

  bool operator>(const Key &other) const {
    if (time != other.time) return time > other.time;
    if (order != other.order) return order > other.order;
    return sequence > other.sequence;
  }
};

struct Whole {
  Key key;
  Payload payload;

  bool operator>(const Whole &other) const { return key > other.key; }
};

struct State {
  uint64_t words[8];
};

uint64_t draw(uint64_t &state) {
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

struct BenchHold {
  const int64_t *delays;
  uint64_t mask, place = 0, random = 3;
  std::vector<uint32_t> sequences;
  std::vector<State> states;

  BenchHold(bool touchesState, uint64_t entities, const int64_t *delays, uint64_t mask)
      : delays(delays), mask(mask), sequences(entities), states(touchesState ? entities : 0) {}
  virtual ~BenchHold() = default;
  virtual uint64_t run(uint64_t count) = 0;

  int64_t delay() { return delays[place++ & mask]; }

  Key key(int64_t time, uint64_t source, uint64_t target, uint32_t slot) {
    return {time, uint64_t(1) << 60 | target << 30 | source, sequences[source]++, slot};
  }

  // Handles an event for an entity and says where the next one goes.
  uint64_t handle(uint64_t entity, uint64_t first) {
    if (states.empty()) return entity;
    State &state = states[entity];
    for (uint64_t &word : state.words) word += first;
    return (draw(random) >> 32) * states.size() >> 32;
  }
};

namespace {

struct HoldWhole final : BenchHold {
  std::priority_queue<Whole, std::vector<Whole>, std::greater<Whole>> queue;

  using BenchHold::BenchHold;

  void fill(uint64_t pending) {
    for (uint64_t i = 0; i < pending; i++) {
      uint64_t entity = i % sequences.size();
      queue.push({key(delay(), entity, entity, 0), {i, 0}});
    }
  }

  uint64_t run(uint64_t count) override {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
      Whole event = queue.top();
      queue.pop();
      uint64_t target = event.key.order >> 30 & 0x3FFFFFFF;
      sum = sum * 31 + uint64_t(event.key.time) + target;
      uint64_t next = handle(target, event.payload.first);
      event.key = key(event.key.time + delay(), target, next, 0);
      queue.push(event);
    }
    return sum;
  }
};

struct HoldSlab final : BenchHold {
  std::priority_queue<Key, std::vector<Key>, std::greater<Key>> queue;
  std::vector<Payload> slab;
  std::vector<uint32_t> free;

  using BenchHold::BenchHold;

  void fill(uint64_t pending) {
    slab.resize(pending);
    for (uint64_t i = 0; i < pending; i++) {
      uint64_t entity = i % sequences.size();
      slab[i] = {i, 0};
      queue.push(key(delay(), entity, entity, uint32_t(i)));
    }
  }

  uint64_t run(uint64_t count) override {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
      Key event = queue.top();
      queue.pop();
      Payload payload = slab[event.slot];
      free.push_back(event.slot);
      uint64_t target = event.order >> 30 & 0x3FFFFFFF;
      sum = sum * 31 + uint64_t(event.time) + target;
      uint64_t next = handle(target, payload.first);
      uint32_t slot = free.back();
      free.pop_back();
      slab[slot] = payload;
      queue.push(key(event.time + delay(), target, next, slot));
    }
    return sum;
  }
};

}  // namespace

BenchHold *bench_hold_make(int inSlab, int touchesState, uint64_t pending, uint64_t entities,
                           const int64_t *delays, uint64_t mask) {
  if (inSlab) {
    auto *hold = new HoldSlab(touchesState, entities, delays, mask);
    hold->fill(pending);
    return hold;
  }
  auto *hold = new HoldWhole(touchesState, entities, delays, mask);
  hold->fill(pending);
  return hold;
}

uint64_t bench_hold_run(BenchHold *hold, uint64_t count) { return hold->run(count); }

void bench_hold_free(BenchHold *hold) { delete hold; }
