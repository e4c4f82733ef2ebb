// In C because a target's setting carries text to C alone; and in a target of its own, so that
// another commit compiles this file and Reports, which imports it, again, and nothing above.
#include "CCommit.h"

#define TEXT_OF(words) #words
#define TEXT(name) TEXT_OF(name)

const char *firstframe_commit(void) {
#ifdef FIRSTFRAME_COMMIT
  return TEXT(FIRSTFRAME_COMMIT);
#else
  return "";
#endif
}
