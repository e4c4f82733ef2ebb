import FeedModel
import FeedPolicy
import Foundation
import MediaUnits
import Models
import Scenario
import Testing

@testable import Reports

/// The policy of a scenario as code that an app takes.
@Suite struct PolicyExportTests {
  private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent()

  @Test func `each key that an app decides stands in each form, by its path and with its value`()
    throws
  {
    var seen: Set<String> = []
    for (name, study) in try ExportVariants.all() {
      let export = PolicyExport(study)
      seen.formUnion(export.keys.map(\.pattern))
      for format in PolicyExport.Format.allCases {
        let text = export.text(format)
        for key in export.keys {
          let isThere =
            format == .json
            ? text.contains("\"key\": \"\(key.path)\"")
            : unwrapped(text).contains("\(key.path) = \(key.text): ")
          #expect(isThere, "\(name): \(key.path) is not in the form \(format.rawValue)")
        }
      }
    }
    // The variants have every key of the table between them.
    let keys = try #require(WorldKeys.named(WorldKeys.feed)).keys.map(\.path)
    // A process has no form: the command refuses it.
    let places = [
      "policy.prefetch", "policy.pool.victim", "policy.abr", "policy.startupCap.release",
      "client.gate", "client.retry",
    ]
    let ofProcess =
      places.flatMap { ["\($0).command", "\($0).playedTwice"] }
      // The shipped gate has a timeout, too.
      + places.filter { $0 != "client.gate" }.map { "\($0).timeout" }
    for path in keys where PolicyKeys.isPolicy(path) == true && !ofProcess.contains(path) {
      let hasBelow = keys.contains { $0.hasPrefix(path + ".") }
      #expect(hasBelow || seen.contains(path), "no variant has \(path)")
    }
  }

