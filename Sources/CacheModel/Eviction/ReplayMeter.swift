/// Tells the caller every so many requests how far a replay is.
struct ReplayMeter {
  let every: Int
  let report: (Int) -> Bool

  init(every: Int, report: @escaping (Int) -> Bool) {
    precondition(every >= 1, "progress is told after at least one request")
    self.every = every
    self.report = report
  }

  /// Calls `body` for pieces of the range in order. They end where progress is told and at the
  /// middle, so that what counts inside one need not look where it is.
  /// - Returns: false when cancelled.
  func walk(
    _ requests: TraceRequests, _ body: (_ piece: Range<Int>, _ isSecondHalf: Bool) -> Void
  ) -> Bool {
    let range = requests.range
    var index = range.lowerBound
    while index < range.upperBound {
      let done = index - range.lowerBound
      var end = index + min(every - done % every, range.upperBound - index)
      if index < requests.middle && end > requests.middle { end = requests.middle }
      body(index..<end, index >= requests.middle)
      index = end
      if (index - range.lowerBound) % every == 0 && !report(index - range.lowerBound) {
        return false
      }
    }
    return true
  }
}
