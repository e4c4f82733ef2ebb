import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

struct `Pause stack` {
  /// Covers: X-004, SIG-033, SIG-037, REEL-024.
  @Test(arguments: PauseStack.Reason.allCases)
  func `a temporary reason pauses, and its end resumes what played`(reason: PauseStack.Reason) {
    var stack = PauseStack()
    #expect(commands(of: .itemChanged(item(1)), from: &stack) == [.play(item(1))])
    #expect(commands(of: .began(reason), from: &stack) == [.pause(item(1))])
    #expect(commands(of: .began(reason), from: &stack) == [])
    #expect(commands(of: .ended(reason), from: &stack) == [.play(item(1))])
    #expect(commands(of: .ended(reason), from: &stack) == [])
    #expect(stack.ignored == 2)
  }

  /// Covers: X-004, SIG-033, SIG-036.
  @Test(arguments: PauseStack.Reason.allCases)
  func `what the viewer had paused stays paused after it`(reason: PauseStack.Reason) {
    var stack = PauseStack()
    _ = commands(of: .itemChanged(item(1)), from: &stack)
    #expect(commands(of: .tapped, from: &stack) == [.pause(item(1))])
    #expect(commands(of: .began(reason), from: &stack) == [])
    #expect(commands(of: .ended(reason), from: &stack) == [])
    #expect(commands(of: .tapped, from: &stack) == [.play(item(1))])
  }

  ///
  @Test func `nested reasons resume when the last one ends, in any order`() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
      let reasons: [PauseStack.Reason] = [.typing, .background, .interruption]
      var stack = PauseStack()
      _ = commands(of: .itemChanged(item(0)), from: &stack)
      for reason in reasons { _ = commands(of: .began(reason), from: &stack) }
      for (step, index) in order.enumerated() {
        #expect(
          commands(of: .ended(reasons[index]), from: &stack)
            == (step == 2 ? [.play(item(0))] : []))
      }
    }
  }

  /// Covers: SIG-036.
  @Test func `a pause by the viewer sticks to the item, also when he comes back`() {
    var stack = PauseStack()
    _ = commands(of: .itemChanged(item(0)), from: &stack)
    _ = commands(of: .tapped, from: &stack)
    #expect(commands(of: .itemChanged(item(1)), from: &stack) == [.play(item(1))])
    #expect(commands(of: .itemChanged(item(0)), from: &stack) == [.pause(item(1))])
    #expect(stack.playing == nil)
    _ = commands(of: .tapped, from: &stack)
    _ = commands(of: .itemChanged(item(1)), from: &stack)
    #expect(
      commands(of: .itemChanged(item(0)), from: &stack) == [.pause(item(1)), .play(item(0))])
  }

  /// Covers: SIG-036.
  @Test func `the pauses of sixteen items are remembered, the one come back to included`() {
    var stack = PauseStack()
    for index in 0..<17 as Range<UInt32> {
      _ = commands(of: .itemChanged(item(index)), from: &stack)
      _ = commands(of: .tapped, from: &stack)
    }
    // Items 0 to 15 are remembered and item 16 is left for the oldest of them.
    #expect(commands(of: .itemChanged(item(0)), from: &stack) == [])
    #expect(stack.playing == nil && stack.item == item(0))
  }

  @Test func `reasons that do not resume wait for a tap`() {
    var stack = PauseStack(.init(resuming: PauseStack.Reasons(.scrub)))
    _ = commands(of: .itemChanged(item(0)), from: &stack)
    _ = commands(of: .began(.interruption), from: &stack)
    #expect(commands(of: .ended(.interruption), from: &stack) == [])
    #expect(commands(of: .tapped, from: &stack) == [.play(item(0))])
  }

  @Test func `a scrub ends with its item and the background does not`() {
    var stack = PauseStack()
    #expect(commands(of: .began(.scrub), from: &stack) == [])
    #expect(stack.reasons.isEmpty)
    _ = commands(of: .itemChanged(item(0)), from: &stack)
    _ = commands(of: .began(.scrub), from: &stack)
    #expect(commands(of: .itemChanged(item(1)), from: &stack) == [.play(item(1))])
    _ = commands(of: .began(.background), from: &stack)
    #expect(commands(of: .itemChanged(item(2)), from: &stack) == [])
    #expect(commands(of: .ended(.background), from: &stack) == [.play(item(2))])
  }

  /// 40 · 3000 = 120,000 steps against an account kept from the commands and the events alone.
  /// Covers: X-004, SIG-033, SIG-036, SIG-037, REEL-024.
  @Test(arguments: Array(0..<40 as Range<UInt64>))
  func `it plays only what is on the screen, wanted, and held by no reason`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var stack = PauseStack()
    var held: Set<PauseStack.Reason> = []
    var screen: ItemID?
    var paused: [ItemID] = []
    var playing: ItemID?
    for _ in 0..<3000 {
      let reason = PauseStack.Reason.allCases[generator.below(5)]
      let event: PauseStack.Event
      switch generator.below(8) {
      case 0: event = .itemChanged(item(UInt32(generator.below(6))))
      case 1...3: event = .began(reason)
      case 4...6: event = .ended(reason)
      default: event = .tapped
      }
      let before = playing
      for command in commands(of: event, from: &stack) {
        switch command {
        case .play(let item):
          #expect(playing == nil, "seed \(seed)")
          playing = item
        case .pause(let item):
          #expect(playing == item, "seed \(seed)")
          playing = nil
        }
      }
      switch event {
      case .itemChanged(let new):
        if screen != new {
          held.remove(.scrub)
          held.remove(.typing)
        }
        screen = new
      case .began(let reason):
        if screen != nil || reason != .scrub && reason != .typing { held.insert(reason) }
      case .ended(let reason): held.remove(reason)
      case .tapped:
        if let screen {
          if let index = paused.firstIndex(of: screen) {
            paused.remove(at: index)
          } else {
            paused.append(screen)
          }
        }
      }
      var expected = screen
      if !held.isEmpty { expected = nil }
      if let screen, paused.contains(screen) { expected = nil }
      #expect(playing == expected && stack.playing == expected, "seed \(seed)")
      // Beginning a reason never starts playback, and ending one never stops it.
      if case .began = event { #expect(playing == nil || playing == before, "seed \(seed)") }
      if case .ended = event { #expect(before == nil || playing == before, "seed \(seed)") }
    }
  }
}

