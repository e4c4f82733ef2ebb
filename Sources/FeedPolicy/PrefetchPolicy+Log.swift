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
    line.add(UInt32(configuration.family.rawValue))
    line.add(configuration.segmentLength)
    // No cover is written as the number that no cover can be.
    line.add(bitsOf: configuration.cover ?? -1)
    line.add(bitsOf: configuration.leastWatched)
    line.add(bitsOf: configuration.bufferCover)
    line.add(bitsOf: configuration.viewsPerSession ?? -1)
    line.add(configuration.suspendsOnStall)
    line.add(configuration.curves.curves.count)
    for curve in configuration.curves.curves {
      line.add(curve.below)
      line.add(curve.survival.count)
      for value in curve.survival { line.add(bitsOf: value) }
    }
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let head = fields.span(), head >= .zero, let items = fields.count(), items <= 1024,
      let further = fields.span(), further >= .zero, let previous = fields.span(),
      previous >= .zero, let threshold = fields.double(), threshold == threshold,
      let concurrency = fields.count(), let buffer = fields.span(),
      let word = fields.unsigned(), let raw = UInt8(exactly: word),
      let family = PrefetchFamily(rawValue: raw), let segment = fields.span(), segment > .zero,
      let cover = fields.double(), cover == -1 || cover >= 0, let watched = fields.double(),
      watched == watched, let buffered = fields.double(), buffered == buffered,
      let views = fields.double(), views == -1 || views >= 0, let suspends = fields.flag(),
      let curves = curves(from: &fields)
    else { return nil }
    return Configuration(
      family: family, headLength: head, itemsAhead: items, furtherLength: further,
      previousLength: previous, previousThreshold: threshold, concurrency: concurrency,
      pauseBelowBuffer: buffer, segmentLength: segment, cover: cover == -1 ? nil : cover,
      leastWatched: watched, bufferCover: buffered, viewsPerSession: views == -1 ? nil : views,
      suspendsOnStall: suspends, curves: curves)
  }

  private static func curves(from fields: inout PolicyFields) -> SwipeCurves? {
    guard let count = fields.count(), count >= 1, count <= 64 else { return nil }
    var curves: [SwipeCurves.Curve] = []
    for _ in 0..<count {
      guard let below = fields.span(), curves.isEmpty || curves[curves.count - 1].below < below,
        let length = fields.count(), length >= 1, length <= 4096
      else { return nil }
      var survival: [Double] = []
      for index in 0..<length {
        guard let value = fields.double(), value >= 0,
          index == 0 ? value == 1 : value <= survival[index - 1]
        else { return nil }
        survival.append(value)
      }
      curves.append(SwipeCurves.Curve(below: below, survival: survival))
    }
    return SwipeCurves(curves)
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
    case .stageReached(let item, let stage):
      line.add("stage")
      line.add(item)
      line.add(UInt32(stage.rawValue))
    case .durationKnown(let item, let duration):
      line.add("duration")
      line.add(item)
      line.add(duration)
    case .positionChanged(let position):
      line.add("position")
      line.add(position)
    case .withdrawn(let item):
      line.add("withdrawn")
      line.add(item)
    case .connectivityChanged(let isOnline):
      line.add("online")
      line.add(isOnline)
    case .stallChanged(let isStalled):
      line.add("stalled")
      line.add(isStalled)
    case .hostHeld(let isHeld):
      line.add("held")
      line.add(isHeld)
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
    if fields.take("failed") {
      guard let item = fields.identifier(ItemID.self) else { return nil }
      return .itemFailed(item)
    }
    return laterEvent(from: &fields)
  }

  private static func laterEvent(from fields: inout PolicyFields) -> Event? {
    if fields.take("stage") {
      guard let item = fields.identifier(ItemID.self), let word = fields.unsigned(),
        let raw = UInt8(exactly: word), let stage = PrefetchStage(rawValue: raw)
      else { return nil }
      return .stageReached(item, stage)
    }
    if fields.take("duration") {
      guard let item = fields.identifier(ItemID.self), let duration = fields.span()
      else { return nil }
      return .durationKnown(item, duration)
    }
    if fields.take("position") {
      guard let position = fields.span() else { return nil }
      return .positionChanged(position)
    }
    if fields.take("withdrawn") {
      guard let item = fields.identifier(ItemID.self) else { return nil }
      return .withdrawn(item)
    }
    if fields.take("online") {
      guard let isOnline = fields.flag() else { return nil }
      return .connectivityChanged(isOnline: isOnline)
    }
    if fields.take("stalled") {
      guard let isStalled = fields.flag() else { return nil }
      return .stallChanged(isStalled: isStalled)
    }
    guard fields.take("held"), let isHeld = fields.flag() else { return nil }
    return .hostHeld(isHeld)
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
    case .warm(let item, let stage, let priority):
      line.add("warm")
      line.add(item)
      line.add(UInt32(stage.rawValue))
      line.add(UInt32(priority.rawValue))
    case .suspend(let item):
      line.add("suspend")
      line.add(item)
    case .limitBuffer(let limit):
      line.add("limit")
      // A limit is never negative.
      line.add(limit ?? .nanoseconds(-1))
    }
  }
}
