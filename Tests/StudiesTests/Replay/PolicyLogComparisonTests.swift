import FeedPolicy
import Foundation
import MediaUnits
import Testing

@testable import Studies

/// A log held against the machine beyond the first difference.
@Suite struct PolicyLogComparisonTests {
  private static let logs = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("PolicyLogs").path

  /// A log of a pool, written by an app that paused nothing.
  private static func log(
    _ change: (inout [PlayerPool.Command]) -> Void = { _ in }
  ) -> [UInt8] {
    let configuration = PlayerPool.Configuration(size: 3, ahead: 1, behind: 1)
    var pool = PlayerPool(configuration)
    var writer = PolicyLogWriter<PlayerPool>(configuration)
    var now = Instant(nanoseconds: 0)
    func tell(_ event: PlayerPool.Event) {
      var commands: [PlayerPool.Command] = []
      pool.handle(event, at: now, into: &commands)
      change(&commands)
      writer.note(event, at: now, commands)
      now = now.advanced(saturatingBy: .milliseconds(500))
    }
    tell(.currentChanged(ItemID(0), last: ItemID(9)))
    tell(.slotReady(SlotID(0), generation: 1))
    tell(.currentChanged(ItemID(1), last: ItemID(9)))
    tell(.memoryPressure)
    return writer.take()
  }

  @Test func `a log of the machine itself has no difference`() throws {
    let comparison = try #require(PolicyLogComparison.of(Self.log(), limit: 5))
    #expect(comparison.machine == "player-pool" && comparison.configuration == "3 1 1")
    #expect(comparison.events == 4 && comparison.differing == 0 && comparison.told.isEmpty)
    #expect(comparison.malformed == nil)
    for path in PolicyLogReplay.logs(in: Self.logs) {
      let whole = try #require(
        PolicyLogComparison.of(try PolicyLogReplay.bytes(ofLog: path), limit: 5), "\(path)")
      #expect(whole.differences == 0 && whole.malformed == nil, "\(path)")
      #expect(
        PolicyLogReplay.outcome(ofLog: path)
          == .equal(events: whole.events, commands: whole.commands))
    }
  }

  @Test func `each line that differs is found, and what stands behind it is played on`() throws {
    let bytes = Self.log { commands in
      commands.removeAll { if case .pause = $0 { true } else { false } }
    }
    let comparison = try #require(PolicyLogComparison.of(bytes, limit: 5))
    #expect(comparison.events == 4 && comparison.differing > 0)
    let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    for event in comparison.told {
      #expect(text[event.line - 1] == "event \(event.words)")
      #expect(event.machine.contains { $0.hasPrefix("pause") })
      #expect(!event.log.contains { $0.hasPrefix("pause") })
      for difference in event.differences where difference.log != nil {
        #expect(text[difference.line - 1] == "command \(difference.log ?? "")")
      }
    }
    // An event behind the differing ones is the same again.
    #expect(comparison.told.allSatisfy { $0.line < text.count })
  }

  @Test func `the snapshot is what the machine held before, and what changed is told`() throws {
    let bytes = Self.log()
    let line = try #require(
      String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        .firstIndex { $0.hasPrefix("event 1000000000 current 1") })
    let comparison = try #require(PolicyLogComparison.of(bytes, lines: [line + 1], limit: 0))
    let event = try #require(comparison.told.first)
    func value(_ name: String, _ told: [PolicyLogForm.Told]) -> String? {
      told.first { $0.name == name }?.value
    }
    #expect(value("current", event.snapshot) == "0")
    #expect(value("current", event.changed) == "1")
    #expect(value("states[0]", event.snapshot) == "playing 0")
    #expect(value("isTrimmed", event.snapshot) == "no")
    #expect(value("isTrimmed", event.changed) == nil)
    #expect(!event.snapshot.contains { $0.name.hasPrefix("configuration") })
    // The line of one of its commands stands for the event, too.
    let other = try #require(PolicyLogComparison.of(bytes, lines: [line + 2], limit: 0))
    #expect(other.told == comparison.told)
  }

  @Test func `what is no line is told with its number, and nothing is compared behind it`() throws {
    var bytes = Self.log()
    bytes += Array("event soon\nevent 0 pressure\n".utf8)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").count
    let comparison = try #require(PolicyLogComparison.of(bytes, limit: 5))
    #expect(comparison.malformed == lines - 1 && comparison.events == 4)
    let cut = Self.log() + Array("event 0".utf8)
    #expect(try #require(PolicyLogComparison.of(cut, limit: 5)).malformed != nil)
    #expect(PolicyLogComparison.of(Array("no log".utf8), limit: 5) == nil)
    #expect(PolicyLogComparison.of([], limit: 5) == nil)
  }

  @Test func `only so many events are told, and all are counted`() throws {
    let bytes = Self.log { $0.removeAll() }
    let all = try #require(PolicyLogComparison.of(bytes, limit: 9))
    let one = try #require(PolicyLogComparison.of(bytes, limit: 1))
    #expect(all.differing > 1 && all.told.count == all.differing)
    #expect(one.told.count == 1 && one.differing == all.differing)
    #expect(one.differences == all.differences)
  }
}
