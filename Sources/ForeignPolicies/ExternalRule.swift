import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// A rule that is a process of somebody else's: asked of one snapshot at a time, each by itself
/// (docs/reference/policy-protocol.md). It remembers nothing from one question to the next, which
/// a share of the questions is put to another process for.
///
/// Once something has gone wrong nobody is asked any more, and what is harmless is answered until
/// the run ends.
public final class ExternalRule: Sendable {
  private let policy: ExternalPolicy

  /// - Precondition: the policy's task is a rule.
  public init(_ policy: ExternalPolicy) { self.policy = policy }

  public var hasFailed: Bool { policy.hasFailed }

  /// Asks.
  ///
  /// - Parameters:
  ///   - snapshot: what is asked about, a JSON object.
  ///   - keys: the members of the answer beside its number; those after the first may be absent.
  ///   - fallback: the answer of nobody.
  private func ask<Answer: Equatable>(
    _ snapshot: [UInt8], _ keys: [String], or fallback: Answer,
    _ read: (PolicyJSON) throws(PolicyNonsense) -> Answer
  ) -> Answer {
    if policy.hasFailed { return fallback }
    do throws(PolicyNonsense) {
      let answer = try put(snapshot, to: try policy.process(), keys, read)
      if isAskedTwice(snapshot) {
        try policy.withWitness { process throws(PolicyNonsense) in
          let again = try put(snapshot, to: process, keys, read)
          if again != answer {
            throw PolicyNonsense(
              expected: "the same answer when the question is put again",
              got: "\(again) after \(answer)")
          }
        }
      }
      return answer
    } catch {
      policy.fail(error, String(decoding: snapshot, as: UTF8.self))
      return fallback
    }
  }

  private func put<Answer>(
    _ snapshot: [UInt8], to process: PolicyProcess, _ keys: [String],
    _ read: (PolicyJSON) throws(PolicyNonsense) -> Answer
  ) throws(PolicyNonsense) -> Answer {
    let number = process.newViewer()
    let answer = try process.ask(PolicyText.question(number, snapshot))
    guard let to = answer["question"]?.number else {
      throw PolicyNonsense(
        expected: "an object with question and \(keys[0])", got: "an answer without them")
    }
    if to != number {
      throw PolicyNonsense(expected: "the answer to question \(number)", got: "one to \(to)")
    }
    if let key = answer.keys.first(where: { $0 != "question" && !keys.contains($0) }) {
      throw PolicyNonsense(
        expected: (["question"] + keys).joined(separator: ", "), got: "\"\(key)\"")
    }
    return try read(answer)
  }

  /// A share of the questions, chosen by what they say.
  private func isAskedTwice(_ snapshot: [UInt8]) -> Bool {
    if policy.command.share <= 0 { return false }
    var hash: UInt64 = 0
    for byte in snapshot { hash = SplitMix.hash(hash ^ UInt64(byte)) }
    return Double(hash >> 11) * 0x1p-53 < policy.command.share
  }

  private func flag(_ snapshot: PolicyText, _ key: String) -> Bool {
    ask(snapshot.bytes, [key], or: true) { answer throws(PolicyNonsense) in
      guard case .flag(let flag)? = answer[key] else {
        throw PolicyNonsense(expected: "true or false as \(key)", got: "neither")
      }
      return flag
    }
  }
}

// MARK: What is asked

extension ExternalRule: BitrateDecider {
  public func rung(for snapshot: BitrateSnapshot, in ladder: Ladder) -> RungIndex {
    var text = PolicyText()
    text.open()
    text.member("estimate", snapshot.estimate?.bitsPerSecond)
    text.member("bufferAhead", snapshot.bufferAhead.nanoseconds)
    text.member("current", snapshot.current.map { Int64($0.index) })
    text.member("cap", snapshot.cap?.bitsPerSecond)
    text.member("segmentDuration", snapshot.segmentDuration.nanoseconds)
    text.member("remaining", snapshot.remaining?.nanoseconds)
    text.member(
      "ladder", (0..<ladder.count).map { ladder[RungIndex(UInt32($0))].bitsPerSecond })
    text.close()
    let number = ask(text.bytes, ["rung"], or: Int64(0)) { answer throws(PolicyNonsense) in
      guard let number = answer["rung"]?.number, (0..<Int64(ladder.count)).contains(number) else {
        throw PolicyNonsense(
          expected: "a rung from 0 to \(ladder.count - 1)",
          got: answer["rung"]?.number.map { "\($0)" } ?? "none")
      }
      return number
    }
    return RungIndex(UInt32(number))
  }
}

extension ExternalRule: VictimDecider {
  public func victim(of snapshot: PoolSnapshot) -> Int {
    var text = PolicyText()
    text.open()
    text.member("current", Int64(snapshot.current.index))
    text.member("wanted", Int64(snapshot.wanted.index))
    text.member("items", snapshot.players.map { Int64($0.item.index) })
    text.member("isReady", snapshot.players.map(\.isReady))
    text.member("isInWindow", snapshot.players.map(\.isInWindow))
    text.close()
    let count = Int64(snapshot.players.count)
    return Int(
      ask(text.bytes, ["victim"], or: Int64(0)) { answer throws(PolicyNonsense) in
        guard let number = answer["victim"]?.number, (0..<count).contains(number) else {
          throw PolicyNonsense(
            expected: "a victim from 0 to \(count - 1)",
            got: answer["victim"]?.number.map { "\($0)" } ?? "none")
        }
        return number
      })
  }
}

