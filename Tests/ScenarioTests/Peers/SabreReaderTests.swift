import Foundation
import Models
import Scenario
import Testing

/// Requests on the files of a folder, by their names.
private struct InputFolder {
  var path: String

  func request(_ network: String = "n.json", movie: String = "m.json") -> SabreRequest {
    let source: SabreRequest.Source =
      network.hasSuffix(".csv") ? .traces("\(path)/\(network)") : .network("\(path)/\(network)")
    return SabreRequest(movie: "\(path)/\(movie)", source: source, algorithm: "throughput")
  }

  /// The messages of a rejected request; the folder is called `DIR`.
  func messages(_ request: SabreRequest) -> [String] {
    PeerFiles.messages(path) { () throws(ScenarioRejected) in _ = try request.table() }
  }

  static func with(_ files: [String: String], _ body: (InputFolder) throws -> Void) throws {
    try PeerFiles.withFolder(files) { try body(InputFolder(path: $0)) }
  }
}

private let movie = """
  {
    "segment_duration_ms": 1000,
    "bitrates_kbps": [100, 200],
    "segment_sizes_bits": [[100000, 200000], [100000, 200000], [100000, 200000]]
  }
  """
private let network = """
  [{"duration_ms": 1000, "bandwidth_kbps": 1000, "latency_ms": 0}]
  """

@Suite struct SabreReaderTests {
  @Test func `a good film and network give one row called by the network's file`() throws {
    try InputFolder.with(["m.json": movie, "home.wifi.json": network]) { folder in
      let table = try folder.request("home.wifi.json").table()
      #expect(table.identity == ["trace"])
      #expect(table.rows.count == 1 && table.rows[0].names == ["home.wifi"])
      // Worked by hand: 100 ms of start-up, then 3 s of play.
      let row = Dictionary(uniqueKeysWithValues: zip(table.columns, table.rows[0].values))
      #expect(row["startup_time_ms"] == .number(100))
      #expect(row["total play time"] == .number(3.1))
      #expect(row["total rebuffer events"] == .integer(0))
      #expect(row["total bitrate change"] == .number(100))
    }
  }

  @Test func `the film may be longer or shorter`() throws {
    try InputFolder.with(["m.json": movie, "n.json": network]) { folder in
      var request = folder.request()
      request.movieLength = 5.2
      let longer = try request.table()
      #expect(longer.rows[0].values[1] == .number(6.1))
      request.movieLength = 1
      let shorter = try request.table()
      #expect(shorter.rows[0].values[1] == .number(1.1))
    }
  }

