extension ScenarioTable {
  /// What a law at this key measures; nil where the scenario has no law there.
  public static func lawUnit(at key: String) -> LawUnit? {
    var object: ObjectShape? = schema.root
    var shape: Shape?
    for step in key.split(separator: ".") {
      guard let field = object?.field(String(step)) else { return nil }
      shape = field.shape.withoutOptional
      if case .object(let inner)? = shape { object = inner } else { object = nil }
    }
    if case .law(let unit)? = shape { return unit }
    return nil
  }
}
