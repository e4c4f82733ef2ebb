extension ScenarioTable {
  /// The kinds of device classes, and of access networks that vary at random.
  public static var deviceKinds: [String] { deviceTable.map(\.word) }
  public static var processKinds: [String] { accessTable.map(\.word) }

  /// All keys that take a law, but those inside lists.
  public static var lawKeys: [String] { lawKeys(in: schema.root, below: "") }

  private static func lawKeys(in object: ObjectShape, below path: String) -> [String] {
    object.fields.flatMap { field -> [String] in
      let key = path + field.name
      switch field.shape.withoutOptional {
      case .law: return [key]
      case .object(let inner): return lawKeys(in: inner, below: key + ".")
      default: return []
      }
    }
  }

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
