import Scenario
import Statistics

/// What is watched, as a persona.
extension FieldCalibration {
  mutating func fitWatched(_ samples: FieldSamples, _ options: Calibration.Options) {
    if samples.watched.count == 0 {
      unknown.append(
        "audience.personas: no view says what was played of it, or its start and its dwell")
      return
    }
    let told = samples.watchedByLength.reduce(0) { $0 + $1.times.count }
    if 2 * told >= samples.watched.count && fitByLength(samples, options) { return }
    let finding = Calibration.finding(
      "watched", "audience.personas", .time, samples.watched, options)
    laws.append(finding)
    guard case .fitted(let fit) = finding.outcome else { return }
    entries.append(
      Entry(
        key: "audience.personas",
        value: "[{kind: measured, watchTime: \(Calibration.law(finding, fit))}]",
        remarks: [
          "watched: \(Calibration.remark(finding, fit))",
          "Who watches to the end is among them: completion and watchTime trade off.",
        ]))
    sayNoBursts()
    unknown.append(
      "audience.personas[].completion, shorter: "
        + (told == 0
          ? "no column tells titles' lengths" : "too few views tell a title's length")
        + ": watching to the end, watchTime and catalogue's lengths trade off; what is watched is "
        + "cut at an item's end")
    sayOnePersona()
  }

  // MARK: By length

  /// A share of completion whose interval is wider is not told. Assumed.
  private static let widestShare = 0.25

  /// Views of titles of like lengths, as many as a fit takes.
  private struct Bucket {
    var from = 0.0
    var below = Double.infinity
    var times = TelemetryData.Times()

    var name: String {
      let from = Calibration.number(from)
      return below.isInfinite
        ? "titles of \(from) s and more" : "titles of \(from) to \(Calibration.number(below)) s"
    }
  }

  /// - Returns: whether lengths are told of enough views for one fit.
  private mutating func fitByLength(
    _ samples: FieldSamples, _ options: Calibration.Options
  ) -> Bool {
    let buckets = Self.buckets(samples.watchedByLength, options.leastValues)
    if buckets.isEmpty { return false }
    var elements: [String] = []
    var remarks: [String] = []
    for (place, bucket) in buckets.enumerated() {
      let key =
        "audience.personas[measured]" + (place + 1 < buckets.count ? ".shorter[\(place)]" : "")
      guard let (text, row) = fit(bucket, key, options) else { continue }
      rows.append(row)
      remarks.append(row.line)
      elements.append(text)
    }
    sayOnePersona()
    if elements.count < buckets.count { return true }
    let last = elements.removeLast()
    let shorter = zip(buckets, elements).map { bucket, text in
      "{below: \(Calibration.number(bucket.below)) s, \(text)}"
    }
    let list =
      shorter.isEmpty ? "" : "shorter:\n    [" + shorter.joined(separator: ",\n    ") + "],\n   "
    entries.append(
      Entry(
        key: "audience.personas", value: "\n  [{kind: measured,\n   \(list)\(last)}]",
        remarks: remarks + [
          "Who reached the end is of completion or of watchTime's tail: the two trade off."
        ]))
    sayNoBursts()
    return true
  }

  /// Of too few who left, a bucket goes together with the next one, and the last with the one in
  /// front of it.
  private static func buckets(_ watched: [FieldSamples.Watched], _ least: Int) -> [Bucket] {
    var buckets: [Bucket] = []
    var open = Bucket()
    for part in watched {
      open.times.seen += part.times.seen
      open.times.censored += part.times.censored
      open.below = part.below
      if open.times.seen.count < least { continue }
      buckets.append(open)
      open = Bucket(from: part.below)
    }
    if buckets.isEmpty { return [] }
    let last = buckets.count - 1
    buckets[last].times.seen += open.times.seen
    buckets[last].times.censored += open.times.censored
    buckets[last].below = .infinity
    return buckets
  }

  private mutating func fit(
    _ bucket: Bucket, _ key: String, _ options: Calibration.Options
  ) -> (text: String, row: Row)? {
    let name = "watched (\(bucket.name))"
    do {
      let sample = try CensoredSample(events: bucket.times.seen, censored: bucket.times.censored)
      let fit = try CompletionFit(sample, resamples: options.resamples, seed: options.seed)
      if fit.distance > Calibration.farthest {
        refusals.append(
          "\(name): expected a law within \(Calibration.farthest) of the data, got "
            + "\(fit.family.rawValue) at \(Calibration.number(fit.distance)); audience.personas "
            + "is not written")
        return nil
      }
      var numbers = [
        Number(
          name: "completion", value: fit.completion.value, interval: fit.completion.interval,
          unit: .real)
      ]
      for (index, parameter) in fit.parameters.enumerated() {
        guard let interval = parameter.interval else { continue }
        numbers.append(
          Number(
            name: parameter.name, value: parameter.value, interval: interval,
            unit: fit.family.hasUnit[index] ? .time : .real))
      }
      let row = Row(
        name: "\(name), \(fit.family.rawValue)", key: key, numbers: numbers,
        count: bucket.times.seen.count + bucket.times.censored.count, of: "views",
        distance: fit.distance,
        alternatives: fit.alternatives.map { (name: $0.family.rawValue, aic: $0.aicAbove) })
      let open = fit.completion.interval
      if open.upper - open.lower > Self.widestShare {
        unknown.append(
          "\(key).completion: the titles end inside the law of those who leave: shares from "
            + "\(Calibration.interval(open)) fit alike, and trade off against watchTime's tail")
      }
      let law = Calibration.law(
        fit.family, fit.parameters.map(\.value), .time,
        largest: max(bucket.times.seen.max() ?? 0, bucket.times.censored.max() ?? 0))
      return ("completion: \(Calibration.number(fit.completion.value)), watchTime: \(law)", row)
    } catch {
      refusals.append("\(name): \(error.message); audience.personas is not written")
      return nil
    }
  }

  private mutating func sayNoBursts() {
    entries.append(
      Entry(
        key: "audience.burstStart", value: "0",
        remarks: ["Quick swipes are among what is watched: the two trade off."]))
  }

  private mutating func sayOnePersona() {
    unknown.append(
      "audience.personas: no column tells which viewer is of which kind: all are one, and how "
        + "kinds differ trades off against how the views of one differ")
  }
}
