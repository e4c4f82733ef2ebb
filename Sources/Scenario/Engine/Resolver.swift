/// Reads a tree by the table: every value typed, every default filled in, every problem noted.
struct Resolver {
  let schema: Schema
  /// The whole tree, which says what kind stands where.
  let top: Node
  /// False when a base file could not be read: then a missing key proves nothing.
  var reportsMissing = true
  private(set) var problems = Problems()
  /// The innermost mapping around the current place that somebody wrote.
  private var writtenPlace: Origin
  /// Parts near the top that were resolved before, to be taken where the same stands. Of a mapping
  /// with a kind there are none, since what a key of it means depends on the kind.
  var earlier: [TreePath: Part] = [:]
  /// Those of this tree, where somebody wants to keep them.
  private(set) var parts: [TreePath: Part]?

  /// What was written at a place, and what it came to.
  struct Part {
    /// Nil: nothing, so that it is the default.
    var written: Node?
    var resolved: ResolvedNode
  }

  /// How many steps from the top parts are.
  private static let partDepth = 2

  init(_ schema: Schema, top: Node) {
    self.schema = schema
    self.top = top
    writtenPlace = top.origin
  }

  /// The whole tree, with its parts.
  mutating func resolveParts() -> (root: ResolvedNode, parts: [TreePath: Part])? {
    parts = [:]
    return resolve().map { ($0, parts ?? [:]) }
  }

  /// A part that was resolved before from the very same.
  private func part(_ place: TreePath, _ written: Node?) -> ResolvedNode? {
    if place.steps.count > Resolver.partDepth || earlier.isEmpty { return nil }
    return earlier[place].flatMap { $0.written == written ? $0.resolved : nil }
  }

  private mutating func note(_ place: TreePath, _ written: Node?, _ resolved: ResolvedNode?) {
    if parts == nil || place.steps.count > Resolver.partDepth { return }
    if let resolved { parts?[place] = Part(written: written, resolved: resolved) }
  }

  /// The whole tree, or nil when there was a problem.
  mutating func resolve() -> ResolvedNode? {
    let result = value(top, .object(schema.root), TreePath())
    return problems.isEmpty ? result : nil
  }

  /// One value. Nil when it has a problem; then the problem is noted.
  mutating func value(_ node: Node, _ shape: Shape, _ path: TreePath) -> ResolvedNode? {
    let place = node.origin
    func resolved(_ value: ResolvedValue?) -> ResolvedNode? {
      value.map { ResolvedNode(value: $0, origin: place) }
    }
    switch shape {
    case .time(let range):
      return resolved(quantity(node, .time, range, path).map { .time($0) })
    case .bytes(let range):
      return resolved(quantity(node, .bytes, range, path).map { .bytes($0) })
    case .bitRate(let range):
      return resolved(quantity(node, .bitRate, range, path).map { .bitRate($0) })
    case .ratio, .integer, .real, .boolean: return resolved(plain(node, shape, path))
    case .text(let rule): return resolved(text(node, rule, path))
    case .word(let words):
      return resolved(word(node, words.map(\.spelling), .wrongWord, path).map { .word($0) })
    case .optional(let inner):
      if isNone(node, inner) { return resolved(ResolvedValue.none) }
      return optional(node, inner, path)
    case .law(let unit): return law(node, unit, path)
    case .list(let element, let count): return resolved(list(node, element, count, path))
    case .map(let key, let inner, let count):
      return resolved(map(node, key, inner, count, path))
    case .object(let object): return resolved(self.object(node, object, path))
    case .kinds(let kinds): return resolved(self.kind(node, kinds, path))
    case .variations: return resolved(variations(node, path))
    }
  }

  private mutating func report(
    _ code: Problem.Code, _ node: Node, _ path: TreePath, _ expected: String, got: String? = nil,
    suggestion: String? = nil
  ) {
    problems.add(
      Problem(
        code, at: node.origin, keyPath: path.description, expected: expected,
        got: got ?? node.excerpt, suggestion: suggestion))
  }

  private mutating func report(_ fault: QuantityFault, _ node: Node, _ path: TreePath) {
    report(
      fault.code, node, path, fault.expected,
      got: node.excerpt + (fault.remark.map { ", \($0)" } ?? ""), suggestion: fault.suggestion)
  }
}

// MARK: Scalars

