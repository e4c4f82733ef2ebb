import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics

/// What one session in a page has measured, as a line of text: how it gets out of the page again.
///
/// Included: views, byte balances, what was shown, counts, the edge's answers, how stale they were.
/// The rest is zero with real servers, or has no meaning for a session alone.
///
/// Sessions that browsers have played are kept in this form (`results/truth`). Its head says how
/// many numbers each kind of counters has: a text of another build is none, whatever its version
/// says.
public enum PageMeasures {
  /// Rises with each change of what is written; what is kept has to be brought to it.
  public static let version: Int64 = 3

  public static func text(_ measures: borrowing FeedMeasures) -> [UInt8] {
    var line = PolicyLine()
    line.add("measures")
    line.add(version)
    line.add(numbers(ByteBalance.self))
    line.add(numbers(ShownMedia.self))
    line.add(numbers(FeedCounts.self))
    line.add(measures.balances.count)
    for cell in measures.balances.indices {
      add(measures.balances[cell], into: &line)
      add(measures.shown[cell], into: &line)
    }
    add(measures.counts, into: &line)
    line.add(measures.outside.late)
    line.add(measures.outside.lateBytes)
    for count in measures.outside.unanswered { line.add(count) }
    line.add(measures.staleness.answers)
    line.add(bitsOf: measures.staleness.sum)
    line.add(measures.staleness.largest)
    for asset in AssetClass.allCases {
      for outcome in CacheOutcome.allCases {
        line.add(measures.edge.requests(asset, outcome))
        line.add(measures.edge.bytes(asset, outcome))
      }
    }
    line.add(measures.views.count)
    for view in measures.views { add(view, into: &line) }
    return line.bytes
  }

  /// The measures of a text; nil for anything that ``text(_:)`` does not write, or whose cohorts
  /// are not `networks` · `devices`.
  public static func read(_ text: [UInt8], networks: Int, devices: Int) -> FeedMeasures? {
    var fields = PolicyFields(text)
    guard fields.take("measures"), fields.number() == version,
      fields.number() == numbers(ByteBalance.self), fields.number() == numbers(ShownMedia.self),
      fields.number() == numbers(FeedCounts.self), fields.count() == networks * devices
    else { return nil }
    var measures = FeedMeasures(networks: networks, devices: devices)
    for cell in 0..<networks * devices {
      guard let balance = counters(ByteBalance.self, from: &fields),
        let shown = counters(ShownMedia.self, from: &fields)
      else { return nil }
      measures.balances[cell] = balance
      measures.shown[cell] = shown
    }
    guard let counts = counters(FeedCounts.self, from: &fields), let late = fields.number(),
      let lateBytes = fields.number()
    else { return nil }
    measures.counts = counts
    measures.outside.late = late
    measures.outside.lateBytes = lateBytes
    for place in measures.outside.unanswered.indices {
      guard let count = fields.number() else { return nil }
      measures.outside.unanswered[place] = count
    }
    guard let stale = fields.number(), let excess = fields.double(), let most = fields.number()
    else { return nil }
    measures.staleness.answers = stale
    measures.staleness.sum = excess
    measures.staleness.largest = most
    for asset in AssetClass.allCases {
      for outcome in CacheOutcome.allCases {
        guard let requests = fields.number(), let bytes = fields.number() else { return nil }
        measures.edge.add(asset, outcome, requests: requests, bytes: bytes)
      }
    }
    guard let count = fields.count() else { return nil }
    for _ in 0..<count {
      guard let view = view(from: &fields), Int(view.network) < networks,
        Int(view.device) < devices
      else { return nil }
      measures.views.append(view)
    }
    return fields.isAtEnd ? measures : nil
  }

  // MARK: Counters

  private static func numbers<C: Counters>(_ type: C.Type) -> Int64 {
    Int64(MemoryLayout<C>.size / MemoryLayout<Int64>.size)
  }

  private static func add<C: Counters>(_ counters: C, into line: inout PolicyLine) {
    withUnsafeBytes(of: counters) { bytes in
      for place in stride(from: 0, to: bytes.count, by: MemoryLayout<Int64>.size) {
        line.add(bytes.load(fromByteOffset: place, as: Int64.self))
      }
    }
  }

  private static func counters<C: Counters>(
    _ type: C.Type, from fields: inout PolicyFields
  ) -> C? {
    var counters = C()
    var isRead = true
    withUnsafeMutableBytes(of: &counters) { bytes in
      for place in stride(from: 0, to: bytes.count, by: MemoryLayout<Int64>.size) {
        if let number = fields.number() {
          bytes.storeBytes(of: number, toByteOffset: place, as: Int64.self)
        } else {
          isRead = false
        }
      }
    }
    return isRead ? counters : nil
  }

  // MARK: Views

  private static func add(_ view: ViewRecord, into line: inout PolicyLine) {
    for number in [
      view.session, view.item, view.title, UInt32(view.network), UInt32(view.device),
      UInt32(view.flags.rawValue), UInt32(view.firstRung),
    ] {
      line.add(number)
    }
    line.add(view.settledAt)
    for span in [view.ttff, view.ttffPlay, view.played, view.stalled, view.upstreamWait] {
      line.add(span)
    }
    line.add(Int64(view.stalls))
    for part in StartupPart.allCases { line.add(view.parts[part]) }
    line.add(UInt32(view.answer.asset.rawValue))
    line.add(UInt32(view.answer.tier.rawValue))
    line.add(UInt32(view.answer.reason.rawValue))
    line.add(view.answer.wait)
  }

  private static func view(from fields: inout PolicyFields) -> ViewRecord? {
    guard let session = fields.unsigned(), let item = fields.unsigned(),
      let title = fields.unsigned(), let network = fields.byte(), let device = fields.byte(),
      let flags = fields.byte(), let rung = fields.byte(), let settled = fields.instant(),
      let ttff = fields.span(), let play = fields.span(), let played = fields.span(),
      let stalled = fields.span(), let wait = fields.span(), let count = fields.number(),
      let stalls = Int32(exactly: count)
    else { return nil }
    var view = ViewRecord(
      session: session, item: item, title: title, network: network, device: device,
      flags: ViewRecord.Flags(rawValue: flags), firstRung: rung, settledAt: settled, ttff: ttff,
      ttffPlay: play, played: played, stalled: stalled, stalls: stalls, parts: StartupParts())
    view.upstreamWait = wait
    for part in StartupPart.allCases {
      guard let time = fields.number() else { return nil }
      view.parts[part] = time
    }
    guard let asset = fields.byte().flatMap(AssetClass.init(rawValue:)),
      let tier = fields.byte().flatMap(AnsweringTier.init(rawValue:)),
      let reason = fields.byte().flatMap(MissReason.init(rawValue:)), let longest = fields.number()
    else { return nil }
    view.answer = StartAnswer(asset: asset, tier: tier, reason: reason, wait: longest)
    return view
  }
}

extension PolicyFields {
  fileprivate mutating func byte() -> UInt8? { unsigned().flatMap { UInt8(exactly: $0) } }
}
