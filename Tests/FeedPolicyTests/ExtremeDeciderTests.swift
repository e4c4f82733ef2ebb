import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

/// The same for prefetches, and any number for what decides without a state.
struct `Extreme inputs of the deciders` {
  /// Covers: VF-023, VF-024. 9 · 12,000 steps.
  @Test(arguments: PrefetchFamily.allCases)
  func `no family loses count of its fetches`(family: PrefetchFamily) {
    var generator = SeededGenerator(UInt64(family.rawValue) + 70)
    for round in 0..<6 as Range<UInt64> {
      var policy = PrefetchPolicy(
        .init(
          family: family, headLength: round % 3 == 2 ? .max : .seconds(6),
          itemsAhead: [3, 0, 5][Int(round) % 3], previousThreshold: round % 2 == 0 ? 1 : -1,
          concurrency: [2, 1, 9][Int(round) % 3],
          segmentLength: round == 4 ? .milliseconds(100) : .seconds(2),
          cover: round == 5 ? .infinity : nil, suspendsOnStall: round % 2 == 0))
      var active: Set<ItemID> = []
      var now = Instant.zero
      for _ in 0..<2_000 {
        now = generator.extremeInstant(after: now)
        let event = prefetchEvent(&generator)
        var list: [PrefetchPolicy.Command] = []
        policy.handle(event, at: now, into: &list)
        for command in list {
          switch command {
          case .start(let item, let length, _):
            #expect(length > .zero, "\(family)")
            active.insert(item)
          case .warm(let item, _, _): active.insert(item)
          case .cancel(let item), .suspend(let item):
            #expect(active.remove(item) != nil, "\(family)")
          case .limitBuffer(let limit): #expect((limit ?? .max) > .zero, "\(family)")
          }
        }
        active = active.filter { policy.isActive($0) }
        #expect(active.count == policy.active, "\(family)")
        #expect(policy.active <= policy.configuration.concurrency, "\(family)")
        if policy.waiting != nil { #expect(policy.active == policy.configuration.concurrency) }
        if !policy.isOnline { #expect(policy.active == 0, "\(family)") }
      }
    }
  }

  private func prefetchEvent(_ generator: inout SeededGenerator) -> PrefetchPolicy.Event {
    let item = generator.extremeItem()
    switch generator.below(14) {
    case 0, 1: return .feedMoved(current: item, last: generator.extremeItem())
    case 2: return .feedExtended(last: generator.extremeItem())
    case 3, 4:
      return .bufferChanged(ahead: generator.extremeSpan(), isComplete: generator.once(in: 3))
    case 5:
      return .throughputChanged(
        BitRate(bitsPerSecond: max(0, generator.extreme())),
        bitrate: BitRate(bitsPerSecond: max(0, generator.extreme())))
    case 6: return .itemFailed(item)
    case 7: return .withdrawn(item)
    case 8: return .durationKnown(item, generator.extremeSpan())
    case 9: return .positionChanged(generator.extremeSpan())
    case 10: return .connectivityChanged(isOnline: !generator.once(in: 4))
    case 11:
      return generator.once(in: 2)
        ? .stallChanged(isStalled: generator.once(in: 3)) : .hostHeld(generator.once(in: 3))
    case 12: return .stageReached(item, PrefetchStage.allCases[generator.below(5)])
    default: return .targetReached(item, generator.extremeSpan())
    }
  }

  /// Covers: REEL-014, REEL-021, X-003, VF-043, SIG-071.
  @Test func `deciders answer any number within their bounds`() {
    var generator = SeededGenerator(5)
    for _ in 0..<100_000 {
      let span = generator.extremeSpan()
      let policy = RetryPolicy(firstWait: max(.zero, span), longestWait: .max)
      #expect(policy.wait(failures: Int(generator.extreme())) >= policy.firstWait)

      let end: PlaybackEnd = generator.once(in: 2) ? .loop : .preview(generator.extremeSpan())
      let seen = end.completion(of: generator.extremeSpan(), played: generator.extremeSpan())
      #expect(seen.share >= 0 && seen.share <= 1 && seen.passes >= 0)
      #expect(end.playable(of: span, within: generator.extremeSpan()) >= .zero)

      let proximity = ProximityPolicy(
        .init(
          nearDistance: generator.extremeItem().index,
          adaptation: .throughput(
            from: generator.extremeDouble(), full: generator.extremeDouble())))
      let rate = BitRate(bitsPerSecond: max(0, generator.extreme()))
      let near = proximity.setting(for: .near, throughput: rate, bitrate: .kilobits(600))
      let far = proximity.setting(for: .far, throughput: rate, bitrate: .kilobits(600))
      #expect(far.forwardBuffer <= near.forwardBuffer && far.forwardBuffer >= .zero)

      let share = Double(generator.below(5)) / 4
      let mixer = ExplorationMixer(
        .init(share: share, least: min(share, 0.1), largest: max(share, 0.2)))
      let size = Int(generator.extreme())
      let count = mixer.count(pageSize: size, page: generator.extremeItem().index)
      #expect(count.items >= 0 && count.items <= max(0, size))
    }
  }

  /// Covers: SIG-035, VF-002.
  @Test func `laws, shares and estimates stay within their ranges`() {
    var generator = SeededGenerator(6)
    let laws: [DecelerationLaw] = [.uikitNormal, .uikitFast, .android]
    let small = FeedGeometry(screenWidth: 390, screenHeight: 844)
    for round in 0..<100_000 {
      let law = laws[round % 3]
      let velocity = generator.extremeDouble() * 4_000
      #expect(law.duration(from: velocity) >= .zero)
      let time = max(.zero, generator.extremeSpan())
      if abs(velocity) < 1e6 {
        #expect(abs(law.position(at: time, from: velocity)) <= abs(law.travel(from: velocity)))
      }
      let offset = generator.extremeDouble()
      for share in [
        FeedGeometry.along(offset: offset, extent: generator.extremeDouble()),
        small.across(place: generator.extremeItem().index, offset: offset * 400),
      ] { #expect(share >= 0 && share <= 1) }

      var estimator = EWMAEstimator(
        .init(
          fast: .nanoseconds(1 + abs(generator.extreme() / 2)),
          slow: .nanoseconds(1 + abs(generator.extreme() / 2)), minimumTime: .zero),
        initial: .kilobits(500))
      for _ in 0..<3 {
        estimator.add(ByteCount(generator.extreme()), over: generator.extremeSpan())
      }
      #expect(estimator.estimate >= .zero)
    }
  }
}
