import MediaUnits
import Models

/// The messages of a run as a diagram.
public struct SequenceDiagram: Sendable {
  /// One arrow.
  public struct Arrow: Sendable, Equatable {
    public var from, to: Int
    public var text: String
    public var sent: Instant
    /// nil when it was lost.
    public var received: Instant?
  }

  /// Something that happened at one actor, or to everybody.
  public struct Note: Sendable, Equatable {
    public var actor: Int?
    public var text: String
    public var at: Instant
  }

  public var title: String
  public var actors: [String]
  public var arrows: [Arrow]
  public var notes: [Note]

  /// The diagram of a failure: its messages and its steps.
  public init<Target: FuzzTarget>(_ failure: FuzzFailure<Target>, of target: Target) {
    let run = target.run(failure.schedule, records: true)
    title = "\(target.name): \(failure.property.title)"
    actors = target.actors(of: failure.schedule)
    // What arrives once it is broken explains nothing.
    let end = failure.property.kind == .always ? failure.at : .distantFuture
    let shown = run.sequence.filter { $0.sent < end && ($0.received ?? .zero) <= end }
    arrows = shown.map {
      Arrow(
        from: Int($0.from), to: Int($0.to), text: target.label($0), sent: $0.sent,
        received: $0.received)
    }
    notes = failure.schedule.steps.map { step in
      Note(
        actor: target.subject(of: step.action).map(Int.init), text: target.text(step.action),
        at: step.at)
    }
    notes.append(Note(actor: nil, text: "broken: \(failure.property.statement)", at: failure.at))
  }

  private func seconds(_ at: Instant) -> String {
    let milliseconds = at.nanoseconds / 1_000_000
    let rest = String(milliseconds % 1_000)
    let zeros = String(repeating: "0", count: 3 - rest.count)
    return "\(milliseconds / 1_000).\(zeros)\(rest)"
  }

  /// Sends, arrivals and notes in order of time. An arrow is told of where it arrives, and where it
  /// was sent if something else happened meanwhile.
  private var lines: [(at: Instant, order: Int, kind: Line)] {
    var lines: [(at: Instant, order: Int, kind: Line)] = []
    for (index, note) in notes.enumerated() {
      // The last note is the verdict, after whatever brought it about.
      let order = index == notes.count - 1 ? Int.max : index
      lines.append((note.at, order, .note(note)))
    }
    for (index, arrow) in arrows.enumerated() {
      lines.append((arrow.received ?? arrow.sent, notes.count + index, .arrow(arrow)))
    }
    return lines.sorted { $0.at != $1.at ? $0.at < $1.at : $0.order < $1.order }
  }

  private enum Line {
    case note(Note)
    case arrow(Arrow)
  }

  /// Mermaid's text of a sequence diagram.
  public var mermaid: String {
    var text = "sequenceDiagram\n  title \(title)\n"
    for (index, actor) in actors.enumerated() { text += "  participant a\(index) as \(actor)\n" }
    for line in lines {
      switch line.kind {
      case .note(let note):
        let over = note.actor.map { "a\($0)" } ?? "a0,a\(actors.count - 1)"
        text += "  Note over \(over): \(seconds(note.at)) s \(note.text)\n"
      case .arrow(let arrow):
        let head = arrow.received == nil ? "-x" : "->>"
        let sent =
          arrow.received == nil ? "\(seconds(arrow.sent)) s" : "sent \(seconds(arrow.sent)) s"
        text += "  a\(arrow.from)\(head)a\(arrow.to): \(arrow.text) (\(sent))\n"
      }
    }
    return text
  }

  /// A drawing: time runs down, arrows lean from sending to arrival, lost ones end halfway; what
  /// users and the environment do stands beside them.
  public var svg: String {
    let columns = 170
    let rows = positions
    let height = 70 + (rows.values.max() ?? 0) + 30
    let width = columns * actors.count + 450
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
      + "font-family=\"sans-serif\" font-size=\"11\">\n"
    text += "<title>\(escaped(title))</title>\n"
    text += "<rect width=\"\(width)\" height=\"\(height)\" fill=\"#fff\"/>\n"
    for (index, actor) in actors.enumerated() {
      let x = place(index)
      text += "<text x=\"\(x)\" y=\"30\" text-anchor=\"middle\" font-weight=\"bold\">"
      text += "\(escaped(actor))</text>\n"
      text += "<line x1=\"\(x)\" y1=\"40\" x2=\"\(x)\" y2=\"\(height - 10)\" stroke=\"#999\"/>\n"
    }
    for arrow in arrows { text += drawing(arrow, rows) }
    for note in notes {
      let y = 60 + (rows[note.at.nanoseconds] ?? 0)
      let x = place(actors.count - 1) + 40
      text += "<text x=\"\(x)\" y=\"\(y + 3)\" fill=\"#a00\">\(seconds(note.at)) s "
      text += "\(escaped(note.text))</text>\n"
    }
    return text + "</svg>\n"
  }

  private func place(_ actor: Int) -> Int { 80 + 170 * actor }

  /// Each instant at which something happens has a row of its own.
  private var positions: [Int64: Int] {
    var times = Set(notes.map(\.at.nanoseconds))
    for arrow in arrows {
      times.insert(arrow.sent.nanoseconds)
      if let received = arrow.received { times.insert(received.nanoseconds) }
    }
    var positions: [Int64: Int] = [:]
    for (index, time) in times.sorted().enumerated() { positions[time] = index * 18 }
    return positions
  }

  private func drawing(_ arrow: Arrow, _ rows: [Int64: Int]) -> String {
    let x1 = place(arrow.from)
    let y1 = 60 + (rows[arrow.sent.nanoseconds] ?? 0)
    let isLost = arrow.received == nil
    let end = arrow.received ?? arrow.sent
    let x2 = isLost ? (x1 + place(arrow.to)) / 2 : place(arrow.to)
    let y2 = 60 + (rows[end.nanoseconds] ?? 0)
    let colour = isLost ? "#c60" : "#06c"
    var text = "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"\(colour)\"/>\n"
    let lean = x2 < x1 ? 7 : -7
    text += "<path d=\"M\(x2) \(y2) l\(lean) -4 v8 z\" fill=\"\(colour)\"/>\n"
    // Near the sender, where arrows that cross are still apart.
    let (x, y) = (x1 + (x2 - x1) * 3 / 10, y1 + (y2 - y1) * 3 / 10 - 3)
    text += "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"middle\">"
    return text + "\(escaped(arrow.text))\(isLost ? " lost" : "")</text>\n"
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      default: result.append(character)
      }
    }
    return result
  }
}