extension Resolver {
  private mutating func quantity(
    _ node: Node, _ family: Quantity, _ range: ClosedRange<Int64>, _ path: TreePath
  ) -> Int64? {
    guard let text = node.text else {
      report(.wrongType, node, path, family.expectation(range))
      return nil
    }
    do throws(QuantityFault) {
      let value = try family.value(of: text)
      if range.contains(value) { return value }
      report(.outOfRange, node, path, family.rangeExpectation(range))
    } catch {
      report(error, node, path)
    }
    return nil
  }

  private mutating func plain(
    _ node: Node, _ shape: Shape, _ path: TreePath
  ) -> ResolvedValue? {
    guard let text = node.text, !node.isQuoted || isPercent(text, shape) else {
      report(.wrongType, node, path, shape.expectation)
      return nil
    }
    do throws(QuantityFault) {
      switch shape {
      case .ratio: return .ratio(try PlainNumber.ratio(of: text))
      case .integer(let range):
        let value = try PlainNumber.integer(of: text)
        if range.contains(value) { return .integer(value) }
        let least = "a whole number of at least \(range.lowerBound)"
        let isOpen = range.upperBound == .max
        report(.outOfRange, node, path, isOpen ? least : shape.expectation)
      case .real(let range):
        let value = try PlainNumber.real(of: text)
        if range.contains(value) { return .real(value) }
        report(.outOfRange, node, path, range.expectation)
      default:
        if text == "true" || text == "false" { return .boolean(text == "true") }
        let yes = ["yes", "on", "y", "1", "enabled"].contains(text.lowercased())
        let no = ["no", "off", "n", "0", "disabled"].contains(text.lowercased())
        let near = Spelling.nearest(to: text.lowercased(), in: ["true", "false"])
        report(
          .wrongType, node, path, shape.expectation,
          suggestion: yes ? "true" : no ? "false" : near)
      }
    } catch {
      report(error, node, path)
    }
    return nil
  }

  private func isPercent(_ text: String, _ shape: Shape) -> Bool {
    if case .ratio = shape { return text.last == "%" }
    return false
  }

  private mutating func text(
    _ node: Node, _ rule: TextRule, _ path: TreePath
  ) -> ResolvedValue? {
    if case .scalar(let text, _) = node.content, !node.isNothing, rule.accepts(text) {
      return .text(text)
    }
    report(.wrongType, node, path, rule.expectation)
    return nil
  }

  private mutating func word(
    _ node: Node, _ words: [String], _ code: Problem.Code, _ path: TreePath
  ) -> String? {
    if let text = node.text, words.contains(text) { return text }
    report(
      node.text == nil ? .wrongType : code, node, path, Shape.oneOf(words),
      suggestion: node.text.flatMap { Spelling.nearest(to: $0, in: words) })
    return nil
  }

  /// Quoted `none` is a text where texts are allowed.
  private func isNone(_ node: Node, _ inner: Shape) -> Bool {
    guard node.text == "none" else { return false }
    if case .text = inner.withoutOptional { return !node.isQuoted }
    return true
  }

  private mutating func optional(
    _ node: Node, _ inner: Shape, _ path: TreePath
  ) -> ResolvedNode? {
    if node.isNothing {
      report(.wrongType, node, path, Shape.optional(inner).expectation)
      return nil
    }
    guard let text = node.text, DecimalNumber.prefix(of: text) == nil else {
      return value(node, inner, path)
    }
    // Who writes a word may mean none: what says that it is none of the inner shape says so, too.
    let known = problems
    problems = Problems()
    let resolved = value(node, inner, path)
    var found = problems
    problems = known
    found.amend { problem in
      if problem.keyPath != path.description || problem.expected.hasSuffix("or none") { return }
      // What a list of words ends with would read as one of them.
      problem.expected += problem.code == .wrongWord ? ", or none" : " or none"
      let isOff = ["off", "no", "false", "disabled", "unlimited", "nothing"].contains(
        text.lowercased())
      if isOff { problem.suggestion = "none" }
    }
    problems.add(found)
    return resolved
  }
}

// MARK: Lists and mappings

extension Resolver {
  private mutating func list(
    _ node: Node, _ element: Shape, _ count: ClosedRange<Int>, _ path: TreePath
  ) -> ResolvedValue? {
    guard case .sequence(let nodes) = node.content else {
      report(.wrongType, node, path, "a list" + Shape.countText(count))
      return nil
    }
    if !count.contains(nodes.count) {
      report(.wrongCount, node, path, "a list" + Shape.countText(count))
    }
    var elements: [ResolvedNode] = []
    for (index, item) in nodes.enumerated() {
      if let resolved = value(item, element, path.index(index)) { elements.append(resolved) }
    }
    return elements.count == nodes.count ? .list(elements) : nil
  }

