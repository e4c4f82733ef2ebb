import MediaUnits

extension PrefetchPolicy: LoggedMachine {
  public static var logName: StaticString { "prefetch-policy" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    line.add(configuration.headLength)
    line.add(configuration.itemsAhead)
    line.add(configuration.furtherLength)
    line.add(configuration.previousLength)
    line.add(bitsOf: configuration.previousThreshold)
    line.add(configuration.concurrency)
    line.add(configuration.pauseBelowBuffer)
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let head = fields.span(), head >= .zero, let items = fields.count(), items <= 1024,
      let further = fields.span(), further >= .zero, let previous = fields.span(),
      previous >= .zero, let threshold = fields.double(), threshold == threshold,
      let concurrency = fields.count(), let buffer = fields.span()
    else { return nil }
    return Configuration(
      headLength: head, itemsAhead: items, furtherLength: further, previousLength: previous,
      previousThreshold: threshold, concurrency: concurrency, pauseBelowBuffer: buffer)
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .feedMoved(let current, let last):
      line.add("moved")
      line.add(current)
      line.add(last)
    case .feedExtended(let last):
      line.add("extended")
      line.add(last)
    case .bufferChanged(let ahead, let isComplete):
      line.add("buffer")
      line.add(ahead)
      line.add(isComplete)
    case .throughputChanged(let throughput, let bitrate):
      line.add("throughput")
      line.add(throughput.bitsPerSecond)
      line.add(bitrate.bitsPerSecond)
    case .targetReached(let item, let length):
      line.add("reached")
      line.add(item)
      line.add(length)
    case .itemFailed(let item):
      line.add("failed")
      line.add(item)
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("moved") {
      guard let current = fields.identifier(ItemID.self),
        let last = fields.identifier(ItemID.self)
      else { return nil }
      return .feedMoved(current: current, last: last)
    }
    if fields.take("extended") {
      guard let last = fields.identifier(ItemID.self) else { return nil }
      return .feedExtended(last: last)
    }
    if fields.take("buffer") {
      guard let ahead = fields.span(), let isComplete = fields.flag() else { return nil }
      return .bufferChanged(ahead: ahead, isComplete: isComplete)
    }
    if fields.take("throughput") {
      guard let throughput = fields.number(), throughput >= 0, let bitrate = fields.number(),
        bitrate >= 0
      else { return nil }
      return .throughputChanged(
        BitRate(bitsPerSecond: throughput), bitrate: BitRate(bitsPerSecond: bitrate))
    }
    if fields.take("reached") {
      guard let item = fields.identifier(ItemID.self), let length = fields.span()
      else { return nil }
      return .targetReached(item, length)
    }
    guard fields.take("failed"), let item = fields.identifier(ItemID.self) else { return nil }
    return .itemFailed(item)
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .start(let item, let length, let priority):
      line.add("start")
      line.add(item)
      line.add(length)
      line.add(UInt32(priority.rawValue))
    case .cancel(let item):
      line.add("cancel")
      line.add(item)
    }
  }
}
