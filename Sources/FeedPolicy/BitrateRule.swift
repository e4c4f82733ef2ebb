import MediaUnits

/// What a rule looks at when the next segment's rendition is chosen.
public struct BitrateSnapshot: Sendable, Equatable {
  /// Estimated throughput; nil when nothing is known.
  public var estimate: BitRate?
  /// Media downloaded beyond the playhead.
  public var bufferAhead: TimeSpan
  /// The rung of this item's previous segment; nil for its first.
  public var current: RungIndex?
  /// The bound from ``BitrateCap``; nil for none.
  public var cap: BitRate?
  /// Length of one segment.
  public var segmentDuration: TimeSpan
  /// Media of the item still to be downloaded, the segment in question included; nil when it does
  /// not matter or is not known.
  public var remaining: TimeSpan?

  public init(
    estimate: BitRate? = nil, bufferAhead: TimeSpan = .zero, current: RungIndex? = nil,
    cap: BitRate? = nil, segmentDuration: TimeSpan = .seconds(2), remaining: TimeSpan? = nil
  ) {
    self.estimate = estimate
    self.bufferAhead = bufferAhead
    self.current = current
    self.cap = cap
    self.segmentDuration = segmentDuration
    self.remaining = remaining
  }

  /// The highest rung that the cap allows, and the lowest where it allows none.
  public func ceiling(in ladder: Ladder) -> RungIndex {
    cap.map(ladder.highest(notAbove:)) ?? ladder.top
  }
}

/// How the rendition of the next segment is chosen.
///
/// A pure decider over a snapshot. The cap holds for every rule: the chosen rate is at most the cap
/// unless even the lowest rung is above it.
public enum BitrateRule: Sendable, Equatable {
  /// Always this rung (or the highest, when the ladder is shorter).
  case fixed(RungIndex)
  /// By throughput, as Media3 does.
  case throughput(ThroughputRule)
  /// By buffer, as BOLA-BASIC does.
  case bola(BolaRule)

  public func rung(for snapshot: BitrateSnapshot, in ladder: Ladder) -> RungIndex {
    let ceiling = snapshot.ceiling(in: ladder)
    switch self {
    case .fixed(let rung): return min(rung, ceiling)
    case .throughput(let rule): return rule.rung(for: snapshot, in: ladder, notAbove: ceiling)
    case .bola(let rule):
      return min(rule.rung(bufferAhead: snapshot.bufferAhead, in: ladder), ceiling)
    }
  }
}

/// Media3's `AdaptiveTrackSelection`: a share of the estimated throughput, with hysteresis by
/// buffer.
///
/// The first choice of an item takes the highest rung that fits into `fraction` of the estimate.
/// Later choices keep the current rung instead when going up with less than the up threshold
/// buffered, or going down with `maximumBufferToSwitchDown` or more buffered. A rung above the cap
/// is never kept.
///
/// The up threshold is `minimumBufferToSwitchUp`, and for an item with `remaining` given at most
/// `achievableShare` of the media it can still have buffered: buffer ahead + remaining - one
/// segment. Media3 applies that reduction to live streams, where likewise only a short stretch can
/// be buffered; on demand it uses the plain threshold, and a 12 s video could then hardly ever
/// switch up. Give `remaining: nil` for the on-demand behaviour of Media3 itself.
///
/// Leaves out: Media3's time-to-first-byte correction (off by default there), playback speed,
/// exclusion of failing renditions, and discarding of buffered segments.
///
/// Source: androidx/media, commit 2bc20785 (2026), `parameters.md` section 4.1.
public struct ThroughputRule: Sendable, Equatable {
  /// Share of the estimate that may be spent. Default 0.7 (`parameters.md` section 4.1).
  public var fraction: Double
  /// Buffer from which a switch up is allowed. Default 10 s (`parameters.md` section 4.1).
  public var minimumBufferToSwitchUp: TimeSpan
  /// Buffer from which a switch down is suppressed. Default 25 s (`parameters.md` section 4.1).
  public var maximumBufferToSwitchDown: TimeSpan
  /// Share of the achievable buffer at which a short item may switch up. Default 0.75: Media3's
  /// share of the way to the live edge.
  public var achievableShare: Double

