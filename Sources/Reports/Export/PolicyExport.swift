import FeedPolicy
import MediaUnits
import Models
import Scenario

/// What a feed's scenario makes the app decide, in a form that an app can take.
///
/// Every value comes from the resolved scenario. What a platform has no equal for is named in the
/// text with its value and what to do instead; nothing is left out.
public struct PolicyExport: Sendable {
  /// The forms.
  public enum Format: String, Sendable, CaseIterable {
    case swift, json, media3, avplayer
  }

  /// The scenario's name.
  let name: String
  /// The app's keys, in the order of the table.
  let keys: [PolicyKey]
  /// What was built of them.
  let policy: PolicyConfiguration
  let client: ClientConfiguration
  let surface: SurfaceConfiguration?
  let ladder: Ladder
  /// What prefetch asks for, by distance.
  let preload: PreloadByDistance

  /// Eight hexadecimal digits over the keys and their values: equal for equal policies, whatever
  /// else the scenarios say.
  public var digest: String {
    Digest.digest8(keys.map { "\($0.path)=\($0.text)\n" }.joined())
  }

  /// What a scenario of a feed has.
  public init(_ study: FeedStudy) {
    name = study.name
    keys = PolicyKeys.of(study.file.tree)
    policy = study.configuration.policy
    client = study.configuration.client
    surface = study.configuration.surface
    ladder = study.configuration.catalogue.ladder
    preload = PreloadByDistance(policy, ladder)
  }

  /// The text in a form, ending in a line feed.
  public func text(_ format: Format) -> String {
    switch format {
    case .swift: SwiftExport(self).text()
    case .json: JSONExport(self).text()
    case .media3: Media3Export(self).text()
    case .avplayer: AVPlayerExport(self).text()
    }
  }

  /// The resolved value of a key's path; nil where the scenario has no such key.
  func key(_ path: String) -> PolicyKey? { keys.first { $0.path == path } }

  /// The paths of all keys below one, in the order of the table.
  func paths(under path: String) -> [String] {
    keys.map(\.path).filter { $0.hasPrefix(path + ".") }
  }

  /// The first lines of a file: where it comes from.
  func head(_ what: String) -> [String] {
    [
      "// \(what)",
      "// Made by firstframe export of the scenario \(name), policy \(digest). Make it again",
      "// rather than change it: each line names the key that it comes from.",
    ]
  }
}

/// Puts a source file together, key by key, and knows which keys it has told.
struct ExportText {
  private let export: PolicyExport
  private let indent: String
  private(set) var lines: [String] = []
  private var told: [String] = []

  init(_ export: PolicyExport, indent: String) {
    self.export = export
    self.indent = indent
  }

  /// Lines of code.
  mutating func add(_ code: [String]) { lines += code }

  /// Comments that say which keys the next lines come from: each with value and meaning. A path
  /// that the scenario does not have is passed over.
  mutating func keys(_ paths: [String], level: Int = 1) {
    for path in paths {
      guard let key = export.key(path) else { continue }
      told.append(path)
      note("\(key.path) = \(key.text): \(key.meaning)", level: level)
    }
  }

  /// A comment.
  mutating func note(_ text: String, level: Int = 1) {
    let margin = String(repeating: indent, count: level) + "// "
    lines += TextWrap.lines(text, first: margin, rest: margin, width: 100)
  }

  /// What has no equal: every key that no line has told, and those that only some lines tell in
  /// part, each with its value and what to do instead.
  ///
  /// - Precondition: `reasons` has every key that was not told.
  mutating func rest(_ heading: String, _ reasons: EqualReasons, alsoOf partly: [String] = []) {
    let missing = export.keys.filter { !told.contains($0.path) || partly.contains($0.path) }
    lines += [""]
    note(heading, level: 0)
    for key in missing {
      guard let reason = reasons.reason(of: key) else {
        preconditionFailure("\(key.path) has neither a setting nor a reason")
      }
      lines += TextWrap.lines(
        "\(key.path) = \(key.text): \(reason)", first: "//   ", rest: "//     ", width: 100)
    }
    if missing.isEmpty { lines.append("//   none") }
  }

  var text: String { lines.joined(separator: "\n") + "\n" }
}

/// Why keys have no equal on a platform. The longest part of the table that holds a key counts.
struct EqualReasons: Sendable {
  let rows: [(part: String, reason: String)]

  func reason(of key: PolicyKey) -> String? { reason(ofPattern: key.pattern) }

  func reason(ofPattern pattern: String) -> String? {
    let holding = rows.filter { pattern == $0.part || pattern.hasPrefix($0.part + ".") }
    return holding.max { $0.part.utf8.count < $1.part.utf8.count }?.reason
  }

  /// What an app does by itself on every platform.
  static let apps: [(part: String, reason: String)] = [
    ("policy.pool", "players are the app's own: so many, for so many items around the current one"),
    ("policy.prefetch.concurrency", "how many fetches run at once is the platform's affair"),
    (
      "policy.prefetch.pauseBelowBuffer",
      "prefetch of the platform does not wait for the current item's buffer"
    ),
    (
      "policy.prefetch.suspendOnStall",
      "prefetch of the platform does not hear of stalls: stop it from the app's own listener"
    ),
    (
      "policy.prefetch.previousThreshold",
      "the range of the item before is the same on every link: leave it out below this"
    ),
    (
      "policy.prefetch.cover",
      "depths by the throughput are FeedPolicy's alone: the ranges are those of the first estimate"
    ),
    (
      "policy.prefetch.leastWatched",
      "what viewers are likely to see is reckoned by FeedPolicy alone, from their swipe curves"
    ),
    (
      "policy.prefetch.bufferCover",
      "the current item's buffer by the throughput is FeedPolicy's alone"
    ),
    ("policy.feed", "pages of the feed are the app's own: CursorPager of FeedPolicy"),
    ("policy.player.posters", "posters are the app's own image loader's affair"),
    (
      "client.gate",
      "whether a swipe may go on is the app's own gesture: ReadinessGate of FeedPolicy"
    ),
    ("client.placeholder", "what covers an item is the app's own view"),
    ("client.telemetry", "events of views are the app's own: TelemetryBatcher of FeedPolicy"),
    ("client.storyboard", "previews of a scrub are the app's own: StoryboardIndex of FeedPolicy"),
    ("client.offline", "the app's own listener of the network stops and starts prefetch"),
    ("surface", "a mixed feed is the app's own list: VisibilityMachine and its kin of FeedPolicy"),
  ]
}
