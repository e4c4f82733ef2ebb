/// Lays sections out on the terminal.
struct ReportWriter {
  let record: RunRecord
  let notes: RunNotes
  let width: Int
  let color: Bool

  init(_ record: RunRecord, _ notes: RunNotes, width: Int, color: Bool) {
    self.record = record
    self.notes = notes
    self.width = width
    self.color = color
  }

  func section(_ title: String, _ body: [String]) -> [String] {
    body.isEmpty ? [] : ["", TextStyle.bold.applied(to: title, color: color)] + body
  }

  func faint(_ text: String) -> String { TextStyle.faint.applied(to: text, color: color) }

  /// The text in lines no longer than the terminal is wide.
  func wrapped(_ text: String, indent: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: { $0 == " " || $0.isNewline }) {
      if !line.isEmpty && indent.count + line.count + 1 + word.count > width {
        lines.append(indent + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [indent + line]
  }

  func note(_ text: String) -> [String] { wrapped(text, indent: "  ").map { faint($0) } }
}
