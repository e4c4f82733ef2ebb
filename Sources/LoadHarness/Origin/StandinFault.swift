import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// Something that the stand-in does wrong on purpose.
///
/// Written `KIND:CLASS[:VALUE]:PROBABILITY[:FROM-UNTIL]`, such as `latency:segment:200ms:0.1`,
/// `status:all:503:2%:10s-20s` or `reset:segment:0.05`.
public struct StandinFault: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// The first byte comes later.
    case latency(TimeSpan)
    /// An error with this status in place of the answer.
    case status(Int)
    /// The connection ends in the middle of the body.
    case reset
    /// The body comes at this many bits a second.
    case slow(BitRate)
    /// `Content-Length` says more than comes, and the connection ends.
    case wrongLength
    /// A body that never ends.
    case endless
    /// A redirection to the same address.
    case redirectLoop
    /// A playlist that is none; other classes get their bytes reversed in meaning likewise: text
    /// that no parser takes.
    case malformed
  }

  public var kind: Kind
  /// nil: all requests for objects and pages.
  public var asset: AssetClass?
  /// Of each request that it is for.
  public var probability: Double
  /// Time since the first request for an object or a page in which it happens; half open.
  public var from, until: TimeSpan

  public init(
    _ kind: Kind, asset: AssetClass? = nil, probability: Double = 1, from: TimeSpan = .zero,
    until: TimeSpan = .max
  ) {
    self.kind = kind
    self.asset = asset
    self.probability = probability
    self.from = from
    self.until = until
  }

  /// What is wrong with a text.
  public struct Malformed: Error, Equatable, CustomStringConvertible {
    public let expected, got: String
    public var description: String { "expected \(expected), got \(got)" }
  }

  /// The names of classes, as in metrics.
  static let classes: [(String, AssetClass)] = [
    ("feed", .feed), ("media_manifest", .mediaManifest), ("master_playlist", .masterPlaylist),
    ("media_playlist", .mediaPlaylist), ("init", .initSegment), ("segment", .segment),
    ("poster", .poster), ("vtt", .vtt), ("sprite", .sprite),
  ]

  /// Reads a fault as it is written on the command line.
  public init(parsing text: String) throws(Malformed) {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    func fail(_ expected: String) -> Malformed { Malformed(expected: expected, got: text) }
    if parts.count < 3 {
      throw fail("KIND:CLASS[:VALUE]:PROBABILITY[:FROM-UNTIL] such as latency:segment:200ms:0.1")
    }
    let (word, name) = (parts.removeFirst(), parts.removeFirst())
    guard let chosen = StandinFault.classes.first(where: { $0.0 == name }) ?? nil
    else {
      guard name == "all" else {
        let names = StandinFault.classes.map(\.0).joined(separator: ", ")
        throw fail("a class of all, \(names)")
      }
      self = try StandinFault(word, nil, parts, fail)
      return
    }
    self = try StandinFault(word, chosen.1, parts, fail)
  }

  private init(
    _ word: String, _ asset: AssetClass?, _ rest: [String],
    _ fail: (String) -> Malformed
  ) throws(Malformed) {
    var parts = rest
    var value: String?
    if ["latency", "status", "slow"].contains(word) { value = parts.removeFirst() }
    guard let share = parts.first, let probability = try? PlainNumber.ratio(of: share),
      probability >= 0, probability <= 1, parts.count <= 2
    else { throw fail("a probability from 0 to 1") }
    self.init(
      try StandinFault.kind(word, value ?? "", fail), asset: asset, probability: probability)
    if parts.count == 2 {
      let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let from = StandinFault.span(ends[0]),
        let until = StandinFault.span(ends[1]), from < until
      else { throw fail("a span of time such as 10s-20s") }
      (self.from, self.until) = (from, until)
    }
  }

  private static func kind(
    _ word: String, _ value: String, _ fail: (String) -> Malformed
  ) throws(Malformed) -> Kind {
    switch word {
    case "latency":
      guard let span = span(value), span <= longestDelay else {
        throw fail("a time up to \(StatedNumber.faultMilliseconds.most) ms such as 200ms")
      }
      return .latency(span)
    case "status":
      guard let code = Int(value), (400...599).contains(code) else {
        throw fail("a status from 400 to 599")
      }
      return .status(code)
    case "slow":
      guard let rate = try? Quantity.bitRate.value(of: value), rate > 0 else {
        throw fail("a rate such as 100kbps")
      }
      return .slow(BitRate(bitsPerSecond: rate))
    case "reset": return .reset
    case "wrong-length": return .wrongLength
    case "endless": return .endless
    case "redirect-loop": return .redirectLoop
    case "malformed": return .malformed
    default:
      throw fail(
        "a kind of latency, status, reset, slow, wrong-length, endless, redirect-loop, malformed")
    }
  }

  private static let longestDelay = TimeSpan.milliseconds(StatedNumber.faultMilliseconds.most)

  private static func span(_ text: some StringProtocol) -> TimeSpan? {
    guard let time = try? Quantity.time.value(of: String(text)), time >= 0 else { return nil }
    return TimeSpan(nanoseconds: time)
  }
}

/// The faults that are on, and which request meets which.
struct StandinFaults: Sendable {
  var list: [StandinFault] = []
  let streams: RandomStreams

  /// Those that a request meets, in the order of the list.
  func met(by request: UInt64, _ asset: AssetClass, at time: TimeSpan) -> [StandinFault.Kind] {
    var found: [StandinFault.Kind] = []
    for (place, fault) in list.enumerated()
    where fault.asset ?? asset == asset && fault.from <= time && time < fault.until {
      let u = streams.uniform(.standInFault, entity: request, draw: UInt32(place))
      if u < fault.probability { found.append(fault.kind) }
    }
    return found
  }
}
