import CachePolicy
import FeedPolicy
import Foundation
import MediaUnits

@testable import LoadHarness
@testable import Reports
@testable import Scenario
@testable import Statistics
@testable import Studies
@testable import Telemetry

/// The readers that libFuzzer calls, by their names.
///
/// A reader may refuse what it likes, in as many words as it likes. It may not crash, and what it
/// lets through has to be what the checks here say.
enum ReaderFuzz {
  typealias Reader = @Sendable ([UInt8]) -> Void

  /// Every reader that a file, a server or a client can reach.
  static let readers: [(name: String, read: Reader)] =
    documents + scenarios + telemetry + traces + live + fields

  /// The folder for readers that take files: in memory where the system has such a one.
  private static let file: String = {
    let folder = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    return "\(folder)/firstframe-fuzz-\(getpid())"
  }()

  private static func withFile(_ bytes: [UInt8], _ ending: String, _ body: (String) -> Void) {
    let path = file + ending
    guard let stream = fopen(path, "wb") else { fatalError("\(path): cannot be written") }
    fwrite(bytes, 1, bytes.count, stream)
    fclose(stream)
    body(path)
    unlink(path)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Documents

  private static let documents: [(name: String, read: Reader)] = [
    (
      "json",
      { bytes in
        let data = Data(bytes)
        guard (try? JSONReader.check(data, within: .message)) != nil else { return }
        // What is let through, Foundation reads, or it has a number that no machine has.
        _ = try? JSONReader.object(from: data, within: .message)
        let once = JSONReader.contents(of: data, without: "checksum")
        let again = JSONReader.contents(of: Data(once), without: "checksum")
        precondition(once == again, "contents are not stable")
      }
    ),
    (
      "result",
      { bytes in
        let text = text(bytes)
        _ = try? HTMLReport.text(resultDocument: text)
        _ = try? NotebookReport.text(
          folder: { $0 == "result.json" || $0 == "sweep.json" ? text : nil }, runDirectory: ".",
          topic: .all)
      }
    ),
    (
      "baseline",
      { bytes in
        _ = try? DocumentRejected.decode(Baseline.self, from: Data(bytes), path: "b.json")
        _ = try? DocumentRejected.decode(Trust.self, from: Data(bytes), path: "t.json")
        _ = try? DocumentRejected.decode(ShardPlan.self, from: Data(bytes), path: "p.json")
      }
    ),
    (
      "shard",
      { bytes in
        if let file = ShardFile(Data(bytes), name: "a-0") {
          let written = try? file.data(name: "a-0")
          precondition(written.map { ShardFile($0, name: "a-0") == file } ?? false)
        }
        if let words = PackedWords.words(of: bytes) { _ = ReplicationDigest(words: words) }
      }
    ),
    (
      "lines",
      { bytes in
        withFile(bytes, ".jsonl") { path in
          _ = PlayerLog.read(path)
          _ = try? GateHistory.read(path)
        }
      }
    ),
    ("policy-log", { bytes in _ = PolicyLog.replay(bytes) }),
  ]

  // MARK: Scenarios

  private static let scenarios: [(name: String, read: Reader)] = [
    (
      "yaml",
      { bytes in
        var problems = Problems()
        let node = YAMLReader.read(bytes, file: "f.yaml", into: &problems)
        precondition(node != nil || !problems.isEmpty, "neither a tree nor a problem")
      }
    ),
    ("format", { bytes in _ = try? ScenarioFormat.text(bytes, file: "f.yaml") }),
    ("scenario", { bytes in _ = try? StudyScenario.parse(text(bytes), file: "f.yaml") }),
    ("prices", { bytes in _ = try? PriceList.parse(text(bytes), file: "f.yaml") }),
    ("transfer-cases", { bytes in _ = try? TransferCaseFile.parse(bytes, file: "f.yaml") }),
    (
      "words",
      { bytes in
        let text = text(bytes)
        for kind in Quantity.allCases { _ = try? kind.value(of: text) }
        _ = MetricReference.parse(text)
        _ = BudgetLimit.parse(text, unit: .milliseconds)
        if let path = TreePath(parsing: text) {
          precondition(TreePath(parsing: path.description) == path, "\(path) reads as another path")
        }
        _ = VisibleText.terminal(text, color: true)
        _ = try? Law.empirical(csv: text)
      }
    ),
  ]

  // MARK: Telemetry

  private static let salt = IdentitySalt(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)

  private static func field(_ mapping: ColumnMapping, _ ending: String) -> Reader {
    { bytes in
      withFile(bytes, ending) { path in
        _ = try? FieldTelemetryReader(files: [path], mapping: mapping, salt: salt).read()
      }
    }
  }

  private static func span(_ bytes: [UInt8], _ body: (TextSpan) -> Void) {
    bytes.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { body(TextSpan(base, buffer.count)) }
    }
  }

