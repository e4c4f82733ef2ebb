import Models
import SimulationKernel
import Synchronization

/// The plans of feeds' replications, each pilot run once (docs/decisions/0028).
///
/// Scenarios whose pilots are equal in all that the count depends on (``Models/FeedPilot``) have it
/// from one run, whatever else differs between them, and so it is with what the tiers are filled
/// with (``Models/TierFilling``). What was found is remembered here, and on disk where there is a
/// store; a plan is the same bytes however it was come by, and on however many threads.
public final class Pilots: Sendable {
  private let store: PilotStore?
  private let counts = Shelf<[UInt64]>(most: 256)
  private let knownContents = Shelf<TierContents>(most: 8)
  private let runs = Atomic<Int>(0)
  private let fillings = Atomic<Int>(0)

  /// - Parameter store: where they are kept between runs of the program; nil for nowhere.
  public init(store: PilotStore? = nil) { self.store = store }

  /// How many pilots were run, and how often tiers were filled, because neither was known.
  public var work: (pilots: Int, fillings: Int) {
    (runs.load(ordering: .relaxed), fillings.load(ordering: .relaxed))
  }

  /// What a replication of a feed begins with, as ``Models/FeedRun/plan(_:seed:replication:)`` has
  /// it.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` when a pilot runs into a limit.
  public func plan(
    _ configuration: FeedConfiguration, seed: UInt64, replication: UInt16 = 0
  ) throws(SimulationError) -> FeedPlan {
    guard let pilot = FeedPilot(configuration, seed: seed, replication: replication) else {
      return FeedPlan(withoutPilot: configuration)
    }
    let plan = FeedPlan(
      configuration, seed: seed, replication: replication, counted: try counted(pilot))
    guard let filling = TierFilling(plan, configuration) else { return plan }
    var all = filled(plan, filling)
    all.fillFurther(configuration) { filling in
      filling.isTrivial
        ? filling.contents() : key(filling).map { contents(filling, $0) } ?? filling.contents()
    }
    return all
  }

  /// Views of a session and what is asked for as the pilots of the first replications have counted
  /// them together; no tiers are filled. For what is computed once and has no replications: there
  /// one pilot's chance would have no interval to show in.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` when a pilot runs into a limit.
  public func pooled(
    _ configuration: FeedConfiguration, seed: UInt64, replications: Int
  ) throws(SimulationError) -> FeedPlan {
    var all = OffsetCounts()
    for replication in 0..<UInt16(replications) {
      guard let pilot = FeedPilot(configuration, seed: seed, replication: replication) else {
        return FeedPlan(withoutPilot: configuration)
      }
      all.add(try counted(pilot))
    }
    return FeedPlan(configuration, seed: seed, replication: 0, counted: all)
  }

  // MARK: Steps

  private func counted(_ pilot: FeedPilot) throws(SimulationError) -> OffsetCounts {
    guard let key = key(pilot) else { return try run(pilot) }
    var own: OffsetCounts?
    let words = try counts.value(key) { () throws(SimulationError) in
      if let kept = store?.words(key), let counted = OffsetCounts(words: kept) {
        own = counted
        return kept
      }
      let counted = try run(pilot)
      own = counted
      let words = counted.words
      store?.keep(words, as: key)
      return words
    }
    guard let counted = own ?? OffsetCounts(words: words) else {
      preconditionFailure("words that were read or written before can be read")
    }
    return counted
  }

  private func run(_ pilot: FeedPilot) throws(SimulationError) -> OffsetCounts {
    runs.add(1, ordering: .relaxed)
    return try pilot.count()
  }

  /// A plan with its tiers filled, by what is known where it is: contents that are known are one
  /// memory. Nothing else is taken of a plan whose filling is equal: the filling of one of several
  /// providers has a share of the demand, which may be all of another's.
  private func filled(_ plan: FeedPlan, _ filling: TierFilling) -> FeedPlan {
    var own = plan
    guard !filling.isTrivial, let key = key(filling) else {
      own.untouched = filling.contents()
      return own
    }
    own.untouched = knownContents.value(key) { () throws(Never) in contents(filling, key) }
    return own
  }

  private func contents(_ filling: TierFilling, _ key: ContentKey) -> TierContents {
    if let words = store?.words(key), let kept = TierContents(words: words) { return kept }
    fillings.add(1, ordering: .relaxed)
    let contents = filling.contents()
    store?.keep(contents.words, as: key)
    return contents
  }

  /// Of one program only: another may count otherwise.
  private func key(_ value: Any) -> ContentKey? {
    guard let store else { return ValueWalk.key(of: value) }
    return store.program.flatMap { ValueWalk.key(of: value, [$0]) }
  }
}

/// Values by name, each made once at a time; the first to come go first when there are too many.
private final class Shelf<Value: Sendable>: Sendable {
  private final class Place: Sendable {
    let value = Mutex<Value?>(nil)
  }

  private struct State {
    var places: [ContentKey: Place] = [:]
    var order: [ContentKey] = []
  }

  private let state = Mutex(State())
  private let most: Int

  init(most: Int) { self.most = most }

  /// The value of a name. Whoever asks while it is being made waits for it; one that could not be
  /// made is tried again.
  func value<Failure: Error>(
    _ key: ContentKey, make: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let place = state.withLock { state in
      if let place = state.places[key] { return place }
      if state.order.count == most { state.places[state.order.removeFirst()] = nil }
      let place = Place()
      state.places[key] = place
      state.order.append(key)
      return place
    }
    return try place.value.withLock { known throws(Failure) in
      if let known { return known }
      let made = try make()
      known = made
      return made
    }
  }
}
