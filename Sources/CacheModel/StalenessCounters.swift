import ModelBasics

/// How far beyond its lifetime an answer was that viewers were given.
public struct StalenessCounters: Sendable, Equatable {
  /// Answers beyond their lifetime.
  public var answers: Int64 = 0
  /// Nanoseconds beyond it: the sum, as a real number, and the most.
  public var sum = 0.0
  public var largest: Int64 = 0

  public init() {}

  /// Counts an answer so many nanoseconds beyond its lifetime.
  public mutating func count(_ excess: Int64) {
    answers += 1
    sum += Double(excess)
    if excess > largest { largest = excess }
  }

  /// Adds another's counts.
  public mutating func add(_ other: StalenessCounters) {
    answers += other.answers
    sum += other.sum
    if other.largest > largest { largest = other.largest }
  }
}

extension StalenessCounters: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(answers)
    writer.add(sum)
    writer.add(largest)
  }

  public init?(_ reader: inout WordReader) {
    guard let answers = reader.integer(), let sum = reader.double(),
      let largest = reader.integer()
    else { return nil }
    self.answers = answers
    self.sum = sum
    self.largest = largest
  }
}
