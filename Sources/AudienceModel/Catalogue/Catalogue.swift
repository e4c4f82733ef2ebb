import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// The titles: durations, ladder, segment sizes, popularity.
///
/// Included: a duration law, per-title scale and variability of segment sizes, smaller first
/// segments, serial correlation, one relative profile for all renditions (parameters.md section 8),
/// Zipf popularity, new versions, new titles, audio of its own at a constant rate. Left out:
/// engagement-gated renditions.
/// Nothing is stored per title: a title's properties are a function of (seed, replication, title).
public struct CatalogueConfiguration: Sendable {
  /// Active titles.
  public var titles: UInt32
  /// Popularity: outcome r is the title of rank r.
  public var popularity: AliasTable
  /// Probability of each rank, for the stationary start.
  public var probabilities: [Double]
  /// Duration of a title, seconds, clipped to ``minimumDuration`` ... ``maximumDuration``.
  public var duration: QuantileTable
  public var minimumDuration, maximumDuration: TimeSpan
  public var ladder: Ladder
  public var segmentDuration: TimeSpan
  /// Title mean over declared rung rate (QVBR), its upper bound being 1.
  public var titleScale: QuantileTable
  /// Coefficient of variation of a title's segment sizes.
  public var segmentVariation: QuantileTable
  /// First segment over the title's mean.
  public var firstSegmentRatio: QuantileTable
  /// Largest segment over the title's mean (Apple's authoring limit: 2).
  public var peakRatio: Double
  /// Bytes of the objects beside the segments.
  public var manifestBytes, masterBytes, initBytes, posterBytes: Int64
  /// A media playlist: fixed part and per segment.
  public var playlistBytes, playlistBytesPerSegment: Int64
  /// The storyboard: one compressed cue, one sprite sheet, seconds of media on a sheet.
  public var cueBytes, spriteBytes: Int64
  public var spriteSpan, cueSpan: TimeSpan
  /// Titles beyond ``titles`` that arrive all the time; nil for none.
  public var newTitles: NewTitles?
  /// Ascending by time.
  public var republishes: [Republish] = []
  public var packaging = Packaging.hls
  /// Bytes of an MPD with a segment template, which does not grow with the title.
  public var descriptionBytes: Int64 = 2_000
  /// Bit rate of audio in segments of its own; nil: audio is inside the video's. With it the ladder
  /// has at most ``ObjectLayout/maximumRungs`` - 1 rungs, because audio takes the last one's place.
  public var audioRate: BitRate?
  public var audioInitBytes: Int64 = 700
  /// What the titles are, one for each of ``titles``; empty: as the laws draw them.
  public var given: [GivenTitle] = []
  /// The media of every title, beside ``segmentDuration`` and ``ladder`` that are its own; nil:
  /// sizes are drawn. Not together with ``given`` or ``audioRate``.
  public var media: GivenMedia?

  public init(
    titles: UInt32, popularity: AliasTable, probabilities: [Double], duration: QuantileTable,
    minimumDuration: TimeSpan, maximumDuration: TimeSpan, ladder: Ladder,
    segmentDuration: TimeSpan, titleScale: QuantileTable, segmentVariation: QuantileTable,
    firstSegmentRatio: QuantileTable, peakRatio: Double, manifestBytes: Int64, masterBytes: Int64,
    initBytes: Int64, posterBytes: Int64, playlistBytes: Int64, playlistBytesPerSegment: Int64,
    cueBytes: Int64, spriteBytes: Int64, spriteSpan: TimeSpan, cueSpan: TimeSpan
  ) {
    precondition(ladder.count <= ObjectLayout.maximumRungs, "a ladder has at most 8 rungs")
    precondition(
      maximumDuration <= segmentDuration * Int64(ObjectLayout.maximumSegments),
      "a title has at most \(ObjectLayout.maximumSegments) segments")
    self.titles = titles
    self.popularity = popularity
    self.probabilities = probabilities
    self.duration = duration
    self.minimumDuration = minimumDuration
    self.maximumDuration = maximumDuration
    self.ladder = ladder
    self.segmentDuration = segmentDuration
    self.titleScale = titleScale
    self.segmentVariation = segmentVariation
    self.firstSegmentRatio = firstSegmentRatio
    self.peakRatio = peakRatio
    self.manifestBytes = manifestBytes
    self.masterBytes = masterBytes
    self.initBytes = initBytes
    self.posterBytes = posterBytes
    self.playlistBytes = playlistBytes
    self.playlistBytesPerSegment = playlistBytesPerSegment
    self.cueBytes = cueBytes
    self.spriteBytes = spriteBytes
    self.spriteSpan = spriteSpan
    self.cueSpan = cueSpan
  }

