import Models

/// How eviction policies, admission rules and capacities are written on a command line.
public enum CacheWords {
  /// The policies in a message.
  public static let policies = EvictionKind.rows.flatMap(names).joined(separator: ", ")
  /// The admission rules in a message.
  public static let admissions = ScenarioTable.shippedAdmissions.map(\.value.written)
    .joined(separator: ", ")

  /// The words without a parameter.
  private static let plain = EvictionKind.rows.flatMap { row in
    row.replays.map { (spelling("\(row.word)", "\($0.suffix)"), $0.kind) }
  }

  /// The policies with a whole number.
  private static let numbered = EvictionKind.rows.compactMap { row in
    if case .number(let number) = row.parameter { ("\(row.word)", number) } else { nil }
  }

  private static func spelling(_ word: String, _ suffix: String) -> String {
    suffix.isEmpty ? word : "\(word):\(suffix)"
  }

  private static func names(_ row: EvictionRow) -> [String] {
    guard case .number(let number) = row.parameter else {
      return row.replays.map { spelling("\(row.word)", "\($0.suffix)") }
    }
    let (low, high) = (number.range.lowerBound, number.range.upperBound)
    return ["\(row.word):\(number.placeholder) (\(low) to \(high))"]
  }

  /// The policy called `text`.
  /// - Throws: ``QuantityFault`` with what was probably meant.
  public static func policy(_ text: String) throws(QuantityFault) -> EvictionKind {
    if let found = plain.first(where: { $0.0 == text }) { return found.1 }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if let (word, number) = numbered.first(where: { $0.0 == parts[0] }) {
      guard parts.count == 2, let value = Int(parts[1]), number.range.contains(value) else {
        let (low, high) = (number.range.lowerBound, number.range.upperBound)
        throw QuantityFault(
          .outOfRange,
          expected: "\(word):\(number.placeholder) with \(low) to \(high) \(number.key)")
      }
      return number.kind(value)
    }
    let examples = numbered.compactMap { word, number in
      number.usual.last.map { "\(word):\($0)" }
    }
    throw QuantityFault(
      .wrongWord, expected: "one of \(policies)",
      suggestion: Spelling.nearest(to: text.lowercased(), in: plain.map(\.0) + examples))
  }

  /// The word for a policy; ``policy(_:)`` reads it back.
  public static func text(_ kind: EvictionKind) -> String {
    let row = kind.row
    if case .number(let number) = row.parameter, let value = number.value(kind) {
      return "\(row.word):\(value)"
    }
    return spelling("\(row.word)", "\(row.replays.first { $0.kind == kind }?.suffix ?? "")")
  }

  /// The admission rule called `text`.
  public static func admission(_ text: String) throws(QuantityFault) -> CacheAdmission {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let argument = parts.count == 2 ? String(parts[1]) : nil
    for row in ScenarioTable.shippedAdmissions
    where row.value.word == parts[0] && argument != "" {
      if let rule = try row.value.read(argument) { return rule }
    }
    throw QuantityFault(.wrongWord, expected: "one of \(admissions)")
  }

  /// The word for an admission rule; ``admission(_:)`` reads it back.
  public static func text(_ rule: CacheAdmission) -> String {
    for row in ScenarioTable.shippedAdmissions {
      if let argument = row.value.text(rule) { return spelling(row.value.word, argument) }
    }
    preconditionFailure("every admission rule has a row, but \(rule) has none")
  }

  /// A number of bytes, with a unit or without.
  static func bytes(_ text: String) throws(QuantityFault) -> Int64 {
    let value: Int64
    if let plain = try? PlainNumber.integer(of: text) {
      value = plain
    } else {
      value = try Quantity.bytes.value(of: text)
    }
    guard value > 0, value <= CacheTraceBuilder.byteLimit else {
      throw QuantityFault(
        .outOfRange, expected: "a size from 1 byte to \(Quantity.bytes.text(1 << 60))")
    }
    return value
  }
}
