import CachePolicy
import Models

/// A view that started late or never, and what it waited for behind the edge.
public struct LateView: Sendable, Equatable {
  public var replication: UInt16
  public var session: UInt32
  public var item: UInt32
  public var hasStarted: Bool
  /// Nanoseconds to the first frame, or to when the view was left.
  public var waited: Int64
  /// The part that took longest.
  public var part: StartupPart
  public var answer: StartAnswer
}

/// Late views by who answered the request that they waited for longest behind the edge, and why the
/// edge did not.
public struct LateAnswers: Sendable, Equatable {
  /// Views of one tier and reason, and the sum of their longest waits in nanoseconds.
  public struct Sum: Sendable, Equatable {
    public var views: Int64 = 0
    public var wait: Int64 = 0
  }

  /// Most views that are listed one by one; the sums count all.
  public static let listed = 1000
  private static let reasons = MissReason.allCases.count

  private var sums = [Sum](
    repeating: Sum(), count: AnsweringTier.allCases.count * MissReason.allCases.count)
  /// In order of replication and time.
  public private(set) var views: [LateView] = []

  public init() {}

  public subscript(tier: AnsweringTier, reason: MissReason) -> Sum {
    sums[Int(tier.rawValue) * LateAnswers.reasons + Int(reason.rawValue)]
  }

  public var total: Int64 { sums.reduce(0) { $0 + $1.views } }

  /// Counts a view; ``list(_:)`` lists it.
  mutating func add(_ view: LateView) {
    let place =
      Int(view.answer.tier.rawValue) * LateAnswers.reasons + Int(view.answer.reason.rawValue)
    sums[place].views += 1
    sums[place].wait += view.answer.wait
  }

  /// Lists a view that was counted, if there is room.
  mutating func list(_ view: LateView) {
    if views.count < LateAnswers.listed { views.append(view) }
  }

  mutating func add(_ other: LateAnswers) {
    for index in sums.indices {
      sums[index].views += other.sums[index].views
      sums[index].wait += other.sums[index].wait
    }
    views += other.views.prefix(LateAnswers.listed - views.count)
  }
}

extension LateAnswers: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(each: sums) { sum, writer in
      writer.add(sum.views)
      writer.add(sum.wait)
    }
    writer.add(each: views) { $0.write(to: &$1) }
  }

  public init?(_ reader: inout WordReader) {
    self.init()
    guard
      let sums = reader.each({ reader -> Sum? in
        guard let views = reader.integer(), let wait = reader.integer() else { return nil }
        return Sum(views: views, wait: wait)
      }), sums.count == self.sums.count, let views = reader.each({ LateView(&$0) })
    else { return nil }
    self.sums = sums
    self.views = views
  }
}

extension LateView: HeldInWords {
  public func write(to writer: inout WordWriter) {
    for number in [Int64(replication), Int64(session), Int64(item)] { writer.add(number) }
    writer.add(hasStarted)
    writer.add(waited)
    writer.add(Int64(part.rawValue))
    for number in [answer.asset.rawValue, answer.tier.rawValue, answer.reason.rawValue] {
      writer.add(Int64(number))
    }
    writer.add(answer.wait)
  }

  public init?(_ reader: inout WordReader) {
    guard let replication = reader.integer().flatMap({ UInt16(exactly: $0) }),
      let session = reader.integer().flatMap({ UInt32(exactly: $0) }),
      let item = reader.integer().flatMap({ UInt32(exactly: $0) }),
      let hasStarted = reader.truth(), let waited = reader.integer(),
      let part = reader.integer().flatMap({ StartupPart(rawValue: Int($0)) }),
      let answer = LateView.answer(&reader)
    else { return nil }
    self.init(
      replication: replication, session: session, item: item, hasStarted: hasStarted,
      waited: waited, part: part, answer: answer)
  }

  private static func answer(_ reader: inout WordReader) -> StartAnswer? {
    func byte(_ reader: inout WordReader) -> UInt8? {
      reader.integer().flatMap { UInt8(exactly: $0) }
    }
    guard let asset = byte(&reader).flatMap({ AssetClass(rawValue: $0) }),
      let tier = byte(&reader).flatMap({ AnsweringTier(rawValue: $0) }),
      let reason = byte(&reader).flatMap({ MissReason(rawValue: $0) }),
      let wait = reader.integer()
    else { return nil }
    return StartAnswer(asset: asset, tier: tier, reason: reason, wait: wait)
  }
}
