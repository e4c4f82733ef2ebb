import MediaUnits

extension PlayerPool: LoggedMachine {
  public static var logName: StaticString { "player-pool" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    line.add(configuration.size)
    line.add(configuration.ahead)
    line.add(configuration.behind)
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let size = fields.count(), size >= 1, size <= 1024, let ahead = fields.count(),
      let behind = fields.count(), ahead <= 1024, behind <= 1024
    else { return nil }
    return Configuration(size: size, ahead: ahead, behind: behind)
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .currentChanged(let item, let last):
      line.add("current")
      line.add(item)
      line.add(last)
    case .feedExtended(let last):
      line.add("extended")
      line.add(last)
    case .slotReady(let slot, let generation):
      line.add("ready")
      line.add(slot)
      line.add(generation)
    case .slotFailed(let slot, let generation):
      line.add("failed")
      line.add(slot)
      line.add(generation)
    case .memoryPressure: line.add("pressure")
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("current") {
      guard let item = fields.identifier(ItemID.self), let last = fields.identifier(ItemID.self)
      else { return nil }
      return .currentChanged(item, last: last)
    }
    if fields.take("extended") {
      guard let last = fields.identifier(ItemID.self) else { return nil }
      return .feedExtended(last: last)
    }
    if fields.take("ready") {
      guard let slot = fields.identifier(SlotID.self), let generation = fields.unsigned()
      else { return nil }
      return .slotReady(slot, generation: generation)
    }
    if fields.take("failed") {
      guard let slot = fields.identifier(SlotID.self), let generation = fields.unsigned()
      else { return nil }
      return .slotFailed(slot, generation: generation)
    }
    return fields.take("pressure") ? .memoryPressure : nil
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .prepare(let slot, let item, let generation):
      line.add("prepare")
      line.add(slot)
      line.add(item)
      line.add(generation)
    case .play(let slot):
      line.add("play")
      line.add(slot)
    case .pause(let slot):
      line.add("pause")
      line.add(slot)
    case .release(let slot):
      line.add("release")
      line.add(slot)
    }
  }
}
