import ForeignPolicies
import Models

/// The families of a cache tier: what leaves, and what enters.
extension ScenarioTable {
  /// Rules of eviction: ``EvictionKind/rows`` but those that know the future. A new one is a row
  /// there.
  static let evictions = PluginFamily(
    shippedEvictions
      + PolicyPackages.installed.eviction.map { package in
        .init(package.row.word, package.row.summary, package.row.fields) {
          .foreign(ForeignEviction(package.decider($0.values(of: package.row))))
        }
      })

  static var shippedEvictions: [PluginFamily<@Sendable (ResolvedTree) -> EvictionKind>.Row] {
    EvictionKind.rows.filter(\.isLive).map { eviction($0) }
  }

  private static func eviction(
    _ row: EvictionRow
  ) -> PluginFamily<@Sendable (ResolvedTree) -> EvictionKind>.Row {
    let (word, summary) = ("\(row.word)", "\(row.summary)")
    switch row.parameter {
    case .none(let kind): return .init(word, summary) { _ in kind }
    case .number(let number):
      let key = "\(number.key)"
      let range = Int64(number.range.lowerBound)...Int64(number.range.upperBound)
      let field = Field(
        key, .integer(range), default: .text("\(number.preset)"), "\(number.summary)")
      return .init(word, summary, [field]) { number.kind(Int($0.integer(key))) }
    case .choice(let choice):
      let key = "\(choice.key)"
      let words = Choice(
        choice.values.map { .init("\($0.word)", "\($0.summary)", value: $0.kind) })
      let field = Field(
        key, .word(words.words), default: .text(words.words[0].spelling), "\(choice.summary)",
        source: "\(choice.source)")
      return .init(word, summary, [field]) { words.value($0, key) }
    }
  }

  /// Rules of admission.
  static let admissions = PluginFamily(
    shippedAdmissions, .admission, PolicyPackages.installed.admission)

  static let shippedAdmissions: [PluginFamily<AdmissionRow>.Row] = [
    .init("all", "Every object enters", value: .plain("all", .all)),
    .init(
      "size", "Small objects enter",
      [
        Field(
          "atMost", .bytes(1...largestStore), default: .required, "Bytes of the largest",
          source: "the file")
      ],
      value: AdmissionRow(
        word: "size", written: "size:BYTES", build: { .size(atMost: $0.bytes("atMost")) },
        read: { (text: String?) throws(QuantityFault) -> CacheAdmission? in
          guard let text else { return nil }
          return .size(atMost: try CacheWords.bytes(text))
        }, text: { if case .size(let most) = $0 { "\(most)" } else { nil } })),
    .init("second-miss", "Objects enter that were missed before", value: .plain("bloom", .bloom)),
    .init(
      "probability", "A share of what is missed enters",
      [Field("share", .ratio, default: "0.5", "Which share")],
      value: AdmissionRow(
        word: "prob", written: "prob:P", build: { .probability($0.ratio("share")) },
        read: { (text: String?) throws(QuantityFault) -> CacheAdmission? in
          guard let text else { return nil }
          return .probability(try PlainNumber.ratio(of: text))
        }, text: { if case .probability(let share) = $0 { "\(share)" } else { nil } })),
  ]
}

/// What a rule of admission has beside its keys.
struct AdmissionRow: Sendable {
  /// Its word on a command line, which may be another one than a scenario's.
  let word: String
  /// The word in a message, with what stands behind its colon.
  let written: String
  /// The rule of a scenario's keys.
  let build: @Sendable (ResolvedTree) -> CacheAdmission
  /// The rule of the text behind the colon, nil for no colon; nil when it needs the other.
  let read: @Sendable (String?) throws(QuantityFault) -> CacheAdmission?
  /// The text behind the colon, empty for no colon; nil for a rule of another row.
  let text: @Sendable (CacheAdmission) -> String?

  /// A rule without a parameter.
  static func plain(_ word: String, _ rule: CacheAdmission) -> AdmissionRow {
    AdmissionRow(
      word: word, written: word, build: { _ in rule }, read: { $0 == nil ? rule : nil },
      text: { $0 == rule ? "" : nil })
  }
}
