import FeedPolicy
import Foundation
import MediaUnits
import Models
import Scenario

@testable import LoadHarness

/// A tiny library, made once: two rungs, two segments of 2 s.
enum MediaFixture {
  /// Whether it can be made here; says so when it cannot.
  static let isPossible: Bool = {
    if (try? FFmpeg.found()) != nil { return true }
    print("skipped: tests of real media, for which ffmpeg is missing: \(FFmpeg.installation)")
    return false
  }()

  /// The keys of the scenario that it is for: titles that are shorter, as long and longer.
  static let keys = [
    "catalogue.ladder=[300 kbps, 600 kbps]", "catalogue.minimumDuration=500 ms",
    "catalogue.duration={kind: empirical, values: [500 ms, 1500 ms, 3 s, 9 s]}",
  ]

  static func scenario(_ more: [String] = []) throws -> FeedStudy {
    try LiveFixture.scenario(keys + more)
  }

  static func recipe(seed: UInt32 = 1) throws -> MediaRecipe {
    try MediaRecipe(
      scenario().configuration.catalogue, length: .milliseconds(3_500), seed: seed)
  }

  static let library = Result {
    try withCache { cache in try MediaLibrary.make(recipe(), cache: cache) }
  }

  /// Runs `body` with an empty folder.
  static func withCache<R>(_ body: (String) throws -> R) throws -> R {
    let folder = NSTemporaryDirectory() + "firstframe-media-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
  }
}