extension ExternalRule: ReleaseDecider {
  public func isReleased(for snapshot: PlaybackSnapshot) -> Bool {
    var text = PolicyText()
    text.open()
    text.member("played", snapshot.played.nanoseconds)
    text.member("bufferAhead", snapshot.bufferAhead.nanoseconds)
    text.member("segmentsDownloaded", Int64(snapshot.segmentsDownloaded))
    let spread = snapshot.estimateSpread * 1e6
    text.member("estimateSpread", spread < 1e18 ? Int64(spread.rounded()) : nil)
    text.close()
    return flag(text, "isReleased")
  }
}

extension ExternalRule: GateDecider {
  public func lets(_ swipe: SwipeSnapshot) -> Bool {
    var text = PolicyText()
    text.open()
    text.member("item", Int64(swipe.item.index))
    text.member("isReady", swipe.isReady)
    text.member("snapBacks", Int64(swipe.snapBacks))
    text.member("held", swipe.held.nanoseconds)
    text.close()
    return flag(text, "passes")
  }
}

extension ExternalRule: RetryDecider {
  public func answer(to failure: RequestFailure) -> RetryPolicy.Answer {
    var text = PolicyText()
    text.open()
    text.member("failures", Int64(failure.failures))
    text.member("isFeedPage", failure.isFeedPage)
    text.member("isOnScreen", failure.isOnScreen)
    text.member("hasNoAnswer", failure.hasNoAnswer)
    text.close()
    return ask(
      text.bytes, ["do", "after", "jitter"], or: RetryPolicy.Answer.giveUp
    ) { answer throws(PolicyNonsense) in
      switch answer["do"]?.text {
      case "giveUp": return .giveUp
      case "askViewer": return .askViewer
      case "retry":
        guard let after = answer["after"]?.number, let jitter = answer["jitter"]?.number,
          after >= 0, jitter >= 0
        else {
          throw PolicyNonsense(
            expected: "after and jitter of at least 0 in a retry", got: "others or none")
        }
        return .retry(after: .nanoseconds(after), jitter: .nanoseconds(jitter))
      case let other:
        throw PolicyNonsense(
          expected: "retry, askViewer or giveUp to do", got: other.map { "\"\($0)\"" } ?? "none")
      }
    }
  }
}

extension ExternalRule: AdmissionDecider {
  public func admits(_ object: MissedObject) -> Bool {
    var text = PolicyText()
    text.open()
    text.member("asset", object.asset.word)
    text.member("size", object.size.bytes)
    text.member("wasMissed", object.wasMissed)
    text.close()
    return flag(text, "admits")
  }
}

extension ExternalRule: LifetimeDecider {
  public func lifetime(of directives: CacheDirectives) -> TimeSpan? {
    var text = PolicyText()
    text.open()
    text.member("cacheControl", directives.headerValue())
    text.close()
    return ask(text.bytes, ["lifetime"], or: TimeSpan?.none) { answer throws(PolicyNonsense) in
      switch answer["lifetime"] {
      case .null?: return nil
      case .number(let lifetime)? where lifetime >= 0: return .nanoseconds(lifetime)
      default:
        throw PolicyNonsense(
          expected: "a lifetime of at least 0, or null", got: "another one or none")
      }
    }
  }
}

extension PolicyText {
  fileprivate mutating func open() { add("{") }
  fileprivate mutating func close() { add("}") }

  /// The key, with a comma in front where it is not the first.
  private mutating func key(_ key: StaticString) {
    add(bytes.count > 1 ? ",\"" : "\"")
    add(key)
    add("\":")
  }

  fileprivate mutating func member(_ name: StaticString, _ number: Int64) {
    key(name)
    add(number)
  }

  fileprivate mutating func member(_ name: StaticString, _ number: Int64?) {
    key(name)
    if let number { add(number) } else { add("null") }
  }

  fileprivate mutating func member(_ name: StaticString, _ flag: Bool) {
    key(name)
    add(flag)
  }

  /// Of letters, digits and signs that JSON has as they are.
  fileprivate mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    add("\"")
    add(Array(text.utf8))
    add("\"")
  }

  fileprivate mutating func member(_ name: StaticString, _ numbers: [Int64]) {
    list(name, numbers) { $0.add($1) }
  }

  fileprivate mutating func member(_ name: StaticString, _ flags: [Bool]) {
    list(name, flags) { $0.add($1) }
  }

  private mutating func list<Element>(
    _ name: StaticString, _ elements: [Element], _ add: (inout PolicyText, Element) -> Void
  ) {
    key(name)
    self.add("[")
    for (place, element) in elements.enumerated() {
      if place > 0 { self.add(",") }
      add(&self, element)
    }
    self.add("]")
  }
}

extension AssetClass {
  /// What messages and metrics call it.
  public var word: String {
    switch self {
    case .feed: "feed"
    case .mediaManifest: "media_manifest"
    case .masterPlaylist: "master_playlist"
    case .mediaPlaylist: "media_playlist"
    case .initSegment: "init"
    case .segment: "segment"
    case .poster: "poster"
    case .vtt: "vtt"
    case .sprite: "sprite"
    }
  }
}
