import FeedPolicy
import MediaUnits
import Models

/// What an HLS origin has, as it was found before a run: titles with their playlists, lengths and
/// variants, and the ladder that they have in common.
///
/// Leaves out, and tells as a remark: everything behind the 120th segment of a title, keys of
/// encrypted segments, init sections after the first, audio of its own where not every title has
/// it, variants beyond the eighth.
public struct FoundCatalogue: Sendable {
  /// One title.
  public struct Entry: Sendable {
    /// As the feed names it, or its master playlist's URI.
    public var name: String
    /// `media_manifest.json`; nil: the origin has none, and the master playlist is known.
    public var manifest: URIReference?
    public var master: URIReference
    public var poster, storyboard: URIReference?
    /// Bits per second of the variants, ascending.
    public var rates: [Int64]
    /// Audio in segments of its own.
    public var hasAudio: Bool
    public var title: GivenTitle
  }

  public private(set) var entries: [Entry] = []
  /// Why titles or parts of them cannot be played, by kind.
  public private(set) var problems: [String: Int] = [:]
  /// What is played in another way than it is written, by kind.
  public private(set) var remarks: [String: Int] = [:]
  /// Names of a feed's items decide what viewers see.
  public internal(set) var isFed = false

  public init() {}

  mutating func note(problem: String) { problems[problem, default: 0] += 1 }
  mutating func note(remark: String) { remarks[remark, default: 0] += 1 }

  // MARK: Titles

  /// The variants that a player of video chooses from, ascending by rate, each rate once: those
  /// with audio alone are left out when there are others.
  static func variants(_ master: HLSMultivariant) -> [HLSVariant] {
    let sounds = ["mp4a", "ac-3", "ec-3", "Opus", "fLaC", "alac"]
    let isVideo = { (variant: HLSVariant) in
      guard let codecs = variant.codecs, variant.height == nil else { return true }
      return codecs.split(whereSeparator: { $0 == "," || $0 == " " }).contains { codec in
        !sounds.contains(where: codec.hasPrefix)
      }
    }
    let videos = master.variants.filter(isVideo)
    var chosen: [HLSVariant] = []
    for variant in (videos.isEmpty ? master.variants : videos).sorted(by: {
      $0.bandwidth < $1.bandwidth
    }) where variant.bandwidth > chosen.last?.bandwidth ?? 0 {
      chosen.append(variant)
    }
    return chosen
  }

  /// The rendition with the audio of the variants; nil: it is in their segments.
  static func audio(_ master: HLSMultivariant) -> HLSRendition? {
    guard let group = variants(master).compactMap(\.audioGroup).first else { return nil }
    let renditions = master.renditions(.audio, group: group)
    return renditions.first(where: \.isDefault) ?? renditions.first
  }

  /// What a title is like by one of its media playlists; nil, and a problem, when it cannot be
  /// played.
  mutating func title(_ media: HLSMedia) -> GivenTitle? {
    if media.isIFramesOnly {
      note(problem: "playlist of I-frames only")
      return nil
    }
    if !media.isEnded {
      note(problem: "playlist without an end")
      return nil
    }
    let count = min(media.segments.count, ObjectLayout.maximumSegments)
    let lengths = media.segments.prefix(count).map(\.duration)
    let duration = lengths.reduce(TimeSpan.zero) { $0.adding(saturating: $1) }
    guard count > 0, duration >= .milliseconds(1), duration <= .hours(24) else {
      note(problem: "playlist without media")
      return nil
    }
    if count < media.segments.count { note(remark: "title longer than \(count) segments, cut") }
    if media.segments.contains(where: { $0.key != nil }) {
      note(remark: "encrypted title, its keys are not fetched")
    }
    if media.initSections.count > 1 {
      note(remark: "title with several init sections, the first is fetched")
    }
    if media.segments.contains(where: \.isGap) { note(remark: "title with gaps, asked for") }
    // The usual length, where it makes the duration; else all are taken as equal.
    var step = lengths.dropLast().sorted()[safe: (count - 1) / 2] ?? duration
    if step <= .zero || step * Int64(count - 1) >= duration || step * Int64(count) < duration {
      step = TimeSpan(nanoseconds: (duration.nanoseconds + Int64(count) - 1) / Int64(count))
    }
    var title = GivenTitle(duration: duration, segmentCount: count, step: step)
    if media.initSections.isEmpty { title.lack(.initSegment) }
    return title
  }

