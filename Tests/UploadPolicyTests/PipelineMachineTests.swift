import MediaUnits
import PolicyTesting
import Testing
import UploadPolicy

@Suite struct PipelineMachineTests {
  private static let facts = MediaFacts(duration: .seconds(20), bytes: .megabytes(15))

  private static func starts(_ commands: [PipelineMachine.Command]) -> [PipelineMachine.Stage] {
    commands.compactMap { if case .start(let stage, _) = $0 { stage } else { nil } }
  }

  @Test func `SIG-055: inspect, moderate, transcode, storyboard, publish`() {
    var run = PipelineMachine()
    #expect(Self.starts(run.tell(.started)) == [.inspect])
    #expect(Self.starts(run.tell(.inspected(Self.facts))) == [.moderate])
    #expect(Self.starts(run.tell(.moderated(isFlagged: false))) == [.transcode])
    #expect(Self.starts(run.tell(.done(.transcode))) == [.storyboard])
    let publish = run.tell(.done(.storyboard))
    #expect(Self.starts(publish) == [.publish] && publish.last == .write(.manifest))
    #expect(run.tell(.written(.manifest)) == [.write(.row)])
    #expect(run.tell(.written(.row)) == [.write(.warm)])
    #expect(run.tell(.written(.warm)) == [.published])
    #expect(run.state == .published)
  }

  /// Covers: SIG-018.
  @Test func `nothing is published without a storyboard`() {
    var run = PipelineMachine()
    for event in [
      .started, .inspected(Self.facts), .moderated(isFlagged: false), .done(.transcode),
      .written(.manifest), .written(.row), .written(.warm),
    ] as [PipelineMachine.Event] {
      _ = run.tell(event)
    }
    #expect(run.state == .storyboarding && run.attempts(of: .storyboard) == 1)
  }

  /// Covers: SIG-053, SIG-054.
  @Test(
    arguments: [
      (MediaFacts(duration: .seconds(20), bytes: .zero, isSupported: false), .codecUnsupported),
      (MediaFacts(duration: .seconds(181), bytes: .zero), .tooLong),
      (MediaFacts(duration: .seconds(180), bytes: ByteCount(500_000_001)), .tooLarge),
    ] as [(MediaFacts, RejectionCode)])
  func `a file that breaks a rule is rejected before anything is transcoded`(
    facts: MediaFacts, code: RejectionCode
  ) {
    for isParallel in [false, true] {
      var run = PipelineMachine(PipelineMachine.Configuration(isParallel: isParallel))
      _ = run.tell(.started)
      #expect(run.tell(.inspected(facts)) == [.reject(code)])
      #expect(run.attempts(of: .transcode) == 0 && run.isOver)
    }
  }

  /// Covers: SIG-053, SIG-055.
  @Test func `a flagged file is transcoded for nothing only where both run side by side`() {
    for isParallel in [false, true] {
      var run = PipelineMachine(PipelineMachine.Configuration(isParallel: isParallel))
      _ = run.tell(.started)
      _ = run.tell(.inspected(Self.facts))
      _ = run.tell(.done(.transcode))
      #expect(run.tell(.moderated(isFlagged: true)) == [.reject(.flagged)])
      #expect(run.isWasted == isParallel && run.attempts(of: .transcode) == (isParallel ? 1 : 0))
    }
  }

