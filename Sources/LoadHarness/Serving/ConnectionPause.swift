import MediaUnits
import NIOCore

extension Channel {
  /// Waits before an answer on this connection goes on.
  ///
  /// - Throws: `CancellationError` some tenth of a second after the connection is gone: nobody
  ///   would get the answer.
  func pause(_ span: TimeSpan) async throws {
    let end = ContinuousClock.now + .nanoseconds(span.nanoseconds)
    while true {
      let now = ContinuousClock.now
      if now >= end { return }
      if !isActive { throw CancellationError() }
      try await Task.sleep(until: min(end, now + .milliseconds(100)), clock: .continuous)
    }
  }
}