  /// Comments with their lines joined.
  private func unwrapped(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      line.drop { $0 == " " || $0 == "/" }
    }.joined(separator: " ")
  }

  @Test func `keys without an equal are listed with a reason, and no other key is`() throws {
    let export = PolicyExport(try ExportVariants.study(""))
    for format in [PolicyExport.Format.media3, .avplayer] {
      let text = export.text(format)
      let lists = text.components(separatedBy: "\n// Without an equal in ")
      try #require(lists.count == 2)
      #expect(lists[1].contains("//   policy.pool.size = 3: "))
      #expect(lists[1].contains("//   policy.feed.pageSize = 10: "))
      #expect(lists[1].contains("//   client.gate.kind = none: "))
      #expect(!lists[1].contains("policy.player.forwardBuffer"))
      #expect(!lists[1].contains("policy.startupCap.rate"))
      #expect(lists[0].contains("// policy.startupCap.rate = 600 kbps: "))
    }
  }

  // MARK: Swift

  @Test func `the literals that are compiled here are those that export writes now`() throws {
    for (name, body) in [
      ("ExportedUsual", ""), ("ExportedOwn", ExportVariants.own),
      ("ExportedMixed", ExportVariants.mixed),
    ] {
      let text = PolicyExport(try ExportVariants.study(body)).text(.swift)
        .replacing("enum FeedSettings", with: "enum \(name)")
      let file = try String(
        contentsOf: Self.folder.appendingPathComponent("\(name).swift"), encoding: .utf8)
      #expect(text == file, "write \(name).swift again: firstframe export --as swift")
    }
  }

  @Test func `the usual literal is the configuration that is simulated`() throws {
    let policy = try ExportVariants.study("").configuration.policy
    #expect(ExportedUsual.pool == policy.pool)
    #expect(ExportedUsual.prefetch == policy.prefetch)
    #expect(ExportedUsual.prefetchRung == policy.prefetchRung)
    #expect(ExportedUsual.startupCap == policy.startupCap)
    #expect(ExportedUsual.bitrate == policy.bitrate)
    #expect(ExportedUsual.initialEstimate == policy.initialEstimate)
    #expect(ExportedUsual.startThreshold == policy.startThreshold)
    #expect(ExportedUsual.resumeThreshold == policy.resumeThreshold)
    #expect(ExportedUsual.forwardBuffer == policy.forwardBuffer)
    #expect(ExportedUsual.pageSize == policy.pageSize)
    #expect(ExportedUsual.pager.trigger == policy.pageTrigger)
  }

  @Test func `so is one with everything of its own`() throws {
    let study = try ExportVariants.study(ExportVariants.own)
    let (policy, client) = (study.configuration.policy, study.configuration.client)
    #expect(ExportedOwn.pool == policy.pool)
    #expect(ExportedOwn.prefetch == policy.prefetch)
    #expect(ExportedOwn.prefetch.curves != .lab)
    #expect(ExportedOwn.prefetchRung == policy.prefetchRung && ExportedOwn.prefetchRung != nil)
    #expect(ExportedOwn.startupCap == policy.startupCap)
    #expect(ExportedOwn.bitrate == policy.bitrate)
    #expect(ExportedOwn.initialEstimate == policy.initialEstimate)
    #expect(ExportedOwn.ladder == study.configuration.catalogue.ladder)
    #expect(ExportedOwn.startThreshold == policy.startThreshold)
    #expect(ExportedOwn.forwardBuffer == policy.forwardBuffer)
    #expect(ExportedOwn.gate == client.gate)
    #expect(ExportedOwn.proximity == client.proximity?.configuration)
    #expect(ExportedOwn.end == client.end)
    #expect(ExportedOwn.retry == client.retry)
    #expect(ExportedOwn.telemetry == client.telemetry?.batcher)
    #expect(ExportedOwn.digest == PolicyExport(study).digest)
    #expect(ExportedOwn.digest != ExportedUsual.digest)
  }

  @Test func `and one of a mixed feed`() throws {
    let surface = try #require(
      try ExportVariants.study(ExportVariants.mixed).configuration.surface)
    #expect(ExportedMixed.visibility == surface.visibility)
    #expect(ExportedMixed.scrollGate == surface.gate)
    #expect(ExportedMixed.feedPager == surface.pager)
  }

  // MARK: JSON

  @Test func `the document for a remote configuration makes the same policy again`() throws {
    for body in ["", ExportVariants.own] {
      let study = try ExportVariants.study(body)
      let text = PolicyExport(study).text(.json)
      let document = try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      var set = try #require(document["set"] as? [String: Any])
      // JSON is YAML; what is not the app's is the other scenario's affair.
      set.merge(["version": 1, "name": "again"]) { $1 }
      if !body.isEmpty { set["catalogue"] = ["ladder": ["350 kbps", "900 kbps", "1800001 bps"]] }
      let again = try FeedStudy.parse(
        String(decoding: try JSONSerialization.data(withJSONObject: set), as: UTF8.self),
        file: "again.yaml")
      #expect(PolicyExport(again).digest == PolicyExport(study).digest)
      #expect(again.configuration.policy.startupCap == study.configuration.policy.startupCap)
    }
  }

  @Test func `families that read swipe curves have them in the document`() throws {
    let plain = PolicyExport(try ExportVariants.study("")).text(.json)
    #expect(!plain.contains("swipeCurves"))
    let study = try ExportVariants.study(ExportVariants.own)
    let text = PolicyExport(study).text(.json)
    struct Document: Decodable {
      struct Derived: Decodable {
        struct Curve: Decodable { var survival: [Double] }
        var swipeCurves: [Curve]
        var viewsPerSession: Double?
      }
      var derived: Derived
    }
    let derived = try JSONDecoder().decode(Document.self, from: Data(text.utf8)).derived
    let prefetch = study.configuration.policy.prefetch
    // Each number as it is, to the last bit.
    #expect(derived.swipeCurves.map(\.survival) == prefetch.curves.curves.map(\.survival))
    #expect(derived.viewsPerSession == prefetch.viewsPerSession)
  }

  // MARK: Ranges by distance

  private func rows(_ changes: String...) throws -> [String] {
    let preload = PolicyExport(try ExportVariants.study("", changes)).preload
    return preload.rows.map { row in
      switch row.depth {
      case .media(let length): "\(row.distance):\(length.milliseconds)"
      case .stage(let stage): "\(row.distance):\(stage)"
      }
    }
  }

  @Test func `each family's ranges are those that its machine asks for`() throws {
    #expect(try rows() == ["-1:2000.0", "1:6000.0", "2:2000.0", "3:2000.0"])
    #expect(
      try rows("policy.prefetch.previousThreshold=1000", "policy.prefetch.itemsAhead=2")
        == ["1:6000.0", "2:2000.0"])
    #expect(
      try rows("policy.prefetch={kind: staged, headLength: 5 s}") == [
        "-1:initSegment", "1:5000.0", "2:initSegment", "3:playlists", "4:playlists",
      ])
    #expect(
      try rows("policy.prefetch={kind: first-segments, segments: 2, itemsAhead: 2}")
        == ["1:4000.0", "2:4000.0"])
    #expect(try rows("policy.prefetch={kind: connection}") == ["1:connection"])
    #expect(
      try rows("policy.prefetch={kind: playlists, itemsAhead: 2}") == [
        "1:playlists", "2:playlists",
      ])
    #expect(
      try rows("policy.prefetch={kind: player-knob}", "policy.pool.ahead=2")
        == ["-1:2000.0", "1:4000.0", "2:1000.0"])
    #expect(try rows("policy.prefetch.headLength=0 s").isEmpty)
    #expect(try rows("policy.prefetch.concurrency=0").isEmpty)
    for family in ["dashlet", "pdas", "hazard"] {
      let preload = PolicyExport(
        try ExportVariants.study("", ["policy.prefetch={kind: \(family)}"])
      ).preload
      #expect(preload.isOfEstimate && !preload.rows.isEmpty, "\(family)")
    }
  }

  // MARK: Media3

  @Test func `Media3 gets the thresholds in milliseconds`() throws {
    let text = PolicyExport(
      try ExportVariants.study(
        "",
        ["policy.player={kind: media3-short-form, startThreshold: 700 ms, forwardBuffer: 30 s}"])
    ).text(.media3)
    #expect(text.contains("/* minBufferMs = */ 5_000,"))
    #expect(text.contains("/* maxBufferMs = */ 30_000,"))
    #expect(text.contains("/* bufferForPlaybackMs = */ 700,"))
    #expect(text.contains("/* bufferForPlaybackAfterRebufferMs = */ 2_000,"))
    #expect(text.contains(".setInitialBitrateEstimate(4_300_000L)"))
    #expect(text.contains("val startBitrate: Int? = 600_000"))
    #expect(text.contains(".setPosition(2_000L)"))
    #expect(
      text.contains("        1 -> PreloadStatus.specifiedRangeLoaded(/* durationMs = */ 6_000L)"))
    #expect(text.contains("        2, 3 -> PreloadStatus.specifiedRangeLoaded("))
    #expect(text.contains("/* bandwidthFraction = */ 0.7f,"))
  }

  @Test func `the builder of Media3's load control never refuses what it gets`() throws {
    for player in [
      "default", "media3, minimumBuffer: 1 s", "media3, minimumBuffer: 1500 us", "hls.js",
      "avplayer, startThreshold: 1 ns", "default, forwardBuffer: 3000 d",
    ] {
      let text = PolicyExport(
        try ExportVariants.study("", ["policy.player={kind: \(player)}"])
      ).text(.media3)
      func number(_ name: String) throws -> Int {
        let after = try #require(text.components(separatedBy: "/* \(name) = */ ").dropFirst().first)
        return try #require(Int(after.prefix { $0 != "," }.filter { $0 != "_" }))
      }
      let (least, most) = (try number("minBufferMs"), try number("maxBufferMs"))
      let start = try number("bufferForPlaybackMs")
      let resume = try number("bufferForPlaybackAfterRebufferMs")
      #expect(start > 0 && start <= least && resume <= least && least <= most, "\(player)")
      #expect(most <= Int(Int32.max))
    }
  }

  @Test func `stages of a family are statuses of the preload manager`() throws {
    let text = PolicyExport(
      try ExportVariants.study("", ["policy.prefetch={kind: staged}"])
    ).text(.media3)
    #expect(text.contains("        2 -> PreloadStatus.PRELOAD_STATUS_TRACKS_SELECTED"))
    #expect(text.contains("        3, 4 -> PreloadStatus.PRELOAD_STATUS_SOURCE_PREPARED"))
    #expect(text.contains("        else -> PreloadStatus.PRELOAD_STATUS_NOT_PRELOADED"))
    let bare = PolicyExport(
      try ExportVariants.study("", ["policy.prefetch={kind: connection}"])
    ).text(.media3)
    #expect(bare.contains("An open connection alone is no status of Media3"))
    #expect(bare.contains("//   policy.prefetch.kind = connection: "))
  }

  // MARK: AVPlayer

  @Test func `AVPlayer gets a forward buffer for each item that has a player`() throws {
    let export = PolicyExport(
      try ExportVariants.study("", ["policy.pool.ahead=2", "policy.player={kind: avplayer}"]))
    let text = export.text(.avplayer)
    #expect(text.contains("    case 0: 30.0\n"))
    #expect(text.contains("    case -1: 2.0\n"))
    #expect(text.contains("    case 1: 6.0\n") && text.contains("    case 2: 2.0\n"))
    #expect(!text.contains("    case 3:"))
    #expect(text.contains("automaticallyWaitsToMinimizeStalling = true"))
    #expect(text.contains("default: 600000\n"))
    #expect(text.contains("//   policy.prefetch.itemsAhead = 3: "))
    let near = PolicyExport(try ExportVariants.study(ExportVariants.own)).text(.avplayer)
    #expect(near.contains("item.forwardPlaybackEndTime"))
    #expect(near.contains("    case 1: 9.0\n") || near.contains("    case 1: 3.0\n"))
    #expect(near.contains("automaticallyWaitsToMinimizeStalling = true"))
    #expect(
      PolicyExport(try ExportVariants.study("")).text(.avplayer)
        .contains("automaticallyWaitsToMinimizeStalling = false"))
  }

  @Test func `braces and brackets of every form are closed`() throws {
    for (name, study) in try ExportVariants.all() {
      for format in [PolicyExport.Format.swift, .media3, .avplayer] {
        var open: [Character] = []
        for line in PolicyExport(study).text(format).split(separator: "\n") {
          if line.drop(while: { $0 == " " }).hasPrefix("//") { continue }
          #expect(line.count <= 100, "\(name): \(line)")
          for character in line {
            switch character {
            case "(", "[", "{": open.append(character)
            case ")": #expect(open.popLast() == "(", "\(name), \(format.rawValue): \(line)")
            case "]": #expect(open.popLast() == "[", "\(name), \(format.rawValue): \(line)")
            case "}": #expect(open.popLast() == "{", "\(name), \(format.rawValue): \(line)")
            default: break
            }
          }
        }
        #expect(open.isEmpty, "\(name), \(format.rawValue)")
      }
    }
  }
}
