// What Embedded Swift code expects of a C library, for a WebAssembly module that has none: memory,
// the rounding of numbers, and products of 128 bits. A module that is linked with it imports
// nothing. It has one thread.

typedef __SIZE_TYPE__ size_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef unsigned __int128 uint128;

extern unsigned char __heap_base;

// Blocks come in sizes of powers of two and three steps between each two, so that at most a fifth
// of one is not used; those that were given back are lists by size, and are used again for the same
// size alone.
enum { CLASSES = 4 * 32, PAGE = 65536 };

struct Header {
  uint32_t class;
  uint32_t before; // bytes from the block's begin to what was given out
  uint32_t pad[2];
};

struct Free {
  struct Free *next;
};

static struct Free *lists[CLASSES];
static size_t next, end;

static uint32_t class_of(size_t size) {
  if (size < 32) size = 32;
  uint32_t power = 31 - (uint32_t)__builtin_clz((uint32_t)size - 1); // 2^power < size, at least 16
  uint32_t quarter = (uint32_t)((size - 1) >> (power - 2)) & 3;
  return 4 * power + quarter;
}

static size_t size_of(uint32_t class) {
  return ((size_t)(class & 3) + 5) << (class / 4 - 2);
}

static void *fresh(size_t size) {
  if (end == 0) {
    next = ((size_t)&__heap_base + 15) & ~(size_t)15;
    end = (size_t)__builtin_wasm_memory_size(0) * PAGE;
  }
  if (size > end - next) {
    size_t pages = (size - (end - next) + PAGE - 1) / PAGE;
    // In steps of an eighth of what there is: growing may copy all of it.
    size_t step = __builtin_wasm_memory_size(0) / 8;
    if (pages < step && __builtin_wasm_memory_grow(0, step) != (size_t)-1) {
      end += step * PAGE;
    } else if (__builtin_wasm_memory_grow(0, pages) != (size_t)-1) {
      end += pages * PAGE;
    } else {
      __builtin_trap();
    }
  }
  void *block = (void *)next;
  next += size;
  return block;
}

__attribute__((export_name("runtime_allocate"))) void *runtime_allocate(size_t size,
                                                                        size_t alignment) {
  if (size > 0x40000000 || alignment > PAGE) __builtin_trap();
  size_t extra = alignment > 16 ? alignment : 0;
  uint32_t class = class_of(size + sizeof(struct Header) + extra);
  unsigned char *block;
  if (lists[class]) {
    block = (unsigned char *)lists[class];
    lists[class] = lists[class]->next;
  } else {
    block = fresh(size_of(class));
  }
  unsigned char *given = block + sizeof(struct Header);
  if (extra) given = (unsigned char *)(((size_t)given + alignment - 1) & ~(alignment - 1));
  struct Header *header = (struct Header *)given - 1;
  header->class = class;
  header->before = (uint32_t)(given - block);
  return given;
}

__attribute__((export_name("runtime_release"))) void runtime_release(void *given) {
  if (!given) return;
  struct Header *header = (struct Header *)given - 1;
  uint32_t class = header->class;
  struct Free *block = (struct Free *)((unsigned char *)given - header->before);
  block->next = lists[class];
  lists[class] = block;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = runtime_allocate(size, alignment);
  return 0;
}

void free(void *block) { runtime_release(block); }

// Seeds of hash tables: the same in every run.
void arc4random_buf(void *buffer, size_t count) { __builtin_memset(buffer, 4, count); }

void *memcpy(void *to, const void *from, size_t count) {
  return __builtin_memcpy(to, from, count);
}

void *memmove(void *to, const void *from, size_t count) {
  return __builtin_memmove(to, from, count);
}

void *memset(void *to, int value, size_t count) { return __builtin_memset(to, value, count); }

int memcmp(const void *a, const void *b, size_t count) {
  const unsigned char *left = a, *right = b;
  for (size_t place = 0; place < count; place += 1) {
    if (left[place] != right[place]) return left[place] - right[place];
  }
  return 0;
}

size_t __stack_chk_guard = 0x5AFE57A7;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

double rint(double x) { return __builtin_rint(x); }
double roundeven(double x) { return __builtin_rint(x); }
double floor(double x) { return __builtin_floor(x); }
double ceil(double x) { return __builtin_ceil(x); }
double trunc(double x) { return __builtin_trunc(x); }

// A half added to the number below it would be rounded up itself: the difference is exact.
__attribute__((export_name("runtime_round"))) double round(double x) {
  double whole = __builtin_trunc(x);
  double rest = __builtin_fabs(x - whole);
  return rest >= 0.5 ? whole + __builtin_copysign(1.0, x) : whole;
}

// A product of 128 bits from four of 64, low word first.
uint128 __multi3(uint128 a, uint128 b) {
  uint64_t aLow = (uint64_t)a, bLow = (uint64_t)b;
  uint64_t aa = aLow >> 32, ab = aLow & 0xFFFFFFFF, ba = bLow >> 32, bb = bLow & 0xFFFFFFFF;
  uint64_t low = ab * bb;
  uint64_t middle = aa * bb + (low >> 32);
  uint64_t second = ab * ba + (middle & 0xFFFFFFFF);
  uint64_t high = aa * ba + (middle >> 32) + (second >> 32);
  high += aLow * (uint64_t)(b >> 64) + (uint64_t)(a >> 64) * bLow;
  union {
    struct {
      uint64_t low, high;
    } words;
    uint128 all;
  } result;
  result.words.low = second << 32 | (low & 0xFFFFFFFF);
  result.words.high = high;
  return result.all;
}

uint128 __ashlti3(uint128 a, int count) {
  union {
    struct {
      uint64_t low, high;
    } words;
    uint128 all;
  } from, to;
  from.all = a;
  if (count >= 64) {
    to.words.low = 0;
    to.words.high = from.words.low << (count - 64);
  } else if (count == 0) {
    return a;
  } else {
    to.words.low = from.words.low << count;
    to.words.high = from.words.high << count | from.words.low >> (64 - count);
  }
  return to.all;
}
