import Foundation
import Models
import Scenario
import Testing

/// Sabre's own outputs and decisions, read where the reference stands beside the package.
private enum Reference {
  static let folder = PeerFiles.reference.appending(path: "sabre")
  static let isPresent = PeerFiles.hasReference("sabre/reference.json")

  static func path(_ name: String) -> String { folder.appending(path: name).path }

  static func object(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: folder.appending(path: name))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// A request with Sabre's own options; `-ao` must be there to be on.
  static func request(
    _ options: [String], movie: String, source: SabreRequest.Source
  ) throws -> SabreRequest {
    func value(_ flag: String) -> String? {
      options.firstIndex(of: flag).map { options[$0 + 1] }
    }
    var request = SabreRequest(
      movie: path(movie), source: source, algorithm: try #require(value("-a")))
    request.avoidsOscillation = options.contains("-ao")
    request.isBasic = options.contains("-ab")
    request.abandons = !options.contains("-noa")
    request.keepsInsufficientBufferRule = !options.contains("-noibr")
    request.replacement = value("-r")
    if let seconds = value("-b") { request.buffer = try #require(Double(seconds)) }
    if let seconds = value("-ml") { request.movieLength = Double(seconds) }
    return request
  }

  /// The greatest difference between a row and what Sabre printed, over all result columns.
  static func difference(_ row: PeerRow, _ printed: [Double], _ columns: [String]) throws -> Double
  {
    var worst = 0.0
    for (name, value) in zip(SabreRequest.columns, row.values) {
      let index = try #require(columns.firstIndex(of: name))
      worst = max(worst, abs(try #require(value.real) - printed[index]))
    }
    return worst
  }
}

@Suite(.enabled(if: Reference.isPresent)) struct SabreReferenceTests {
  @Test func `every option set on the example network gives what Sabre prints`() throws {
    let reference = try Reference.object("reference.json")
    let columns = try #require(reference["columns"] as? [String])
    let sets = try #require(reference["example_movie_and_network"] as? [String: [Double]])
    #expect(sets.count >= 13)
    for (name, printed) in sets {
      // "bola (args: -a bola -ao)"
      let open = try #require(name.range(of: "(args: "))
      let options = name[open.upperBound...].dropLast().split(separator: " ").map(String.init)
      let table = try Reference.request(
        options, movie: "movie.json", source: .network(Reference.path("network.json"))
      ).table()
      #expect(table.rows.map(\.names) == [["network"]])
      let difference = try Reference.difference(table.rows[0], printed, columns)
      #expect(difference < 1e-5, "\(name)")
    }
  }

  @Test func `every option set on every trace gives what Sabre prints`() throws {
    let reference = try Reference.object("reference.json")
    let columns = try #require(reference["columns"] as? [String])
    let scenarios = try #require(reference["scenarios"] as? [String: [String: Any]])
    var rows = 0
    for (_, scenario) in scenarios {
      let common = try #require(scenario["args"] as? [String])
      let movie = try #require(scenario["movie"] as? String)
      let traces = try #require(scenario["traces"] as? String)
      let sets = try #require(scenario["algorithms"] as? [String: [String: Any]])
      for (name, set) in sets {
        let options = try #require(set["args"] as? [String])
        let printed = try #require(set["per_trace"] as? [String: [Double]])
        let table = try Reference.request(
          common + options, movie: movie, source: .traces(Reference.path("\(traces).csv"))
        ).table()
        #expect(table.rows.count == printed.count)
        for row in table.rows {
          let expected = try #require(printed[row.names[0]])
          let difference = try Reference.difference(row, expected, columns)
          #expect(difference < 1e-5, "\(name) on \(row.names[0])")
          rows += 1
        }
      }
    }
    #expect(rows >= 140)
  }

  @Test(arguments: [
    ("bola_basic", ["-a", "bola", "-ab", "-ao"]), ("bola", ["-a", "bola", "-ao"]),
    ("bolae", ["-a", "bolae", "-ao"]), ("throughput", ["-a", "throughput", "-ao"]),
    ("dynamic", ["-a", "dynamic", "-ao"]), ("dynamicdash", ["-a", "dynamicdash", "-ao"]),
    ("throughput_noabandon", ["-a", "throughput", "-ao", "-noa"]),
  ])
  func `every download is the one Sabre makes`(name: String, options: [String]) throws {
    let file = try Reference.object("example_decisions.json")
    let decisions = try #require(file["decisions"] as? [String: [[Double]]])
    let expected = try #require(decisions[name])
    let input = try Reference.request(
      options, movie: "movie.json", source: .network(Reference.path("network.json"))
    ).load()
    var session = SabreSession(
      input.movie, over: input.traces[0].network, options: input.options)
    var count = 0
    while let download = session.next() {
      let row = try #require(count < expected.count ? expected[count] : nil)
      #expect(Double(download.segment) == row[0] && Double(download.level) == row[1])
      // The times of the reference are rounded to whole milliseconds.
      #expect(abs(download.start - row[2]) <= 0.5 + 1e-6)
      #expect(abs(download.end - row[3]) <= 0.5 + 1e-6)
      #expect((download.isAbandoned ? 1 : 0) == row[4])
      count += 1
    }
    #expect(count == expected.count)
  }

  @Test func `avoiding oscillation is on unless it is told off`() throws {
    let source = SabreRequest.Source.network(Reference.path("network.json"))
    let plain = SabreRequest(
      movie: Reference.path("movie.json"), source: source, algorithm: "bola")
    let osc = try Reference.request(["-a", "bola", "-ao"], movie: "movie.json", source: source)
    #expect(plain == osc)
    let off = try Reference.request(["-a", "bola"], movie: "movie.json", source: source)
    #expect(try plain.table() != off.table())
  }
}
