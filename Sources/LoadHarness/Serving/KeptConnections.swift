import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Sees to it that every connection that a server has accepted is taken up, also one that the
/// server itself drops.
///
/// SwiftNIO traps when the asynchronous form of a connection goes away and nobody has taken it up.
/// A listener that closes drops those that are still being prepared, and a task that is cancelled
/// those that wait for it: of a server, the next connections; of a connection over HTTP/2, its next
/// streams. So a connection that is dropped is closed and then taken up after all, which ends it in
/// order, and what takes one up is never cancelled: the connection is closed in place of that, by
/// which it ends by itself.
struct KeptConnections<Inner: ServerChildChannel>: ServerChildChannel {
  private let inner: Inner

  init(_ inner: Inner) { self.inner = inner }

  /// A connection that was accepted.
  final class Value: ServerChildChannelValue {
    private let inner: Inner.Value
    private let take: @Sendable (Inner.Value) async -> Void
    private let isTaken = Atomic<Bool>(false)

    fileprivate init(
      _ inner: Inner.Value, _ take: @escaping @Sendable (Inner.Value) async -> Void
    ) {
      self.inner = inner
      self.take = take
    }

    var channel: any Channel { inner.channel }

    /// Takes it up; returns at its end.
    fileprivate func takeUp() async {
      isTaken.store(true, ordering: .relaxed)
      let (inner, take) = (inner, take)
      await withTaskCancellationHandler {
        await Task { await take(inner) }.value
      } onCancel: {
        inner.channel.close(promise: nil)
      }
    }

    deinit {
      if isTaken.load(ordering: .relaxed) { return }
      let (inner, take) = (inner, take)
      Task {
        inner.channel.close(promise: nil)
        await take(inner)
      }
    }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let inner = inner
    return inner.setup(channel: channel, logger: logger).map { value in
      Value(value) { await inner.handle(value: $0, logger: logger) }
    }
  }

  func handle(value: Value, logger: Logger) async { await value.takeUp() }
}
