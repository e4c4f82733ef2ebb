import Scenario
import Statistics
import Studies

/// What a browser's players cost, as text and as JSON.
public enum PlayerCalibrationReport {
  /// The report as text ending in a line feed.
  public static func text(_ calibration: PlayerCalibration, color: Bool) -> String {
    let bold = { (text: String) in TextStyle.bold.applied(to: text, color: color) }
    let head = calibration.heads[0]
    var lines = [
      bold(
        "\(Figures.count(Int64(calibration.uses))) uses of players in "
          + "\(Figures.count(Int64(calibration.sessions))) sessions"),
      "  \(head.browser), \(head.processors) processors, \(head.viewers) viewers at once at most",
      "", bold("DEVICE"),
    ]
    var table = TextTable([.left, .right, .right, .right, .left])
    table.heading(["quantity", "n", "P50", "P95", "key below the device class"])
    for quantity in calibration.quantities where quantity.refusal == nil {
      table.add([
        TextCell(quantity.name), TextCell("\(quantity.count)"), TextCell(words(quantity.median)),
        TextCell(words(quantity.p95)), TextCell(quantity.key),
      ])
    }
    lines += table.lines(color: color)
    for quantity in calibration.quantities {
      if let refusal = quantity.refusal { lines.append("  \(quantity.name): refused: \(refusal)") }
    }
    for number in calibration.stress { lines.append("  " + words(number, "")) }
    lines += ["", bold("PLAYER"), "  " + words(calibration.threshold, " s")]
    if let painted = calibration.painted {
      lines.append(
        "  \(Figures.percent(painted)) of the plays had painted their first frame before")
    }
    lines += ["", bold("NOT TOLD BY THESE RUNS")] + calibration.unknown.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func words(_ number: PlayerCalibration.Number, _ unit: String) -> String {
    if let refusal = number.refusal { return "\(number.name): refused: \(refusal)" }
    guard let estimate = number.estimate else { return "\(number.name): nothing" }
    return "\(number.name) (\(number.key)): \(CalibrationReport.number(estimate.value))\(unit) ("
      + "\(CalibrationReport.number(estimate.interval.lower)) to "
      + "\(CalibrationReport.number(estimate.interval.upper))); \(number.evidence)"
  }

  private static func words(_ estimate: Estimate?) -> String {
    guard let estimate else { return "–" }
    func text(_ seconds: Double) -> String { Figures.decimal(seconds * 1000, 1) }
    return "\(text(estimate.value)) ms (\(text(estimate.interval.lower)) to "
      + "\(text(estimate.interval.upper)))"
  }

  // MARK: JSON

  /// The report as JSON; times are seconds.
  public static func json(_ calibration: PlayerCalibration) -> JSONText {
    [
      "schema": 1, "kind": "players",
      "sessions": .integer(Int64(calibration.sessions)), "uses": .integer(Int64(calibration.uses)),
      "runs": .array(
        calibration.heads.map { head in
          [
            "browser": .string(head.browser), "feeding": .string(head.feeding.rawValue),
            "processors": .integer(Int64(head.processors)),
            "viewers": .integer(Int64(head.viewers)), "scenario": .string(head.scenario),
            "seed": .string(String(head.seed)),
          ]
        }),
      "laws": .array(calibration.quantities.map { law($0) }),
      "numbers": .array((calibration.stress + [calibration.threshold]).map { number($0) }),
      "painted": calibration.painted.map { .number($0) } ?? .null,
      "unknown": .array(calibration.unknown.map { .string($0) }),
    ]
  }

  private static func law(_ quantity: PlayerCalibration.Quantity) -> JSONText {
    [
      "name": .string(quantity.name), "key": .string(quantity.key),
      "n": .integer(Int64(quantity.count)), "median": estimate(quantity.median),
      "p95": estimate(quantity.p95), "values": .array(quantity.values.map { .number($0) }),
      "refused": quantity.refusal.map { .string($0) } ?? .null,
    ]
  }

  private static func number(_ number: PlayerCalibration.Number) -> JSONText {
    [
      "name": .string(number.name), "key": .string(number.key),
      "estimate": estimate(number.estimate), "evidence": .string(number.evidence),
      "refused": number.refusal.map { .string($0) } ?? .null,
    ]
  }

  private static func estimate(_ estimate: Estimate?) -> JSONText {
    guard let estimate else { return .null }
    return [
      "value": .number(estimate.value),
      "interval": [.number(estimate.interval.lower), .number(estimate.interval.upper)],
      "n": .integer(Int64(estimate.n)),
    ]
  }
}
