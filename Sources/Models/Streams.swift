import SimulationKernel

/// The purposes of random numbers in the models. A number is never reused
/// (docs/decisions/0004).
extension StreamName {
  static let arrival = StreamName(rawValue: 1)
  static let sessionLength = StreamName(rawValue: 2)
  static let sessionChoice = StreamName(rawValue: 3)
  static let linkMean = StreamName(rawValue: 4)
  static let linkSecond = StreamName(rawValue: 5)
  static let roundTrip = StreamName(rawValue: 6)
  static let feedTitle = StreamName(rawValue: 7)
  static let dwell = StreamName(rawValue: 8)
  static let swipe = StreamName(rawValue: 9)
  static let patience = StreamName(rawValue: 10)
  static let request = StreamName(rawValue: 11)
  static let title = StreamName(rawValue: 12)
  static let segment = StreamName(rawValue: 13)
  static let device = StreamName(rawValue: 14)
  static let decoder = StreamName(rawValue: 15)
  static let backhaul = StreamName(rawValue: 16)
  static let origin = StreamName(rawValue: 17)
  static let stationary = StreamName(rawValue: 18)
  static let feedPage = StreamName(rawValue: 19)
  static let scrub = StreamName(rawValue: 20)
  static let burst = StreamName(rawValue: 21)
  /// Gaps between the packets that a connection loses: entity is the connection, draw the number
  /// of the gap.
  static let packetLoss = StreamName(rawValue: 22)
  /// Phases of BBR's gain cycle: entity is the connection, draw the number of the cycle.
  static let gainCycle = StreamName(rawValue: 23)
  /// Whether a missed object enters a cache; the entity is the request's number, or node and
  /// object.
  static let admission = StreamName(rawValue: 24)
  /// A shared tier's time to answer; the entity is node and object, the draw child and fetch.
  static let nodeService = StreamName(rawValue: 25)
  /// Jitter of lifetimes: entity is node and object, draw the number of the fetch.
  static let lifetime = StreamName(rawValue: 26)
  /// Gaps between the requests of edges that are not simulated: entity is node and object.
  static let others = StreamName(rawValue: 27)
  /// Which value of the cache key's query a session has.
  static let cacheKey = StreamName(rawValue: 28)
  /// Arrivals of a crowd's sessions: entity is the crowd and the arrival's number.
  static let crowdArrival = StreamName(rawValue: 40)
  /// Whether an item is a crowd's new title: entity is the item, draw the crowd.
  static let crowdTitle = StreamName(rawValue: 41)
  /// Whether an item is a new title, and how old: entity is the item.
  static let newTitle = StreamName(rawValue: 42)
  /// Whether a view is paused, and where: entity is the view, pair the kind of pause.
  static let pause = StreamName(rawValue: 50)
  /// How long a pause is, and whether the app comes back from it: entity is the view.
  static let pauseLength = StreamName(rawValue: 51)
  /// From a snap back to the next swipe: entity is the view, draw the session's number of snaps.
  static let snapRetry = StreamName(rawValue: 52)
  /// The ranker's time: entity is the page.
  static let ranker = StreamName(rawValue: 53)
  /// The title of an exploration item: entity is the item.
  static let exploration = StreamName(rawValue: 54)
  /// The ingest's time and answers: entity is the session, draw three times the post's number.
  static let ingest = StreamName(rawValue: 55)
  /// Whether a segment's answer is an error: entity is the item, draw its offset and try.
  static let segmentError = StreamName(rawValue: 56)
  /// Jitter of a retry, or time to a tap: likewise.
  static let retryJitter = StreamName(rawValue: 57)
  /// The gap of a loop: entity is the view, draw the number of its pass.
  static let loopGap = StreamName(rawValue: 58)
  /// Attachment and refresh of a first frame: entity is the view; of a mixed feed's card, viewer
  /// and card, pair the number of its mount.
  static let presentation = StreamName(rawValue: 70)
  /// Work for an item's player: entity is the item, draw what it is.
  static let mainThread = StreamName(rawValue: 71)
  /// Which title of a group of the tail is simulated: entity is the group's first title.
  static let titleSample = StreamName(rawValue: 90)
  /// Views by those who are not simulated: entity is place and title, pair the number of the view.
  static let othersView = StreamName(rawValue: 91)
}
