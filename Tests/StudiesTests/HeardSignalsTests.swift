import Glibc
import Studies
import Synchronization
import Testing

/// Signals that come as soon as somebody listens.
@Suite struct HeardSignalsTests {
  private final class Count: Sendable {
    let value = Atomic<Int32>(0)
  }

  /// A signal that nobody hears does nothing to this process.
  @Test func `none is lost, however early it comes`() {
    for round in 0..<40 {
      let count = Count()
      let signals = HeardSignals([SIGWINCH]) { number in
        count.value.store(number, ordering: .relaxed)
      }
      kill(getpid(), SIGWINCH)
      for _ in 0..<500 where count.value.load(ordering: .relaxed) == 0 { usleep(10_000) }
      #expect(count.value.load(ordering: .relaxed) == SIGWINCH, "round \(round)")
      signals.close()
    }
  }
}