  public init(
    fraction: Double = 0.7, minimumBufferToSwitchUp: TimeSpan = .seconds(10),
    maximumBufferToSwitchDown: TimeSpan = .seconds(25), achievableShare: Double = 0.75
  ) {
    self.fraction = fraction
    self.minimumBufferToSwitchUp = minimumBufferToSwitchUp
    self.maximumBufferToSwitchDown = maximumBufferToSwitchDown
    self.achievableShare = achievableShare
  }

  /// The buffer from which this item may switch up.
  public func upThreshold(for snapshot: BitrateSnapshot) -> TimeSpan {
    guard let remaining = snapshot.remaining else { return minimumBufferToSwitchUp }
    let achievable =
      snapshot.bufferAhead.seconds + remaining.seconds - snapshot.segmentDuration.seconds
    return min(minimumBufferToSwitchUp, TimeSpan(seconds: max(0, achievable) * achievableShare))
  }

  func rung(for snapshot: BitrateSnapshot, in ladder: Ladder, notAbove ceiling: RungIndex)
    -> RungIndex
  {
    let budget = snapshot.estimate?.scaled(by: fraction) ?? .zero
    let ideal = min(ladder.highest(notAbove: budget), ceiling)
    guard let current = snapshot.current else { return ideal }
    // Without an estimate there is no reason to move.
    if snapshot.estimate == nil { return min(current, ceiling) }
    if ideal > current && snapshot.bufferAhead < upThreshold(for: snapshot) { return current }
    if ideal < current && snapshot.bufferAhead >= maximumBufferToSwitchDown {
      return min(current, ceiling)
    }
    return ideal
  }
}

/// BOLA-BASIC: the rung with the greatest (V·(utility + γp) - buffer) / rate.
///
/// Utilities are ln(rate / lowest rate). V (in seconds) and γp follow from two buffer levels: the
/// objective of the lowest rung is zero at `minimumBuffer` and that of the highest rung at
/// `target`, so γp·V = minimumBuffer and V·(top utility + γp) = target. Ties go to the higher rung.
///
/// Leaves out: BOLA-O's damping of oscillations, abandonment, the placeholder buffer, and the wait
/// that BOLA prescribes when every objective is negative (the host limits the buffer).
///
/// Source: Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016, doi 10.1109/INFOCOM.2016.7524428; the
/// choice of the parameters by two levels as in Spiteri, Sitaraman and Sparacio, MMSys 2018,
/// doi 10.1145/3204949.3204953.
public struct BolaRule: Sendable, Equatable {
  /// Buffer at which the lowest rung is worth nothing any more. Default 10 s (`parameters.md`
  /// section 4.4).
  public var minimumBuffer: TimeSpan
  /// Buffer at which the highest rung is worth nothing any more; above `minimumBuffer`. Default 18
  /// s: the default buffer of dash.js, which equals its 10 s + 2 s for each of four rungs
  /// (`parameters.md` section 4.4).
  public var target: TimeSpan

  /// - Precondition: 0 < `minimumBuffer` < `target`.
  public init(minimumBuffer: TimeSpan = .seconds(10), target: TimeSpan = .seconds(18)) {
    precondition(
      minimumBuffer > .zero, "minimumBuffer is positive, got \(minimumBuffer.nanoseconds) ns")
    precondition(
      target > minimumBuffer,
      "target is above minimumBuffer, got \(target.nanoseconds) ns "
        + "against \(minimumBuffer.nanoseconds) ns")
    self.minimumBuffer = minimumBuffer
    self.target = target
  }

  func rung(bufferAhead: TimeSpan, in ladder: Ladder) -> RungIndex {
    let topUtility = ladder.utilities[ladder.count - 1]
    if topUtility <= 0 { return RungIndex(0) }
    let v = (target.seconds - minimumBuffer.seconds) / topUtility
    var best = 0
    var bestScore = -Double.infinity
    for rung in 0..<ladder.count {
      let worth = v * ladder.utilities[rung] + minimumBuffer.seconds - bufferAhead.seconds
      let score = worth / Double(ladder.rates[rung].bitsPerSecond)
      if score >= bestScore {
        best = rung
        bestScore = score
      }
    }
    return RungIndex(UInt32(best))
  }
}
