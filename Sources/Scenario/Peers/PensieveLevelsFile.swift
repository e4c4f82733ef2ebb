import Models

/// The file of `--policy levels:FILE`: the level of each of the 48 chunks, a digit from 0 to 5.
///
/// Text; blanks, tabs and commas between digits do not matter. Three forms:
/// - 48 digits in all, on any number of lines: the same levels for every trace;
/// - lines that start with the name of a trace and go on with 48 digits: levels for each trace, in
///   any order, one line for each trace of the folder (names of other traces are not looked at);
/// - as many lines of 48 digits as there are traces: levels for each trace in the order of rows.
///
/// A name is a first field that holds anything but digits, or one that is followed by 48 digits.
enum PensieveLevelsFile {
  private static let chunks = PensieveVideo.chunks

  /// Levels for each of the traces; nil after adding a problem.
  static func load(
    _ path: String, traces: [String], into problems: inout Problems
  ) -> [[Int]]? {
    guard let lines = PeerLines.load(path, separator: .either, into: &problems) else { return nil }
    var found = Problems()
    let levels = levels(lines, traces: traces, into: &found)
    problems.add(found)
    return found.isEmpty ? levels : nil
  }

  private static func levels(
    _ lines: PeerLines, traces: [String], into found: inout Problems
  ) -> [[Int]] {
    let isNamed = lines.lines.contains { hasName($0) }
    if isNamed { return named(lines, traces: traces, into: &found) }
    var all: [[Int]] = []
    for line in lines.lines { all.append(digits(line.fields[...], into: &found)) }
    if !found.isEmpty { return [] }
    if all.joined().count == chunks { return traces.map { _ in Array(all.joined()) } }
    if all.count == traces.count && all.allSatisfy({ $0.count == chunks }) { return all }
    found.add(
      lines.problem(
        .wrongCount, expected: "\(chunks) levels, or a line of \(chunks) for each trace",
        got: "\(all.joined().count) levels on \(all.count) lines"))
    return []
  }

  private static func hasName(_ line: PeerLines.Line) -> Bool {
    let rest = line.fields.dropFirst().reduce(0) { $0 + $1.text.utf8.count }
    return rest == chunks || !line.fields[0].text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func named(
    _ lines: PeerLines, traces: [String], into found: inout Problems
  ) -> [[Int]] {
    var byName: [String: [Int]] = [:]
    for line in lines.lines {
      let name = line.fields[0]
      if !traces.contains(name.text) { continue }
      if byName[name.text] != nil {
        found.add(name.problem(.duplicateKey, "trace", expected: "each trace once"))
      }
      let levels = digits(line.fields.dropFirst(), into: &found)
      if levels.count != chunks {
        found.add(
          lines.problem(
            .wrongCount, expected: "\(chunks) levels after the name of a trace",
            got: "\(levels.count)", line: line.number))
      }
      byName[name.text] = levels
    }
    return traces.map { trace in
      if let levels = byName[trace] { return levels }
      found.add(
        lines.problem(
          .missingKey, expected: "a line for trace \(Excerpt.oneLine(trace))", got: "none"))
      return []
    }
  }

  /// The levels of some fields; a character that is none becomes a problem and a 0.
  private static func digits(
    _ fields: ArraySlice<PeerLines.Field>, into found: inout Problems
  ) -> [Int] {
    let top = PensieveVideo.rates.count - 1
    var levels: [Int] = []
    for field in fields {
      let values = field.text.utf8.map { Int($0) - 0x30 }
      if !values.allSatisfy({ (0...top).contains($0) }) {
        found.add(field.problem(.wrongType, "level", expected: "digits from 0 to \(top)"))
      }
      levels += values.map { (0...top).contains($0) ? $0 : 0 }
    }
    return levels
  }
}
