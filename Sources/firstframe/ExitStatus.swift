/// The exit codes (contract.md section 2).
enum ExitStatus {
  static let success: Int32 = 0
  static let internalError: Int32 = 1
  static let failed: Int32 = 10
  static let regression: Int32 = 11
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

  static let help = """
    Exit codes:
        0  pass; of run also without a hard budget to judge
        1  internal error
       10  a hard budget failed
       11  a regression against the baseline
       12  inconclusive: a budget, or a change against the baseline, is not decided after the last
           look
       13  invalid: too little data to judge, or nothing that could have failed; no data is never a
           pass
       14  partial: stopped by a signal or the time limit before every hard budget was decided
       64  usage: an option or a verb that does not exist, a value out of range
       65  bad data: a scenario that cannot be used
       66  an input file is missing
       69  a companion program or a right is missing
       70  refused: would need more than --memory-limit
       73  the output cannot be written
      130  stopped by SIGINT, 143 by SIGTERM, with nothing to show
    When several hold: 1, 13, 10, 11, 14, 12, 0 in that order. A run that was cut short ends with 10
    when its verdict is fail, otherwise with 14, also where it would be invalid.
    """
}
