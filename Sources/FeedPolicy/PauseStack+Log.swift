import MediaUnits

extension PauseStack: LoggedMachine {
  public static var logName: StaticString { "pause-stack" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    line.add(UInt32(configuration.resuming.rawValue))
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let bits = fields.unsigned(), bits <= UInt32(Reasons.all.rawValue) else { return nil }
    return Configuration(resuming: Reasons(rawValue: UInt8(bits)))
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .itemChanged(let item):
      line.add("item")
      line.add(item)
    case .began(let reason):
      line.add("began")
      line.add(UInt32(reason.rawValue))
    case .ended(let reason):
      line.add("ended")
      line.add(UInt32(reason.rawValue))
    case .tapped: line.add("tapped")
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("item") {
      guard let item = fields.identifier(ItemID.self) else { return nil }
      return .itemChanged(item)
    }
    if fields.take("began") {
      guard let reason = reason(from: &fields) else { return nil }
      return .began(reason)
    }
    if fields.take("ended") {
      guard let reason = reason(from: &fields) else { return nil }
      return .ended(reason)
    }
    return fields.take("tapped") ? .tapped : nil
  }

  private static func reason(from fields: inout PolicyFields) -> Reason? {
    guard let raw = fields.unsigned(), raw <= UInt32(UInt8.max) else { return nil }
    return Reason(rawValue: UInt8(raw))
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .play(let item):
      line.add("play")
      line.add(item)
    case .pause(let item):
      line.add("pause")
      line.add(item)
    }
  }
}
