import CachePolicy
import MediaUnits
import Models
import Scenario

/// What a prediction keeps of one replication: of each view what telemetry would tell, and sums
/// where it would not tell whose they are.
struct PredictedReplication: Sendable, HeldInWords {
  struct View: Sendable {
    var session: UInt32
    var settledAt: Instant
    var cohort: UInt16
    var flags: ViewRecord.Flags
    var ttff, ttffPlay, played, stalled: TimeSpan
    var stalls: Int32
    var parts: StartupParts

    func part(_ part: StartupPart) -> TimeSpan { TimeSpan(nanoseconds: parts[part]) }
  }

  /// Of a cohort with views.
  struct Sums: Sendable {
    var cohort: UInt16
    var played, lengths, delivered: Int64
    var views: Int
  }

  /// What the edges answered of one class. Real caches tell a request that waited for another's
  /// fetch as a hit, so collapsed ones are hits on both sides; what goes past a cache is on
  /// neither.
  struct Traffic: Sendable {
    var asset: AssetClass
    var requests: Int64 = 0
    var bytes: Int64 = 0
    var hits: Int64 = 0
    var hitBytes: Int64 = 0
  }

  var views: [View]
  var sums: [Sums] = []
  var traffic: [Traffic] = []

  init(_ measures: FeedMeasures) {
    func cell(_ record: ViewRecord) -> Int {
      Int(record.network) * measures.deviceCount + Int(record.device)
    }
    views = measures.views.map { record in
      View(
        session: record.session, settledAt: record.settledAt, cohort: UInt16(cell(record)),
        flags: record.flags, ttff: record.ttff, ttffPlay: record.ttffPlay, played: record.played,
        stalled: record.stalled, stalls: record.stalls, parts: record.parts)
    }
    var counts = [Int](repeating: 0, count: measures.shown.count)
    for view in views { counts[Int(view.cohort)] += 1 }
    for cell in measures.shown.indices where counts[cell] > 0 {
      let (shown, bytes) = (measures.shown[cell], measures.balances[cell])
      sums.append(
        Sums(
          cohort: UInt16(cell), played: shown.played, lengths: shown.lengths,
          delivered: bytes.delivered, views: counts[cell]))
    }
    for asset in AssetClass.allCases where asset != .feed {
      var row = Traffic(asset: asset)
      for outcome in CacheOutcome.allCases where outcome != .error && outcome != .bypass {
        let requests = measures.edge.requests(asset, outcome)
        let bytes = measures.edge.bytes(asset, outcome)
        row.requests += requests
        row.bytes += bytes
        if outcome == .hit || outcome == .staleHit || outcome == .collapsed {
          row.hits += requests
          row.hitBytes += bytes
        }
      }
      if row.requests > 0 { traffic.append(row) }
    }
  }

  // MARK: Words

  func write(to writer: inout WordWriter) {
    writer.add(each: views) { view, writer in
      for number in [
        Int64(view.session), view.settledAt.nanoseconds, Int64(view.cohort),
        Int64(view.flags.rawValue), view.ttff.nanoseconds, view.ttffPlay.nanoseconds,
        view.played.nanoseconds, view.stalled.nanoseconds, Int64(view.stalls),
      ] { writer.add(number) }
      for part in StartupPart.allCases { writer.add(view.parts[part]) }
    }
    writer.add(each: sums) { sum, writer in
      for number in [
        Int64(sum.cohort), sum.played, sum.lengths, sum.delivered, Int64(sum.views),
      ] { writer.add(number) }
    }
    writer.add(each: traffic) { row, writer in
      for number in [Int64(row.asset.rawValue), row.requests, row.bytes, row.hits, row.hitBytes] {
        writer.add(number)
      }
    }
  }

  init?(_ reader: inout WordReader) {
    guard let views = reader.each({ View(&$0) }), let sums = reader.each({ Sums(&$0) }),
      let traffic = reader.each({ Traffic(&$0) })
    else { return nil }
    self.views = views
    self.sums = sums
    self.traffic = traffic
  }
}

extension WordReader {
  /// So many whole numbers.
  fileprivate mutating func numbers(_ count: Int) -> [Int64]? {
    var numbers: [Int64] = []
    for _ in 0..<count {
      guard let number = integer() else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}

extension PredictedReplication.View {
  fileprivate init?(_ reader: inout WordReader) {
    guard let row = reader.numbers(9 + StartupPart.allCases.count),
      let session = UInt32(exactly: row[0]), let cohort = UInt16(exactly: row[2]),
      let flags = UInt8(exactly: row[3]), let stalls = Int32(exactly: row[8])
    else { return nil }
    self.session = session
    settledAt = Instant(nanoseconds: row[1])
    self.cohort = cohort
    self.flags = ViewRecord.Flags(rawValue: flags)
    ttff = TimeSpan(nanoseconds: row[4])
    ttffPlay = TimeSpan(nanoseconds: row[5])
    played = TimeSpan(nanoseconds: row[6])
    stalled = TimeSpan(nanoseconds: row[7])
    self.stalls = stalls
    parts = StartupParts()
    for (place, part) in StartupPart.allCases.enumerated() { parts[part] = row[9 + place] }
  }
}

extension PredictedReplication.Sums {
  fileprivate init?(_ reader: inout WordReader) {
    guard let row = reader.numbers(5), let cohort = UInt16(exactly: row[0]),
      let views = Int(exactly: row[4])
    else { return nil }
    self.cohort = cohort
    (played, lengths, delivered) = (row[1], row[2], row[3])
    self.views = views
  }
}

extension PredictedReplication.Traffic {
  fileprivate init?(_ reader: inout WordReader) {
    guard let row = reader.numbers(5), let raw = UInt8(exactly: row[0]),
      let asset = AssetClass(rawValue: raw)
    else { return nil }
    self.asset = asset
    (requests, bytes, hits, hitBytes) = (row[1], row[2], row[3], row[4])
  }
}