  /// Bytes of a media playlist of a title, audio's included: each has a line for every segment.
  public func mediaPlaylistBytes(of title: Title) -> Int64 {
    playlistBytes + playlistBytesPerSegment * Int64(title.segmentCount)
  }
}

/// Where each object of a title stands among the title's objects; the same for every title.
public enum ObjectLayout {
  public static let maximumRungs = 8
  public static let maximumSegments = 120
  public static let maximumSprites = 16
  /// Objects of one title, used or not.
  public static let stride: UInt32 = 1024

  public static let mediaManifest: UInt32 = 0
  public static let master: UInt32 = 1
  public static let poster: UInt32 = 2
  public static let vtt: UInt32 = 3
  public static let playlists: UInt32 = 8
  public static let inits: UInt32 = 16
  public static let sprites: UInt32 = 24
  static let segments: UInt32 = 40
  /// Demuxed audio has the objects of the last rung.
  public static let audio = RungIndex(UInt32(maximumRungs - 1))

  /// The offset of a segment.
  @inline(__always)
  public static func segment(_ index: Int, rung: RungIndex) -> UInt32 {
    segments + rung.index * UInt32(maximumSegments) + UInt32(index)
  }

  /// The object of a title at an offset.
  @inline(__always)
  public static func object(_ title: UInt32, _ offset: UInt32) -> UInt32 {
    title * stride + offset
  }

  /// The class of the object at an offset, or nil for an unused offset.
  public static func assetClass(of offset: UInt32) -> AssetClass? {
    switch offset {
    case mediaManifest: .mediaManifest
    case master: .masterPlaylist
    case poster: .poster
    case vtt: .vtt
    case playlists..<inits: .mediaPlaylist
    case inits..<sprites: .initSegment
    case sprites..<segments: .sprite
    case segments..<(segments + UInt32(maximumRungs * maximumSegments)): .segment
    default: nil
    }
  }

  /// What is asked for by the same views: the objects of one rung, the sprites, each other one.
  public static func group(of offset: UInt32) -> UInt32 {
    switch offset {
    case playlists..<inits: offset - playlists
    case inits..<sprites: offset - inits
    case segments...: (offset - segments) / UInt32(maximumSegments)
    case sprites..<segments: 100
    default: 101 + offset
    }
  }

  /// The segment's index, or nil for an object that is not a segment.
  public static func segmentIndex(of offset: UInt32) -> Int? {
    offset >= segments ? Int(offset - segments) % maximumSegments : nil
  }

  /// The rung of a segment at an offset.
  public static func rung(of segment: UInt32) -> RungIndex {
    RungIndex((segment - segments) / UInt32(maximumSegments))
  }
}

/// What a title is like.
public struct Title {
  public var id: TitleID
  /// Bits by asset class of what the title does not have.
  public var missing: UInt16 = 0
  @Packed<UInt16> public var segmentCount = 0
  public var duration: TimeSpan
  /// Mean size over the declared rate.
  var scale: Double
  /// Standard deviation of the log of a segment's size.
  var logSigma: Double
  var firstRatio: Double
  /// Media time of each segment but the last.
  public var step: TimeSpan

