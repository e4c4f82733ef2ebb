import Models

/// One row of a step list: a decision of the peer, and what it led to there.
public struct MM22StepRow: Hashable, Sendable {
  /// The columns of the file, in any order; others are not looked at (contract.md section 6).
  public static let columns = [
    "policy", "class", "trace", "video", "bitrate_level", "sleep_ms", "delay_ms", "rebuf_ms",
    "size_bytes", "playing_video_after", "wasted_bytes",
  ]
  private static let texts = 3
  private static let results = ArraySlice(columns[6...])

  /// A trace of a class.
  struct Network: Hashable {
    var networkClass: String
    var trace: String
  }

  /// What the rows of one session have in common.
  struct Key: Hashable {
    var policy: String
    var network: Network
  }

  var key: Key
  var decision: MM22Decision
  /// The values of ``results``.
  private var expected: [Double]
  /// Where the trace is named.
  var origin: Origin

  /// The rows in the order of the file; nil after adding a problem.
  static func load(_ path: String, into problems: inout Problems) -> [MM22StepRow]? {
    guard let lines = PeerLines.load(path, separator: .comma, into: &problems) else { return nil }
    var found = Problems()
    defer { problems.add(found) }
    guard let header = lines.lines.first else {
      found.add(lines.problem(.emptyFile, expected: "a header and rows", got: "nothing"))
      return nil
    }
    let names = header.fields.map(\.text)
    var places: [Int] = []
    for column in columns {
      if let place = names.firstIndex(of: column) {
        places.append(place)
        continue
      }
      let wrong = names.filter { !columns.contains($0) }
      found.add(
        Problem(
          .missingKey, at: header.fields[0].origin, keyPath: column,
          expected: "a column of this name", got: "none",
          suggestion: Spelling.nearest(to: column, in: wrong)))
    }
    if places.count < columns.count { return nil }
    if lines.lines.count == 1 {
      found.add(lines.problem(.emptyFile, expected: "rows under the header", got: "none"))
    }
    var rows: [MM22StepRow] = []
    for line in lines.lines.dropFirst() {
      if line.fields.count != names.count {
        found.add(
          lines.problem(
            .wrongCount, expected: "\(names.count) fields, as in the header",
            got: "\(line.fields.count)", line: line.number))
      } else if let row = row(places.map { line.fields[$0] }, into: &found) {
        rows.append(row)
      }
    }
    return found.isEmpty ? rows : nil
  }

  /// A row from its fields in the order of ``columns``; nil after adding a problem.
  private static func row(
    _ fields: [PeerLines.Field], into found: inout Problems
  ) -> MM22StepRow? {
    var numbers: [Double] = []
    for (column, field) in zip(columns, fields).dropFirst(texts) {
      if let number = field.real(column, in: -1e15...1e15, into: &found) {
        numbers.append(number)
      }
    }
    if numbers.count < columns.count - texts { return nil }
    let decision: MM22Decision =
      numbers[2] > 0
      ? .sleep(numbers[2]) : .download(video: Int(numbers[0]), level: Int(numbers[1]))
    let network = Network(networkClass: fields[1].text, trace: fields[2].text)
    return MM22StepRow(
      key: Key(policy: fields[0].text, network: network), decision: decision,
      expected: Array(numbers[3...]), origin: fields[2].origin)
  }

  /// Where the row differs from what the model did; nil when it does not.
  func difference(from step: MM22Step?, row: Int) -> MM22Replay.Difference? {
    guard let step else {
      var video = -1.0
      if case .download(let wanted, _) = decision { video = Double(wanted) }
      return MM22Replay.Difference(row: row, column: "video", expected: video, got: nil)
    }
    let got = [
      Double(step.delay), Double(step.stall), Double(step.bytes), Double(step.playing),
      Double(step.wasted),
    ]
    for (column, (expected, got)) in zip(MM22StepRow.results, zip(expected, got)) {
      if abs(expected - got) > MM22Replay.tolerance {
        return MM22Replay.Difference(row: row, column: column, expected: expected, got: got)
      }
    }
    return nil
  }
}
