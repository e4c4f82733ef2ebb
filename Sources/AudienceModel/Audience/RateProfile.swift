/// A rate over time, linear within each of its pieces and zero outside them.
///
/// Arrivals of a Poisson process with such a rate are found exactly: its integral is quadratic
/// within a piece and is inverted there, so that one exponential number gives one gap (inversion of
/// the integrated rate; Çinlar, Introduction to Stochastic Processes, 1975, section 4.7).
public struct RateProfile: Sendable, Equatable {
  /// Times in seconds and the rates at them.
  struct Piece: Sendable, Equatable {
    var from, until: Double
    var first, last: Double

    var area: Double { (until - from) * (first + last) / 2 }

    /// - Precondition: `time` lies within the piece.
    func rate(at time: Double) -> Double {
      first + (last - first) * ((time - from) / (until - from))
    }
  }

  let pieces: [Piece]

  /// The polygon through the points; two points of the same time make a step.
  ///
  /// - Precondition: the times ascend and no rate is negative.
  public init(_ points: [(time: Double, rate: Double)]) {
    var pieces: [Piece] = []
    for index in 1..<(points.isEmpty ? 1 : points.count) {
      let (begin, end) = (points[index - 1], points[index])
      precondition(end.time >= begin.time, "the times of a rate ascend")
      precondition(begin.rate >= 0 && end.rate >= 0, "a rate is not negative")
      if end.time > begin.time {
        pieces.append(
          Piece(from: begin.time, until: end.time, first: begin.rate, last: end.rate))
      }
    }
    self.pieces = pieces
  }

  /// The same times with every rate multiplied.
  ///
  /// - Precondition: the factor is not negative.
  public func scaled(by factor: Double) -> RateProfile {
    precondition(factor >= 0, "a rate is not negative")
    return RateProfile(points.map { (time: $0.time, rate: $0.rate * factor) })
  }

  /// Points that ``init(_:)`` makes the same profile of.
  public var points: [(time: Double, rate: Double)] {
    var points: [(time: Double, rate: Double)] = []
    for piece in pieces {
      points.append((time: piece.from, rate: piece.first))
      points.append((time: piece.until, rate: piece.last))
    }
    return points
  }

  /// The integral over all time.
  public var total: Double {
    var sum = 0.0
    for piece in pieces { sum += piece.area }
    return sum
  }

  /// The rate at a time; at a step, the one after it.
  public func rate(at time: Double) -> Double {
    let index = piece(endingAfter: time)
    guard index < pieces.count, pieces[index].from <= time else { return 0 }
    return pieces[index].rate(at: time)
  }

  /// The time until which the rate integrates to `work` from `start` on; infinity when it never
  /// does.
  public func time(after start: Double, work: Double) -> Double {
    var left = work
    var index = piece(endingAfter: start)
    while index < pieces.count {
      let piece = pieces[index]
      let begin = start > piece.from ? start : piece.from
      let rate = piece.rate(at: begin)
      let area = (piece.until - begin) * (rate + piece.last) / 2
      if left <= area {
        if left <= 0 { return begin }
        let slope = (piece.last - piece.first) / (piece.until - piece.from)
        let square = rate * rate + 2 * slope * left
        // The root of rate·x + slope·x²/2 = left that does not cancel.
        let found = begin + 2 * left / (rate + (square > 0 ? square.squareRoot() : 0))
        return found < piece.until ? found : piece.until
      }
      left -= area
      index += 1
    }
    return .infinity
  }

  /// The first piece that ends after a time, or the number of pieces.
  private func piece(endingAfter time: Double) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].until > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
