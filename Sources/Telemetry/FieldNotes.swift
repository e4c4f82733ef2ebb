import Foundation
import Scenario

/// What a reader says of what it read although nothing is wrong.
enum FieldNotes {
  static func all(
    _ mapping: ColumnMapping, epochs: [TextTime.Forms], zoned: Int, unread: [String],
    skew: ThinnedSample, cmcd: CMCDReader.Report, words: ObservedWords
  ) -> [String] {
    var notes: [String] = []
    if !mapping.source.isEmpty { notes.append("columns as in: \(mapping.source)") }
    for (column, forms) in zip(mapping.columns, epochs) where !forms.isEmpty {
      notes.append("\(column.name): numbers since 1970, by their size \(forms.words)")
    }
    if zoned > 0 { notes.append(zones(mapping, zoned)) }
    if !unread.isEmpty { notes.append(left(unread)) }
    notes += clocks(skew)
    notes += keys(cmcd)
    for quantity in words.dropped {
      notes.append(
        "\(quantity.rawValue): more than \(WordTable.limit) words, or one of more than "
          + "\(WordTable.longest) bytes: dropped, they may name somebody")
    }
    return notes
  }

  private static func zones(_ mapping: ColumnMapping, _ count: Int) -> String {
    var names: [String] = []
    for column in mapping.columns where column.quantity.form == .instant {
      let name = (column.zone ?? mapping.zone)?.name ?? "UTC"
      if !names.contains(name) { names.append(name) }
    }
    return "\(count) times say no offset: read as those of \(names.joined(separator: ", "))"
  }

  private static func left(_ names: [String]) -> String {
    let shown = names.filter(isNameOfColumn).prefix(12)
    let words = shown.map { Excerpt.oneLine($0, limit: 40) }
    let rest = names.count - words.count
    let more = rest == 0 ? [] : [words.isEmpty ? "\(rest)" : "\(rest) more"]
    let are = names.count == 1 ? "1 column is" : "\(names.count) columns are"
    return "\(are) not read: " + (words + more).joined(separator: ", ")
  }

  /// Members of JSON may be named by somebody: what looks like an address or a number is not shown.
  private static func isNameOfColumn(_ name: String) -> Bool {
    let digits = name.utf8.count { (0x30...0x39).contains($0) }
    return digits <= 3 && !name.utf8.contains(0x40) && !name.utf8.contains(0x3A)
  }

  private static func clocks(_ skew: ThinnedSample) -> [String] {
    guard let median = skew.median else { return [] }
    let text = String(format: "%.3f", abs(median))
    let side = median >= 0 ? "behind" : "ahead of"
    var notes = [
      "clients' clocks are \(text) s \(side) the server's in the median (n \(skew.count)), what a "
        + "line takes on its way among it; times are the clients'"
    ]
    let half = (median / 1_800).rounded()
    if abs(half) >= 1 && abs(median - half * 1_800) < 60 {
      notes.append(
        "that is \(String(format: "%g", half / 2)) h: look at timeZone before you look at clocks")
    }
    return notes
  }

  private static func keys(_ cmcd: CMCDReader.Report) -> [String] {
    let lines = cmcd.texts1 + cmcd.texts2
    if lines == 0 && cmcd.bad == 0 && cmcd.unknown == 0 { return [] }
    var text = "CMCD in \(lines) lines (version 1: \(cmcd.texts1), version 2: \(cmcd.texts2))"
    if cmcd.unknown > 0 { text += ", \(cmcd.unknown) keys of neither version" }
    if cmcd.custom > 0 { text += ", \(cmcd.custom) of somebody's own" }
    if cmcd.bad > 0 { text += ", \(cmcd.bad) with values they cannot have" }
    return [text]
  }
}
