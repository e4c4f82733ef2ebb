import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the objects of a catalogue are: for a host that serves them for real.
///
/// A function of (scenario, seed, replication, title), the same numbers that the simulated world
/// works with. Nothing is stored per title.
public struct CatalogueContents: Sendable {
  /// What one title is like.
  public struct Entry: Sendable, Equatable {
    public var duration: TimeSpan
    public var segmentCount: Int
    /// Sheets of the storyboard, and its cues.
    public var spriteCount, cueCount: Int
  }

  private let catalogue: Boxed<CatalogueConfiguration>
  private let streams: RandomStreams
  private let normal: QuantileTable
  /// Titles of the catalogue, crowds' titles and those that arrive all the time. Numbers beyond are
  /// versions of titles.
  public let titleCount: UInt32
  private let warmUp: TimeSpan

  /// - Parameters:
  ///   - normal: the standard normal law.
  ///   - numbers: how many ``TitleNumbers`` there are.
  ///   - warmUp: times of republishing count from its end.
  public init(
    _ configuration: CatalogueConfiguration, normal: QuantileTable, numbers: Int64,
    warmUp: TimeSpan, streams: RandomStreams
  ) {
    catalogue = Boxed(configuration)
    self.streams = streams
    self.normal = normal
    self.warmUp = warmUp
    let versions = configuration.republishes.reduce(0) { $0 + Int64($1.titles) }
    titleCount = UInt32(numbers - versions)
  }

  /// The settings that it is made from.
  public var configuration: CatalogueConfiguration { catalogue.value }

  /// What a title is like.
  /// - Precondition: `title` is below ``titleCount``.
  public func entry(_ title: UInt32) -> Entry {
    precondition(title < titleCount, "a title of the catalogue")
    let drawn = self.title(title)
    let sheets = drawn.duration.wholeSteps(of: catalogue.value.spriteSpan) + 1
    return Entry(
      duration: drawn.duration, segmentCount: drawn.segmentCount,
      spriteCount: Int(min(sheets, Int64(ObjectLayout.maximumSprites))),
      cueCount: Int(drawn.duration.wholeSteps(of: catalogue.value.cueSpan) + 1))
  }

  /// Media time of a segment: the last one is shorter.
  public func length(of segment: Int, title: UInt32) -> TimeSpan {
    self.title(title).length(of: segment, step: catalogue.value.segmentDuration)
  }

  /// Bytes of a segment of a rung.
  public func segmentBytes(_ segment: Int, rung: RungIndex, title: UInt32) -> Int64 {
    segmentBytes(
      segment..<(segment + 1), rate: catalogue.value.ladder[rung], of: self.title(title))[0]
  }

  /// Bytes of all segments of a rung.
  ///
  /// - Complexity: O(segments), two random numbers each.
  public func allSegmentBytes(rung: RungIndex, title: UInt32) -> [Int64] {
    let drawn = self.title(title)
    return segmentBytes(
      0..<drawn.segmentCount, rate: catalogue.value.ladder[rung], of: drawn)
  }

  /// Bytes of an audio segment; nil where audio is inside the video's.
  public func audioBytes(_ segment: Int, title: UInt32) -> Int64? {
    catalogue.value.audioRate.map { $0.bytes(in: length(of: segment, title: title)).bytes }
  }

  /// Bytes of a media playlist.
  public func playlistBytes(title: UInt32) -> Int64 {
    catalogue.value.mediaPlaylistBytes(of: self.title(title))
  }

  /// Bytes of the storyboard, compressed.
  public func storyboardBytes(title: UInt32) -> Int64 {
    catalogue.value.cueBytes * Int64(entry(title).cueCount)
  }

  /// Which version of a title is current at a time since the run's beginning, the warm-up
  /// included: 1 until it is republished for the first time.
  public func version(of title: UInt32, at time: Instant) -> UInt32 {
    var version: UInt32 = 1
    for part in catalogue.value.republishes
    where Instant.zero + warmUp + part.at <= time && title < part.titles {
      version += 1
    }
    return version
  }

  /// When a version of a title became current; nil for one that there will never be.
  public func published(title: UInt32, version: UInt32) -> Instant? {
    if version == 1 { return .zero }
    var count: UInt32 = 1
    for part in catalogue.value.republishes where title < part.titles {
      count += 1
      if count == version { return Instant.zero + warmUp + part.at }
    }
    return nil
  }

  // MARK: The feed

  /// A title that the feed may show at a place of a session, by popularity: the simulated feed's
  /// draw of that number. It takes the first that the session does not remember.
  public func feedTitle(session: UInt32, item: UInt32, attempt: UInt32) -> UInt32 {
    let entity = UInt64(session) << 32 | UInt64(item)
    return catalogue.value.popularity.index(
      streams.bits(.feedTitle, entity: entity, draw: attempt))
  }

  /// The simulated API's draw for the time that a page takes.
  public func pageDraw(session: UInt32, firstItem: UInt32) -> Double {
    streams.uniform(.feedPage, entity: UInt64(session) << 32 | UInt64(firstItem))
  }

  /// The simulated ranker's draws for a page: its time, and whether the call is a slow one.
  public func rankerDraws(session: UInt32, page: UInt32) -> (time: Double, slow: Double) {
    let pair = streams.uniformPair(.ranker, entity: UInt64(session) << 32 | UInt64(page))
    return (pair.0, pair.1)
  }

  // Titles are functions of a configuration in memory of its own; here it is lent to them.

  private func title(_ number: UInt32) -> Title {
    var lent = catalogue.value
    return withUnsafeMutablePointer(to: &lent) { pointer in
      Title(TitleID(number), catalogue: pointer, streams: streams)
    }
  }

  private func segmentBytes(_ indices: Range<Int>, rate: BitRate, of title: Title) -> [Int64] {
    var lent = catalogue.value
    let sources = DrawSources(streams: streams, normal: normal)
    return withUnsafeMutablePointer(to: &lent) { pointer in
      var sizes: [Int64] = []
      sizes.reserveCapacity(indices.count)
      for index in indices {
        sizes.append(title.segmentBytes(index, rate: rate, sources: sources, catalogue: pointer))
      }
      return sizes
    }
  }
}
