import NIOCore
import Synchronization

/// The connections of clients that are open, on whatever loops they are.
final class EdgeClients: Sendable {
  private let most: Int
  private let count = Atomic<Int>(0)

  init(most: Int) { self.most = most }

  /// Counts a connection until it is closed; false when there are as many as there may be.
  func admit(_ channel: any Channel) -> Bool {
    if count.add(1, ordering: .relaxed).newValue > most {
      count.subtract(1, ordering: .relaxed)
      return false
    }
    channel.closeFuture.whenComplete { [self] _ in count.subtract(1, ordering: .relaxed) }
    return true
  }
}
