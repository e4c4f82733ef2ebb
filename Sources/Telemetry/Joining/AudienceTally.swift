import Scenario

/// What was watched of views, and when sessions began.
struct AudienceTally: Sendable {
  private var watched = ThinnedSample()
  /// By ``FieldSamples/Watched/bounds``; censored where the title's end was reached.
  private var byLength = FieldSamples.Watched.bounds.map { _ in ThinnedSample() }
  private var begins = ThinnedSample()

  /// Players stop counting a little before the end, and round: this share of a title, and at most
  /// this long, seconds, is its end. Assumed.
  private static let (endShare, longestEnd) = (0.02, 0.25)
  /// What is shown and left at once is watched this long, seconds.
  private static let instant = 0.001

  /// Of a view with a frame that did not fail, what was played of it. Without a start there is no
  /// telling what of the dwell was waiting.
  mutating func close(_ view: JoinedView) {
    if view.start.ttff.isNaN || view.start.isFailed == true { return }
    var played = view.playback.played
    if played.isNaN {
      let stall = view.playback.stall.isNaN ? 0 : view.playback.stall
      played = view.playback.dwell - view.start.ttff - stall
    }
    if played.isNaN { return }
    watched.add(max(0, played))
    let length = view.playback.titleLength
    guard length > 0, let place = FieldSamples.Watched.bounds.firstIndex(where: { length < $0 })
    else { return }
    // Where the end begins is all that is known of who reached it.
    let end = length - min(Self.longestEnd, Self.endShare * length)
    byLength[place].add(
      played >= end ? end : max(Self.instant, played), isCensored: played >= end)
  }

  mutating func begin(_ second: Double) { begins.add(second) }

  func finish(_ samples: inout FieldSamples) {
    samples.watched = watched.times
    samples.watchedByLength = zip(FieldSamples.Watched.bounds, byLength).map {
      FieldSamples.Watched(below: $0, times: $1.times)
    }
    samples.begins = begins.seen
    samples.notes += [
      watched.note("watched"), begins.note("begins of sessions"),
    ].compactMap { $0 }
  }
}

extension RequestTally {
  func finish(_ samples: inout FieldSamples) {
    samples.requests = count
    samples.preloads = preloads
    samples.sizes = sizes.times
    for outcome in Observation.CacheOutcome.allCases where outcomes[Int(outcome.rawValue)] > 0 {
      let place = Int(outcome.rawValue)
      samples.outcomes.append(
        FieldSamples.Outcome(
          word: outcome.word, requests: outcomes[place], bytes: bytes[place]))
    }
  }
}

extension Observation.CacheOutcome {
  /// As results write it.
  var word: String {
    switch self {
    case .unknown: "unknown"
    case .hit: "hit"
    case .staleHit: "stale_hit"
    case .revalidated: "revalidated"
    case .collapsed: "collapsed"
    case .miss: "miss"
    case .bypass: "bypass"
    case .error: "error"
    }
  }
}
