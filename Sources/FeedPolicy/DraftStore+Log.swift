import MediaUnits

extension DraftStore: LoggedMachine {
  public static var logName: StaticString { "draft-store" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    line.add(configuration.limit)
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let limit = fields.count(), limit >= 1 else { return nil }
    return Configuration(limit: limit)
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .edited(let item, let draft):
      line.add("edited")
      line.add(item)
      line.add(draft)
    case .cleared(let item):
      line.add("cleared")
      line.add(item)
    case .shown(let item):
      line.add("shown")
      line.add(item)
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("edited") {
      guard let item = fields.identifier(ItemID.self), let draft = fields.natural()
      else { return nil }
      return .edited(item, draft: draft)
    }
    if fields.take("cleared") {
      guard let item = fields.identifier(ItemID.self) else { return nil }
      return .cleared(item)
    }
    guard fields.take("shown"), let item = fields.identifier(ItemID.self) else { return nil }
    return .shown(item)
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .restore(let item, let draft):
      line.add("restore")
      line.add(item)
      line.add(draft)
    case .forget(let draft):
      line.add("forget")
      line.add(draft)
    }
  }
}
