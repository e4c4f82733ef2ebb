import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import SimulationKernel
import Telemetry

/// What each request of a run tells of its player (Common Media Client Data, CTA-5004).
///
/// Left out: `rtp`, since no player here limits what it wants to be sent; of version 2 what belongs
/// to events and responses, and what no player here has, such as dropped frames.
struct ClientDataTeller {
  /// What a session has told so far.
  private struct Session {
    /// Requests, for `sn`.
    var count = 0
    /// The item on the screen, its stalls, and whether its start was told.
    var item: UInt32?
    var stalls: UInt32 = 0
    var isDelayTold = false
  }

  let options: ClientDataOptions
  private let seed: UInt64
  private let ladder: [BitRate]
  private let audioRate: BitRate?
  /// What titles are called; nil: as the stand-in calls them.
  private let names: [String]?
  private var sessions: [UInt32: Session] = [:]
  /// Requests that have told something.
  private(set) var count: Int64 = 0

  /// - Parameter seed: of the run; names of sessions follow from it and from nothing else.
  init(
    _ options: ClientDataOptions, seed: UInt64, catalogue: CatalogueConfiguration,
    names: [String]? = nil
  ) {
    self.options = options
    self.seed = seed
    self.names = names
    ladder = (0..<catalogue.ladder.count).map { catalogue.ladder[RungIndex(UInt32($0))] }
    audioRate = catalogue.audioRate
  }

  /// An object that is likely to be asked for after another one of its host.
  struct Next {
    var uri: URIReference
    var range: HLSByteRange?
  }

  /// Puts what a request tells into it.
  ///
  /// - Parameters:
  ///   - uri: of the object.
  ///   - next: the object that is likely to be asked for next, where it is known.
  mutating func tell(
    _ request: OutsideRequest, at uri: URIReference, next: Next?, in message: inout LiveRequest
  ) {
    if options.way == .off { return }
    let writer = writer(request, at: uri, next: next)
    count += 1
    if options.way == .headers {
      message.headers += writer.headers
    } else {
      message.path += (uri.query == nil ? "?" : "&") + writer.query
    }
  }

  /// A session is over.
  mutating func end(_ session: UInt32) { sessions[session] = nil }

  // MARK: Keys

  mutating func writer(
    _ request: OutsideRequest, at uri: URIReference, next: Next?
  ) -> CMCDWriter {
    let playback = request.playback
    var session = sessions[request.token.session] ?? Session()
    session.count += 1
    var writer = CMCDWriter(version: options.version)
    writer.add(.sid, text: ClientDataTeller.name(ofSession: request.token.session, seed: seed))
    writer.add(.cid, text: title(request.title))
    writer.add(.sf, token: "h")
    writer.add(.st, token: "v")
    writer.add(.sn, number: Double(session.count))
    writer.add(.ot, token: objectType(request))
    if let throughput = playback.throughput {
      writer.add(.mtp, number: Double(throughput.bitsPerSecond))
    }
    addMedia(request, &writer)
    addState(playback, &writer)
    if playback.state != .preloading { addView(request, &session, &writer) }
    if let next {
      let part = next.range.map { "\($0.offset)-\($0.offset &+ $0.length &- 1)" }
      let (there, here) = (next.uri.requestTarget, uri.requestTarget)
      writer.add(
        next: there == here ? nil : ClientDataTeller.relative(there, to: here), part: part)
    }
    sessions[request.token.session] = session
    return writer
  }

  /// What the object is.
  private func addMedia(_ request: OutsideRequest, _ writer: inout CMCDWriter) {
    let rate = rate(of: request)
    if let rate {
      let top = request.isAudio ? rate : ladder[ladder.count - 1]
      writer.add(.br, number: Double(rate.bitsPerSecond))
      writer.add(.tb, number: Double(top.bitsPerSecond))
      writer.add(.lb, number: Double((request.isAudio ? rate : ladder[0]).bitsPerSecond))
    }
    guard request.asset == .segment else { return }
    let playback = request.playback
    if let length = playback.length { writer.add(.d, number: length.seconds) }
    writer.add(.bl, number: playback.ahead.seconds)
    writer.add(.tbl, number: playback.target.seconds)
    switch playback.state {
    // At normal speed what is buffered lasts as long as it is.
    case .starting, .playing, .stalled: writer.add(.dl, number: playback.ahead.seconds)
    case .preloading, .paused, .seeking: break
    }
  }

