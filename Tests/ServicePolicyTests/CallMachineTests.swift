import MediaUnits
import PolicyTesting
import ServicePolicy
import Testing

@Suite struct CallMachineTests {
  private static let patient = CallMachine.Configuration(
    timeout: .milliseconds(100), retries: 2,
    backoff: Backoff(firstWait: .milliseconds(10), longestWait: .milliseconds(15), jitter: 0.5))

  @Test func `an answer ends the call`() {
    var call = CallMachine(Self.patient)
    #expect(
      call.tell(.started) == [
        .send(attempt: 0), .setTimer(.timeout(attempt: 0), at: at(100), jitter: .zero),
      ])
    #expect(call.tell(.answered(attempt: 0), at: at(30)) == [.succeed(attempt: 0)])
    #expect(call.tell(.answered(attempt: 0), at: at(31)) == [])
    #expect(call.tell(.timerFired(.timeout(attempt: 0)), at: at(100)) == [])
    #expect(call.ignored == 2 && call.isOver)
  }

  @Test func `attempts follow after waits that double, and then it gives up`() {
    var call = CallMachine(Self.patient)
    _ = call.tell(.started)
    #expect(
      call.tell(.failed(attempt: 0), at: at(20)) == [
        .setTimer(.retry(attempt: 1), at: at(30), jitter: .milliseconds(5))
      ])
    #expect(call.tell(.timerFired(.retry(attempt: 1)), at: at(32)).first == .send(attempt: 1))
    #expect(
      call.tell(.timerFired(.timeout(attempt: 1)), at: at(132)) == [
        .cancel(attempt: 1),
        .setTimer(.retry(attempt: 2), at: at(147), jitter: .microseconds(7_500)),
      ])
    #expect(call.tell(.timerFired(.retry(attempt: 2)), at: at(150)).first == .send(attempt: 2))
    #expect(call.tell(.failed(attempt: 2), at: at(160)) == [.giveUp])
  }

  @Test func `a hedge follows once; the first answer counts and the other is cancelled`() {
    var call = CallMachine(
      CallMachine.Configuration(timeout: .milliseconds(100), hedgeAfter: .milliseconds(20)))
    #expect(
      call.tell(.started).last
        == .setTimer(.hedge(attempt: 0), at: at(20), jitter: .zero))
    #expect(
      call.tell(.timerFired(.hedge(attempt: 0)), at: at(20)) == [
        .send(attempt: 1), .setTimer(.timeout(attempt: 1), at: at(120), jitter: .zero),
      ])
    #expect(
      call.tell(.answered(attempt: 1), at: at(25)) == [.cancel(attempt: 0), .succeed(attempt: 1)])
    #expect(call.tell(.answered(attempt: 0), at: at(26)) == [])
  }

  @Test func `a call whose hedge fails waits for the other attempt`() {
    var call = CallMachine(CallMachine.Configuration(hedgeAfter: .milliseconds(20)))
    _ = call.tell(.started)
    _ = call.tell(.timerFired(.hedge(attempt: 0)), at: at(20))
    #expect(call.tell(.failed(attempt: 1), at: at(21)) == [])
    #expect(call.tell(.answered(attempt: 0), at: at(22)) == [.succeed(attempt: 0)])
  }

  @Test func `an answer that comes after its time-out still counts`() {
    var call = CallMachine(Self.patient)
    _ = call.tell(.started)
    _ = call.tell(.timerFired(.timeout(attempt: 0)), at: at(100))
    #expect(call.tell(.answered(attempt: 0), at: at(105)) == [.succeed(attempt: 0)])
    #expect(call.tell(.timerFired(.retry(attempt: 1)), at: at(110)) == [])
  }

  @Test func `a call ends once and sends what it may, whatever comes when`() {
    var steps = 0
    for seed in 0..<2_000 as Range<UInt64> {
      var random = SeededGenerator(seed)
      let configuration = CallMachine.Configuration(
        timeout: .milliseconds(50), retries: random.below(4), backoff: Backoff(),
        hedgeAfter: random.below(2) == 0 ? nil : .milliseconds(10), hedges: random.below(3))
      var call = CallMachine(configuration)
      var ends = 0
      var sends = 0
      var time: Int64 = 0
      for _ in 0..<60 {
        steps += 1
        time += Int64(random.below(30))
        let attempt = UInt8(random.below(7))
        let event: CallMachine.Event
        switch random.below(8) {
        case 0: event = .started
        case 1: event = .answered(attempt: random.below(3) == 0 ? attempt : 200)
        case 2: event = .failed(attempt: attempt)
        case 3: event = .timerFired(.timeout(attempt: attempt))
        case 4, 5: event = .timerFired(.hedge(attempt: attempt))
        case 6: event = .timerFired(.retry(attempt: attempt))
        default: event = random.below(20) == 0 ? .abandoned : .failed(attempt: attempt)
        }
        let wasOver = call.isOver
        for command in call.tell(event, at: at(time)) {
          #expect(!wasOver, "nothing follows the end")
          switch command {
          case .send: sends += 1
          case .succeed, .giveUp: ends += 1
          case .setTimer(_, let at, _): #expect(at >= .zero + .milliseconds(time))
          case .cancel: break
          }
        }
        #expect(ends <= 1 && sends == call.attempts)
        #expect(sends <= 1 + configuration.retries + configuration.hedges)
      }
    }
    #expect(steps >= 100_000)
  }
}

