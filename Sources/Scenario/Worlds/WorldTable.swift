import Foundation

/// The keys of scenario files of worlds other than the feed: the common ones and one section with
/// the world's name.
public enum WorldTable {
  /// The table of one world.
  public static func schema(of kind: WorldKind) -> Schema {
    Schema(
      title: "FirstFrame scenario of the world \(kind.name)", summary: kind.summary,
      head + [
        Field(
          "world", .word([Word(kind.name, kind.summary)]), default: .required,
          "What is simulated; absent: the feed", source: "the file"),
        Field(kind.name, .object(kind.table), default: "{}", kind.summary),
      ] + tail)
  }

  /// The feed's table with the key that picks another world, for files whose world is unknown.
  static let undecided = Schema(
    title: ScenarioTable.schema.title, summary: ScenarioTable.schema.summary,
    ScenarioTable.schema.root.fields + [
      Field(
        "world", .optional(.word(World.kinds.map { Word($0.name, $0.summary) })),
        default: "none", "What is simulated; absent: the feed", source: "the file")
    ], derived: ScenarioTable.schema.derived)

  private static let common = [
    "version", "name", "description", "seed", "replications", "sweep",
  ]
  private static let head = ScenarioTable.schema.root.fields.filter {
    common.contains($0.name) && $0.name != "sweep"
  }
  private static let tail =
    [
      Field(
        "budgets", .list(.object(budget), count: 0...200), default: "[]", "What must hold"),
      MetricThreshold.field,
    ] + ScenarioTable.schema.root.fields.filter { $0.name == "sweep" } + [
      Field("short", .object(short), default: "{}", "The cut that --short makes, for tests")
    ]

  private static let budget = ObjectShape(
    ScenarioTable.budget.fields.compactMap { field in
      switch field.name {
      case "during", "each": nil
      case "minimumSamples":
        Field(
          "minimumSamples", .integer(1...Int64.max), default: "100",
          "Fewer samples than this make the budget invalid: no data is never a pass")
      default: field
      }
    })

  private static let short = ObjectShape([
    Field(
      "share", .real(RealRange(0, 1, excludesMinimum: true)), default: "0.1",
      "Part of a replication's size in the short form"),
    Field("replications", .integer(1...64), default: "2", "Replications of the short form"),
  ])

  // MARK: Which world

  /// The table for a file: that of the world which the file, what it extends, or an override names.
  static func schema(ofFile path: String, overrides: [Override]) -> Schema {
    let text = InputFile.text(at: path, limit: YAMLReader.Limits.bytes)
    return schema(of: text, file: path, overrides: overrides)
  }

  /// The same for the text of a file.
  static func schema(of text: String?, file: String, overrides: [Override]) -> Schema {
    var name = named(text, file: file, depth: 0)
    // An unknown world of an override is a problem of that override, not of the whole file.
    for override in overrides where override.keyPath == "world" {
      if name == nil || WorldKind.named(override.value ?? "") != nil { name = override.value }
    }
    guard let name else { return ScenarioTable.schema }
    return WorldKind.named(name).map { schema(of: $0) } ?? undecided
  }

  private static func named(_ text: String?, file: String, depth: Int) -> String? {
    var ignored = Problems()
    guard let text, text.utf8.count <= YAMLReader.Limits.bytes,
      depth < ScenarioFile.deepestExtends,
      let top = YAMLReader.read(text, file: file, into: &ignored)
    else { return nil }
    if let world = top["world"] { return world.text ?? "" }
    guard let base = top["extends"]?.text else { return nil }
    let path = FilePath.resolve(base, beside: file)
    let extended = InputFile.text(at: path, limit: YAMLReader.Limits.bytes)
    return named(extended, file: path, depth: depth + 1)
  }
}
