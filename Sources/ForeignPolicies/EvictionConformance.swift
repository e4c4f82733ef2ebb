import CachePolicy
import MediaUnits

/// A cache with a machine of somebody else's, asked at random.
struct EvictionRehearsal<Machine: EvictionMachine> {
  private(set) var machine: Machine
  private let capacity: Int64
  private var sizes: [UInt32: Int64] = [:]
  private var bytes: Int64 = 0
  private var random: RehearsalDraws
  private var now = Instant.zero

  init(_ make: (ByteCount) -> Machine, seed: UInt64) {
    random = RehearsalDraws(seed: seed)
    capacity = Int64(1_000 + random.below(100_000))
    machine = make(ByteCount(capacity))
  }

  /// One request, a purge now and then; whom the machine sent away. The last of them is not stored
  /// where it names one that is not.
  mutating func step() -> (victims: [UInt32], hasFailed: Bool) {
    now = now + .milliseconds(Int64(random.below(50)))
    // A few objects are asked for often.
    let most = random.below(3) == 0 ? 400 : 30
    let object = UInt32(random.below(most))
    let isPurge = random.below(50) == 0
    if sizes[object] != nil {
      if isPurge {
        bytes -= sizes.removeValue(forKey: object) ?? 0
        machine.removed(object)
      } else {
        machine.used(object, at: now)
      }
      return ([], false)
    }
    let size = Int64(1 + random.below(3_000))
    if size > capacity { return ([], false) }
    var victims: [UInt32] = []
    while bytes > capacity - size {
      let victim = machine.victim()
      victims.append(victim)
      guard let freed = sizes.removeValue(forKey: victim) else { return (victims, true) }
      bytes -= freed
    }
    sizes[object] = size
    bytes += size
    machine.stored(object, size: ByteCount(size), at: now)
    return (victims, false)
  }

  /// Whom it sends away in a few thousand requests.
  static func answers(_ make: (ByteCount) -> Machine) -> [UInt8] {
    var rehearsal = EvictionRehearsal(make, seed: 0)
    var answers: [UInt8] = []
    for _ in 0..<4_000 {
      let step = rehearsal.step()
      for victim in step.victims { answers += Int64(victim).bytes }
      if step.hasFailed { break }
    }
    return answers
  }
}

/// Plays requests at random to a machine that chooses who leaves a cache, and says what it must not
/// do. A machine that traps ends the test.
public struct EvictionConformance: Sendable {
  /// What a machine must not do.
  public enum Rule: String, Sendable, CaseIterable {
    /// Only objects that are stored may leave.
    case stored = "who leaves is stored"
    /// The same requests have the same victims: no clock, no random numbers.
    case same = "the same requests are answered the same"
    /// Two caches have nothing in common: no shared state.
    case apart = "caches do not know of each other"
  }

  /// A rule that is broken, and where.
  public struct Finding: Sendable, CustomStringConvertible {
    public let rule: Rule
    /// The number of the cache, and of the request.
    public let cache, request: Int
    /// What was expected and what came.
    public let text: String

    public var description: String {
      "\(rule.rawValue): \(text) (cache \(cache), request \(request))"
    }
  }

  private let caches: Int
  private let requests: Int

  /// - Parameters:
  ///   - caches: how many are played.
  ///   - requests: of each.
  public init(caches: Int = 100, requests: Int = 2_000) {
    precondition(caches > 0 && requests > 0, "caches and requests are positive")
    self.caches = caches
    self.requests = requests
  }

  /// Plays all of them.
  ///
  /// - Parameter make: a machine for a cache of this capacity.
  /// - Returns: the first finding of each rule that is broken; none where all hold.
  public func findings<Machine: EvictionMachine>(
    of make: (ByteCount) -> Machine
  ) -> [Finding] {
    var found: [Rule: Finding] = [:]
    for cache in 0..<caches {
      let (alone, failed) = play(make, cache)
      if let failed, found[.stored] == nil {
        found[.stored] = Finding(
          rule: .stored, cache: cache, request: failed,
          text: "expected a stored object, got \(alone.last?.last ?? 0)")
      }
      if let other = difference(alone, play(make, cache).victims), found[.same] == nil {
        found[.same] = Finding(
          rule: .same, cache: cache, request: other, text: "expected the same victim again")
      }
      if found[.apart] == nil, let other = difference(alone, beside(make, cache)) {
        found[.apart] = Finding(
          rule: .apart, cache: cache, request: other,
          text: "expected the same victim beside another cache")
      }
    }
    return Rule.allCases.compactMap { found[$0] }
  }

  private func play<Machine: EvictionMachine>(
    _ make: (ByteCount) -> Machine, _ cache: Int
  ) -> (victims: [[UInt32]], failed: Int?) {
    var rehearsal = EvictionRehearsal(make, seed: UInt64(cache) + 1)
    var victims: [[UInt32]] = []
    for request in 0..<requests {
      let step = rehearsal.step()
      victims.append(step.victims)
      if step.hasFailed { return (victims, request) }
    }
    return (victims, nil)
  }

  /// The same cache with another one that is asked in turn.
  private func beside<Machine: EvictionMachine>(
    _ make: (ByteCount) -> Machine, _ cache: Int
  ) -> [[UInt32]] {
    var own = EvictionRehearsal(make, seed: UInt64(cache) + 1)
    var other = EvictionRehearsal(make, seed: UInt64(cache) + 0x1_0000)
    var victims: [[UInt32]] = []
    var isOtherOver = false
    for _ in 0..<requests {
      let step = own.step()
      victims.append(step.victims)
      if step.hasFailed { break }
      if !isOtherOver { isOtherOver = other.step().hasFailed }
    }
    return victims
  }

  private func difference(_ one: [[UInt32]], _ other: [[UInt32]]) -> Int? {
    for request in 0..<min(one.count, other.count) where one[request] != other[request] {
      return request
    }
    return one.count == other.count ? nil : min(one.count, other.count)
  }
}
