import ArgumentParser
import Foundation
import LoadHarness
import MediaUnits
import Scenario

/// `firstframe-live media`
struct Media: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Encode real media for a scenario's ladder, once, and print their folder.",
    discussion: """
      Example: firstframe-live standin FILE --media "$(firstframe-live media FILE)"

      ffmpeg encodes one clip for each rung: H.264 in fragmented MP4, upright, without sound. It is \
      kept by content in $XDG_CACHE_HOME/firstframe/media or \
      ~/.cache/firstframe/media, which may be removed at any time. How near sizes are to the rates \
      is told on standard error.

      \(LiveExit.help)
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set one key, after the file; repeatable.", valueName: "key.path=value"))
  var assignments: [String] = []

  @Option(
    help: ArgumentHelp("Length of the clip, and of the longest title.", valueName: "time"))
  var length = "20 s"

  func run() async throws {
    try await LiveExit.reported { try encode() }
  }

  private func encode() throws {
    let scenario = try FeedStudy.load(
      file, overrides: assignments.map { Override(set: $0) }, short: false)
    let recipe = try MediaRecipe(
      scenario.configuration.catalogue, length: try LiveOptionsGroup.time(length, "--length"))
    let library = try made(recipe)
    for rung in library.rungs {
      let (mean, furthest) = rung.nearness(library.segmentDuration)
      LiveConsole.tell(
        "\(rung.rate.bitsPerSecond / 1000) kbit/s, \(rung.width)x\(rung.height), "
          + "\(rung.codec): \(percent(mean)) of the rate, its furthest segment \(percent(furthest))"
      )
    }
    LiveConsole.output(library.folder)
  }

  /// The library, unless a signal comes first: then nothing of it is left.
  private func made(_ recipe: MediaRecipe) throws -> MediaLibrary {
    let signals = StopSignals { number in ForcedEnd.leave(128 + number) }
    // What is being encoded ends as a failure of ffmpeg.
    let watch = LiveEnding.watch(signals, nil) { Teardown.ofProcess.run() }
    defer {
      watch.close()
      signals.close()
    }
    do {
      return try MediaLibrary.make(recipe) { (line) throws(HarnessFailure) in
        if let number = signals.received {
          throw HarnessFailure(.system, "expected to encode on, got signal \(number)")
        }
        LiveConsole.tell(line)
      }
    } catch {
      if let number = signals.received { throw ExitCode(128 + number) }
      throw error
    }
  }

  private func percent(_ ratio: Double) -> String { "\((ratio * 1000).rounded() / 10) %" }
}
