import Scenario

/// Text for a terminal of few columns.
struct BriefText {
  /// Columns of a line at most.
  let width: Int
  let color: Bool

  /// The text in lines: the first begins with `indent`, further ones two columns later. A word that
  /// is wider than a line is cut, and goes on in the next.
  func wrapped(_ text: String, indent: String = "", style: TextStyle = .plain) -> [String] {
    var lines: [String] = []
    var line = ""
    func start() -> String { indent + (lines.isEmpty ? "" : "  ") }
    for word in text.split(whereSeparator: { $0 == " " || $0.isNewline }) {
      if !line.isEmpty, start().count + line.count + 1 + word.count > width {
        lines.append(start() + line)
        line = ""
      }
      var rest = word
      while line.isEmpty && start().count + rest.count > width {
        let part = rest.prefix(width - start().count)
        lines.append(start() + part)
        rest = rest.dropFirst(part.count)
      }
      line += (line.isEmpty ? "" : " ") + rest
    }
    if !line.isEmpty { lines.append(start() + line) }
    return lines.map { style.applied(to: $0, color: color) }
  }

  /// The same in so many lines at most; the last ends with an ellipsis where something is left out.
  func wrapped(
    _ text: String, indent: String = "", style: TextStyle = .plain, most: Int
  ) -> [String] {
    let plain = BriefText(width: width, color: false).wrapped(text, indent: indent)
    var shown = Array(plain.prefix(most))
    if plain.count > most, let last = shown.popLast() {
      shown.append(last.prefix(width - 2) + " …")
    }
    return shown.map { style.applied(to: $0, color: color) }
  }

  /// `head: name, name and 3 more`, with as many names as two lines have room for.
  func named(_ head: String, _ names: [String], indent: String) -> [String] {
    for shown in stride(from: names.count, through: 1, by: -1) {
      let rest = names.count - shown
      let text =
        "\(head): \(names.prefix(shown).joined(separator: ", "))"
        + (rest > 0 ? " and \(rest) more" : "")
      let lines = wrapped(text, indent: indent)
      if lines.count <= 2 || shown == 1 { return lines }
    }
    return wrapped(head, indent: indent)
  }

  /// A number in four characters or so: `734`, `7.1k`, `72k`, `2.7M`.
  static func count(_ value: Int64) -> String {
    if value.magnitude < 1000 { return "\(value)" }
    var size = Double(value)
    for unit in ["k", "M", "G", "T"] {
      size /= 1000
      if abs(size) < 9.95 { return Figures.decimal(size, 1) + unit }
      if abs(size) < 999.5 || unit == "T" { return Figures.decimal(size, 0) + unit }
    }
    return "\(value)"
  }
}

/// Names of metrics in few columns.
enum BriefName {
  /// The names of these metrics, in their order: without the names of labels, and without a stat
  /// that is the metric's only one. Where two would read the same, both keep their whole name.
  static func names(_ metrics: [String]) -> [String] {
    let short = metrics.map { self.short($0) }
    var uses: [String: Set<String>] = [:]
    for (name, metric) in zip(short, metrics) { uses[name, default: []].insert(metric) }
    return zip(short, metrics).map { uses[$0]?.count == 1 ? $0 : $1 }
  }

  private static func short(_ text: String) -> String {
    let name = MetricName(text)
    let values = name.labels.map(\.value).joined(separator: ",")
    let stat = name.stat.isEmpty ? "" : "." + name.stat
    let whole = name.metric + (values.isEmpty ? "" : "{\(values)}")
    guard !stat.isEmpty, let known = try? MetricReference.parse(text).get(),
      let bare = try? MetricReference.parse(String(text.dropLast(stat.count))).get(),
      bare == known
    else { return whole + stat }
    return whole
  }
}
