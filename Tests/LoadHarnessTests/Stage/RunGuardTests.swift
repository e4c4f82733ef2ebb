import Foundation
import Glibc
import MediaUnits
import Synchronization
import Testing

@testable import LoadHarness

/// The guard outside of everything that a run is made of.
struct `A guard over a run` {
  private final class Heard: Sendable {
    let reasons = Mutex<[RunGuard.Reason]>([])
    let asked = Atomic<Int>(0)
    let signal = Atomic<Int32>(0)

    func guarding(grace: TimeSpan) -> RunGuard {
      RunGuard(
        grace: grace,
        received: {
          let number = self.signal.load(ordering: .relaxed)
          return number == 0 ? nil : number
        }, ask: { self.asked.wrappingAdd(1, ordering: .relaxed) },
        end: { reason in self.reasons.withLock { $0.append(reason) } })
    }

    /// Waits for a reason, at most five seconds.
    func reason() -> RunGuard.Reason? {
      for _ in 0..<500 {
        if let reason = reasons.withLock({ $0.first }) { return reason }
        usleep(10_000)
      }
      return nil
    }
  }

  @Test func `ends what is not over some time after its time`() {
    let heard = Heard()
    let watch = heard.guarding(grace: .milliseconds(200))
    usleep(300_000)
    #expect(heard.reasons.withLock { $0.isEmpty }, "without a time there is none to be late for")
    let begin = ContinuousClock.now
    watch.expectEnd(in: .milliseconds(300))
    #expect(heard.reason() == .overdue(by: .milliseconds(200)))
    #expect(ContinuousClock.now - begin >= .milliseconds(500))
    #expect(heard.asked.load(ordering: .relaxed) == 0)
  }

  @Test func `asks once after a signal, and ends what does not hear`() {
    let heard = Heard()
    let watch = heard.guarding(grace: .milliseconds(300))
    watch.expectEnd(in: .hours(24))
    heard.signal.store(SIGHUP, ordering: .relaxed)
    #expect(heard.reason() == .unheard(signal: SIGHUP, for: .milliseconds(300)))
    #expect(heard.asked.load(ordering: .relaxed) == 1)
  }

  @Test func `leaves alone what is over in time`() {
    let heard = Heard()
    let watch = heard.guarding(grace: .milliseconds(100))
    watch.expectEnd(in: .milliseconds(200))
    watch.expectEnd(in: nil)
    heard.signal.store(SIGTERM, ordering: .relaxed)
    usleep(50_000)
    watch.close()
    usleep(500_000)
    #expect(heard.reasons.withLock { $0.isEmpty })
    #expect(heard.asked.load(ordering: .relaxed) == 1)
  }

  @Test func `a run that hears nothing is ended with what it has started`() async {
    let result = await #expect(
      processExitsWith: .exitCode(13), observing: [\.standardOutputContent]
    ) {
      Teardown.ofProcess.add { FileHandle.standardOutput.write(Data("taken away".utf8)) }
      let watch = RunGuard(grace: .milliseconds(100)) { _ in ForcedEnd.leave(13) }
      watch.expectEnd(in: .milliseconds(100))
      while true { sleep(1) }
    }
    let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(said.contains("taken away"))
  }
}
