import Foundation
import Scenario
import Statistics

/// Access networks: what sessions have, how it varies in one, and round trips.
extension FieldCalibration {
  /// The most access networks of a scenario that are told apart by words.
  private static let mostCohorts = 12
  /// A value that was measured longer than this hides how a rate varies, seconds.
  private static let longestWidth = 1.5
  /// Steps of at most this tell the correlation from one second to the next, seconds.
  private static let nearStep: Int64 = 10

  /// Sessions of one network.
  private struct Cohort {
    /// As the telemetry calls it; empty: it does not.
    var word: String
    var kind: String
    /// The name of the scenario's network.
    var name: String
    var sessions: Set<Int>

    /// Behind the name of a quantity, where there are several networks.
    var suffix: String { word.isEmpty ? "" : " (\(name))" }
  }

  mutating func fitNetwork(_ samples: FieldSamples, _ options: Calibration.Options) {
    let trips = samples.values(of: .roundTrip)
    let rates = FieldSamples.Kind.allCases.filter(\.isRate).map { samples.values(of: $0) }
      .first { $0.count >= options.leastValues }
    guard let values = rates ?? (trips.isEmpty ? nil : []) else {
      sayNoNetwork(samples, options)
      return
    }
    if values.isEmpty { sayNoNetwork(samples, options) }
    let shown = values.isEmpty ? trips : values
    if shown.contains(where: { !samples.sessions[$0.session].isNamed }) {
      unknown.append(
        "network.access[].weight: rows do not say whose session they are of: shares are those of "
          + "rows")
    }
    let cohorts = cohorts(samples, shown)
    var elements: [String] = []
    var remarks: [String] = []
    // Viewers of a network that nothing is known of are viewers all the same.
    var bare: [String] = []
    for cohort in cohorts {
      var element = Element()
      let own = values.filter { cohort.sessions.contains($0.session) }
      let round = trips.filter { cohort.sessions.contains($0.session) }
      fitRate(own, cohort, options, &element)
      fitRoundTrip(round, cohort, options, &element)
      if element.keys.isEmpty {
        bare.append(cohort.name)
        element.remarks.append("\(cohort.name): nothing of it carried a fit: as \(cohort.kind) is")
      }
      let share = share(of: cohort, among: cohorts)
      let head = "kind: \(cohort.kind), name: \(cohort.name), weight: \(cohort.sessions.count)"
      elements.append("{" + ([head] + element.keys).joined(separator: ",\n   ") + "}")
      remarks += [share] + element.remarks
    }
    if bare.count == cohorts.count { return }
    for name in bare {
      unknown.append(
        "network.access[\(name)]: too little carries a fit: its share is kept, the rest is that of "
          + "its kind")
    }
    entries.append(
      Entry(
        key: "network.access", value: "\n  [" + elements.joined(separator: ",\n  ") + "]",
        remarks: remarks))
    sayWhatKindsStandFor(cohorts.filter { !bare.contains($0.name) })
  }

  /// What is written of one network.
  private struct Element {
    var keys: [String] = []
    var remarks: [String] = []
  }

  // MARK: Rates

