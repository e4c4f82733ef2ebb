import Scenario

/// What a peer says, for people.
public enum PeerReport {
  /// Rows under their headings and the means, six decimals.
  public static func text(_ table: PeerTable) -> String {
    var rows = [table.identity + table.columns]
    for row in table.rows { rows.append(row.names + row.values.map { cell($0) }) }
    let means = table.mean
    let mean = table.columns.map { column in
      means.first { $0.column == column }.map { AlignedText.fixed($0.value, decimals: 6) } ?? ""
    }
    rows.append(table.identity.indices.map { $0 == 0 ? "mean" : "" } + mean)
    let lines = AlignedText.lines(rows, left: table.identity.count)
    return lines.joined(separator: "\n") + "\n"
  }

  /// How many rows of a step list come out otherwise, and the first of them.
  public static func text(_ replay: MM22Replay) -> String {
    guard let first = replay.first else { return "\(replay.rows) rows, all equal\n" }
    let got = first.got.map { "\($0)" } ?? "a step that cannot be taken"
    return """
      \(replay.rows) rows, \(replay.mismatches) mismatches
      first: row \(first.row), \(first.column): expected \(first.expected), got \(got)

      """
  }

  private static func cell(_ value: PeerValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let count): count.description
    case .number(let number): AlignedText.fixed(number, decimals: 6)
    }
  }
}
