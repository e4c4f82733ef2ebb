/// Keys that the worlds of clients and their network have in common.
extension Field {
  static var oneWay: Field {
    Field(
      "oneWay", .law(.time),
      default: """
        {kind: mixture, parts: [{weight: 0.98, law: {kind: uniform, min: 20 ms, max: 120 ms}}, \
        {weight: 0.02, law: {kind: uniform, min: 120 ms, max: 600 ms}}]}
        """,
      "A message one way", source: "assumed: half of a loaded round trip, parameters.md section 1.7"
    )
  }

  static func outageLength(longest: String) -> Field {
    Field(
      "outageLength", .law(.time),
      default: .text(
        "{kind: lognormal, median: 20 s, sigma: 0.8, clip: {min: 1 s, max: \(longest)}}"),
      "How long it is gone", source: "parameters.md section 10")
  }
}
