import FeedPolicy
import Foundation
import MediaUnits
import Testing

@testable import Studies

/// The published form of logs is that of the machines' own readers and writers.
@Suite struct PolicyLogFormTests {
  private static let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `there is a form for each machine that has logs, in the same order`() {
    #expect(PolicyLogForm.all.map(\.machine) == PolicyLogReplay.machines)
    #expect(
      PolicyLogComparison.machines.map { "\($0.logName)" } == PolicyLogReplay.machines)
  }

  @Test func `every line of the recorded logs can be told in words`() throws {
    var lines = 0
    for path in PolicyLogReplay.logs(in: Self.tests.appendingPathComponent("PolicyLogs").path) {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let log = text.split(separator: "\n")
      let form = try #require(PolicyLogForm.named(String(log[1].dropFirst(8))))
      #expect(
        form.configuration(Array(log[2].split(separator: " ").dropFirst())) != nil, "\(path):3")
      for (number, line) in log.enumerated().dropFirst(3) {
        let words = line.split(separator: " ")
        let told =
          words[0] == "event"
          ? PolicyLogForm.line(Array(words.dropFirst(2)), of: form.events)
          : PolicyLogForm.line(Array(words.dropFirst()), of: form.commands)
        #expect(told != nil, "\(path):\(number + 1): \(line)")
        lines += 1
      }
    }
    #expect(lines > 4000)
  }

  @Test func `the words of a form are those of the machine's source`() throws {
    let sources = Self.tests.deletingLastPathComponent().appendingPathComponent(
      "Sources/FeedPolicy")
    let files = try FileManager.default.contentsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix("+Log.swift") }
    #expect(files.count == PolicyLogForm.all.count)
    for file in files {
      let text = try String(
        contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
      func literals(behind call: String) -> [String] {
        text.components(separatedBy: call + "(\"").dropFirst().map { part in
          String(part.prefix { $0 != "\"" })
        }
      }
      let name = try #require(
        text.components(separatedBy: "logName: StaticString { \"").dropFirst().first
          .map { String($0.prefix { $0 != "\"" }) })
      let form = try #require(PolicyLogForm.named(name), "\(file)")
      #expect(words(of: form) == Set(literals(behind: "line.add")), "\(file)")
      #expect(
        Set(form.events.map(\.word)).isSubset(of: Set(literals(behind: "fields.take"))), "\(file)")
    }
  }

  private func words(of form: PolicyLogForm) -> Set<String> {
    func choices(_ pieces: [PolicyLogForm.Piece]) -> [String] {
      pieces.flatMap { piece -> [String] in
        switch piece {
        case .field: []
        case .list(_, _, let inner, _), .rest(let inner), .maybe(let inner): choices(inner)
        case .choice(let rows): rows.map(\.word) + rows.flatMap { choices($0.pieces) }
        }
      }
    }
    let rows = form.events + form.commands
    return Set(
      choices(form.configuration) + rows.map(\.word) + rows.flatMap { choices($0.pieces) })
  }

  @Test func `what a form allows a machine reads, and writes again as it was`() throws {
    var lines = Lines(seed: 7)
    for type in PolicyLogComparison.machines { try lines.check(type) }
    #expect(lines.checked > 4000)
  }

  /// Makes lines of a form.
  private struct Lines {
    private var state: UInt64
    var checked = 0

    init(seed: UInt64) { state = seed }

    mutating func check<Machine: LoggedMachine>(_ type: Machine.Type) throws {
      let form = try #require(PolicyLogForm.named("\(Machine.logName)"))
      for row in form.events {
        for _ in 0..<100 {
          let text = ([row.word] + words(row.pieces)).joined(separator: " ")
          var fields = PolicyFields(Array(text.utf8))
          let event = Machine.event(from: &fields)
          guard let event, fields.isAtEnd else {
            Issue.record("\(Machine.logName) does not read: \(text)")
            continue
          }
          var line = PolicyLine()
          Machine.write(event, into: &line)
          #expect(String(decoding: line.bytes, as: UTF8.self) == text)
          checked += 1
        }
        // A field too few or too many is no event, for neither.
        let text = ([row.word] + words(row.pieces) + ["1", "x"]).joined(separator: " ")
        #expect(PolicyLogForm.line(text.split(separator: " "), of: form.events) == nil)
      }
    }

    private mutating func next(below bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 20) % bound
    }

    private mutating func words(_ pieces: [PolicyLogForm.Piece]) -> [String] {
      var result: [String] = []
      for piece in pieces {
        switch piece {
        case .field(_, let sort, _): result.append(word(sort))
        case .list(_, let range, let inner, _):
          let count = min(Int(range.lowerBound) + Int(next(below: 4)), Int(range.upperBound))
          result.append("\(count)")
          for _ in 0..<count { result += words(inner) }
        case .rest(let inner): for _ in 0..<next(below: 4) { result += words(inner) }
        case .maybe(let inner): if next(below: 2) == 1 { result += words(inner) }
        case .choice(let rows):
          let row = rows[Int(next(below: UInt64(rows.count)))]
          result += [row.word] + words(row.pieces)
        }
      }
      return result
    }

    private mutating func word(_ sort: PolicyLogForm.Sort) -> String {
      switch sort {
      case .number(let range): "\(within(range))"
      case .natural: "\(next(below: 2) == 0 ? UInt64.max : next(below: 1000))"
      case .time(let least): "\(within(least...Int64.max))"
      case .rate: "\(within(0...Int64.max))"
      case .flag: "\(next(below: 2))"
      case .bits: "\((Double(next(below: 1000)) / 8).bitPattern)"
      case .code(let names): "\(names[Int(next(below: UInt64(names.count)))].number)"
      case .set(let names): "\(names.reduce(0) { $0 | $1.number })"
      }
    }

    /// The ends, and something between.
    private mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
      switch next(below: 4) {
      case 0: range.lowerBound
      case 1: range.upperBound
      default: max(range.lowerBound, min(range.upperBound, Int64(next(below: 1 << 30))))
      }
    }
  }

  @Test func `times are told exactly, in the unit that reads best`() {
    #expect(PolicyLogForm.time(0) == "0 ns")
    #expect(PolicyLogForm.time(2_000_000_000) == "2 s")
    #expect(PolicyLogForm.time(16_700_000) == "16.7 ms")
    #expect(PolicyLogForm.time(1_811_000_000) == "1.811 s")
    #expect(PolicyLogForm.time(-500_000_000) == "-500 ms")
    #expect(PolicyLogForm.time(-1_500_000_000) == "-1.5 s")
    #expect(PolicyLogForm.time(1_000_000_001) == "1000000.001 µs")
    #expect(PolicyLogForm.time(.max) == "without end")
  }
}