  private mutating func map(
    _ node: Node, _ rule: TextRule, _ shape: Shape, _ count: ClosedRange<Int>, _ path: TreePath
  ) -> ResolvedValue? {
    let expected = "a mapping" + Shape.countText(count)
    guard case .mapping(let entries) = node.content else {
      report(.wrongType, node, path, expected)
      return nil
    }
    if !count.contains(entries.count) {
      report(.wrongCount, node, path, expected, got: "\(entries.count) keys")
    }
    var fields: [ResolvedField] = []
    var seen: Set<String> = []
    for entry in entries {
      let place = path.key(entry.key)
      if !rule.accepts(entry.key) {
        let key = Node(.scalar(entry.key, .quoted), origin: entry.keyOrigin)
        report(.unknownKey, key, place, "\(rule.expectation) as key")
      }
      let resolved = value(entry.value, shape, place)
      if let resolved, seen.insert(entry.key).inserted {
        fields.append(ResolvedField(key: entry.key, node: resolved))
      }
    }
    return .map(fields)
  }

  private mutating func object(
    _ node: Node, _ object: ObjectShape, _ path: TreePath
  ) -> ResolvedValue? {
    guard case .mapping(let entries) = node.content else {
      let names = object.fields.prefix(4).map(\.name).joined(separator: ", ")
      let more = object.fields.count > 4 ? ", …" : ""
      report(.wrongType, node, path, "a mapping with keys (\(names)\(more))")
      return nil
    }
    return fields(node, entries, object, path, isKind: false).map { .object($0) }
  }

  private mutating func kind(
    _ node: Node, _ kinds: [Kind], _ path: TreePath
  ) -> ResolvedValue? {
    let words = kinds.map(\.word)
    guard case .mapping(let entries) = node.content else {
      let named = node.text.flatMap { text in
        words.contains(text) ? text : Spelling.nearest(to: text, in: words)
      }
      report(
        .wrongType, node, path, "a mapping with a kind (\(Shape.oneOf(words)))",
        suggestion: named.map { "{kind: \($0)}" })
      return nil
    }
    guard let written = node["kind"] else {
      guard reportsMissing else { return nil }
      report(
        .missingKey, Node(node.content, origin: writtenIfPossible(node.origin)),
        path.key("kind"), Shape.oneOf(words), got: "nothing")
      return nil
    }
    let known = word(written, words, .unknownKind, path.key("kind"))
    // A misspelt kind is read as the one that was probably meant, to find the other problems too.
    let meant = known ?? written.text.flatMap { Spelling.nearest(to: $0, in: words) }
    guard let chosen = kinds.first(where: { $0.word == meant }) else { return nil }
    guard let rest = fields(node, entries, chosen.object, path, isKind: true), known != nil else {
      return nil
    }
    let kindNode = ResolvedNode(value: .word(chosen.word), origin: written.origin)
    return .kind(chosen.word, [ResolvedField(key: "kind", node: kindNode)] + rest)
  }

  private func writtenIfPossible(_ origin: Origin) -> Origin {
    if case .preset = origin { return writtenPlace }
    return origin
  }

  /// The fields of a mapping with fixed keys; nil when one of them is missing or wrong.
  private mutating func fields(
    _ node: Node, _ entries: [Node.Entry], _ object: ObjectShape, _ path: TreePath, isKind: Bool
  ) -> [ResolvedField]? {
    let outer = writtenPlace
    writtenPlace = writtenIfPossible(node.origin)
    defer { writtenPlace = outer }
    var written: [String: ResolvedNode] = [:]
    var seen: Set<String> = []
    for entry in entries where !(isKind && entry.key == "kind") {
      guard let field = object.field(entry.key) else {
        unknown(entry, in: object, path, isKind: isKind)
        continue
      }
      let place = path.key(entry.key)
      let resolved =
        (isKind ? nil : part(place, entry.value))
        ?? laid(entry.value, field, place, isKind: isKind)
      if seen.insert(entry.key).inserted { written[entry.key] = resolved }
    }
    var result: [ResolvedField] = []
    for field in object.fields {
      if !seen.contains(field.name) { written[field.name] = absent(field, path, isKind: isKind) }
      if let resolved = written[field.name] {
        let isUnsaid =
          !field.isSaidAtDefault
          && (!seen.contains(field.name) || resolved == absent(field, path, isKind: isKind))
        result.append(
          ResolvedField(
            key: field.name, node: resolved, isShownOnly: field.isShownOnly, isUnsaid: isUnsaid))
      }
    }
    return result.count == object.fields.count ? result : nil
  }

