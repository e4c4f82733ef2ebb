/// Plain columns that line up, for tables on a terminal and in files.
public enum AlignedText {
  /// One line for each row: columns of equal width, two blanks between them, no blanks at the end.
  /// The first `left` columns start at the left, the others end at the right. Rows may be short.
  public static func lines(_ rows: [[String]], left: Int, indent: Int = 0) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    var widths = [Int](repeating: 0, count: columns)
    for row in rows {
      for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.count) }
    }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (column, text) in row.enumerated() {
        if column > 0 { line += "  " }
        let blanks = String(repeating: " ", count: widths[column] - text.count)
        line += column < left ? text + blanks : blanks + text
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// A number with exactly this many decimals, 0...9, halves away from zero; `-` for nil.
  public static func fixed(_ value: Double?, decimals: Int) -> String {
    guard let value, value.isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (value.magnitude * scale).rounded()
    guard scaled < 9e18 else { return value.description }
    let whole = Int64(scaled)
    let sign = value < 0 && whole > 0 ? "-" : ""
    if decimals == 0 { return sign + whole.description }
    let (units, rest) = whole.quotientAndRemainder(dividingBy: Int64(scale))
    let digits = rest.description
    return "\(sign)\(units).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }
}
