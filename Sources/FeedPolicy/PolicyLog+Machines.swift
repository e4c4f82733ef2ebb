/// The machines that have logs.
extension PolicyLog {
  /// Their names in logs.
  public static var machines: [StaticString] {
    [
      PlayerPool.logName, PrefetchPolicy.logName, ReadinessGate.logName, TelemetryBatcher.logName,
      CursorPager.logName, ScrubSession.logName, PauseStack.logName, DraftStore.logName,
      ViewLog.logName,
    ]
  }

  /// Plays a log through the machine that it names.
  ///
  /// - Returns: the outcome; nil when the log names no machine that has logs.
  public static func replay(_ bytes: [UInt8]) -> Outcome? {
    if names(bytes, PlayerPool.self) { return replay(bytes, as: PlayerPool.self) }
    if names(bytes, PrefetchPolicy.self) { return replay(bytes, as: PrefetchPolicy.self) }
    if names(bytes, ReadinessGate.self) { return replay(bytes, as: ReadinessGate.self) }
    if names(bytes, TelemetryBatcher.self) { return replay(bytes, as: TelemetryBatcher.self) }
    if names(bytes, CursorPager.self) { return replay(bytes, as: CursorPager.self) }
    if names(bytes, ScrubSession.self) { return replay(bytes, as: ScrubSession.self) }
    if names(bytes, PauseStack.self) { return replay(bytes, as: PauseStack.self) }
    if names(bytes, DraftStore.self) { return replay(bytes, as: DraftStore.self) }
    if names(bytes, ViewLog.self) { return replay(bytes, as: ViewLog.self) }
    return nil
  }

  private static func names<Machine: LoggedMachine>(
    _ bytes: [UInt8], _ type: Machine.Type
  ) -> Bool {
    var lines = PolicyLogLines(bytes)
    guard lines.next() != nil, var fields = lines.next() else { return false }
    return fields.take("machine") && fields.take(Machine.logName) && fields.isAtEnd
  }
}
