import Scenario
import Statistics

/// Device classes out of the parts of starts, or of starts that were ready beside those that
/// waited.
extension FieldCalibration {
  /// A part, the key below a device class, and what reports call it.
  private static let parts: [(kind: FieldSamples.Kind, key: String, name: String)] = [
    (.launch, "appLaunch", "app launch"),
    (.creation, "playerCreation", "player's creation"),
    (.preparation, "sourcePreparation", "preparation"),
    (.setup, "decoderSetup", "decoder's set-up"),
    (.reuse, "decoderReuse", "decoder's reuse"),
    (.decode, "firstDecode", "first decode"),
    (.presentation, "presentation", "presentation"),
  ]

  mutating func fitDevices(_ samples: FieldSamples, _ options: Calibration.Options) {
    let kinds = Self.parts.map(\.kind) + [.readyStart, .waitedStart]
    let values = samples.values.filter { kinds.contains($0.kind) }
    if values.isEmpty {
      unknown.append(
        "devices: no column tells a part of a start, or which starts were ready; in times to the "
          + "first frame creation, set-up, decoding and presentation trade off against each other "
          + "and against the link")
      return
    }
    var classes: [String: (words: Set<String>, sessions: Set<Int>)] = [:]
    for value in values {
      let number = Int(samples.sessions[value.session].device)
      let word = number == 0 ? "" : samples.devices[number - 1]
      let kind = Self.kind(word)
      classes[kind, default: ([], [])].words.insert(word)
      classes[kind, default: ([], [])].sessions.insert(value.session)
    }
    let order = ScenarioTable.deviceKinds.filter { classes[$0] != nil }
    let all = order.reduce(0) { $0 + (classes[$1]?.sessions.count ?? 0) }
    var elements: [String] = []
    var remarks: [String] = []
    // Viewers of a class that nothing is known of are viewers all the same.
    var bare: [String] = []
    for kind in order {
      guard let found = classes[kind] else { continue }
      let own = values.filter { found.sessions.contains($0.session) }
      let element = fitClass(kind, own, order.count > 1, options)
      compareStarts(kind, own, order.count > 1)
      if element.keys.isEmpty { bare.append(kind) }
      let keys = ["kind: \(kind), weight: \(found.sessions.count)"] + element.keys
      elements.append("{" + keys.joined(separator: ",\n   ") + "}")
      remarks += [Self.share(kind, found.words, found.sessions.count, all)] + element.remarks
    }
    if bare.count == elements.count { return }
    for kind in bare {
      unknown.append(
        "devices[\(kind)]: too little carries a fit: its share is kept, the rest is that of its "
          + "kind")
    }
    entries.append(
      Entry(
        key: "devices", value: "\n  [" + elements.joined(separator: ",\n  ") + "]",
        remarks: remarks))
  }

  private mutating func fitClass(
    _ kind: String, _ values: [FieldSamples.Value], _ isOneOfSeveral: Bool,
    _ options: Calibration.Options
  ) -> (keys: [String], remarks: [String]) {
    var (keys, remarks): ([String], [String]) = ([], [])
    var missing: [String] = []
    for part in Self.parts {
      var times = TelemetryData.Times()
      for value in values where value.kind == part.kind { times.add(value.value) }
      // What was ready waits for nothing but its presentation.
      let isOfStarts = times.count == 0 && part.kind == .presentation
      if isOfStarts {
        for value in values where value.kind == .readyStart { times.add(value.value) }
      }
      if times.count == 0 {
        missing.append(part.key)
        continue
      }
      let name = part.name + (isOfStarts ? " of ready starts" : "")
      let finding = Calibration.finding(
        name + (isOneOfSeveral ? " (\(kind))" : ""), "devices[\(kind)].\(part.key)", .time,
        times, options)
      laws.append(finding)
      guard case .fitted(let fit) = finding.outcome else {
        missing.append(part.key)
        continue
      }
      let law = Calibration.law(finding, fit)
      keys.append(
        part.kind == .presentation
          ? "presentation: {attach: \(law), refresh: 0 ms, composition: 0}"
          : "\(part.key): \(law)")
      remarks.append("\(part.key): \(Calibration.remark(finding, fit))")
      if isOfStarts {
        remarks.append("presentation: the time to the first frame of starts that were ready")
      }
      if part.kind == .presentation {
        remarks.append(
          "the wait for a refresh is among it: attach, refresh and composition trade off")
      }
    }
    if !keys.isEmpty && !missing.isEmpty {
      unknown.append(
        "devices[\(kind)].\(missing.joined(separator: ", ")): no column tells them, or too few "
          + "values do; those of the kind stay")
    }
    if keys.contains(where: { $0.hasPrefix("playerCreation") }) {
      unknown.append(
        "devices[\(kind)].mainThread: what of a creation holds up the main thread is not told")
    }
    return (keys, remarks)
  }

  /// What starts that waited take beyond ready ones, at equal bytes: set-up and network together.
  private mutating func compareStarts(
    _ kind: String, _ values: [FieldSamples.Value], _ isOneOfSeveral: Bool
  ) {
    func starts(_ kind: FieldSamples.Kind) -> [MatchedDifference.Value] {
      values.filter { $0.kind == kind }
        .map { MatchedDifference.Value(value: $0.value, match: $0.bytes, cluster: $0.session) }
    }
    let (ready, waited) = (starts(.readyStart), starts(.waitedStart))
    if ready.isEmpty && waited.isEmpty { return }
    let path = "devices[\(kind)]"
    if ready.isEmpty || waited.isEmpty {
      unknown.append(
        ready.isEmpty
          ? "\(path).presentation: of \(waited.count) starts none was ready: what a ready frame "
            + "costs trades off against set-up and network"
          : "\(path): all \(ready.count) starts were ready: nothing tells set-up")
      return
    }
    let keys = "playerCreation, sourcePreparation, decoderSetup, decoderReuse, firstDecode"
    do {
      let found = try MatchedDifference(waited, ready)
      let estimate = found.estimate
      rows.append(
        Row(
          name: "what a start that waited takes beyond a ready one"
            + (isOneOfSeveral ? " (\(kind))" : ""), key: nil,
          numbers: [
            Number(
              name: "mean", value: estimate.value, interval: estimate.interval, unit: .time)
          ], count: found.matched,
          of: "starts that waited" + (found.isMatched ? ", at equal bytes" : "; none says bytes")))
      unknown.append(
        "\(path).\(keys): a start that waited takes \(Calibration.number(estimate.value)) s "
          + "(\(Calibration.interval(estimate.interval))) beyond a ready one: set-up and network "
          + "together, and nothing separates them")
    } catch {
      unknown.append(
        "\(path).\(keys): of \(waited.count) starts that waited and \(ready.count) that were "
          + "ready too few are comparable (\(error.message)); set-up trades off against the "
          + "network")
    }
  }

  /// The class whose defaults stand for what the data do not tell.
  private static func kind(_ word: String) -> String {
    let folded = word.lowercased()
    return ScenarioTable.deviceKinds.contains(folded) ? folded : "mid"
  }

  private static func share(
    _ kind: String, _ words: Set<String>, _ sessions: Int, _ all: Int
  ) -> String {
    let others = words.filter { !$0.isEmpty && $0.lowercased() != kind }.count
    let note = others > 0 ? "; \(kind) stands for \(others) words that are no class" : ""
    return share(of: kind, sessions, among: all) + note
  }
}