  /// What somebody wrote, over the default.
  private mutating func laid(
    _ node: Node, _ field: Field, _ place: TreePath, isKind: Bool
  ) -> ResolvedNode? {
    var below = node
    if let preset = field.presetNode {
      below = Merge.lay(node, over: preset, .preset, shape: field.shape, preset: preset)
    }
    let resolved = value(below, field.shape, place)
    if !isKind { note(place, node, resolved) }
    return resolved
  }

  private mutating func absent(
    _ field: Field, _ path: TreePath, isKind: Bool
  ) -> ResolvedNode? {
    let place = path.key(field.name)
    if !isKind, let part = part(place, nil) { return part }
    if let preset = field.presetNode {
      let resolved = value(preset, field.shape, place)
      if !isKind { note(place, nil, resolved) }
      return resolved
    }
    if reportsMissing {
      problems.add(
        Problem(
          .missingKey, at: writtenPlace, keyPath: place.description,
          expected: "this key with \(field.shape.expectation)", got: "nothing"))
    }
    return nil
  }

  private mutating func unknown(
    _ entry: Node.Entry, in object: ObjectShape, _ path: TreePath, isKind: Bool
  ) {
    var names = object.fields.map(\.name)
    if isKind { names.insert("kind", at: 0) }
    if path.steps.isEmpty { names.append("extends") }
    let derived = schema.derived.first { $0.isMeant(by: entry.key, at: path) }
    let expected =
      derived?.expectation
      ?? (names.isEmpty
        ? "no keys"
        : names.count <= 12 ? "one of the keys \(names.joined(separator: ", "))" : "a known key")
    problems.add(
      Problem(
        .unknownKey, at: entry.keyOrigin, keyPath: path.key(entry.key).description,
        expected: expected, got: Excerpt.oneLine(entry.key),
        suggestion: derived == nil ? Spelling.nearest(to: entry.key, in: names) : nil))
  }
}

// MARK: Laws and variations

extension Resolver {
  private mutating func law(_ node: Node, _ unit: LawUnit, _ path: TreePath) -> ResolvedNode? {
    guard case .mapping = node.content else {
      if case .sequence = node.content {
        report(.wrongType, node, path, Shape.law(unit).expectation)
        return nil
      }
      guard let form = value(node, unit.value, path), let magnitude = form.magnitude else {
        return nil
      }
      return ResolvedNode(value: .law(.constant(magnitude), form: form), origin: node.origin)
    }
    guard let resolved = kind(node, LawTable.kinds(unit), path), case .kind(let word, _) = resolved
    else { return nil }
    let form = ResolvedNode(value: resolved, origin: node.origin)
    var builder = LawBuilder(form, unit: unit)
    if let law = builder.law(word) {
      return ResolvedNode(value: .law(law, form: form), origin: node.origin)
    }
    for contradiction in builder.contradictions {
      let place = contradiction.key.isEmpty ? path : path.key(contradiction.key)
      let origin = node[contradiction.key]?.origin ?? writtenIfPossible(node.origin)
      problems.add(
        Problem(
          contradiction.code, at: origin, keyPath: place.description,
          expected: contradiction.expected, got: contradiction.got))
    }
    return nil
  }

  private mutating func variations(_ node: Node, _ path: TreePath) -> ResolvedValue? {
    guard case .mapping(let entries) = node.content else {
      report(.wrongType, node, path, Shape.variations.expectation)
      return nil
    }
    var result: [Variation] = []
    for entry in entries {
      let place = path.key(entry.key)
      let key = Node(.scalar(entry.key, .plain), origin: entry.keyOrigin)
      guard let target = TreePath(parsing: entry.key), !target.steps.isEmpty else {
        report(.keyPath, key, place, "a key path such as policy.prefetch.itemsAhead")
        continue
      }
      guard case .sequence(let nodes) = entry.value.content, !nodes.isEmpty else {
        report(.wrongType, entry.value, place, "a list of values")
        continue
      }
      switch schema.find(target, in: top) {
      case .unknown(let expected, let suggestion):
        report(.unknownKey, key, place, expected, suggestion: suggestion)
      case .shape(.variations): report(.inconsistent, key, place, "a key that is not varied itself")
      case .shape(let shape):
        var values: [ResolvedNode] = []
        for (index, item) in nodes.enumerated() {
          if let resolved = value(item, shape, place.index(index)) { values.append(resolved) }
        }
        result.append(Variation(keyPath: target.description, values: values))
      }
    }
    return .variations(result)
  }
}
