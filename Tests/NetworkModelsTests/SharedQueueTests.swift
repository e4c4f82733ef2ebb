import Testing

@testable import NetworkModels

/// The one queue of several connections.
@Suite struct SharedQueueTests {
  /// A byte in a hundred nanoseconds: 80 Mbit/s.
  private static let rate = 0.01

  private func withQueue(_ body: (inout SharedQueue) -> Void) {
    var queue = SharedQueue(connections: 12)
    body(&queue)
    queue.release()
  }

  @Test func `answers are served as they arrive, first flight by first flight`() {
    withQueue { queue in
      func enter(_ connection: Int, _ wire: Double, at arrival: Int64) -> Int64 {
        queue.enter(
          connection, wire: wire, window: 15_000, rate: Self.rate, at: arrival, limit: 10_000_000)
      }
      #expect(enter(0, 30_000, at: 1_000) == 0)
      // Behind 15 kB, which take 1.5 ms.
      #expect(enter(1, 800, at: 1_000) == 1_500_000)
      #expect(enter(2, 800, at: 501_000) == 1_080_000)
      // All of it is through.
      #expect(enter(3, 800, at: 2_000_000) == 0)
      // Another session finds nothing.
      queue.reset()
      #expect(enter(4, 800, at: 2_000_000) == 0)
    }
  }

  @Test func `a wait has a limit, and a link that is down none`() {
    withQueue { queue in
      for connection in 0..<4 {
        let wait = queue.enter(
          connection, wire: 100_000, window: 15_000, rate: Self.rate, at: 0, limit: 2_000_000)
        #expect(wait == min(Int64(connection) * 1_500_000, 2_000_000))
      }
      #expect(
        queue.enter(5, wire: 800, window: 15_000, rate: 0, at: 0, limit: 2_000_000) == 0)
    }
  }

  @Test func `a link may be as slow as anybody says`() {
    withQueue { queue in
      // A millionth of a bit a second: what stands before the second answer takes 10^20 ns.
      for connection in 0..<12 {
        let wait = queue.enter(
          connection, wire: 100_000, window: 15_000, rate: 1.25e-16, at: 5, limit: .max)
        #expect(wait == Int64(connection) * 1_000_000_000_000_000)
      }
    }
  }

  @Test func `what is in flight grows with what has come, up to the window and to the rest`() {
    withQueue { queue in
      _ = queue.enter(0, wire: 100_000, window: 15_000, rate: Self.rate, at: 0, limit: 0)
      #expect(queue.inFlight(0, remaining: 100_000, window: 60_000) == 15_000)
      #expect(queue.inFlight(0, remaining: 80_000, window: 60_000) == 35_000)
      #expect(queue.inFlight(0, remaining: 45_000, window: 30_000) == 30_000)
      #expect(queue.inFlight(0, remaining: 5_000, window: 60_000) == 5_000)
    }
  }
}
