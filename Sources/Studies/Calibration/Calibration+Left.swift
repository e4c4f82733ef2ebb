import Scenario

extension Calibration {
  /// Something that was found and that no key takes.
  public struct Left: Sendable, Equatable {
    public var name: String
    /// What to do about it.
    public var reason: String
  }

  /// What was found and goes nowhere: a scenario without it would look as if it had it.
  ///
  /// Results of a run, such as the time to the first frame, have no key by their nature and are for
  /// comparison; where they are all that was found there is nothing to write, and they are named.
  public var left: [Left] {
    var left = findings.filter { $0.key == nil && $0.result == nil }.map { finding in
      Left(name: finding.name, reason: Calibration.advice(finding.name))
    }
    if hasKey { return left }
    for finding in findings + field.laws where finding.isFitted {
      guard let result = finding.result else { continue }
      left.append(
        Left(
          name: finding.name,
          reason: "it is a result of a run (\(result)): a scenario is held to it, and none has it"))
    }
    return left
  }

  /// Whether anything that was found has a key.
  private var hasKey: Bool {
    if case .success? = popularity { return true }
    return !field.entries.isEmpty || scalars.contains { $0.key != nil }
      || findings.contains { $0.key != nil && $0.isFitted }
  }

  /// Names of results and of what only tables of views and requests tell, with what to do.
  private static let known: [(words: [String], advice: String)] = [
    (
      ["ttff", "startup", "start", "join", "stall", "rebuffer", "hit"],
      "it is a result of a run: a scenario is held to it, and none has it"
    ),
    (
      ["dwell", "watch", "played"],
      "what is watched goes to audience.personas, out of a table of views (--map, ttff and dwell)"
    ),
    (
      ["rate", "bandwidth", "throughput", "network", "mtp"],
      "rates go to network.access, out of a table with session and time (--map, throughput)"
    ),
    (
      ["rtt", "roundtrip", "round_trip", "latency"],
      "round trips go to network.access, out of a table with session (--map, roundTrip)"
    ),
    (
      ["creation", "setup", "decode", "presentation", "device"],
      "parts of a start go to devices, out of a table with columns of them (--map)"
    ),
  ]

  private static func advice(_ name: String) -> String {
    if let key = Spelling.nearest(to: name, in: ScenarioTable.lawKeys) {
      return "no key of that name takes a law (did you mean \(key)?)"
    }
    let folded = name.lowercased()
    for (words, advice) in known where words.contains(where: { folded.contains($0) }) {
      return advice
    }
    return "no key of that name takes a law; --without \(name) leaves it out on purpose"
  }

  /// Names and keys that ``Options/without`` may have for what was read.
  public static func choices(toLeaveOut reading: TelemetryReading) -> [String] {
    let data = reading.data
    var names = [
      "startup", "dwell", "session length", "audience.sessionLength", "patience",
      "audience.patience", "views per session", "audience.viewsPerSession", "views a day and edge",
      "audience.viewsPerDayPerEdge", "popularity", popularityKeys.titles,
      popularityKeys.law,
    ]
    if data.field.isRead {
      names += ["network.access", "devices", "watched", "audience.personas", "audience.diurnal"]
    }
    return names + data.named.keys.sorted().filter { !names.contains($0) }
  }

  /// What is for comparison only, a line each.
  public var comparisons: [String] {
    let laws = (findings + field.laws).compactMap { finding -> String? in
      guard let result = finding.result, case .fitted(let fit) = finding.outcome else {
        return nil
      }
      let unit = Calibration.suffix(finding.unit)
      let parameters = fit.best.parameters.enumerated().map { index, parameter in
        "\(parameter.name) \(Calibration.number(parameter.value))"
          + (fit.best.family.hasUnit[index] ? unit : "")
      }
      return "\(finding.name) (\(result)): \(fit.best.family.rawValue) "
        + parameters.joined(separator: ", ") + "; " + Calibration.remark(finding, fit)
    }
    return laws + field.rows.filter { $0.key == nil }.map(\.line)
  }
}

extension Calibration.Options {
  /// Whether a quantity, by its name or its key, is left out on purpose.
  func leavesOut(_ name: String?, _ key: String?) -> Bool {
    name.map { without.contains($0) } ?? false || key.map { without.contains($0) } ?? false
  }
}
