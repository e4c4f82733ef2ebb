import NIOCore

/// The connections of clients that are open. All of it happens on the edge's loop.
final class EdgeClients {
  private let most: Int
  private var count = 0

  init(most: Int) { self.most = most }

  /// Counts a connection until it is closed; false when there are as many as there may be.
  func admit(_ channel: any Channel) -> Bool {
    if count >= most { return false }
    count += 1
    channel.closeFuture.assumeIsolated().whenComplete { _ in self.count -= 1 }
    return true
  }
}
