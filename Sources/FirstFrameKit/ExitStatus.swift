import SimulationKernel

/// The exit codes (contract.md section 2).
enum ExitStatus {
  static let success: Int32 = 0
  static let internalError: Int32 = 1
  static let failed: Int32 = 10
  static let regression: Int32 = 11
  static let inconclusive: Int32 = 12
  static let invalid: Int32 = 13
  static let partial: Int32 = 14
  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let missingFile: Int32 = 66
  static let unavailable: Int32 = 69
  static let refused: Int32 = 70
  static let cannotWrite: Int32 = 73
  /// Added to the number of a signal.
  static let signal: Int32 = 128

  /// Of a simulation that stopped: a policy of somebody else's is data, anything else is ours.
  static func of(_ error: SimulationError) -> Int32 {
    error.code == .policyFailed ? badData : internalError
  }

  /// Whether a code is a verdict, or done, and not a failure to get to one.
  static func isVerdict(_ status: Int32) -> Bool {
    [success, failed, regression, inconclusive, invalid, partial].contains(status)
  }

  /// What a code means, in a few words.
  static func meaning(_ status: Int32) -> String {
    rows.first { $0.code == status }?.meaning
      ?? (status > signal ? "ended by signal \(status - signal)" : "unknown")
  }

  /// The codes of all verbs with what they mean.
  static let rows: [(code: Int32, meaning: String)] = [
    (success, "pass, or done; of run also without a hard budget to judge"),
    (internalError, "internal error"),
    (
      failed,
      "a hard budget failed; of tune nothing to recommend, of fmt --check a file of another form"
    ),
    (regression, "a regression against the baseline; of replay policy other commands"),
    (
      inconclusive,
      "inconclusive: a budget, or a change against the baseline, is not decided after the last look"
    ),
    (
      invalid,
      "invalid: too little data to judge, or nothing that could have failed; that is never a pass"
    ),
    (
      partial,
      "partial: stopped by a signal or the time limit before every hard budget was decided"
    ),
    (usage, "usage: an option or a verb that does not exist, a value out of range"),
    (badData, "bad data: a scenario or another input that cannot be used"),
    (missingFile, "an input file is missing"),
    (unavailable, "a companion program or a right is missing"),
    (refused, "refused: would need more than --memory-limit"),
    (cannotWrite, "the output cannot be written"),
    (signal + 1, "stopped by SIGHUP with nothing to show"),
    (signal + 2, "stopped by SIGINT with nothing to show"),
    (signal + 15, "stopped by SIGTERM with nothing to show"),
  ]

  static let help =
    "Exit codes:\n"
    + rows.map { row in
      let number = String(row.code)
      return String(repeating: " ", count: 5 - number.count) + number + "  \(row.meaning)\n"
    }.joined() + order

  private static let order = """
    When several hold: 1, 13, 10, 11, 14, 12, 0 in that order. A run that was cut short ends with 10
    when its verdict is fail, otherwise with 14, also where it would be invalid.
    """

  /// The codes as a page.
  static var page: String {
    let lines = [
      "# Exit codes", "",
      "What `firstframe` ends with (`firstframe reference exit-codes`). What a code means of each",
      "verb is told in [the contract](../contract.md), section 2, and by `firstframe VERB --help`.",
      "", "| code | meaning |", "|---:|---|",
    ]
    return
      (lines + rows.map { "| \($0.code) | \($0.meaning) |" } + ["", order]).joined(
        separator: "\n") + "\n"
  }
}
