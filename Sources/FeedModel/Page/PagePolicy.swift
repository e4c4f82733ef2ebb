import AudienceModel
import FeedPolicy
import MediaUnits

/// The settings of the shipped policy code as fields of a line, and back.
extension PolicyConfiguration {
  func write(into line: inout PolicyLine) {
    PlayerPool.write(pool, into: &line)
    PrefetchPolicy.write(prefetch, into: &line)
    line.add(startupCap.rate?.bitsPerSecond ?? -1)
    write(startupCap.release, into: &line)
    write(bitrate, into: &line)
    line.add(initialEstimate.bitsPerSecond)
    line.add(startThreshold)
    line.add(resumeThreshold)
    line.add(forwardBuffer)
    line.add(pageSize)
    line.add(pageTrigger)
    line.add(fetchesPosters)
    write(player, into: &line)
    line.add(prefetchRung.map { Int64($0.index) } ?? -1)
  }

  init?(from fields: inout PolicyFields) {
    guard let pool = PlayerPool.configuration(from: &fields),
      let prefetch = PrefetchPolicy.configuration(from: &fields),
      prefetch.itemsAhead <= FeedConfiguration.maximumItemsAhead, let cap = fields.number(),
      let release = PolicyConfiguration.release(from: &fields),
      let bitrate = PolicyConfiguration.bitrate(from: &fields), let estimate = fields.rate(),
      let start = fields.span(), let resume = fields.span(), let forward = fields.span(),
      let size = fields.unsigned(), size >= 1, let trigger = fields.unsigned(),
      let posters = fields.flag(), let player = PolicyConfiguration.player(from: &fields),
      let rung = fields.number(), rung < Int64(ObjectLayout.maximumRungs)
    else { return nil }
    self.init(
      pool: pool, prefetch: prefetch,
      startupCap: BitrateCap.Configuration(
        rate: cap < 0 ? nil : BitRate(bitsPerSecond: cap), release: release),
      bitrate: bitrate, initialEstimate: estimate, startThreshold: start, resumeThreshold: resume,
      forwardBuffer: forward, pageSize: size, pageTrigger: trigger, fetchesPosters: posters)
    self.player = player
    prefetchRung = rung < 0 ? nil : RungIndex(UInt32(rung))
  }

  private func write(_ release: ReleaseRule, into line: inout PolicyLine) {
    switch release {
    case .firstFrame: line.add("frame")
    case .played(let length):
      line.add("played")
      line.add(length)
    case .buffer(let length):
      line.add("buffer")
      line.add(length)
    case .segments(let count):
      line.add("segments")
      line.add(count)
    case .stableThroughput(let spread):
      line.add("stable")
      line.add(bitsOf: spread)
    }
  }

  private static func release(from fields: inout PolicyFields) -> ReleaseRule? {
    if fields.take("frame") { return .firstFrame }
    if fields.take("played") { return fields.span().map { .played($0) } }
    if fields.take("buffer") { return fields.span().map { .buffer($0) } }
    if fields.take("segments") { return fields.count().map { .segments($0) } }
    guard fields.take("stable") else { return nil }
    return fields.double().map { .stableThroughput(spread: $0) }
  }

  private func write(_ rule: BitrateRule, into line: inout PolicyLine) {
    switch rule {
    case .fixed(let rung):
      line.add("fixed")
      line.add(rung)
    case .throughput(let rule):
      line.add("throughput")
      line.add(bitsOf: rule.fraction)
      line.add(rule.minimumBufferToSwitchUp)
      line.add(rule.maximumBufferToSwitchDown)
      line.add(bitsOf: rule.achievableShare)
    case .bola(let rule):
      line.add("bola")
      line.add(rule.minimumBuffer)
      line.add(rule.target)
    }
  }

  private static func bitrate(from fields: inout PolicyFields) -> BitrateRule? {
    if fields.take("fixed") { return fields.identifier(RungIndex.self).map { .fixed($0) } }
    if fields.take("throughput") {
      guard let fraction = fields.double(), let up = fields.span(), let down = fields.span(),
        let share = fields.double()
      else { return nil }
      return .throughput(
        ThroughputRule(
          fraction: fraction, minimumBufferToSwitchUp: up, maximumBufferToSwitchDown: down,
          achievableShare: share))
    }
    guard fields.take("bola"), let least = fields.span(), let target = fields.span(),
      least > .zero, least < target
    else { return nil }
    return .bola(BolaRule(minimumBuffer: least, target: target))
  }

  private func write(_ player: PlayerModel, into line: inout PolicyLine) {
    line.add(optional: player.minimumBuffer)
    line.add(optional: player.topBuffer)
    line.add(player.keepUp != nil)
    if let keepUp = player.keepUp {
      line.add(bitsOf: keepUp.plenty)
      line.add(keepUp.shorter)
      line.add(keepUp.longer)
    }
    switch player.estimator {
    case .median: line.add("median")
    case .means(let configuration):
      line.add("means")
      line.add(configuration.fast)
      line.add(configuration.slow)
      line.add(configuration.minimumTime)
    }
    line.add(player.isSetUpAnew)
  }

  private static func player(from fields: inout PolicyFields) -> PlayerModel? {
    var player = PlayerModel()
    guard let least = fields.optionalSpan(), let top = fields.optionalSpan(),
      let keepsUp = fields.flag()
    else { return nil }
    player.minimumBuffer = least
    player.topBuffer = top
    if keepsUp {
      guard let plenty = fields.double(), let shorter = fields.span(), let longer = fields.span()
      else { return nil }
      player.keepUp = PlayerModel.KeepUp(plenty: plenty, shorter: shorter, longer: longer)
    }
    if fields.take("means") {
      guard let fast = fields.span(), fast > .zero, let slow = fields.span(), slow > .zero,
        let least = fields.span()
      else { return nil }
      player.estimator = .means(
        EWMAEstimator.Configuration(fast: fast, slow: slow, minimumTime: least))
    } else if !fields.take("median") {
      return nil
    }
    guard let isSetUpAnew = fields.flag() else { return nil }
    player.isSetUpAnew = isSetUpAnew
    return player
  }
}
