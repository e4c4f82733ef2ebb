import MediaUnits

extension ViewLog: LoggedMachine {
  public static var logName: StaticString { "view-log" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {}

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    Configuration()
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .viewBegan(let item, let duration):
      line.add("began")
      line.add(item)
      line.add(duration)
    case .firstFrameRendered(let item):
      line.add("frame")
      line.add(item)
    case .stallBegan(let item):
      line.add("stalled")
      line.add(item)
    case .stallEnded(let item):
      line.add("resumed")
      line.add(item)
    case .bitrateSelected(let item, let rate):
      line.add("bitrate")
      line.add(item)
      line.add(rate.bitsPerSecond)
    case .tapped(let item, let plays):
      line.add("tapped")
      line.add(item)
      line.add(plays)
    case .scrubBegan(let item):
      line.add("scrub")
      line.add(item)
    case .scrubCommitted(let item, let position):
      line.add("committed")
      line.add(item)
      line.add(position)
    case .playbackFailed(let item, let code):
      line.add("failed")
      line.add(item)
      line.add(code)
    case .viewEnded(let item, let played):
      line.add("ended")
      line.add(item)
      line.add(played)
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("frame") { return item(&fields).map { .firstFrameRendered($0) } }
    if fields.take("stalled") { return item(&fields).map { .stallBegan($0) } }
    if fields.take("resumed") { return item(&fields).map { .stallEnded($0) } }
    if fields.take("scrub") { return item(&fields).map { .scrubBegan($0) } }
    if fields.take("began") {
      guard let item = item(&fields), let duration = fields.span() else { return nil }
      return .viewBegan(item, duration: duration)
    }
    if fields.take("bitrate") {
      guard let item = item(&fields), let rate = fields.number(), rate >= 0 else { return nil }
      return .bitrateSelected(item, BitRate(bitsPerSecond: rate))
    }
    if fields.take("tapped") {
      guard let item = item(&fields), let plays = fields.flag() else { return nil }
      return .tapped(item, plays: plays)
    }
    if fields.take("committed") {
      guard let item = item(&fields), let position = fields.span() else { return nil }
      return .scrubCommitted(item, position: position)
    }
    if fields.take("failed") {
      guard let item = item(&fields), let code = fields.number() else { return nil }
      return .playbackFailed(item, code: code)
    }
    guard fields.take("ended"), let item = item(&fields), let played = fields.span()
    else { return nil }
    return .viewEnded(item, played: played)
  }

  private static func item(_ fields: inout PolicyFields) -> ItemID? {
    fields.identifier(ItemID.self)
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .emit(let event):
      line.add("emit")
      event.write(into: &line)
    }
  }
}

extension TelemetryEvent {
  /// Adds the event's fields, in the order of their declaration.
  func write(into line: inout PolicyLine) {
    line.add(UInt32(name.rawValue))
    line.add(view)
    line.add(item)
    line.add(at)
    line.add(value)
    line.add(second)
  }
}