@Suite struct CircuitBreakerTests {
  private static let quick = CircuitBreaker.Configuration(
    window: 4, failures: 3, openFor: .seconds(1), probes: 2)

  @Test func `it opens at the failures it takes, probes after its time and closes again`() {
    var breaker = CircuitBreaker(Self.quick)
    for call in 1...4 as ClosedRange<UInt64> {
      #expect(breaker.tell(.asked(call: call)) == [.admit(call: call)])
    }
    _ = breaker.tell(.failed(call: 1))
    _ = breaker.tell(.succeeded(call: 2))
    _ = breaker.tell(.failed(call: 3))
    #expect(breaker.isClosed)
    _ = breaker.tell(.failed(call: 4))
    #expect(!breaker.isClosed && breaker.openings == 1)
    #expect(breaker.tell(.asked(call: 5), at: at(999)) == [.refuse(call: 5)])
    #expect(breaker.tell(.asked(call: 6), at: at(1_000)) == [.admit(call: 6)])
    #expect(breaker.tell(.asked(call: 7), at: at(1_001)) == [.admit(call: 7)])
    #expect(breaker.tell(.asked(call: 8), at: at(1_002)) == [.refuse(call: 8)])
    _ = breaker.tell(.succeeded(call: 6), at: at(1_010))
    #expect(!breaker.isClosed, "a probe is out")
    _ = breaker.tell(.succeeded(call: 7), at: at(1_011))
    #expect(breaker.isClosed)
  }

  @Test func `a probe that fails opens it again; answers from before do not matter`() {
    var breaker = CircuitBreaker(Self.quick)
    for call in 1...4 as ClosedRange<UInt64> { _ = breaker.tell(.asked(call: call)) }
    for call in 1...3 as ClosedRange<UInt64> { _ = breaker.tell(.failed(call: call)) }
    _ = breaker.tell(.asked(call: 9), at: at(1_500))
    _ = breaker.tell(.succeeded(call: 4), at: at(1_501))
    #expect(breaker.ignored == 1)
    _ = breaker.tell(.failed(call: 9), at: at(1_502))
    #expect(breaker.openings == 2)
    #expect(breaker.tell(.asked(call: 10), at: at(2_501)) == [.refuse(call: 10)])
    #expect(breaker.tell(.asked(call: 11), at: at(2_502)) == [.admit(call: 11)])
  }

  @Test func `failures that have left the window do not count`() {
    var breaker = CircuitBreaker(Self.quick)
    for call in 1...12 as ClosedRange<UInt64> {
      _ = breaker.tell(.asked(call: call))
      // Two failures of every four calls in a row, never three.
      _ = breaker.tell(call % 2 == 0 ? .failed(call: call) : .succeeded(call: call))
    }
    #expect(breaker.isClosed && breaker.openings == 0)
    _ = breaker.tell(.failed(call: 12))
    #expect(breaker.openings == 1)
  }

  @Test func `every call gets one word, and no more probes than it says pass`() {
    var steps = 0
    for seed in 0..<500 as Range<UInt64> {
      var random = SeededGenerator(seed)
      let configuration = CircuitBreaker.Configuration(
        window: 1 + random.below(20), failures: 1, openFor: .milliseconds(50), probes: 3)
      var breaker = CircuitBreaker(configuration)
      var admitted = 0
      var time: Int64 = 0
      for call in 1...250 as ClosedRange<UInt64> {
        steps += 1
        time += Int64(random.below(20))
        switch random.below(4) {
        case 0: _ = breaker.tell(.failed(call: UInt64(random.below(Int(call)))), at: at(time))
        case 1: _ = breaker.tell(.succeeded(call: UInt64(random.below(Int(call)))), at: at(time))
        default:
          let commands = breaker.tell(.asked(call: call), at: at(time))
          #expect(commands == [.admit(call: call)] || commands == [.refuse(call: call)])
          if commands == [.admit(call: call)] { admitted += 1 }
        }
      }
      #expect(admitted == breaker.admitted)
    }
    #expect(steps >= 100_000)
  }
}
