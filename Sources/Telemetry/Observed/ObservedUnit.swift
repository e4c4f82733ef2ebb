/// What the numbers of a column count.
public struct ObservedUnit: Sendable, Hashable {
  /// As a mapping file writes it.
  public let name: String
  /// Seconds, bytes or bits per second of one are `factor / divisor`, of which one is 1: decimal
  /// fractions are divided, so that 7 ms is the number that 0.007 is.
  let factor: Double
  let divisor: Double
  /// How instants are written; nil: by what stands there.
  let epoch: TextTime.Epoch?
  /// Whether instants are dates.
  let isDate: Bool

  private init(
    _ name: String, _ factor: Double, over divisor: Double = 1, epoch: TextTime.Epoch? = nil,
    isDate: Bool = false
  ) {
    self.name = name
    self.factor = factor
    self.divisor = divisor
    self.epoch = epoch
    self.isDate = isDate
  }

  var scale: Double { factor / divisor }

  /// Where there is nothing to state.
  public static let none = ObservedUnit("", 1)
  public static let seconds = ObservedUnit("s", 1)
  public static let milliseconds = ObservedUnit("ms", 1, over: 1e3)
  public static let epochMilliseconds = ObservedUnit("epoch_ms", 1, epoch: .milliseconds)

  private static let spans = [
    ObservedUnit("ns", 1, over: 1e9), ObservedUnit("us", 1, over: 1e6),
    ObservedUnit("ms", 1, over: 1e3),
    ObservedUnit("s", 1), ObservedUnit("min", 60), ObservedUnit("h", 3_600),
  ]
  private static let sizes = [
    ObservedUnit("B", 1), ObservedUnit("kB", 1e3), ObservedUnit("KiB", 1_024),
    ObservedUnit("MB", 1e6), ObservedUnit("MiB", 1_048_576), ObservedUnit("GB", 1e9),
  ]
  private static let rates = [
    ObservedUnit("bps", 1), ObservedUnit("kbps", 1e3), ObservedUnit("Mbps", 1e6),
    ObservedUnit("Gbps", 1e9), ObservedUnit("Bps", 8), ObservedUnit("kBps", 8e3),
  ]
  private static let instants =
    [ObservedUnit("auto", 1), ObservedUnit("iso8601", 1, isDate: true)]
    + TextTime.Epoch.allCases.map { ObservedUnit($0.rawValue, 1, epoch: $0) }

  /// The units that a quantity may have; empty where it has none.
  static func choices(_ form: ObservedQuantity.Form) -> [ObservedUnit] {
    switch form {
    case .instant: instants
    case .span: spans
    case .size: sizes
    case .rate: rates
    case .number, .flag, .name, .dropped, .word, .text: []
    }
  }

  /// The unit of that name.
  static func named(_ name: String, _ form: ObservedQuantity.Form) -> ObservedUnit? {
    choices(form).first { $0.name == name }
  }

  /// A unit that is surely there.
  static func known(_ name: String, _ quantity: ObservedQuantity) -> ObservedUnit {
    guard let unit = named(name, quantity.form) else {
      preconditionFailure("\(quantity) has no unit \(name)")
    }
    return unit
  }
}
