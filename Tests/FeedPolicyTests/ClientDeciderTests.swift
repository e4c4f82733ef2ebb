import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

struct `Proximity policy` {
  @Test func `the distance decides the status`() {
    let policy = ProximityPolicy(.init(nearDistance: 2))
    let rows: [(UInt32, Proximity)] = [
      (5, .active), (4, .near), (6, .near), (3, .near), (7, .near), (2, .far), (8, .far),
      (0, .far), (.max, .far),
    ]
    for (index, expected) in rows {
      #expect(policy.proximity(of: item(index), active: item(5)) == expected)
    }
  }

  /// Covers: REEL-014, REEL-017.
  @Test func `the defaults are the middle of the ranges that are asked for`() {
    let policy = ProximityPolicy()
    #expect(policy.setting(for: .active).forwardBuffer == .max)
    #expect(policy.setting(for: .near).forwardBuffer == .seconds(4))
    #expect(policy.setting(for: .near).peakBitRate == .kilobits(1100))
    #expect(policy.setting(for: .far).forwardBuffer == .seconds(1))
    #expect(policy.setting(for: .far).peakBitRate == .kilobits(400))
  }

  /// Covers: REEL-028.
  @Test func `neighbours follow the throughput between its two marks`() {
    let policy = ProximityPolicy(.init(adaptation: .throughput(from: 1.3, full: 3.3)))
    func near(_ kilobits: Int64) -> ProximitySetting {
      policy.setting(for: .near, throughput: .kilobits(kilobits), bitrate: .kilobits(1000))
    }
    #expect(near(1300).forwardBuffer == .zero)
    #expect(near(2300).forwardBuffer == .seconds(2))
    #expect(near(3300).forwardBuffer == .seconds(4))
    #expect(near(1500).peakBitRate == .kilobits(500))
    #expect(near(9000).peakBitRate == .kilobits(1100))
    #expect(near(500).peakBitRate == .zero)
    #expect(
      policy.setting(for: .active, throughput: .zero, bitrate: .kilobits(9))
        == ProximityPolicy().setting(for: .active))
  }

  /// 100,000 configurations. Covers: REEL-014, REEL-015.
  @Test func `what is farther never gets more, whatever the configuration says`() {
    var generator = SeededGenerator(14)
    func setting() -> ProximitySetting {
      ProximitySetting(
        forwardBuffer: generator.once(in: 5) ? .max : .milliseconds(Int64(generator.below(9000))),
        peakBitRate: generator.once(in: 4) ? nil : .kilobits(Int64(generator.below(3000))))
    }
    for step in 0..<100_000 {
      let from = Double(generator.below(300)) / 100
      let policy = ProximityPolicy(
        .init(
          active: setting(), near: setting(), far: setting(),
          adaptation: generator.once(in: 2)
            ? .none
            : .throughput(from: from, full: from + Double(generator.below(300)) / 100)))
      let throughput = BitRate.kilobits(Int64(generator.below(9000)))
      let bitrate = BitRate.kilobits(Int64(generator.below(3000)))
      var last: ProximitySetting?
      for proximity in Proximity.allCases {
        let setting = policy.setting(for: proximity, throughput: throughput, bitrate: bitrate)
        if let last {
          #expect(setting.forwardBuffer <= last.forwardBuffer, "step \(step)")
          let peak = setting.peakBitRate ?? .init(bitsPerSecond: .max)
          let above = last.peakBitRate ?? .init(bitsPerSecond: .max)
          #expect(peak <= above, "step \(step)")
        }
        #expect(setting.forwardBuffer >= .zero, "step \(step)")
        last = setting
      }
    }
  }
}

struct `Playback end` {
  /// Covers: X-003, REEL-006, VF-042.
  @Test func `a loop goes on, one pass and a preview end on their last frame`() {
    let duration = TimeSpan.seconds(10)
    typealias Row = (PlaybackEnd, PlaybackEnd.Action, Int64, Int64, Int64, Double)
    // Stay of 25 s: what can be played, passes, share.
    let rows: [Row] = [
      (.loop, .replay, 10, 25, 2, 1), (.once, .hold, 10, 10, 1, 1),
      (.preview(.seconds(3)), .hold, 3, 3, 1, 0.3),
      (.preview(.seconds(30)), .hold, 10, 10, 1, 1), (.preview(.seconds(-1)), .hold, 0, 0, 0, 0),
    ]
    for (end, action, pass, playable, passes, share) in rows {
      #expect(end.action == action)
      #expect(end.pass(of: duration) == .seconds(pass))
      let played = end.playable(of: duration, within: .seconds(25))
      #expect(played == .seconds(playable))
      let completion = end.completion(of: duration, played: played)
      #expect(completion.passes == passes)
      #expect(abs(completion.share - share) < 1e-12)
    }
  }

  /// Covers: SIG-045, X-003.
  @Test func `what was seen is a share of the item, also of a loop and of nothing`() {
    var generator = SeededGenerator(3)
    for _ in 0..<100_000 {
      let duration = TimeSpan.milliseconds(Int64(generator.below(60_000)))
      let stay = TimeSpan.milliseconds(Int64(generator.below(120_000)) - 1000)
      let ends: [PlaybackEnd] = [
        .loop, .once, .preview(.milliseconds(Int64(generator.below(9000)) - 500)),
      ]
      for end in ends {
        let played = end.playable(of: duration, within: stay)
        #expect(played >= .zero && played <= max(.zero, stay))
        let completion = end.completion(of: duration, played: played)
        #expect(completion.share >= 0 && completion.share <= 1)
        #expect(end == .loop || completion.passes <= 1)
      }
    }
    // The contract's sample disagrees with itself: 1543 ms of its 183 s are not the 76 % that it
    // states, but less than one.
    let sample = PlaybackEnd.once.completion(
      of: .milliseconds(183_000), played: .milliseconds(1543))
    #expect(Int(sample.share * 10_000) == 84)
  }
}

struct `Exploration mixer` {
  /// Covers: SIG-071.
  @Test func `every page of five or more has a tenth to a fifth of exploration items`() {
    for size in 5...60 {
      for share in [0.1, 0.12, 0.15, 0.2] {
        let mixer = ExplorationMixer(.init(share: share))
        for page in 0..<20 as Range<UInt32> {
          let count = mixer.count(pageSize: size, page: page)
          let part = Double(count.items) / Double(size)
          #expect(part >= 0.1 - 1e-9 && part <= 0.2 + 1e-9, "\(count.items) of \(size)")
          #expect(count.isRounded == (size < 10))
          var found = 0
          for place in 0..<size
          where mixer.explores(place: place, pageSize: size, page: page) { found += 1 }
          #expect(found == count.items)
        }
      }
    }
  }

  /// Covers: SIG-071.
  @Test func `smaller pages keep the share over the pages and are flagged`() {
    for size in 1...4 {
      let mixer = ExplorationMixer()
      var items = 0
      for page in 0..<1000 as Range<UInt32> {
        let count = mixer.count(pageSize: size, page: page)
        #expect(count.isRounded)
        items += count.items
      }
      #expect(abs(items - 150 * size) <= 1)
    }
    #expect(ExplorationMixer(.init(share: 0)).count(pageSize: 10, page: 0).items == 0)
    #expect(ExplorationMixer().count(pageSize: 0, page: 0).items == 0)
  }
}