  /// Adds a title.
  mutating func add(_ entry: Entry) {
    var entry = entry
    if entry.manifest == nil { entry.title.lack(.mediaManifest) }
    if entry.poster == nil { entry.title.lack(.poster) }
    if entry.storyboard == nil {
      entry.title.lack(.vtt)
      entry.title.lack(.sprite)
    }
    entries.append(entry)
  }

  // MARK: The catalogue

  /// Whether the world's titles have audio of their own: when every title has.
  public var hasAudio: Bool { !entries.isEmpty && entries.allSatisfy(\.hasAudio) }

  /// Rates of the ladder, ascending: by rung the median of the titles that have the usual number of
  /// variants. A title with another number gives for each rung the variant next to it
  /// (``variant(of:for:)``).
  public var ladder: [Int64] {
    var counts: [Int: Int] = [:]
    for entry in entries { counts[entry.rates.count, default: 0] += 1 }
    guard let usual = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key
    else { return [] }
    let like = entries.filter { $0.rates.count == usual }
    let most = hasAudio ? ObjectLayout.maximumRungs - 1 : ObjectLayout.maximumRungs
    let rungs = min(usual, most)
    var ladder: [Int64] = []
    for rung in 0..<rungs {
      // With more variants than rungs, those spread evenly from the first to the last.
      let place = rungs < 2 ? 0 : rung * (usual - 1) / (rungs - 1)
      let rates = like.map { $0.rates[place] }.sorted()
      let rate = min(max(rates[rates.count / 2], 1_000), 1_000_000_000)
      ladder.append(max(rate, (ladder.last ?? 0) + 1))
    }
    return ladder
  }

  /// The variant of a title that stands for a rung: the one whose rate is next to the rung's.
  static func variant(of rates: [Int64], for rate: Int64) -> Int {
    var best = 0
    for place in rates.indices {
      let isNearer =
        Double(max(rates[place], rate)) / Double(max(1, min(rates[place], rate)))
        < Double(max(rates[best], rate)) / Double(max(1, min(rates[best], rate)))
      if isNearer { best = place }
    }
    return best
  }

  /// The usual length of a segment.
  public var segmentDuration: TimeSpan {
    let steps = entries.map(\.title.step).sorted()
    let usual = steps[safe: steps.count / 2] ?? .seconds(2)
    return min(max(usual, .milliseconds(500)), .seconds(20))
  }

  /// The keys that make a scenario's catalogue this one, as `--set` has them; the titles themselves
  /// are ``given``.
  public func keys(longest: TimeSpan) -> [String] {
    let step = segmentDuration.nanoseconds / 1_000
    let limit = segmentDuration * Int64(ObjectLayout.maximumSegments)
    var keys = [
      "catalogue.titles=\(entries.count)", "catalogue.packaging=hls",
      "catalogue.ladder=[\(ladder.map { "\($0) bps" }.joined(separator: ", "))]",
      "catalogue.segmentDuration=\(step) us", "catalogue.republish=[]",
      // The rate is the origin's; this one is what a player of the model expects (assumed).
      "catalogue.audio=\(hasAudio ? "128 kbps" : "none")",
    ]
    if limit < longest {
      keys.append("catalogue.maximumDuration=\(limit.nanoseconds / 1_000) us")
    }
    return keys
  }

  /// The titles for ``CatalogueConfiguration/given``.
  ///
  /// - Parameter spriteSpan: media on a sheet; a title with more sheets than the world's objects
  ///   have places loses its storyboard.
  public func given(spriteSpan: TimeSpan) -> [GivenTitle] {
    entries.map { entry in
      var title = entry.title
      if title.duration >= spriteSpan * Int64(ObjectLayout.maximumSprites) {
        title.lack(.vtt)
        title.lack(.sprite)
      }
      return title
    }
  }

  /// In one sentence each, for a person.
  public var summary: [String] {
    let rates = ladder.map { "\($0 / 1000)" }.joined(separator: ", ")
    var lines = ["\(entries.count) titles, ladder \(rates) kbit/s"]
    for (kind, count) in problems.sorted(by: { $0.key < $1.key }) {
      lines.append("not played: \(count) × \(kind)")
    }
    for (kind, count) in remarks.sorted(by: { $0.key < $1.key }) {
      lines.append("\(count) × \(kind)")
    }
    if !hasAudio && entries.contains(where: \.hasAudio) {
      lines.append("audio of its own is left out: not every title has it")
    }
    return lines
  }
}

extension Collection where Index == Int {
  /// The element at a place; nil where there is none.
  subscript(safe place: Int) -> Element? { indices.contains(place) ? self[place] : nil }
}