  @Test func `a table of traces gives a row for each in the order of their first rows`() throws {
    let csv = """
      latency_ms,trace,note,duration_ms,bandwidth_kbps\r
      0,b,x,100,1000\r
      \r
      50, a ,y,1000.5,2e3\r
      0,b,z,1000,500\r

      """
    try InputFolder.with(["m.json": movie, "t.csv": csv]) { folder in
      let input = try folder.request("t.csv").load()
      #expect(input.traces.map(\.name) == ["b", "a"])
      #expect(
        input.traces[0].network
          == SabreNetwork([
            SabrePeriod(duration: 100, bandwidth: 1000, latency: 0),
            SabrePeriod(duration: 1000, bandwidth: 500, latency: 0),
          ]))
      #expect(
        input.traces[1].network
          == SabreNetwork([SabrePeriod(duration: 1000.5, bandwidth: 2000, latency: 50)]))
    }
  }

  /// Rows as most are and rows that are not, which are read in another way.
  @Test func `a row is read the same however it is written`() throws {
    let written = [
      ("1018", "2928", "100"), ("1018.0", "2928.50", "100"), (" 1018 ", "2928.5", "1e2"),
      ("1.018e3", "+2928.5", "100"), ("1018", "2928.500000000000000", "100.0"),
      ("0.1", "123456789.012345", "0"), ("1018", "0.30000000000000004", "7"),
      ("1018", "0.92030920993190389", "7"),
    ]
    let csv =
      "trace,duration_ms,bandwidth_kbps,latency_ms\r\n"
      + written.map { "a,\($0.0),\($0.1),\($0.2)" }.joined(separator: "\r\n\r\n") + "\n ,, \n"
      + "b, 5,5 ,5,more\na,5,5,5"
    try InputFolder.with(["m.json": movie, "t.csv": csv]) { folder in
      let traces = try folder.request("t.csv").load().traces
      #expect(traces.map(\.name) == ["a", "b"])
      let periods = try written.map { row in
        SabrePeriod(
          duration: try #require(Double(row.0.filter { $0 != " " })),
          bandwidth: try #require(Double(row.1)), latency: try #require(Double(row.2)))
      }
      let five = SabrePeriod(duration: 5, bandwidth: 5, latency: 5)
      #expect(traces[0].network == SabreNetwork(periods + [five]))
      #expect(traces[1].network == SabreNetwork([five]))
    }
  }

  @Test func `everything that is wrong is said in one pass`() throws {
    let bad = """
      {
        "segment_duration_ms": "1000",
        "bitrates_kbps": [200, 100],
        "segment_sizes_bits": [[1, 2], [1], [1, 0], []]
      }
      """
    let csv = """
      trace,duration_ms,bandwidth_kbps,latency_ms
      a,-1,5,0
      a,10,fast,0
      ,10,5,0
      a,10
      """
    try InputFolder.with(["m.json": bad, "t.csv": csv]) { folder in
      var request = folder.request("t.csv")
      request.algorithm = "bolaa"
      request.replacement = "right"
      request.buffer = 0
      #expect(
        folder.messages(request) == [
          "DIR/m.json:2:26: segment_duration_ms: expected a number of ms from 1 to 1000000, "
            + "got \"1000\"",
          "DIR/m.json:3:26: bitrates_kbps[1]: expected more than 200, the level before, got 100",
          "DIR/m.json:4:34: segment_sizes_bits[1]: expected one size for each of the 2 bit rates, "
            + "got a list of 1",
          "DIR/m.json:4:43: segment_sizes_bits[2][1]: expected a number of bits from 1 to "
            + "1000000000000, got 0",
          "DIR/m.json:4:47: segment_sizes_bits[3]: expected a list of sizes, one for each level, "
            + "got an empty one",
          "DIR/t.csv:2:3: duration_ms: expected a number of ms from 0 to 1000000000, got -1",
          "DIR/t.csv:3:6: bandwidth_kbps: expected a number of kbit/s from 0 to 1000000000, "
            + "got fast",
          "DIR/t.csv:4:1: trace: expected the name of a trace, got nothing",
          "DIR/t.csv:5:1: (file): expected at least 4 fields, got 2",
          "--algorithm bolaa: algorithm: expected one of bola, bolae, throughput, dynamic, "
            + "dynamicdash, got bolaa (did you mean bola?)",
          "--buffer 0: buffer: expected a number of seconds from 0.001 to 1000000, got 0",
          "--replace right: replace: expected left, got right",
        ])
    }
  }

  @Test(arguments: [
    ("[]", "DIR/n.json:1:1: (file): expected a list of periods, got an empty one"),
    (
      "[{\"duration_ms\": 10, \"bandwidth_kbps\": 0, \"latency_ms\": 1}]",
      "DIR/n.json:1:1: (file): expected a row with a duration and a bandwidth above 0, got none"
    ),
    (
      "[{\"duration_ms\": 10, \"bandwidth_kbps\": 7}]",
      "DIR/n.json:1:2: [0].latency_ms: expected this key, got nothing"
    ),
    ("[7]", "DIR/n.json:1:2: [0]: expected a period (a JSON object), got 7"),
    ("{\"a\": 1}", "DIR/n.json:1:1: (file): expected a list of periods, got a mapping"),
  ])
  func `a network that cannot be used says why`(text: String, message: String) throws {
    try InputFolder.with(["m.json": movie, "n.json": text]) { folder in
      #expect(folder.messages(folder.request()) == [message])
    }
  }

  @Test(arguments: [
    ("", "DIR/t.csv:1:1: (file): expected a header and at least one row, got nothing"),
    (
      "trace,duration_ms,bandwidth_kbps,latency_ms\n",
      "DIR/t.csv:1:1: (file): expected a header and at least one row, got a header only"
    ),
    (
      "trace,duration_ms,kbps,latency_ms\na,1,1,1\n",
      "DIR/t.csv:1:1: bandwidth_kbps: expected this column in the header, "
        + "got trace,duration_ms,kbps,latency_ms"
    ),
    (
      "trace,duration_ms,bandwidth_kbps,latency_ms\na,10,0,1\n",
      "DIR/t.csv:2:1: a: expected a row with a duration and a bandwidth above 0, got none"
    ),
  ])
  func `a table that cannot be used says why`(text: String, message: String) throws {
    try InputFolder.with(["m.json": movie, "t.csv": text]) { folder in
      #expect(folder.messages(folder.request("t.csv")) == [message])
    }
  }

  @Test func `files that are not there are missing, both at once`() throws {
    try InputFolder.with([:]) { folder in
      let error = #expect(throws: ScenarioRejected.self) { try folder.request().table() }
      #expect(error?.kind == .missingFile && error?.problems.count == 2)
    }
  }

  @Test func `a length of no segment or too many is refused`() throws {
    try InputFolder.with(["m.json": movie, "n.json": network]) { folder in
      for seconds in [0, -1, 1_000_001, Double.nan] {
        var request = folder.request()
        request.movieLength = seconds
        #expect(folder.messages(request).count == 1)
      }
    }
  }

  @Test func `a session without end is a problem of its trace`() throws {
    let csv = """
      trace,duration_ms,bandwidth_kbps,latency_ms
      fine,1000,1000,0
      cliff,150,4000,0
      cliff,1000000000,100,0
      """
    let film = movie.replacingOccurrences(of: "200", with: "1000")
    try InputFolder.with(["m.json": film, "t.csv": csv]) { folder in
      var request = folder.request("t.csv")
      request.keepsInsufficientBufferRule = false
      #expect(
        folder.messages(request) == [
          "--algorithm throughput: cliff: expected a session that ends, "
            + "got one that abandons a segment 100000 times in a row"
        ])
    }
  }
}