  private mutating func fitRate(
    _ values: [FieldSamples.Value], _ cohort: Cohort, _ options: Calibration.Options,
    _ element: inout Element
  ) {
    guard let first = values.first else { return }
    let path = "network.access[\(cohort.name)]"
    var grouped: [Int: [(second: Int64, value: Double)]] = [:]
    for value in values {
      let place = grouped[value.session, default: []].count
      // What has no time is far from what else has none.
      let second =
        value.second.isNaN
        ? Int64(place) << 20 : Int64(value.second.rounded(.down))
      grouped[value.session, default: []].append((second, value.value))
    }
    var series = SessionSeries()
    for session in grouped.keys.sorted() { series.add(grouped[session] ?? []) }
    if series.steps < options.leastValues {
      fitMarginal(values, cohort, path, &element, options)
      return
    }
    do {
      let forms: [SessionVariationFit.Form] =
        series.steps(within: Self.nearStep) >= options.leastValues
        ? [.correlated, .independent] : [.independent]
      let fit = try SessionVariationFit(series, forms: forms)
      let farthest = Self.farthest(sessions: fit.sessions)
      if fit.sessionDistance > farthest {
        refusals.append(
          "\(path).sessionRate: expected sessions within \(Calibration.number(farthest)) of "
            + "a lognormal law, got \(Calibration.number(fit.sessionDistance)): a column of "
            + "network tells kinds of links apart")
        return
      }
      let isOfLink = hasVariation(values, first.kind, path, fit, series)
      write(fit, isOfLink, cohort, path, &element)
      let largest = values.reduce(0) { max($0, $1.value) }
      element.keys[0] = element.keys[0].replacing(
        "CLIP", with: Calibration.number(largest.rounded(.up)))
    } catch {
      refusals.append("\(path).sessionRate: \(error.message)")
    }
  }

  /// Few sessions are far from their law by chance: one in a thousand times farther than this (by
  /// the formula of G. Dallal and L. Wilkinson 1986, DOI 10.1080/00031305.1986.10475419).
  private static func farthest(sessions: Int) -> Double {
    max(Calibration.farthest, 1.2 / Double(max(1, sessions)).squareRoot())
  }

  /// Whether what varies inside a session is the link's; says why where it is not.
  private mutating func hasVariation(
    _ values: [FieldSamples.Value], _ kind: FieldSamples.Kind, _ path: String,
    _ fit: SessionVariationFit, _ series: SessionSeries
  ) -> Bool {
    let seen = "inside sessions the values vary by \(Calibration.number(fit.within.value))"
    let widths = values.map(\.width).filter { !$0.isNaN }.sorted()
    let width = widths.isEmpty ? 0 : widths[widths.count / 2]
    if kind == .estimate {
      unknown.append(
        "\(path).rateSigma, rateCorrelation: mtp is a player's smoothed estimate: \(seen), and how "
          + "much of the link's variation its smoothing hides is not told; those of the kind stay")
      return false
    }
    if kind == .playback || width > Self.longestWidth {
      let time = width > 0 ? " over \(Calibration.number(width)) s" : ""
      unknown.append(
        "\(path).rateSigma, rateCorrelation: a value is a mean\(time): \(seen), and what it hides "
          + "trades off against rateCorrelation; those of the kind stay")
      return false
    }
    if fit.form == .independent && series.steps(within: Self.nearStep) == 0 {
      let step = series.medianStep.map { "\($0) s" } ?? "no time"
      unknown.append(
        "\(path).rateCorrelation: values of a session lie \(step) apart: what is alike from second "
          + "to second is not told; that of the kind stays")
    }
    return true
  }

