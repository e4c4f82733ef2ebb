import CachePolicy
import Foundation
import MediaUnits
import Testing

/// SplitMix64: any generator will do that gives the same numbers everywhere.
struct TestRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }
}

/// Header sets put together from pieces that are right, nearly right and wrong.
private struct HeaderFuzz {
  static let members = [
    "max-age=60", "max-age=0", "max-age=\"7\"", "max-age=60.5", "max-age=99999999999999999999",
    "s-maxage=30", "s-maxage=x", "stale-while-revalidate=20", "stale-if-error=40",
    "stale-if-error=0", "no-cache", "no-store", "private", "public", "must-revalidate",
    "proxy-revalidate", "immutable", "must-understand", "x=\"a, b\"", "=", "\"", "\\", ";", "",
  ].map { Array($0.utf8) }
  static let dates = [
    "Tue, 14 Nov 2023 22:13:20 GMT", "Tuesday, 14-Nov-23 22:14:20 GMT", "Tue Nov 14 22:13:00 2023",
    "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "0", "",
    "Tue, 14 Nov 2023 22:13:20 UTC",
  ].map { Array($0.utf8) }
  static let ages = ["0", "17", "99999999999", "-1", "3, 4", "x"].map { Array($0.utf8) }
  static let names = ["Cache-Control", "Date", "Expires", "Last-Modified", "Age", "Vary"]
    .map { Array($0.utf8) }
  static let instants: [Int64] = [
    .min, -1, 0, 1_000_000_000, 1_700_000_000_000_000_000, .max - 1, .max,
  ]

  var random: TestRandom
  var value: [UInt8] = []

  mutating func pick<T>(_ choices: [T]) -> T { choices[random.below(choices.count)] }

  /// Overwrites, removes or adds a few bytes in one of eight values.
  mutating func spoil() {
    if random.below(8) != 0 { return }
    for _ in 0...random.below(3) {
      let byte = UInt8(truncatingIfNeeded: random.next())
      switch random.below(3) {
      case 0: value.append(byte)
      case 1 where !value.isEmpty: value[random.below(value.count)] = byte
      default: if !value.isEmpty { value.remove(at: random.below(value.count)) }
      }
    }
  }

  mutating func head(receivedAt: Int64) -> ResponseHead {
    let statuses: [UInt16] = [200, 200, 200, 206, 302, 304, 404, 500, 503, 0, .max]
    var reader = ResponseHeadReader(status: pick(statuses), receivedAt: receivedAt)
    for _ in 0..<(1 + random.below(4)) {
      let field = random.below(8)
      value.removeAll(keepingCapacity: true)
      switch field {
      case 1, 2, 3: value += pick(HeaderFuzz.dates)
      case 4: value += pick(HeaderFuzz.ages)
      case 5: value.append(random.below(4) == 0 ? 42 : 97)
      default:
        for _ in 0...random.below(4) {
          value += pick(HeaderFuzz.members)
          value.append(44)
        }
      }
      spoil()
      reader.add(name: HeaderFuzz.names[field < 6 ? field : 0], value: value)
    }
    return reader.head
  }

  /// Mostly ordinary times in nanoseconds, now and then the ends of the range.
  mutating func instant() -> Instant {
    if random.below(16) == 0 { return Instant(nanoseconds: pick(HeaderFuzz.instants)) }
    return .at(1_700_000_000 + Int64(random.below(200)))
  }
}

/// Many header sets: parsed, judged, and looked at twice.
private struct HeaderFuzzRun {
  var stored = 0
  /// How often each decision came out.
  var ranks = [0, 0, 0, 0]
  /// Decisions taken back later, and negative ages or lifetimes.
  var broken = 0

  init(sets: Int, seed: UInt64) {
    var fuzz = HeaderFuzz(random: TestRandom(seed: seed))
    let rules = [
      CacheRules(), CacheRules(isShared: false),
      CacheRules(staleWithSharedMaxAge: .forbidden, negativeLifetime: .seconds(5)),
    ]
    let edge = CloudFrontProfile(minimumTTL: .seconds(1), maximumTTL: .seconds(50))
    for _ in 0..<sets {
      let timing = ResponseTiming(
        requestedAt: fuzz.instant(), receivedAt: fuzz.instant(),
        epoch: fuzz.random.below(64) == 0 ? .max : 0)
      let head = fuzz.head(receivedAt: timing.receivedSeconds)
      let response =
        fuzz.random.below(4) == 0
        ? edge.store(head, timing: timing)
        : CacheFreshness.store(head, timing: timing, rules: fuzz.pick(rules))
      guard let response else { continue }
      stored += 1
      check(response, fuzz.instant(), fuzz.instant())
    }
  }

  private mutating func check(_ response: StoredResponse, _ first: Instant, _ second: Instant) {
    let (early, late) = first < second ? (first, second) : (second, first)
    let before = rank(response, early)
    let after = rank(response, late)
    ranks[after] += 1
    let isMonotone =
      before <= after && response.age(at: early) <= response.age(at: late)
      && servedRank(response, early, .withinWindow) <= servedRank(response, late, .withinWindow)
      && servedRank(response, early, .always) <= servedRank(response, late, .always)
    if !isMonotone || response.lifetime < .zero || response.initialAge < .zero { broken += 1 }
  }

  /// Later is never better: 0 fresh, 1 stale while revalidating, 2 stale on errors, 3 not at all.
  private func rank(_ response: StoredResponse, _ now: Instant) -> Int {
    switch CacheFreshness.disposition(of: response, at: now) {
    case .fresh: return 0
    case .staleWhileRevalidate: return 1
    case .staleIfErrorOnly: return 2
    case .mustRevalidate: return 3
    }
  }

  private func servedRank(
    _ response: StoredResponse, _ now: Instant, _ rule: CacheFreshness.StaleOnFailure
  ) -> Int {
    CacheFreshness.mayServe(response, after: .serverError, at: now, rule: rule) ? 0 : 1
  }
}

struct `Random header sets` {
  @Test func `a quarter of a million of them never trap, and no decision is taken back later`() {
    let run = HeaderFuzzRun(sets: 250_000, seed: 2_026)
    #expect(run.broken == 0)
    // The sets reach every decision.
    #expect(run.stored > 75_000)
    for rank in run.ranks { #expect(rank > 250, "\(run.ranks)") }
  }
}

@Suite(.enabled(if: ProcessInfo.processInfo.environment["FIRSTFRAME_SLOW"] != nil))
struct HeaderSlowTests {
  @Test(arguments: 0..<10)
  func `ten times a million header sets never trap or take a decision back`(_ part: Int) {
    let run = HeaderFuzzRun(sets: 1_000_000, seed: 3_000 + UInt64(part))
    #expect(run.broken == 0)
    #expect(run.stored > 300_000)
    for rank in run.ranks { #expect(rank > 1_000, "\(run.ranks)") }
  }
}
