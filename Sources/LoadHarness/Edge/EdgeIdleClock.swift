import NIOCore

/// Closes a connection of a client that has carried no byte for some time; who sees its bytes says
/// so.
final class EdgeIdleClock {
  private let idle: TimeAmount
  private var lastAt = NIODeadline.now()
  /// Bytes that waited for the client when the clock was looked at last.
  private var waiting = 0
  private var timer: Scheduled<Void>?

  init(idle: TimeAmount) { self.idle = idle }

  /// Bytes came, or were given to the system.
  func moved(at time: NIODeadline) { lastAt = time }

  func end() { timer?.cancel() }

  /// Begins; also looks again.
  func watch(_ channel: any Channel) {
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    timer = channel.eventLoop.scheduleTask(deadline: lastAt + idle) {
      let clock = bound.value
      // A whole answer may have been given to the system at once: what is left of it tells whether
      // the client takes any.
      let left = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if left > 0 && left != clock.waiting { clock.lastAt = .now() }
      clock.waiting = left
      if clock.lastAt + clock.idle <= .now() {
        channel.close(promise: nil)
      } else {
        clock.watch(channel)
      }
    }
  }
}
