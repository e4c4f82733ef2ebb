/// The keys of a part of the scenario, each a row of what may stand there and what it does to a
/// model's configuration.
struct Section<Model>: Sendable {
  /// What a key does: its value, and what builds tables of laws.
  typealias Rule = @Sendable (inout Model, _ value: ResolvedTree, inout ScenarioBuilder) -> Void

  /// One key.
  struct Row: Sendable {
    /// The key.
    let field: Field
    /// What it does.
    let set: Rule

    /// A key that sets something.
    init(_ field: Field, set: @escaping @Sendable (inout Model, ResolvedTree) -> Void) {
      self.field = field
      self.set = { model, value, _ in set(&model, value) }
    }

    /// A key whose value has to be built.
    init(_ field: Field, building set: @escaping Rule) {
      self.field = field
      self.set = set
    }

    /// A key that something else reads.
    static func elsewhere(_ field: Field) -> Row { Row(field) { _, _ in } }
  }

  /// The keys in the order of the table.
  let rows: [Row]
  /// What the table of keys has to know.
  let object: ObjectShape

  /// A part with these keys.
  init(_ rows: [Row]) {
    self.rows = rows
    object = ObjectShape(rows.map(\.field))
  }

  /// Does what all keys of a part do, in the order of the table.
  func fill(_ model: inout Model, from part: ResolvedTree, by builder: inout ScenarioBuilder) {
    for row in rows { row.set(&model, part.at(row.field.name), &builder) }
  }
}