  private mutating func write(
    _ fit: SessionVariationFit, _ isOfLink: Bool, _ cohort: Cohort, _ path: String,
    _ element: inout Element
  ) {
    let median = isOfLink ? fit.medianOfMeans : fit.median
    let rate = Row(
      name: "session rate\(cohort.suffix)", key: "\(path).sessionRate",
      numbers: [
        Number(name: "median", value: median.value, interval: median.interval, unit: .bitRate),
        Number(
          name: "sigma", value: fit.between.value, interval: fit.between.interval, unit: .real),
      ], count: fit.sessions, of: "sessions", distance: fit.sessionDistance)
    rows.append(rate)
    element.keys.append(
      "sessionRate: {kind: lognormal, median: \(Calibration.number(median.value.rounded())) bps, "
        + "sigma: \(Calibration.number(max(fit.between.value, 1e-4))), clip: {max: CLIP bps}}")
    element.remarks.append(rate.line)
    if !isOfLink { return }
    var numbers = [
      Number(name: "sigma", value: fit.within.value, interval: fit.within.interval, unit: .real)
    ]
    element.keys.append("rateSigma: \(Calibration.number(min(3, fit.within.value)))")
    let tellsCorrelation = fit.candidates.contains { $0.form == .correlated }
    if tellsCorrelation {
      numbers.append(
        Number(
          name: "correlation", value: fit.correlation.value,
          interval: fit.correlation.interval, unit: .real))
      element.keys.append(
        "rateCorrelation: \(Calibration.number(min(0.999, fit.correlation.value)))")
    }
    // Slow seconds are among what varies.
    element.keys.append("outageStart: 0")
    let row = Row(
      name: "rate inside a session\(cohort.suffix)", key: "\(path).rateSigma, rateCorrelation",
      numbers: numbers, count: fit.count, of: "seconds", distance: fit.stepDistance,
      alternatives: fit.candidates.dropFirst().map {
        (name: $0.form.rawValue, aic: $0.aic - fit.aic)
      })
    rows.append(row)
    element.remarks += [
      row.line, "outages are among what varies: outageStart and rateSigma trade off",
    ]
  }

  /// One value a session tells what sessions have and not how it varies.
  private mutating func fitMarginal(
    _ values: [FieldSamples.Value], _ cohort: Cohort, _ path: String, _ element: inout Element,
    _ options: Calibration.Options
  ) {
    // Values of one session are no independent ones: their mean on the scale of the law is one.
    var sums: [Int: (logs: Double, count: Int)] = [:]
    for value in values where value.value > 0 {
      sums[value.session, default: (0, 0)].logs += log(value.value)
      sums[value.session, default: (0, 0)].count += 1
    }
    var times = TelemetryData.Times()
    for session in sums.keys.sorted() {
      if let sum = sums[session] { times.add(exp(sum.logs / Double(sum.count))) }
    }
    let finding = Calibration.finding(
      "rate\(cohort.suffix)", "\(path).sessionRate", .bitRate, times, options)
    laws.append(finding)
    guard case .fitted(let fit) = finding.outcome else { return }
    element.keys += [
      "sessionRate: \(Calibration.law(finding, fit))", "rateSigma: 0", "outageStart: 0",
    ]
    element.remarks += [
      "rate: \(Calibration.remark(finding, fit))",
      "rateSigma and sessionRate trade off: all of what varies is in sessionRate",
    ]
    unknown.append(
      "\(path).rateSigma, rateCorrelation: \(values.count) values are of \(sums.count) sessions, "
        + "hardly two of one at different seconds: how a rate varies inside one and how sessions "
        + "differ trade off; all of it is in sessionRate, with rateSigma 0")
  }

  // MARK: Round trips

  /// Queues add to a round trip, so that the least of a session's is the nearest to its base.
  private mutating func fitRoundTrip(
    _ values: [FieldSamples.Value], _ cohort: Cohort, _ options: Calibration.Options,
    _ element: inout Element
  ) {
    if values.isEmpty {
      unknown.append(
        "network.access[\(cohort.name)].roundTrip: no column tells it; a time to the first byte "
          + "is a round trip and the server's time together, and they trade off")
      return
    }
    var least: [Int: Double] = [:]
    for value in values {
      least[value.session] = min(value.value, least[value.session] ?? .infinity)
    }
    var times = TelemetryData.Times()
    for session in least.keys.sorted() { times.add(least[session] ?? 0) }
    let finding = Calibration.finding(
      "round trip\(cohort.suffix)", "network.access[\(cohort.name)].roundTrip", .time, times,
      options)
    laws.append(finding)
    guard case .fitted(let fit) = finding.outcome else { return }
    element.keys.append("roundTrip: \(Calibration.law(finding, fit))")
    element.remarks.append("round trip: \(Calibration.remark(finding, fit)); least of each session")
    if values.count < 2 * least.count {
      unknown.append(
        "network.access[\(cohort.name)].queueLimit: hardly a session has two round trips: what "
          + "queues add and the base trade off; all of it is in roundTrip")
    }
  }