struct `Scrub session` {
  /// Covers: SIG-033, SIG-034.
  @Test func `press, move and release are pause, overlay, lookups, seek and the end of the pause`()
  {
    var session = ScrubSession()
    #expect(
      commands(
        of: .pressed(item(7), playhead: .seconds(2), duration: .seconds(9)), from: &session)
        == [.beginPause(item(7)), .showOverlay(item(7)), .lookup(position: .seconds(2))])
    #expect(
      commands(of: .moved(.seconds(4)), at: 10, from: &session) == [
        .setTimer(at: Instant(nanoseconds: 125_000_000))
      ])
    #expect(commands(of: .moved(.seconds(40)), at: 20, from: &session) == [])
    #expect(
      commands(of: .timerFired, at: 125, from: &session) == [.lookup(position: .seconds(9))])
    #expect(
      commands(of: .released, at: 130, from: &session) == [
        .hideOverlay(item(7)), .seek(item(7), to: .seconds(9)), .endPause(item(7)),
      ])
    #expect(commands(of: .released, at: 131, from: &session) == [])
    #expect(session.ignored == 1)
  }

  @Test func `a press without a move, and a gesture that is taken away, do not seek`() {
    for isCancelled in [false, true] {
      var session = ScrubSession()
      _ = commands(
        of: .pressed(item(0), playhead: .zero, duration: .seconds(9)), from: &session)
      if isCancelled { _ = commands(of: .moved(.seconds(3)), at: 5, from: &session) }
      let last = commands(of: isCancelled ? .cancelled : .released, at: 9, from: &session)
      #expect(last.suffix(2) == [.hideOverlay(item(0)), .endPause(item(0))])
      #expect(session.seeks == 0)
    }
  }

  /// 40 · 2500 = 100,000 steps. Covers: SIG-033, X-004.
  @Test(arguments: Array(0..<40 as Range<UInt64>))
  func `with the pause stack a scrub leaves playback as it found it`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var session = ScrubSession()
    var stack = PauseStack()
    _ = commands(of: .itemChanged(item(0)), from: &stack)
    var wasPlaying: Bool?
    var isDisturbed = false
    var now = Int64(0)
    for _ in 0..<2500 {
      now += Int64(generator.below(60))
      let event: ScrubSession.Event
      switch generator.below(8) {
      case 0:
        event = .pressed(
          item(0), playhead: .seconds(1), duration: .seconds(Int64(generator.below(20)) - 1))
      case 1...3: event = .moved(.milliseconds(Int64(generator.below(30_000)) - 5000))
      case 4: event = .released
      case 5: event = generator.once(in: 3) ? .cancelled : .released
      default: event = .timerFired
      }
      if generator.once(in: 9) {
        _ = commands(of: generator.once(in: 2) ? .tapped : .began(.background), from: &stack)
        isDisturbed = true
      } else if generator.once(in: 5) {
        _ = commands(of: .ended(.background), from: &stack)
        isDisturbed = true
      }
      for command in commands(of: event, at: now, from: &session) {
        switch command {
        case .beginPause:
          wasPlaying = stack.playing != nil
          isDisturbed = false
          _ = commands(of: .began(.scrub), from: &stack)
          #expect(stack.playing == nil)
        case .endPause:
          _ = commands(of: .ended(.scrub), from: &stack)
          if !isDisturbed { #expect((stack.playing != nil) == wasPlaying, "seed \(seed)") }
          wasPlaying = nil
        case .seek(_, let position):
          #expect(position >= .zero && position <= .seconds(18), "seed \(seed)")
        default: break
        }
      }
      #expect((session.item != nil) == stack.reasons.contains(.init(.scrub)), "seed \(seed)")
    }
    #expect(session.sessions > 50 && session.ignored > 50)
  }
}
