import Scenario
import Statistics

/// The audience by the time of day.
extension FieldCalibration {
  private static let day = 86_400.0

  mutating func fitDay(_ samples: FieldSamples, _ options: Calibration.Options) {
    guard let span = samples.span, samples.begins.count >= options.leastValues else { return }
    let hours = (span.upperBound - span.lowerBound) / 3_600
    if hours < 24 {
      unknown.append(
        "audience.diurnal: the data are of \(Calibration.number(hours)) h, and a day has 24")
      return
    }
    let cell = Self.day / Double(DailyShapeFit.cells)
    var counts = [Double](repeating: 0, count: DailyShapeFit.cells)
    for begin in samples.begins { counts[Self.cell(begin / cell)] += 1 }
    do {
      let fit = try DailyShapeFit(
        counts: counts, exposures: Self.exposures(span, cell), resamples: options.resamples,
        seed: options.seed)
      take(fit)
    } catch {
      refusals.append("audience.diurnal: \(error.message)")
    }
  }

  private mutating func take(_ fit: DailyShapeFit) {
    if fit.aicOverConstant >= 0 {
      unknown.append(
        "audience.diurnal: sessions come at a rate that does not change with the time of day as "
          + "far as \(fit.count) of them tell (AIC of a change "
          + "\(Calibration.number(fit.aicOverConstant)) above that of none)")
      return
    }
    let limit = Calibration.farthest
    if fit.peakToTrough.value > 100 {
      refusals.append(
        "audience.diurnal: expected a peak of at most 100 times the trough, got "
          + Calibration.number(fit.peakToTrough.value))
      return
    }
    if fit.distance > limit {
      refusals.append(
        "audience.diurnal: expected a cosine within \(limit) of the data, got one at "
          + Calibration.number(fit.distance))
      return
    }
    let row = Row(
      name: "sessions by time of day", key: "audience.diurnal",
      numbers: [
        Number(
          name: "peak over trough", value: fit.peakToTrough.value,
          interval: fit.peakToTrough.interval, unit: .real),
        Number(
          name: "hour of the peak (UTC)", value: fit.peakHour.value,
          interval: fit.peakHour.interval, unit: .real),
      ], count: fit.count, of: "sessions", distance: fit.distance,
      alternatives: [(name: "no change", aic: -fit.aicOverConstant)])
    rows.append(row)
    entries.append(
      Entry(
        key: "audience.diurnal",
        value: "{peakToTrough: \(Calibration.number(fit.peakToTrough.value)), period: 24 h, "
          + "peakAt: \(Calibration.number(fit.peakHour.value)) h}",
        remarks: [row.line, "The measured window begins at 0:00 UTC."]))
  }

  private static func cell(_ place: Double) -> Int {
    let rest = place.truncatingRemainder(dividingBy: Double(DailyShapeFit.cells))
    let cell = Int((rest < 0 ? rest + Double(DailyShapeFit.cells) : rest).rounded(.down))
    return min(cell, DailyShapeFit.cells - 1)
  }

  /// How long the data saw each cell of a day, seconds.
  private static func exposures(_ span: ClosedRange<Double>, _ cell: Double) -> [Double] {
    var exposures = [Double](repeating: 0, count: DailyShapeFit.cells)
    // Whole days first: the rest is less than one.
    let days = ((span.upperBound - span.lowerBound) / day).rounded(.down)
    for place in exposures.indices { exposures[place] = days * cell }
    var begin = span.lowerBound + days * day
    while begin < span.upperBound {
      let end = min(span.upperBound, ((begin / cell).rounded(.down) + 1) * cell)
      exposures[self.cell((begin + end) / 2 / cell)] += end - begin
      if end <= begin { break }
      begin = end
    }
    return exposures
  }
}