  /// Covers: SIG-053, SIG-073.
  @Test func `a transcode that keeps failing is E_TRANSCODE_FAILED`() {
    var run = PipelineMachine()
    _ = run.tell(.started)
    _ = run.tell(.inspected(Self.facts))
    _ = run.tell(.moderated(isFlagged: false))
    for attempt in 1...2 as ClosedRange<UInt8> {
      _ = run.tell(.failed(.transcode, attempt: attempt))
      #expect(
        Self.starts(run.tell(.timerFired(.retry(.transcode, attempt: attempt)))) == [.transcode])
    }
    #expect(run.tell(.failed(.transcode, attempt: 3)) == [.reject(.transcodeFailed)])
    #expect(RejectionCode.transcodeFailed.text.description == "E_TRANSCODE_FAILED")
  }

  @Test func `a transcode that ends after its time-out counts, and is not started again`() {
    var run = PipelineMachine()
    _ = run.tell(.started)
    _ = run.tell(.inspected(Self.facts))
    _ = run.tell(.moderated(isFlagged: false))
    _ = run.tell(.timerFired(.timeout(.transcode, attempt: 1)))
    #expect(Self.starts(run.tell(.done(.transcode))) == [.storyboard])
    #expect(run.tell(.timerFired(.retry(.transcode, attempt: 1))) == [])
  }

  @Test func `SIG-019: every write is made once, in its order`() {
    #expect(PublishOrder.all.count == 6)
    #expect(PublishOrder.all.filter(\.isSafe).count == 2)
    for order in PublishOrder.all + [.concurrent] {
      var run = PipelineMachine(PipelineMachine.Configuration(order: order))
      _ = run.tell(.started)
      _ = run.tell(.inspected(Self.facts))
      _ = run.tell(.moderated(isFlagged: false))
      _ = run.tell(.done(.transcode))
      var commands = run.tell(.done(.storyboard))
      var writes: [PublishWrite] = []
      while !run.isOver {
        let new = commands.compactMap { command -> PublishWrite? in
          if case .write(let write) = command { write } else { nil }
        }
        writes += new
        commands = []
        for write in new { commands += run.tell(.written(write)) }
        if new.isEmpty { break }
      }
      #expect(writes == [order.first, order.second, order.third])
      #expect(commands == [.published])
    }
  }

  @Test func `a write that is heard of twice is followed once`() {
    var run = PipelineMachine()
    for event in [
      .started, .inspected(Self.facts), .moderated(isFlagged: false), .done(.transcode),
      .done(.storyboard),
    ] as [PipelineMachine.Event] {
      _ = run.tell(event)
    }
    #expect(run.tell(.written(.manifest)) == [.write(.row)])
    #expect(run.tell(.written(.manifest)) == [] && run.ignored == 1)
  }

  @Test func `an execution ends once and publishes what passed every stage, whatever comes when`() {
    var steps = 0
    for seed in 0..<2_000 as Range<UInt64> {
      var random = SeededGenerator(seed)
      let configuration = PipelineMachine.Configuration(
        isParallel: random.below(2) == 0, order: PublishOrder.all[random.below(6)])
      var run = PipelineMachine(configuration)
      var ends = 0
      var seen = Set<PipelineMachine.Stage>()
      var moderated = false
      for _ in 0..<80 {
        steps += 1
        let stage = PipelineMachine.Stage(rawValue: UInt8(random.below(5)))!
        let attempt = UInt8(random.below(4))
        let event: PipelineMachine.Event
        switch random.below(10) {
        case 0: event = .started
        case 1: event = .inspected(Self.facts)
        case 2: event = .moderated(isFlagged: random.below(40) == 0)
        case 3, 4: event = .done(stage)
        case 5: event = .failed(stage, attempt: attempt)
        case 6: event = .timerFired(.timeout(stage, attempt: attempt))
        case 7: event = .timerFired(.retry(stage, attempt: attempt))
        default: event = .written(PublishWrite(rawValue: UInt8(random.below(3)))!)
        }
        let before = run.state
        if case .moderated(false) = event,
          before == .moderating || before == .both || before == .awaitingModeration
        {
          moderated = true
        }
        for command in run.tell(event, at: at(Int64(steps))) {
          switch command {
          case .start(let stage, _): seen.insert(stage)
          case .published, .reject, .fail: ends += 1
          case .write: #expect(moderated && seen.contains(.storyboard))
          case .setTimer: break
          }
        }
        #expect(ends == (run.isOver ? 1 : 0))
        for stage in PipelineMachine.Stage.allCases {
          #expect(run.attempts(of: stage) <= configuration.retries + 1)
        }
      }
    }
    #expect(steps >= 100_000)
  }
}