  private static let telemetry: [(name: String, read: Reader)] = [
    (
      "events",
      { bytes in
        withFile(bytes, ".jsonl") { path in _ = try? TelemetryReader(files: [path]).read() }
      }
    ),
    ("field-events", field(BuiltInMapping.events.mapping, ".jsonl")),
    ("field-common", field(BuiltInMapping.common.mapping, ".log")),
    ("field-cloudfront", field(BuiltInMapping.cloudfront.mapping, ".log")),
    ("field-json", field(BuiltInMapping.jsonLog.mapping, ".jsonl")),
    ("mapping", { bytes in _ = try? MappingFile.parse(bytes, file: "m.yaml") }),
    (
      "cmcd",
      { bytes in
        var reader = CMCDReader(salt)
        var values = CMCDValues()
        reader.begin()
        span(bytes) { reader.read($0, into: &values) }
        reader.end(&values)
      }
    ),
    (
      "cmsd",
      { bytes in
        var reader = CMSDReader()
        _ = reader.object(text(bytes))
        _ = reader.hops(text(bytes))
      }
    ),
    (
      "json-fields",
      { bytes in
        let fields = JSONFields(["a", "b.c", "events"])
        var found: [RecordField] = []
        span(bytes) { line in
          _ = fields.split(line, 0, into: &found)
          for field in found {
            precondition(field.start >= 0 && field.start + field.count <= line.count)
          }
          _ = JSONFields.names(line)
        }
      }
    ),
  ]

  // MARK: Traces and peers

  private static let traces: [(name: String, read: Reader)] = [
    ("trace", { bytes in _ = try? TraceReader.readAll(bytes: bytes, named: "t.csv") }),
    (
      "cache-trace",
      { bytes in
        withFile(bytes, ".csv") { path in _ = try? CacheTraceRequest(files: [path]).load() }
      }
    ),
    (
      "cache-log",
      { bytes in
        withFile(bytes, ".log") { path in _ = try? CacheTraceRequest(files: [path]).load() }
      }
    ),
    (
      "peers",
      { bytes in
        for separator in [PeerLines.Separator.blanks, .comma, .either] {
          _ = PeerLines(bytes, path: "p", separator: separator)
        }
      }
    ),
  ]

  // MARK: What servers and clients say

  private static let live: [(name: String, read: Reader)] = [
    ("playlist", { bytes in _ = HLSPlaylist.parse(bytes) }),
    (
      "live-document",
      { bytes in
        _ = try? MediaManifest.parse(bytes)
        _ = try? FeedPage.parse(bytes)
      }
    ),
    (
      "event-post",
      { bytes in
        var intake = EventIntake()
        _ = intake.take(Data(bytes))
      }
    ),
  ]

  // MARK: Fields of HTTP

  private static let names: [String] = [
    "cache-control", "date", "expires", "last-modified", "age", "cdn-cache-control", "vary", "etag",
    "pragma",
  ]

  private static let fields: [(name: String, read: Reader)] = [
    (
      "response-head",
      { bytes in
        var reader = ResponseHeadReader(status: 200, receivedAt: 1_800_000_000, isTargeted: true)
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
          // The first byte chooses the field.
          let name = names[Int(line.first ?? 0) % names.count]
          reader.add(name: Array(name.utf8), value: Array(line.dropFirst()))
        }
        _ = reader.head
      }
    ),
    (
      "request-head",
      { bytes in
        var reader = RequestDirectivesReader()
        var variants = VariantFields()
        bytes.withUnsafeBufferPointer { field in
          reader.addControl(field)
          reader.addPragma(field)
          variants.add(field)
          _ = ByteRange.parse(field, length: 1_000)
          _ = HTTPDate.parse(field, receivedAt: 1_800_000_000)
          _ = EntityTag.isWeak(field)
        }
        _ = reader.directives
        _ = ClientConditions(noneMatch: bytes, modifiedSince: 1).isMet(tag: bytes, lastModified: 2)
      }
    ),
  ]
}
