import MediaUnits
import Models

/// The measured time of a feed in equal parts, for curves over time: whole spans of
/// ``TrafficTotals``, at most sixty parts of at most the time in which viewers arrive.
public struct SeriesPlan: Sendable, Equatable {
  /// Lengths of a part, in spans of ten seconds: up to a day.
  private static let lengths: [Int64] = [
    1, 2, 3, 6, 12, 18, 30, 60, 90, 120, 180, 360, 720, 1440, 2160, 4320, 8640,
  ]
  private static let most: Int64 = 60
  private static let fewest: Int64 = 3

  /// Of a part.
  public let length: TimeSpan
  public let count: Int
  private let begin: Instant

  /// nil where the time makes fewer than three parts, or more than sixty days.
  public init?(_ configuration: FeedConfiguration) {
    let spans = configuration.audience.window.wholeSteps(of: TrafficTotals.span)
    guard let length = SeriesPlan.lengths.first(where: { spans / $0 <= SeriesPlan.most }),
      spans / length >= SeriesPlan.fewest
    else { return nil }
    self.length = TrafficTotals.span * length
    count = Int(spans / length)
    begin = Instant.zero + configuration.cdn.warmUp
  }

  /// The part in which an instant lies; nil outside of all.
  func part(of time: Instant) -> Int? {
    if time < begin { return nil }
    let part = Int((time - begin).wholeSteps(of: length))
    return part < count ? part : nil
  }

  /// The part that ends at an instant; nil where none does.
  func partEnding(at time: Instant) -> Int? {
    if time <= begin { return nil }
    let span = time - begin
    let part = span.wholeSteps(of: length)
    return length * part == span && part <= Int64(count) ? Int(part) - 1 : nil
  }
}

extension SeriesPlan: HeldInWords {
  public func write(to writer: inout WordWriter) {
    for number in [length.nanoseconds, Int64(count), begin.nanoseconds] { writer.add(number) }
  }

  public init?(_ reader: inout WordReader) {
    guard let length = reader.integer(), length > 0, let count = reader.integer(),
      (SeriesPlan.fewest...SeriesPlan.most).contains(count), let begin = reader.integer()
    else { return nil }
    self.length = TimeSpan(nanoseconds: length)
    self.count = Int(count)
    self.begin = Instant(nanoseconds: begin)
  }
}

/// Views by the part of the measured time in which their clocks started.
struct SeriesViews: Sendable {
  private let plan: SeriesPlan
  private(set) var sums: [CohortSums]
  /// By part and ``ReplicationDigest/Clock``.
  private(set) var clocks: [[ClockHistogram]]

  init(_ plan: SeriesPlan) {
    self.plan = plan
    sums = [CohortSums](repeating: CohortSums(), count: plan.count)
    clocks = [[ClockHistogram]](
      repeating: [ClockHistogram](
        repeating: ClockHistogram(), count: ReplicationDigest.Clock.allCases.count),
      count: plan.count)
  }

  mutating func add(_ view: ViewRecord) {
    guard let part = plan.part(of: view.settledAt) else { return }
    sums[part].count(view)
    ReplicationDigest.count(view, into: &clocks[part])
  }

  mutating func add(_ other: SeriesViews) {
    for part in sums.indices {
      sums[part].add(other.sums[part])
      for clock in clocks[part].indices { clocks[part][clock].add(other.clocks[part][clock]) }
    }
  }
}
