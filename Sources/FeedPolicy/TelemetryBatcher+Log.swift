import MediaUnits

extension TelemetryBatcher: LoggedMachine {
  public static var logName: StaticString { "telemetry-batcher" }

  public static func write(_ configuration: Configuration, into line: inout PolicyLine) {
    switch configuration.rule {
    case .trailing(let quiet):
      line.add("trailing")
      line.add(quiet)
    case .window(let length):
      line.add("window")
      line.add(length)
    case .bounded(let quiet, let longest, let count):
      line.add("bounded")
      line.add(quiet)
      line.add(longest)
      line.add(count)
    }
    switch configuration.delivery {
    case .drop: line.add("drop")
    case .retry: line.add("retry")
    case .retryWithNumbers: line.add("numbers")
    }
    line.add(configuration.queueLimit)
    line.add(configuration.batchLimit)
    let retry = configuration.retry
    line.add(UInt32(retry.kind.rawValue))
    line.add(retry.firstWait)
    line.add(retry.longestWait)
    line.add(bitsOf: retry.jitter)
    line.add(retry.maximumRetries)
    line.add(retry.asksAfterwards)
  }

  public static func configuration(from fields: inout PolicyFields) -> Configuration? {
    guard let rule = rule(from: &fields), let delivery = delivery(from: &fields),
      let queueLimit = fields.count(), queueLimit >= 1, let batchLimit = fields.count(),
      batchLimit >= 1, let retry = retry(from: &fields)
    else { return nil }
    return Configuration(
      rule: rule, delivery: delivery, queueLimit: queueLimit, batchLimit: batchLimit,
      retry: retry)
  }

  private static func rule(from fields: inout PolicyFields) -> FlushRule? {
    if fields.take("trailing") {
      guard let quiet = fields.span() else { return nil }
      return .trailing(quiet: quiet)
    }
    if fields.take("window") {
      guard let length = fields.span() else { return nil }
      return .window(length)
    }
    guard fields.take("bounded"), let quiet = fields.span(), let longest = fields.span(),
      let count = fields.count()
    else { return nil }
    return .bounded(quiet: quiet, longest: longest, count: count)
  }

  private static func delivery(from fields: inout PolicyFields) -> Delivery? {
    if fields.take("drop") { return .drop }
    if fields.take("retry") { return .retry }
    return fields.take("numbers") ? .retryWithNumbers : nil
  }

  private static func retry(from fields: inout PolicyFields) -> RetryPolicy? {
    guard let raw = fields.unsigned(), raw <= 2, let kind = RetryPolicy.Kind(rawValue: UInt8(raw)),
      let first = fields.span(), first >= .zero, let longest = fields.span(), longest >= .zero,
      let jitter = fields.double(), jitter >= 0, let retries = fields.count(),
      let asks = fields.flag()
    else { return nil }
    return RetryPolicy(
      kind: kind, firstWait: first, longestWait: longest, jitter: jitter,
      maximumRetries: retries, asksAfterwards: asks)
  }

  public static func write(_ event: Event, into line: inout PolicyLine) {
    switch event {
    case .recorded(let event):
      line.add("recorded")
      event.write(into: &line)
    case .timerFired(let timer):
      line.add("timer")
      line.add(UInt32(timer.rawValue))
    case .accepted(let batch):
      line.add("accepted")
      line.add(batch)
    case .failed(let batch, let attempt):
      line.add("failed")
      line.add(batch)
      line.add(attempt)
    case .movedToBackground: line.add("background")
    case .movedToForeground: line.add("foreground")
    }
  }

  public static func event(from fields: inout PolicyFields) -> Event? {
    if fields.take("recorded") { return recorded(from: &fields) }
    if fields.take("timer") {
      guard let raw = fields.unsigned(), raw <= 1, let timer = TimerID(rawValue: UInt8(raw))
      else { return nil }
      return .timerFired(timer)
    }
    if fields.take("accepted") {
      guard let batch = fields.unsigned() else { return nil }
      return .accepted(batch: batch)
    }
    if fields.take("failed") {
      guard let batch = fields.unsigned(), let attempt = fields.count() else { return nil }
      return .failed(batch: batch, attempt: attempt)
    }
    if fields.take("background") { return .movedToBackground }
    return fields.take("foreground") ? .movedToForeground : nil
  }

  private static func recorded(from fields: inout PolicyFields) -> Event? {
    guard let raw = fields.unsigned(), raw <= UInt32(UInt8.max),
      let name = TelemetryName(rawValue: UInt8(raw)), let view = fields.unsigned(),
      let item = fields.identifier(ItemID.self), let at = fields.instant(),
      let value = fields.number(), let second = fields.number()
    else { return nil }
    return .recorded(
      TelemetryEvent(
        name: name, view: view, item: item, at: at, value: value, second: second))
  }

  public static func write(_ command: Command, into line: inout PolicyLine) {
    switch command {
    case .post(let batch, let first, let count, let number, let attempt):
      line.add("post")
      line.add(batch)
      line.add(Int64(truncatingIfNeeded: first))
      line.add(count)
      line.add(attempt)
      if let number {
        line.add("number")
        line.add(number)
      }
    case .setTimer(let timer, let at, let jitter):
      line.add("timer")
      line.add(UInt32(timer.rawValue))
      line.add(at)
      line.add(jitter)
    case .cancelTimer(let timer):
      line.add("cancel")
      line.add(UInt32(timer.rawValue))
    }
  }
}