  /// What the player is doing.
  private func addState(_ playback: OutsidePlayback, _ writer: inout CMCDWriter) {
    let isUrgent: Bool
    let word: String
    switch playback.state {
    case .preloading: (isUrgent, word) = (false, "d")
    case .starting: (isUrgent, word) = (true, "s")
    case .playing: (isUrgent, word) = (false, "p")
    case .stalled: (isUrgent, word) = (true, "r")
    case .paused: (isUrgent, word) = (false, "a")
    case .seeking: (isUrgent, word) = (true, "k")
    }
    writer.add(.su, isOn: isUrgent)
    writer.add(.sta, token: word)
    writer.add(.pr, number: playback.state == .playing ? 1 : 0)
  }

  /// What has happened in the view since the session's last request for its item.
  private func addView(
    _ request: OutsideRequest, _ session: inout Session, _ writer: inout CMCDWriter
  ) {
    let playback = request.playback
    if session.item != request.item || playback.stalls < session.stalls {
      session.item = request.item
      session.stalls = 0
      session.isDelayTold = false
    }
    writer.add(.bs, isOn: playback.state == .stalled || playback.stalls > session.stalls)
    session.stalls = playback.stalls
    writer.add(.bsa, number: Double(playback.stalls))
    writer.add(.pt, number: playback.position.seconds)
    if let delay = playback.startDelay, !session.isDelayTold {
      session.isDelayTold = true
      writer.add(.msd, number: delay.seconds)
    }
  }

  /// The bit rate of the segment or init segment that is asked for; nil for other objects.
  func rate(of request: OutsideRequest) -> BitRate? {
    guard request.asset == .segment || request.asset == .initSegment else { return nil }
    if request.isAudio { return audioRate }
    return ladder[safe: request.rung]
  }

  private func objectType(_ request: OutsideRequest) -> String {
    switch request.asset {
    case .mediaManifest, .masterPlaylist, .mediaPlaylist: "m"
    case .initSegment: "i"
    case .segment: request.isAudio ? "a" : audioRate == nil ? "av" : "v"
    default: "o"
    }
  }

  private func title(_ number: UInt32) -> String {
    names?[safe: Int(number)] ?? MediaLayout.videoID(number)
  }

  // MARK: Texts

  /// The name of a session: looks like drawn, and is the same in every run of the seed. It has the
  /// form of a UUID of version 8 (RFC 9562 section 5.8).
  static func name(ofSession session: UInt32, seed: UInt64) -> String {
    let first = SplitMix.hash(SplitMix.hash(seed) ^ UInt64(session))
    let second = SplitMix.hash(first ^ SplitMix.step)
    let words: [UInt64] = [
      first & ~0xF000 | 0x8000,
      second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000,
    ]
    let digits = words.map { word in
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var parts: [Substring] = []
    var rest = digits[...]
    for length in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return parts.joined(separator: "-")
  }

  /// How an object is called from the folder of another one at the same host.
  static func relative(_ target: String, to base: String) -> String {
    let query = target.firstIndex(of: "?") ?? target.endIndex
    let there = target[..<query].split(separator: "/", omittingEmptySubsequences: false)
    let here = base.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    var common = 0
    while common < min(there.count, here.count) - 1, there[common] == here[common] { common += 1 }
    var parts = Array(repeating: "..", count: max(0, here.count - 1 - common))
    // A colon in the first part would make it a scheme (RFC 3986 section 4.2).
    if parts.isEmpty && there[common].contains(":") { parts.append(".") }
    parts += there[common...].map { String($0) }
    return parts.joined(separator: "/") + target[query...]
  }
}
