import Models

/// A named, constant access link for tests that must be comparable with other tools.
public struct LinkPreset: Sendable, Hashable {
  /// The name, such as `webpagetest-cable`.
  public let name: String
  /// Downlink, bits per second.
  public let downlink: Int64
  /// Uplink, bits per second; nil where the source does not limit it.
  public let uplink: Int64?
  /// Base round trip, nanoseconds.
  public let roundTrip: Int64
  /// Where the numbers come from.
  public let source: String

  /// The downlink as a trace.
  public var rate: RateTrace { RateTrace(constant: Double(downlink)) }
}

/// The throttling presets of WebPageTest, sitespeed.io and Lighthouse (parameters.md section 1.3).
public enum LinkPresets {
  private static let webPageTest = "WebPageTest connectivity.ini.sample (github catchpoint)"
  private static let sitespeed = "sitespeed.io throttle README (github sitespeedio/throttle)"
  private static let lighthouse = "Lighthouse core/config/constants.js (github GoogleChrome)"

  /// All of them, by tool and then from fast to slow.
  public static let all: [LinkPreset] = [
    preset("webpagetest-fios", 20_000, 5_000, 4, webPageTest),
    preset("webpagetest-cable", 5_000, 1_000, 28, webPageTest),
    preset("webpagetest-3g", 1_600, 768, 300, webPageTest),
    preset("webpagetest-3g-fast", 1_600, 768, 150, webPageTest),
    preset("webpagetest-dsl", 1_500, 384, 50, webPageTest),
    preset("webpagetest-3g-slow", 780, 330, 200, webPageTest),
    preset("webpagetest-edge", 240, 200, 840, webPageTest),
    preset("webpagetest-2g", 35, 32, 1_300, webPageTest),
    preset("sitespeed-lte", 12_000, 12_000, 35, sitespeed),
    preset("sitespeed-4g", 9_000, 9_000, 85, sitespeed),
    preset("sitespeed-3g", 1_600, 768, 150, sitespeed),
    preset("lighthouse-dense-4g", 10_240, nil, 40, lighthouse),
    preset("lighthouse-slow-4g", 1_638, 750, 150, lighthouse),
    preset("lighthouse-regular-3g", 700, 700, 300, lighthouse),
  ]

  /// The names in the order of ``all``.
  public static var names: [String] { all.map(\.name) }

  /// The preset of a name; nil when there is none.
  public static func named(_ name: String) -> LinkPreset? { all.first { $0.name == name } }

  /// What was probably meant by a name that is none: at most two edits away, or the end of a
  /// preset's name, such as `cable`.
  public static func suggestion(for name: String) -> String? {
    Spelling.nearest(to: name, in: names)
      ?? names.first { !name.isEmpty && $0.hasSuffix("-" + name.lowercased()) }
  }

  /// The problem of a name that is no preset's.
  public static func problem(_ name: String, at origin: Origin, keyPath: String) -> Problem {
    Problem(
      .wrongWord, at: origin, keyPath: keyPath, expected: "one of \(names.joined(separator: ", "))",
      got: name.isEmpty ? "nothing" : Excerpt.oneLine(name), suggestion: suggestion(for: name))
  }

  private static func preset(
    _ name: String, _ down: Int64, _ up: Int64?, _ milliseconds: Int64, _ source: String
  ) -> LinkPreset {
    LinkPreset(
      name: name, downlink: down * 1_000, uplink: up.map { $0 * 1_000 },
      roundTrip: milliseconds * 1_000_000, source: source)
  }
}
