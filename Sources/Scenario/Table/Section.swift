/// The keys of a part of the scenario, each a row of what may stand there and what it does to a
/// model's configuration.
struct Section<Model>: Sendable {
  /// What a key does: its value, and what builds tables of laws.
  typealias Rule = @Sendable (inout Model, _ value: ResolvedTree, inout ScenarioBuilder) -> Void
  /// A part of the configuration.
  typealias Place<Value> = any WritableKeyPath<Model, Value> & Sendable

  /// One key.
  struct Row: Sendable {
    /// The key.
    let field: Field
    /// What it does.
    let set: Rule
  }

  /// The keys in the order of the table.
  let rows: [Row]
  /// What the table of keys has to know.
  let object: ObjectShape
  private let together: Rule

  /// A part with these keys.
  /// - Parameter together: what several keys do together, of the whole part, after the others.
  init(_ rows: [Row], together: @escaping Rule = { _, _, _ in }) {
    self.rows = rows
    self.together = together
    object = ObjectShape(rows.map(\.field))
  }

  /// Does what all keys of a part do, in the order of the table.
  func fill(_ model: inout Model, from part: ResolvedTree, by builder: inout ScenarioBuilder) {
    for row in rows { row.set(&model, part.at(row.field.name), &builder) }
    together(&model, part, &builder)
  }

  /// A configuration with what all keys of a part say.
  func filled(
    _ model: Model, from part: ResolvedTree, by builder: inout ScenarioBuilder
  ) -> Model {
    var made = model
    fill(&made, from: part, by: &builder)
    return made
  }
}

/// The sorts of rows. All begin as ``Field`` does.
extension Section.Row {
  /// A key whose value goes to its place as it is.
  static func key<Value: KeyValue>(
    _ name: String, _ shape: Shape, default preset: Field.Default, _ summary: String,
    source: String = "assumed", to place: Section.Place<Value>
  ) -> Self {
    built(name, shape, default: preset, summary, source: source) { model, value, builder in
      model[keyPath: place] = Value.read(value, by: &builder)
    }
  }

  /// A key that sets something else than its value, or more than one place.
  static func key(
    _ name: String, _ shape: Shape, default preset: Field.Default, _ summary: String,
    source: String = "assumed", set: @escaping @Sendable (inout Model, ResolvedTree) -> Void
  ) -> Self {
    built(name, shape, default: preset, summary, source: source) { model, value, _ in
      set(&model, value)
    }
  }

  /// A key whose value has to be built.
  static func built(
    _ name: String, _ shape: Shape, default preset: Field.Default, _ summary: String,
    source: String = "assumed", by rule: @escaping Section.Rule
  ) -> Self {
    Self(field: Field(name, shape, default: preset, summary, source: source), set: rule)
  }

  /// A key that something else reads.
  static func elsewhere(
    _ name: String, _ shape: Shape, default preset: Field.Default, _ summary: String,
    source: String = "assumed", isSaidAtDefault: Bool = true
  ) -> Self {
    Self(
      field: Field(
        name, shape, default: preset, summary, source: source, isSaidAtDefault: isSaidAtDefault)
    ) { _, _, _ in }
  }

  /// A word of a choice.
  static func word<Value>(
    _ name: String, _ choice: Choice<Value>, default preset: Field.Default, _ summary: String,
    source: String = "assumed", to place: Section.Place<Value>
  ) -> Self {
    key(name, .word(choice.words), default: preset, summary, source: source) { model, value in
      model[keyPath: place] = choice.value(value)
    }
  }

  /// A plug-in of a family.
  static func kind<Value>(
    _ name: String, _ family: PluginFamily<@Sendable (ResolvedTree) -> Value>,
    default preset: Field.Default, _ summary: String, source: String = "assumed",
    to place: Section.Place<Value>
  ) -> Self {
    key(name, .kinds(family.kinds), default: preset, summary, source: source) { model, value in
      model[keyPath: place] = family.value(value)(value)
    }
  }

  /// A mapping whose keys are a section of their own.
  static func part<Part>(
    _ name: String, _ section: Section<Part>, _ summary: String, source: String = "assumed",
    to place: Section.Place<Part>
  ) -> Self {
    built(name, .object(section.object), default: "{}", summary, source: source) {
      section.fill(&$0[keyPath: place], from: $1, by: &$2)
    }
  }

  /// The same, or none.
  /// - Parameter blank: what its keys fill.
  static func optional<Part: Sendable>(
    _ name: String, _ section: Section<Part>, default preset: Field.Default = "none",
    _ summary: String, source: String = "assumed", of blank: Part,
    to place: Section.Place<Part?>
  ) -> Self {
    built(name, .optional(.object(section.object)), default: preset, summary, source: source) {
      $0[keyPath: place] = $1.isNone() ? nil : section.filled(blank, from: $1, by: &$2)
    }
  }
}

extension Section.Row {
  /// A row of a part of the configuration.
  static func part<Part>(_ row: Section<Part>.Row, in place: Section.Place<Part>) -> Self {
    Self(field: row.field) { row.set(&$0[keyPath: place], $1, &$2) }
  }
}

extension PluginFamily {
  /// A configuration with what all keys of the kind at a place say.
  func filled<Model>(
    _ blank: Model, from part: ResolvedTree, by builder: inout ScenarioBuilder
  ) -> Model where Value == Section<Model> {
    value(part).filled(blank, from: part, by: &builder)
  }
}

extension PluginFamily.Row {
  /// A plug-in whose keys are a section.
  init<Model>(_ word: String, _ summary: String, _ section: Section<Model>)
  where Value == Section<Model> {
    self.init(word, summary, section.object.fields, value: section)
  }
}
