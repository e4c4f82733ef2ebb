import MediaUnits

extension ReadinessGate: LoggedMachine {
  public static var logName: StaticString { "readiness-gate" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    line.add(UInt32(configuration.rule.rawValue))
    line.add(configuration.attempts)
    line.add(configuration.timeout)
    line.add(UInt32(configuration.escape.rawValue))
    line.add(configuration.recordLimit)
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let rule = fields.unsigned(), let attempts = fields.count(),
      let timeout = fields.span(), let escape = fields.unsigned(), rule <= 1, escape <= 1,
      let limit = fields.count(), (1...1024).contains(limit),
      let rule = Rule(rawValue: UInt8(rule)), let escape = Escape(rawValue: UInt8(escape))
    else { return nil }
    return Configuration(
      rule: rule, attempts: attempts, timeout: timeout, escape: escape, recordLimit: limit)
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .jumped(let item):
      line.add("jumped")
      line.add(item)
    case .preparing(let item, let generation):
      line.add("preparing")
      line.add(item)
      line.add(generation)
    case .becameReady(let item, let generation):
      line.add("ready")
      line.add(item)
      line.add(generation)
    case .dropped(let item, let generation):
      line.add("dropped")
      line.add(item)
      line.add(generation)
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("jumped") {
      guard let item = fields.identifier(ItemID.self) else { return nil }
      return .jumped(to: item)
    }
    let isPreparing = fields.take("preparing")
    let isReady = !isPreparing && fields.take("ready")
    guard isPreparing || isReady || fields.take("dropped"),
      let item = fields.identifier(ItemID.self), let generation = fields.unsigned()
    else { return nil }
    if isPreparing { return .preparing(item, generation: generation) }
    return isReady
      ? .becameReady(item, generation: generation) : .dropped(item, generation: generation)
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .pause(let item):
      line.add("pause")
      line.add(item)
    case .activate(let item):
      line.add("activate")
      line.add(item)
    case .snapBack(let item, let target):
      line.add("snap")
      line.add(item)
      line.add(target)
    case .showPlaceholder(let item):
      line.add("cover")
      line.add(item)
    case .play(let item):
      line.add("play")
      line.add(item)
    }
  }
}
