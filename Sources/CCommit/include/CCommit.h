// The commit that the program was built from.
#ifndef FIRSTFRAME_CCOMMIT_H
#define FIRSTFRAME_CCOMMIT_H

// The commit as hexadecimal digits, with "-changed" behind them when files differed from it; empty
// in a build that was not told of one. `Package.swift` takes it from the variable FIRSTFRAME_COMMIT.
const char *firstframe_commit(void);

#endif
