/// The machines that have logs.
extension PolicyLog {
  /// Plays a log through the machine that it names.
  ///
  /// - Returns: the outcome; nil when the log names no machine that has logs.
  public static func replay(_ bytes: [UInt8]) -> Outcome? {
    if names(bytes, PlayerPool.self) { return replay(bytes, as: PlayerPool.self) }
    if names(bytes, PrefetchPolicy.self) { return replay(bytes, as: PrefetchPolicy.self) }
    if names(bytes, ReadinessGate.self) { return replay(bytes, as: ReadinessGate.self) }
    if names(bytes, TelemetryBatcher.self) { return replay(bytes, as: TelemetryBatcher.self) }
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
