import Models

/// What the model says about one case.
public struct TransferCaseResult: Sendable, Equatable {
  public var id: String
  /// One for each replication, in order; at least one. Rounds, when asked for, are in the first.
  public var replications: [TransferResult]

  public init(id: String, replications: [TransferResult]) {
    precondition(!replications.isEmpty, "at least one replication")
    self.id = id
    self.replications = replications
  }

  /// The tier that ran.
  public var tier: TransferTier { replications[0].tier }

  /// Runs one case.
  public static func run(
    _ entry: TransferCaseEntry, recordsRounds: Bool = false
  ) -> TransferCaseResult {
    TransferCaseResult(
      id: entry.id,
      replications: (0..<entry.replications).map {
        TransferModel.run(
          entry.transfers, tier: entry.tier, replication: UInt16($0),
          recordsRounds: recordsRounds && $0 == 0)
      })
  }

  /// Runs cases side by side; the results are in the order of the cases, whatever `threads` is.
  public static func run(
    _ entries: [TransferCaseEntry], threads: Int, recordsRounds: Bool = false
  ) async -> [TransferCaseResult] {
    var results = [TransferCaseResult?](repeating: nil, count: entries.count)
    await withTaskGroup(of: (Int, TransferCaseResult).self) { group in
      var next = 0
      while next < min(max(1, threads), entries.count) {
        let index = next
        group.addTask { (index, run(entries[index], recordsRounds: recordsRounds)) }
        next += 1
      }
      while let (index, result) = await group.next() {
        results[index] = result
        if next < entries.count {
          let index = next
          group.addTask { (index, run(entries[index], recordsRounds: recordsRounds)) }
          next += 1
        }
      }
    }
    return results.compactMap(\.self)
  }
}

/// Times of results.
public enum TransferTime {
  /// What never happens is at or beyond this, nanoseconds.
  public static let never = Int64.max / 2

  /// Milliseconds; nil for what never happens.
  public static func milliseconds(_ nanoseconds: Int64) -> Double? {
    nanoseconds >= never ? nil : Double(nanoseconds) / 1e6
  }

  /// Milliseconds in the shortest form with up to six decimals; `null` for what never happens.
  public static func json(_ nanoseconds: Int64) -> JSONText {
    if nanoseconds >= never { return .null }
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest == 0 ? .integer(whole) : .number(Double(nanoseconds) / 1e6)
  }
}

extension TransferCaseResult {
  /// The result as JSON: `{"id", "tier", "flows": [{"startMs", "connectMs", "secureMs",
  /// "firstByteMs", "durationMs"}]}`, times in milliseconds from the flow's own start. With several
  /// replications every time is a list in their order.
  public func json() -> JSONText {
    let flows = replications[0].timings.indices.map { index in
      JSONText.object([
        .init("startMs", time(index, \.start)),
        .init("connectMs", time(index, \.connect)),
        .init("secureMs", secure(index)),
        .init("firstByteMs", time(index, \.firstByte)),
        .init("durationMs", time(index, \.duration)),
      ])
    }
    return ["id": .string(id), "tier": .string(tier.word), "flows": .array(flows)]
  }

  private func time(_ flow: Int, _ part: KeyPath<TransferTiming, Int64>) -> JSONText {
    list(replications.map { TransferTime.json($0.timings[flow][keyPath: part]) })
  }

  private func secure(_ flow: Int) -> JSONText {
    let times = replications.map { $0.timings[flow].secure }
    if times.allSatisfy({ $0 == nil }) { return .null }
    return list(times.map { $0.map { TransferTime.json($0) } ?? .null })
  }

  private func list(_ values: [JSONText]) -> JSONText {
    values.count == 1 ? values[0] : .array(values)
  }

  /// A list of results, a case on each line.
  public static func text(_ results: [TransferCaseResult]) -> String {
    "[\n" + results.map { $0.json().text(indent: 0) }.joined(separator: ",\n") + "\n]\n"
  }
}
