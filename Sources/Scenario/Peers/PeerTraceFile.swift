import Models

/// A throughput trace under the name of its file.
public struct NamedPeerTrace: Hashable, Sendable {
  /// The name of the file, without its folder.
  public var name: String
  /// Its rows.
  public var trace: PeerTrace
}

/// Reads the text files that Pensieve and MM22 share: traces and chunk sizes.
enum PeerTraceFile {
  /// The largest size of a chunk that is taken, in bytes, and the longest trace, in seconds. With
  /// ``leastBytes`` they bound how long one download can take to compute.
  static let largestChunk: Int64 = 1_000_000_000
  static let longestTrace = 1e9
  /// What one turn of a trace has to carry, in bytes.
  static let leastBytes = 1_000.0

  /// The traces of a folder, one file each; those with problems are left out.
  static func traces(at folder: String, into problems: inout Problems) -> [NamedPeerTrace] {
    var traces: [NamedPeerTrace] = []
    for name in PeerFolder.entries(at: folder, holding: "trace file", into: &problems) {
      let path = PeerFolder.path(folder, name)
      guard let lines = PeerLines.load(path, into: &problems),
        let trace = trace(lines, into: &problems)
      else { continue }
      traces.append(NamedPeerTrace(name: name, trace: trace))
    }
    return traces
  }

  /// Rows of seconds and Mbit/s; nil after adding a problem.
  static func trace(_ lines: PeerLines, into problems: inout Problems) -> PeerTrace? {
    var found = Problems()
    var times: [Double] = []
    var rates: [Double] = []
    for line in lines.lines {
      if line.fields.count != 2 {
        let got = line.fields.count == 1 ? "1 field" : "\(line.fields.count) fields"
        found.add(
          lines.problem(
            .wrongCount, expected: "a time in seconds and a rate in Mbit/s", got: got,
            line: line.number))
        continue
      }
      let time = line.fields[0].real("time", in: 0...longestTrace, into: &found)
      let rate = line.fields[1].real("rate", in: 0...1e6, into: &found)
      guard let time, let rate else { continue }
      if let before = times.last, time < before {
        let expected = "a time not before \(PlainNumber.text(before)) s"
        found.add(line.fields[0].problem(.outOfRange, "time", expected: expected))
      }
      times.append(time)
      rates.append(rate)
    }
    if found.isEmpty {
      if times.count < 2 {
        let got = times.isEmpty ? "none" : "1"
        found.add(lines.problem(.wrongCount, expected: "at least 2 rows", got: got))
      } else if PeerTrace.bytesPerTurn(times: times, megabits: rates) < leastBytes {
        found.add(
          lines.problem(
            .inconsistent, expected: "a trace that carries at least 1000 bytes", got: "less"))
      }
    }
    problems.add(found)
    return found.isEmpty ? PeerTrace(times: times, megabits: rates) : nil
  }

  /// The chunk sizes `video_size_0`, `video_size_1`, … of a folder: one list for each level, with
  /// one size in bytes on each line. Nil after adding a problem.
  static func sizes(
    at folder: String, levels: Int, into problems: inout Problems
  ) -> [(sizes: [Int64], lines: PeerLines)]? {
    var found = Problems()
    var lists: [(sizes: [Int64], lines: PeerLines)] = []
    for level in 0..<levels {
      let path = PeerFolder.path(folder, "video_size_\(level)")
      guard let lines = PeerLines.load(path, into: &found) else { continue }
      var sizes: [Int64] = []
      for line in lines.lines {
        if line.fields.count != 1 {
          let got = "\(line.fields.count) fields"
          found.add(
            lines.problem(
              .wrongCount, expected: "one size in bytes", got: got, line: line.number))
        } else if let size = line.fields[0].integer("size", in: 1...largestChunk, into: &found) {
          sizes.append(size)
        }
      }
      lists.append((sizes, lines))
    }
    problems.add(found)
    return found.isEmpty ? lists : nil
  }
}
