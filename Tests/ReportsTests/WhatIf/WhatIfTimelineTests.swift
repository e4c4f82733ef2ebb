import Foundation
import Metering
import Models
import Scenario
import SimulationKernel
import Testing

@testable import Reports
@testable import Studies
@testable import WhatIf

/// The timelines of a page, from the numbers that its module gives, beside those of a report.
@Suite struct WhatIfTimelineTests {
  /// Slow networks and an origin that fails: something of everything.
  private static let text = """
    version: 1
    name: watched
    audience: {viewsPerDayPerEdge: 2500000, sessionLength: 40 s, window: 30 s}
    network: {access: [{kind: 3g}, {kind: lte}]}
    catalogue: {titles: 300}
    cdn: {origin: {outages: [{kind: error, from: 10 s, length: 10 s}]}}
    policy: {pool: {size: 5}}

    """

  private struct Piece: Equatable {
    var name, kind: String
    var from, to: Double
  }

  private struct Row: Equatable {
    var name: String
    var pieces: [Piece]
  }

  private struct View {
    var name: String
    var from, to, frame: Double
    var words: String
    var rows: [Row]
    var events: [(time: Double, words: String)]
  }

  /// Reads numbers as the page's script does.
  private struct Reader {
    let numbers: [Double]
    private(set) var place = 0

    init(_ numbers: [Double]) { self.numbers = numbers }

    mutating func next() -> Double {
      place += 1
      return numbers[place - 1]
    }

    mutating func list<Element>(_ read: (inout Reader) -> Element) -> [Element] {
      let count = Int(next())
      var list: [Element] = []
      for _ in 0..<count { list.append(read(&self)) }
      return list
    }

    mutating func sentence() -> String {
      let words = WhatIfTimelineTests.words
      return list { reader in
        let word = words[Int(reader.next())]
        let number = reader.next()
        return word.replacing("#.###", with: "\(number)").replacing("#.#", with: "\(number)")
          .replacing("#", with: "\(Int(number))")
      }.joined()
    }

    mutating func view() -> View {
      let kinds = TimelineKind.allCases.map(\.rawValue)
      return View(
        name: sentence(), from: next(), to: next(), frame: next(), words: sentence(),
        rows: list { reader in
          Row(
            name: reader.sentence(),
            pieces: reader.list { reader in
              let work = SessionWork.all[Int(reader.next())]
              let (from, to) = (reader.next(), reader.next())
              return Piece(
                name: reader.sentence(),
                kind: kinds[TimelineKind.allCases.firstIndex(of: work.kind) ?? 0], from: from,
                to: to)
            })
        },
        events: list { (time: $0.next(), words: $0.sentence()) })
    }
  }

  private static let words: [String] = {
    guard case .object(let members) = WhatIfPage.timelineWords,
      case .array(let words)? = members.first(where: { $0.name == "words" })?.value
    else { return [] }
    return words.map { if case .string(let text) = $0 { text } else { "" } }
  }()

  @Test func `words and works stand at the places of their numbers`() {
    #expect(TimelineWord.all.map(\.number) == Array(TimelineWord.all.indices))
    #expect(SessionWork.all.map(\.number) == Array(SessionWork.all.indices))
    #expect(Self.words.count == TimelineWord.all.count && !Self.words.contains(""))
  }

  @Test func `the page's timelines are those of the report, and of the module`() throws {
    let scenario = try FeedStudy.parse(Self.text, file: "watched.yaml")
    let configuration = scenario.configuration
    let plan = try FeedRun.plan(configuration, seed: scenario.seed)
    let whole = try FeedRun.run(configuration, plan: plan, seed: scenario.seed, replication: 0)
    let sessions = Set(whole.measures.views.map(\.session)).sorted()
    var (views, requests) = (0, 0)
    for session in sessions.prefix(8) {
      let watched = try WatchedSession.run(scenario, session: session, replication: 0)
      let numbers = try WhatIfTimeline.numbers(
        configuration, seed: scenario.seed, replication: 0, session: session)
      #expect(numbers == WhatIfTimeline(watched.recording).numbers)
      var reader = Reader(numbers)
      #expect(reader.next() == -1)
      let drawn = reader.list { $0.view() }
      #expect(reader.place == numbers.count)
      #expect(drawn.count == watched.recording.views.count)
      for (place, view) in watched.recording.views.enumerated() {
        let item = view.record.item
        let known = try #require(SessionTimeline(watched, item: item)).record
        let own = drawn[place]
        #expect(own.events.map(\.time) == own.events.map(\.time).sorted())
        #expect(own.events.contains { $0.words == "the clock starts" && $0.time == 0 })
        // A report has the latest start of an item.
        guard known.from == own.from, known.to == own.to else { continue }
        #expect(own.name.hasPrefix("item \(item)"))
        #expect(own.frame == known.firstFrame ?? -1)
        let rows = known.rows.map { row in
          Row(
            name: row.name,
            pieces: row.pieces.map {
              Piece(name: $0.name, kind: $0.kind, from: $0.from, to: $0.to)
            })
        }
        let named = own.rows.map { row in
          Row(name: String(row.name.prefix { $0 != ";" }), pieces: row.pieces)
        }
        #expect(named == rows)
        (views, requests) = (views + 1, requests + rows.count)
      }
    }
    #expect(views > 20 && requests > 200)
  }

  @Test func `a replication without the session names one that is near`() throws {
    let scenario = try FeedStudy.parse(Self.text, file: "watched.yaml")
    let numbers = try WhatIfTimeline.numbers(
      scenario.configuration, seed: scenario.seed, replication: 0, session: 4_000_000_000)
    #expect(numbers.count == 2 && numbers[0] > 0 && numbers[1] == 0)
  }

  @Test func `the legend of the page has the kinds in their order`() throws {
    let text = try RepositoryText.of("tools/what-if/page.html")
    for (place, kind) in TimelineKind.allCases.enumerated() {
      #expect(
        text.contains(
          "<rect class=\"kind-\(place)\" width=\"22\" height=\"10\"/></svg> \(kind.rawValue)</span>"
        ))
    }
  }
}
