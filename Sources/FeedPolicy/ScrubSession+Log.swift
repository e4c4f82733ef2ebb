import MediaUnits

extension ScrubSession: LoggedMachine {
  public static var logName: StaticString { "scrub-session" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    line.add(configuration.throttle.interval)
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let interval = fields.span(), interval >= .zero else { return nil }
    return Configuration(throttle: ScrubThrottle.Configuration(interval: interval))
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .pressed(let item, let playhead, let duration):
      line.add("pressed")
      line.add(item)
      line.add(playhead)
      line.add(duration)
    case .moved(let position):
      line.add("moved")
      line.add(position)
    case .released: line.add("released")
    case .cancelled: line.add("cancelled")
    case .timerFired: line.add("timer")
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("pressed") {
      guard let item = fields.identifier(ItemID.self), let playhead = fields.span(),
        let duration = fields.span()
      else { return nil }
      return .pressed(item, playhead: playhead, duration: duration)
    }
    if fields.take("moved") {
      guard let position = fields.span() else { return nil }
      return .moved(position)
    }
    if fields.take("released") { return .released }
    if fields.take("cancelled") { return .cancelled }
    return fields.take("timer") ? .timerFired : nil
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .beginPause(let item):
      line.add("begin")
      line.add(item)
    case .showOverlay(let item):
      line.add("show")
      line.add(item)
    case .lookup(let position):
      line.add("lookup")
      line.add(position)
    case .hideOverlay(let item):
      line.add("hide")
      line.add(item)
    case .seek(let item, let position):
      line.add("seek")
      line.add(item)
      line.add(position)
    case .endPause(let item):
      line.add("end")
      line.add(item)
    case .setTimer(let at):
      line.add("timer")
      line.add(at)
    case .cancelTimer: line.add("cancel")
    }
  }
}
