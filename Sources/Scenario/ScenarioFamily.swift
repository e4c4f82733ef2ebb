import Models

/// A scenario that is built again and again with other keys set, such as the points of a sweep:
/// what they share is read, resolved and written out once.
///
/// What comes of a member is what ``StudyScenario/rebuilt(_:overrides:)`` makes of it.
public final class ScenarioFamily: Sendable {
  private let base: StudyScenario
  /// Nil where every member is built by itself.
  private let shared: Shared?

  private struct Shared: Sendable {
    let schema: Schema
    /// The file with what it extends and what was set on top of it.
    let top: Node
    let files: [String]
    let parts: [TreePath: Resolver.Part]
    let texts: [CanonicalText.TextPart]
    /// Keys that a sweep varies, with the kinds on their way: what its values may be depends on
    /// these alone.
    let varied: [(path: TreePath, kinds: [String]?)]
  }

  /// - Parameter base: what all have in common.
  public init(_ base: StudyScenario) {
    self.base = base
    shared = ScenarioFamily.shared(base)
  }

  private static func shared(_ base: StudyScenario) -> Shared? {
    let path = base.file.path
    let schema =
      base.header.text.map {
        WorldTable.schema(of: $0, file: path, overrides: base.overrides)
      } ?? WorldTable.schema(ofFile: path, overrides: base.overrides)
    guard let written = ScenarioFile.written(path, text: base.header.text, schema: schema) else {
      return nil
    }
    var writer = OverrideWriter(schema)
    let top = base.overrides.reduce(written.top) { writer.apply($1, to: $0) }
    var resolver = Resolver(schema, top: top)
    guard writer.problems.isEmpty, let (root, parts) = resolver.resolveParts(),
      let fields = root.fields
    else { return nil }
    let varied = ResolvedTree(root).variations("sweep.vary").map { variation in
      let path = TreePath(parsing: variation.keyPath) ?? TreePath()
      return (path, schema.kinds(onTheWayOf: path, in: top))
    }
    return Shared(
      schema: schema, top: top, files: written.files, parts: parts,
      texts: CanonicalText.parts(fields), varied: varied)
  }

  /// The scenario with keys set, too.
  ///
  /// - Throws: ``ScenarioRejected`` with every problem in one pass.
  public func member(_ added: [Override]) throws(ScenarioRejected) -> StudyScenario {
    // Another world has another table, and problems are told by who finds all of them.
    if let shared, !added.contains(where: { $0.keyPath == "world" }),
      let file = file(shared, added),
      let built = try? StudyScenario.build(file, short: base.isShort)
    {
      var scenario = built
      scenario.header.overrides = base.overrides + added
      scenario.description = ScenarioDescription.text(file, overrides: scenario.overrides)
      scenario.header.text = base.header.text
      return scenario
    }
    return try StudyScenario.rebuilt(base, overrides: added)
  }

  /// The file of a member; nil where something is wrong with it.
  private func file(_ shared: Shared, _ added: [Override]) -> ScenarioFile? {
    var writer = OverrideWriter(shared.schema)
    let top = added.reduce(shared.top) { writer.apply($1, to: $0) }
    var resolver = Resolver(shared.schema, top: top)
    resolver.earlier = shared.parts
    let isVariedAlike = shared.varied.allSatisfy { row in
      row.kinds != nil && row.kinds == shared.schema.kinds(onTheWayOf: row.path, in: top)
    }
    if !isVariedAlike {
      resolver.earlier = shared.parts.filter { $0.key.steps.first != .key("sweep") }
    }
    guard writer.problems.isEmpty, let root = resolver.resolve(), let fields = root.fields else {
      return nil
    }
    let text = CanonicalText.parts(fields, known: shared.texts).map(\.text).joined()
    return ScenarioFile(
      path: base.file.path, files: shared.files, tree: ResolvedTree(root), text: text)
  }
}
