import ForeignPolicies
import MediaUnits

/// Policies of somebody else's as kinds of a scenario's keys.
public enum ScenarioPolicies {
  /// The kinds that the program ships.
  public static var shipped: PolicyPackages.Shipped {
    PolicyPackages.Shipped(
      prefetch: ScenarioTable.shippedPrefetchWords, bitrate: ScenarioTable.shippedBitrateWords)
  }

  /// Makes policies that this program was built with kinds of `policy.prefetch` and `policy.abr`,
  /// before anything reads a scenario.
  ///
  /// - Returns: what is wrong with them, one text for each; where there is anything none of them is
  ///   a kind.
  public static func install(
    _ prefetch: [PrefetchPackage], _ bitrate: [BitratePackage]
  ) -> [String] {
    PolicyPackages.install(prefetch, bitrate, shipped: shipped)
  }
}

extension PackageRow {
  /// Its parameters as keys.
  var fields: [Field] {
    parameters.map { parameter in
      Field(
        parameter.name, parameter.form.shape, default: .text(parameter.preset.text),
        parameter.summary, source: parameter.source)
    }
  }
}

extension PolicyForm {
  /// What may stand at such a parameter's key.
  fileprivate var shape: Shape {
    switch self {
    case .time(let range): .time(range.lowerBound.nanoseconds...range.upperBound.nanoseconds)
    case .bitRate(let range):
      .bitRate(range.lowerBound.bitsPerSecond...range.upperBound.bitsPerSecond)
    case .count(let range): .integer(Int64(range.lowerBound)...Int64(range.upperBound))
    case .number(let range): .real(RealRange(range.lowerBound, range.upperBound))
    case .share: .ratio
    case .flag: .boolean
    }
  }
}

extension PolicyValue {
  /// As YAML has it.
  fileprivate var text: String {
    switch self {
    case .time(let value): Quantity.time.text(value.nanoseconds)
    case .bitRate(let value): Quantity.bitRate.text(value.bitsPerSecond)
    case .count(let value): "\(value)"
    case .number(let value), .share(let value): PlainNumber.text(value)
    case .flag(let value): "\(value)"
    }
  }
}

extension ResolvedTree {
  /// The values of a policy's parameters, in their order.
  func values(of row: PackageRow) -> [PolicyValue] { row.parameters.map { value(of: $0) } }

  private func value(of parameter: PackageRow.Parameter) -> PolicyValue {
    switch parameter.form {
    case .time: .time(span(parameter.name))
    case .bitRate: .bitRate(BitRate(bitsPerSecond: bitRate(parameter.name)))
    case .count: .count(Int(integer(parameter.name)))
    case .number: .number(real(parameter.name))
    case .share: .share(ratio(parameter.name))
    case .flag: .flag(boolean(parameter.name))
    }
  }
}