  public init(
    _ id: TitleID, catalogue: UnsafeMutablePointer<CatalogueConfiguration>,
    streams: RandomStreams
  ) {
    self.id = id
    let entity = UInt64(id.index)
    let (u0, u1) = streams.uniformPair(.title, entity: entity, pair: 0)
    let (u2, u3) = streams.uniformPair(.title, entity: entity, pair: 1)
    duration = Title.duration(u0, catalogue)
    step = catalogue.pointee.segmentDuration
    segmentCount = Title.segments(in: duration, of: step)
    let drawn = catalogue.pointee.titleScale.quantile(u1)
    scale = drawn < 1 ? drawn : 1
    let variation = catalogue.pointee.segmentVariation.quantile(u2)
    logSigma = PortableMath.log(1 + variation * variation).squareRoot()
    firstRatio = catalogue.pointee.firstSegmentRatio.quantile(u3)
    if Int(id.index) < catalogue.pointee.given.count {
      let given = catalogue.pointee.given[Int(id.index)]
      duration = given.duration
      segmentCount = given.segmentCount
      step = given.step
      missing = given.missing
    }
  }

  private static func duration(
    _ u: Double, _ catalogue: UnsafeMutablePointer<CatalogueConfiguration>
  ) -> TimeSpan {
    var length = TimeSpan(seconds: catalogue.pointee.duration.quantile(u))
    if length < catalogue.pointee.minimumDuration { length = catalogue.pointee.minimumDuration }
    if length > catalogue.pointee.maximumDuration { length = catalogue.pointee.maximumDuration }
    return catalogue.pointee.media?.duration(length) ?? length
  }

  private static func segments(in duration: TimeSpan, of step: TimeSpan) -> Int {
    Int((duration.nanoseconds + step.nanoseconds - 1) / step.nanoseconds)
  }

  /// How many segments a title has, without the rest of it.
  public static func segmentCount(
    of id: TitleID, catalogue: UnsafeMutablePointer<CatalogueConfiguration>,
    streams: RandomStreams
  ) -> Int {
    if Int(id.index) < catalogue.pointee.given.count {
      return catalogue.pointee.given[Int(id.index)].segmentCount
    }
    let (u, _) = streams.uniformPair(.title, entity: UInt64(id.index), pair: 0)
    return segments(in: duration(u, catalogue), of: catalogue.pointee.segmentDuration)
  }

  /// Whether the title has no object of a class.
  public func lacks(_ asset: AssetClass) -> Bool { missing >> UInt16(asset.rawValue) & 1 == 1 }

  /// Media time of segment `index`: the last one is shorter.
  public func length(of index: Int, step: TimeSpan) -> TimeSpan {
    index == segmentCount - 1 ? duration - step * Int64(index) : step
  }

  /// Bytes of a segment at a declared rate.
  ///
  /// log size = sigma·(e_k + e_(k-1)/3)/√(10/9) - sigma²/2: a moving average whose lag-1
  /// correlation is exactly 0.3, drawn without storing a sequence.
  public func segmentBytes(
    _ index: Int, rate: BitRate, sources: borrowing DrawSources,
    catalogue: UnsafeMutablePointer<CatalogueConfiguration>
  ) -> Int64 {
    if let media = catalogue.pointee.media { return media.bytes(of: index, rate: rate) }
    let mean =
      Double(rate.bitsPerSecond) * 0.125 * scale
      * length(of: index, step: step).seconds
    var ratio: Double
    if index == 0 {
      ratio = firstRatio
    } else {
      let entity = UInt64(id.index)
      let (first, second) = sources.streams.uniformPair(
        .segment, entity: entity, pair: UInt32(index / 2))
      // An odd one and the one before it are a pair.
      let now = index % 2 == 1 ? second : first
      let before =
        index % 2 == 1
        ? first : sources.streams.uniform(.segment, entity: entity, draw: UInt32(index - 1))
      let noise =
        (sources.normal.quantile(now) + sources.normal.quantile(before) / 3)
        * 0.948_683_298_050_513_8
      ratio = PortableMath.exp(logSigma * noise - 0.5 * logSigma * logSigma)
    }
    if ratio > catalogue.pointee.peakRatio { ratio = catalogue.pointee.peakRatio }
    let bytes = Int64((mean * ratio).rounded())
    return bytes > 400 ? bytes : 400
  }
}
