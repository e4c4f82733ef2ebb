import MediaUnits

extension CursorPager: LoggedMachine {
  public static var logName: StaticString { "cursor-pager" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    line.add(configuration.trigger)
    line.add(configuration.memory)
    line.add(configuration.emptyPages)
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let trigger = fields.unsigned(), let memory = fields.count(), memory >= 1,
      let emptyPages = fields.count()
    else { return nil }
    return Configuration(trigger: trigger, memory: memory, emptyPages: emptyPages)
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .opened: line.add("opened")
    case .moved(let item):
      line.add("moved")
      line.add(item)
    case .pageArrived(let request, let page):
      line.add("page")
      line.add(request)
      line.add(page.keys.count)
      for key in page.keys { line.add(key) }
      if let next = page.next {
        line.add("next")
        line.add(next)
      } else {
        line.add("end")
      }
    case .pageFailed(let request):
      line.add("failed")
      line.add(request)
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("opened") { return .opened }
    if fields.take("moved") {
      guard let item = fields.identifier(ItemID.self) else { return nil }
      return .moved(to: item)
    }
    if fields.take("failed") {
      guard let request = fields.unsigned() else { return nil }
      return .pageFailed(request: request)
    }
    guard fields.take("page"), let request = fields.unsigned(), let count = fields.count()
    else { return nil }
    // As many fields have to follow, so that a large count costs nothing.
    var keys: [UInt64] = []
    while keys.count < count {
      guard let key = fields.natural() else { return nil }
      keys.append(key)
    }
    if fields.take("end") { return .pageArrived(request: request, Page(keys: keys, next: nil)) }
    guard fields.take("next"), let next = fields.natural() else { return nil }
    return .pageArrived(request: request, Page(keys: keys, next: next))
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .request(let number, let cursor):
      line.add("request")
      line.add(number)
      if let cursor { line.add(cursor) }
    case .append(let first, let keys):
      line.add("append")
      line.add(first)
      for key in keys { line.add(key) }
    }
  }
}
