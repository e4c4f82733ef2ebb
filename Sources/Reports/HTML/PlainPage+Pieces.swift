/// Pieces that the pages of studies share.
extension PlainPage {
  /// What a page says first: a word with its sign, and sentences.
  static func banner(
    _ tone: PageTone, _ word: String, _ sentences: [String], to page: inout Markup
  ) {
    page.element("div", ["class": "banner \(tone.style)"]) { page in
      page.element("p", ["class": "word"]) { line in
        line.element("span", ["aria-hidden": "true"], text: tone.sign + " ")
        line.write(word)
      }
      for sentence in sentences { page.element("p", ["class": "says"], text: sentence) }
    }
    page.line()
  }

  /// A word of a table with its sign, and a remark below it.
  static func mark(_ tone: PageTone, _ word: String, remark: String = "") -> HTMLTable.Cell {
    var cell = Markup()
    cell.element("span", ["class": "verdict \(tone.style)"]) { inner in
      inner.element("span", ["aria-hidden": "true"], text: tone.sign + " ")
      inner.write(word)
    }
    if !remark.isEmpty { cell.element("small", text: remark) }
    return .markup(cell.text)
  }

  /// A number of a table with a remark below it.
  static func cell(_ text: String, remark: String) -> HTMLTable.Cell {
    var cell = Markup()
    cell.write(text)
    if !remark.isEmpty { cell.element("small", text: remark) }
    return .markup(cell.text)
  }

  /// A link of a table to a file, by its path from the page.
  static func link(_ text: String, to path: String) -> HTMLTable.Cell {
    var cell = Markup()
    cell.element("a", ["href": address(of: path)], text: text)
    return .markup(cell.text)
  }

  /// A path as an address (RFC 3986, 4.2): without a blank, and no part of it a scheme.
  static func address(of path: String) -> String {
    let plain = path.utf8.map { byte -> String in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return String(UnicodeScalar(byte))
      default:
        if "-._~/".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }.joined()
    return plain.hasPrefix("/") || plain.hasPrefix(".") ? plain : "./" + plain
  }

  static func paragraph(_ text: String, faint: Bool = false, to page: inout Markup) {
    page.element("p", ["class": faint ? "faint" : nil], text: text)
    page.line()
  }

  static func list(_ lines: [String], to page: inout Markup) {
    if lines.isEmpty { return }
    page.element("ul") { list in
      for line in lines { list.element("li", text: line) }
    }
    page.line()
  }

  /// A command as a shell reads it.
  static func command(_ words: [String], to page: inout Markup) {
    let lines = ShellText.lines(words, width: 100, indent: "")
    page.element("pre", text: lines.joined(separator: "\n"))
    page.line()
  }

  /// Files beside the page, each with what is in it.
  static func files(_ files: [(name: String, summary: String)], to page: inout Markup) {
    page.element("ul") { list in
      for file in files {
        list.element("li") { item in
          item.element("a", ["href": file.name], text: file.name)
          item.write(": \(file.summary)")
        }
      }
    }
    page.line()
  }

  /// A metric of a table: its value, and below it its interval and what is behind it.
  static func estimate(_ text: EstimateText, samples: Int64) -> HTMLTable.Cell {
    if text.value == nil { return .text("no data") }
    let interval = text.interval == nil ? "no interval" : text.intervalText
    return cell(text.valueText, remark: "\(interval), n \(Figures.count(samples))")
  }
}
