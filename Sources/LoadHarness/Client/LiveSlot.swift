import MediaUnits
import NIOCore

/// One of a player's numbered connections to a target: the place, whether or not something is
/// connected there. Confined to its event loop.
final class LiveSlot {
  let player: UInt32
  let target: Int
  let number: UInt16
  let loop: LiveLoop
  /// Requests that wait to be sent, oldest first.
  var queue = CircularBuffer<LiveExchange>(initialCapacity: 2)
  /// The connection that takes new requests.
  var link: LiveLink?

  init(player: UInt32, target: Int, number: UInt16, loop: LiveLoop) {
    self.player = player
    self.target = target
    self.number = number
    self.loop = loop
  }

  /// Sends what can be sent, and opens a connection if there is none.
  func pump() {
    while let next = queue.first {
      guard let link else {
        open(for: next)
        return
      }
      switch link.phase {
      case .opening: return
      case .closed: self.link = nil
      case .ready:
        let now = loop.clock.now
        if link.isIdle && !link.isFresh && now - link.lastActive > loop.configuration.idleTime {
          self.link = nil
          link.close()
          continue
        }
        if !link.canTake {
          if link.isExhausted {
            self.link = nil
            continue
          }
          return
        }
        queue.removeFirst()
        link.send(next, at: now)
      }
    }
  }

  private func open(for exchange: LiveExchange) {
    let link = LiveLink(slot: self)
    self.link = link
    link.open(from: exchange.request.sourceAddress, timeout: exchange.request.timeouts.connect)
    for waiting in queue { loop.arm(waiting) }
  }

  /// The link could not be opened: everything that waits for it fails the same way.
  func openingFailed(_ failure: LiveFailure) {
    let waiting = queue
    queue.removeAll()
    for exchange in waiting { loop.fail(exchange, failure) }
  }

  /// Takes a request out of the queue.
  func remove(_ exchange: LiveExchange) {
    queue.removeAll { $0 === exchange }
  }
}
