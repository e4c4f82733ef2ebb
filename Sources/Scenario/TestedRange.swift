/// Whether a scenario lies within what predictions were held against: the configurations that a
/// backtest was made of.
public enum TestedRange {
  /// The keys of a scenario whose values nothing tested has, and that are numbers between none of
  /// the tested: where it has left the range.
  ///
  /// A number between two tested values counts as tested. With one tested configuration every
  /// other value has left the range. What changes no simulated number is not looked at.
  ///
  /// - Returns: for each key the tested values and the scenario's, in the order of the table.
  public static func left(
    by scenario: StudyScenario, tested: [StudyScenario]
  ) -> [ConfigurationChange] {
    guard let first = tested.first else { return [] }
    let changes = tested.map { ConfigurationChange.between($0.file.tree, scenario.file.tree) }
    let own = ConfigurationChange.between(first.file.tree, scenario.file.tree)
    return own.compactMap { change -> ConfigurationChange? in
      if isAside(change.key) { return nil }
      var values: [String?] = []
      for other in changes {
        // A tested configuration that does not differ in the key has the scenario's value. One
        // that differs above or below it, in a plug-in's kind, has another that cannot be said.
        guard let same = other.first(where: { overlaps($0.key, change.key) }) else { return nil }
        values.append(same.key == change.key ? same.before : nil)
      }
      let known = values.compactMap(\.self)
      if isBetween(change.after, known) { return nil }
      var seen: Set<String> = []
      let texts = known.filter { seen.insert($0).inserted }
      return ConfigurationChange(
        key: change.key, before: texts.isEmpty ? nil : texts.joined(separator: ", "),
        after: change.after)
    }
  }

  private static func overlaps(_ a: String, _ b: String) -> Bool {
    a == b || a.hasPrefix(b + ".") || b.hasPrefix(a + ".") || a.hasPrefix(b + "[")
      || b.hasPrefix(a + "[")
  }

  private static func isBetween(_ value: String?, _ tested: [String]) -> Bool {
    guard let value = value.flatMap(number) else { return false }
    let numbers = tested.compactMap(number)
    guard numbers.count == tested.count, let least = numbers.map(\.value).min(),
      let most = numbers.map(\.value).max(), numbers.allSatisfy({ $0.unit == value.unit })
    else { return false }
    return value.value >= least && value.value <= most
  }

  /// What a number is of.
  private enum Unit { case plain, time, bytes, bitRate }

  private static func number(_ quoted: String) -> (value: Double, unit: Unit)? {
    let text = String(quoted.filter { $0 != "\"" })
    if let value = Double(text) { return (value, .plain) }
    if let value = try? PlainNumber.ratio(of: text) { return (value, .plain) }
    if let value = try? Quantity.time.value(of: text) { return (Double(value), .time) }
    if let value = try? Quantity.bytes.value(of: text) { return (Double(value), .bytes) }
    if let value = try? Quantity.bitRate.value(of: text) { return (Double(value), .bitRate) }
    return nil
  }

  /// Keys that change no simulated number, or only how much of it there is.
  private static func isAside(_ key: String) -> Bool {
    [
      "name", "description", "budgets", "thresholds", "replications", "seed", "sweep", "cost",
      "short", "windows",
    ].contains { key == $0 || key.hasPrefix("\($0)[") || key.hasPrefix("\($0).") }
  }
}
