import MediaUnits
import ModelBasics
import SimulationKernel

/// One view of a title by somebody of the whole audience.
public struct OthersView: Sendable {
  /// When, in stretched time (``DemandClock``), seconds.
  public var work: Double
  /// What its further random numbers follow from.
  var seed: UInt64
  /// It is one of those that the simulated viewers make themselves.
  public var isSimulated: Bool

  /// Whether the view asks for the objects that are asked for in a share of the views. Objects of
  /// one `group` are asked for by the same views, as far as their shares go.
  public func asks(_ share: Double, group: UInt32) -> Bool {
    share >= 1 || uniform(group: group) < share
  }

  /// A random number of the view's for objects of one group.
  public func uniform(group: UInt32) -> Double {
    RandomStreams.uniform(SplitMix.finalized(seed ^ (UInt64(group) &+ 1) &* SplitMix.step))
  }
}

/// The views of one title at one place, one after the other: a Poisson process that is a pure
/// function of the seed, so that whoever asks at whichever time for whichever object of the title
/// meets the same views.
///
/// Stretched time is cut into cells of ``viewsPerCell`` expected views. Within a cell gaps are
/// drawn from its beginning on; nothing of another cell is needed for that, because a Poisson
/// process has no memory.
public struct OthersViews: Sendable {
  static let viewsPerCell = 4.0
  /// Draws of a cell; a Poisson number of mean 4 is larger with probability 1e-18.
  private static let mostPerCell: UInt32 = 32

  private let streams: RandomStreams
  private let entity: UInt64
  private let first: UInt32
  private let rate: Double
  private let simulatedShare: Double
  private let begin: Double
  private let delay: Double
  private let width: Double
  private var cell = 0
  private var number: UInt32 = 0
  private var work = 0.0

  /// - Parameters:
  ///   - place: whose views; edges have numbers of their own.
  ///   - first: tells the cache keys of one object apart.
  ///   - rate: views per second of stretched time, positive.
  ///   - simulatedShare: the part of them that simulated viewers make.
  ///   - begin: nobody views before, stretched time.
  ///   - delay: so much later than the views themselves are what is told of them.
  public init(
    _ streams: RandomStreams, place: UInt32, title: UInt32, first: UInt32, rate: Double,
    simulatedShare: Double, begin: Double = 0, delay: Double = 0
  ) {
    precondition(rate > 0, "a process has events")
    self.streams = streams
    entity = UInt64(place) << 32 | UInt64(title)
    self.first = first
    self.rate = rate
    self.simulatedShare = simulatedShare
    self.begin = begin
    self.delay = delay
    width = OthersViews.viewsPerCell / rate
  }

  /// The next view.
  public mutating func next() -> OthersView {
    while true {
      let pair = UInt32(truncatingIfNeeded: cell) &* OthersViews.mostPerCell &+ number
      let (u0, u1) = streams.uniformPair(.othersView, entity: entity, pair: first &+ pair)
      work -= PortableMath.log(u0) / rate
      number += 1
      if work >= Double(cell + 1) * width || number == OthersViews.mostPerCell {
        enter(cell + 1)
        continue
      }
      return OthersView(
        work: work + delay, seed: u1.bitPattern, isSimulated: u1 < simulatedShare)
    }
  }

  /// The first one after a time.
  public mutating func next(after time: Double) -> OthersView {
    let earliest = time - delay > begin ? time - delay : begin
    let place = Int(earliest / width)
    if place != cell || work > earliest { enter(place) }
    while true {
      let view = next()
      if view.work > time && view.work - delay >= begin { return view }
    }
  }

  /// The least of what is told of each view between two times; infinity where there is none.
  public consuming func least(
    after time: Double, before limit: Double, _ told: (OthersView) -> Double
  ) -> Double {
    var least = Double.infinity
    var view = next(after: time)
    while view.work < limit {
      least = min(least, told(view))
      view = next()
    }
    return least
  }

  private mutating func enter(_ place: Int) {
    cell = place
    number = 0
    work = Double(place) * width
  }
}