  // MARK: Cohorts

  private func cohorts(_ samples: FieldSamples, _ values: [FieldSamples.Value]) -> [Cohort] {
    var byWord: [Int: Set<Int>] = [:]
    for value in values {
      byWord[Int(samples.sessions[value.session].network), default: []].insert(value.session)
    }
    if byWord.count == 1, let only = byWord.first, only.key == 0 {
      return [Cohort(word: "", kind: "wifi-good", name: "measured", sessions: only.value)]
    }
    let ordered = byWord.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var names: Set<String> = []
    var cohorts: [Cohort] = []
    for (place, entry) in ordered.enumerated() {
      if place >= Self.mostCohorts {
        cohorts[Self.mostCohorts - 1].sessions.formUnion(entry.value)
        cohorts[Self.mostCohorts - 1].word = "others"
        cohorts[Self.mostCohorts - 1].name = "others"
        continue
      }
      let word = entry.key == 0 ? "unknown" : samples.networks[entry.key - 1]
      var name = NetworkWord.name(word)
      if !names.insert(name).inserted {
        name += "-\(place + 1)"
        names.insert(name)
      }
      cohorts.append(
        Cohort(
          word: word, kind: NetworkWord.kind(word), name: name, sessions: entry.value))
    }
    return cohorts
  }

  private func share(of cohort: Cohort, among cohorts: [Cohort]) -> String {
    let all = cohorts.reduce(0) { $0 + $1.sessions.count }
    return Self.share(of: cohort.name, cohort.sessions.count, among: all)
  }

  // MARK: What is not told

  private mutating func sayNoNetwork(_ samples: FieldSamples, _ options: Calibration.Options) {
    let seen = samples.values.count { $0.kind.isRate }
    unknown.append(
      "network.access: "
        + (seen == 0
          ? "nothing tells rates (throughput, bytes with duration of requests, CMCD's mtp would)"
          : "expected at least \(options.leastValues) rates of a kind, got \(seen)")
        + "; in times to the first frame link, cache and device trade off")
  }

  private mutating func sayWhatKindsStandFor(_ cohorts: [Cohort]) {
    for cohort in cohorts {
      unknown.append(
        "network.access[\(cohort.name)].loss, queueLimit, uplink, nameLookup, promotion: no column "
          + "tells them; those of \(cohort.kind) stay, and what losses take of a rate is in "
          + "sessionRate already: the two trade off")
    }
  }
}

/// Words of telemetry for networks, as scenarios have them.
enum NetworkWord {
  /// The kind whose defaults stand for what the data do not tell.
  static func kind(_ word: String) -> String {
    let folded = word.lowercased()
    if ScenarioTable.processKinds.contains(folded) { return folded }
    func has(_ parts: [String]) -> Bool { parts.contains { folded.contains($0) } }
    if has(["wifi", "wi-fi", "wlan", "ethernet", "wired"]) || folded == "lan" {
      return "wifi-good"
    }
    if has(["5g"]) || folded == "nr" { return "5g" }
    if has(["3g", "umts", "hspa", "2g", "edge", "gprs"]) { return "3g" }
    if has(["4g", "lte", "cell", "mobile"]) { return "lte" }
    return "wifi-good"
  }

  /// A name that a scenario takes.
  static func name(_ word: String) -> String {
    var name = ""
    for byte in word.utf8.prefix(40) {
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      let isOther = (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D
      if name.isEmpty && !isLetter { name = "n" }
      name += isLetter || isOther ? String(UnicodeScalar(byte)) : "-"
    }
    if name.isEmpty { return "unknown" }
    // To a scenario's reader these are no words.
    return ["none", "null", "true", "false"].contains(name.lowercased()) ? "network-\(name)" : name
  }
}
