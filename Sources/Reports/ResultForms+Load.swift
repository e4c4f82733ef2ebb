import Studies

extension ResultForms {
  static let load = ResultForm<AudienceLoad.Row>([
    .text("window", "value of the label window; all: the measured time and the drain") {
      $0.window ?? "all"
    },
    .word("tier", "who answers", AudienceLoad.Tier.allCases.map(\.rawValue)) { $0.tier.rawValue },
    .number("requestsPerSecond", "requests a second of the whole audience") {
      $0.requestsPerSecond.value
    },
    .optionalNumber("requestsPerSecondLower", "lower end of its 95 % interval") {
      $0.requestsPerSecond.interval?.lower
    },
    .optionalNumber("requestsPerSecondUpper", "upper end of its 95 % interval") {
      $0.requestsPerSecond.interval?.upper
    },
    .number("bitsPerSecond", "bits a second of the answers") { $0.bitsPerSecond.value },
    .optionalNumber("bitsPerSecondLower", "lower end of its 95 % interval") {
      $0.bitsPerSecond.interval?.lower
    },
    .optionalNumber("bitsPerSecondUpper", "upper end of its 95 % interval") {
      $0.bitsPerSecond.interval?.upper
    },
    .count("samples", "simulated requests behind it") { $0.samples },
  ])
}
