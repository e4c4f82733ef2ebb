import Foundation
import Models
import ReferenceFiles
import Testing

@testable import Scenario

/// Published traces, some of each set.
@Suite struct TraceReferenceTests {
  @Test func `six traces of Pensieve's test set carry their bits`() throws {
    try PeerInputs.unpacked { peers in
      let names = try FileManager.default.contentsOfDirectory(atPath: peers.traces).sorted()
      #expect(names.count == 6)
      var total = 0.0
      for name in names {
        let path = peers.traces + "/" + name
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let numbers = text.split(whereSeparator: \.isWhitespace).map { Double($0)! }
        var megabits = 0.0
        for index in stride(from: 2, to: numbers.count, by: 2) {
          megabits += (numbers[index] - numbers[index - 2]) * numbers[index + 1]
        }
        let trace = try TraceReader.read(path: path)
        #expect(trace.format == .cooked && trace.name == name)
        #expect(abs(Double(trace.duration) / 1e9 - numbers[numbers.count - 2]) < 1e-9)
        let read = TraceFixture.bytes(trace.rate, from: 0, to: trace.duration) * 8 / 1e6
        #expect(abs(read - megabits) < 1e-6 * megabits)
        total += read
      }
      #expect(abs(total - 1_626.2553) < 0.001)
    }
  }

  @Test func `four of Sabre's 3G traces carry their bits`() throws {
    try PeerInputs.unpacked { peers in
      let traces = try TraceReader.readAll(path: peers.table)
      #expect(traces.count == 4)
      var totals: [String: (duration: Int64, bits: Double)] = [:]
      let text = try String(contentsOfFile: peers.table, encoding: .utf8)
      for line in text.split(whereSeparator: \.isNewline).dropFirst() {
        let cells = line.split(separator: ",")
        let (duration, rate) = (Int64(cells[1])!, Double(cells[2])!)
        totals[String(cells[0]), default: (0, 0)].duration += duration
        totals[String(cells[0]), default: (0, 0)].bits += Double(duration) * rate
      }
      for trace in traces {
        let total = try #require(totals[trace.name])
        #expect(trace.duration == total.duration * 1_000_000)
        let bits = TraceFixture.bytes(trace.rate, from: 0, to: trace.duration) * 8
        #expect(abs(bits - total.bits) < 1e-9 * total.bits)
        #expect(trace.roundTripMs?.values == [100])
      }
      let one = try TraceReader.read(
        path: peers.table, options: TraceOptions(trace: "report.2011-02-01_1000CET"))
      #expect(one == traces.first { $0.name == one.name })
      #expect(one.duration == 200_973_000_000)
    }
  }

  @Test func `Sabre's example network is read from JSON`() throws {
    let trace = try TraceReader.read(path: ReferenceFiles.path("peers/network.json"))
    #expect(trace.format == .sabre && trace.name == "network.json")
    #expect(trace.rate.rates.prefix(4) == [5e6, 3e6, 1.5e6, 3e6])
    #expect(trace.roundTripMs?.values.prefix(3) == [75, 150, 200])
  }
}
