import Foundation
import Scenario
import Statistics

/// Views whose laws are known, as a log or a prediction would have them.
struct MadeViews {
  var sessions = 400
  var viewsPerSession = 12
  /// Median of the wait after a swipe, milliseconds; a cold start waits three times as long.
  var median = 300.0
  /// Of views after a swipe, those with a first frame within 10 to 30 ms; the others have theirs
  /// within 400 to 600 ms. 0: all waits are of one law.
  var readyShare = 0.0
  /// Nobody leaves without it.
  var patience = Double.infinity
  var hitRatio = 0.95
  /// Of views, with one stall.
  var stallShare = 0.05
  var watched = 8.0
  /// Parts of a wait: the rest is `transfer`.
  var connect = 0.3
  var days = 3
  var devices = ["mid", "low-end"]
  /// Factor on the waits of the second device.
  var slowness = 1.0
  var seed: UInt64 = 1
  /// Titles, each with a factor of its own on what is watched; 0: nobody says, and there is none.
  var titles = 0

  /// A prediction has as many replications as days.
  func views(isPrediction: Bool = false) -> ObservedViews {
    var generator = SplitMix64(seed: seed)
    var made = ObservedViews(
      cohorts: devices.map { ObservedViews.Cohort(device: $0, network: "lte") },
      parts: ["dns+connect+tls", "transfer"], digest: "0badf00d")
    func exponential() -> Double { -log(generator.nextUniform()) }
    /// Symmetric about 0, with a standard deviation of about 0.4.
    func bend() -> Double {
      (0..<4).reduce(0.0) { sum, _ in sum + generator.nextUniform() - 0.5 } * 0.7
    }
    let appeal = (0..<titles).map { _ in exp(1.5 * bend()) }
    for session in 0..<sessions {
      let device = session % devices.count
      let own = exp(bend())
      let begin = Double(session % days) * ObservedViews.day + 43_200 * generator.nextUniform()
      for number in 0..<viewsPerSession {
        let scale = (number == 0 ? 3 : 1) * (device == 1 ? slowness : 1)
        var wait = median * scale * own * exp(bend())
        if readyShare > 0 && number > 0 {
          let isReady = generator.nextUniform() < readyShare
          wait = (isReady ? 10 : 400) + (isReady ? 20 : 200) * generator.nextUniform()
        }
        let left = patience.isFinite ? patience * exponential() : .infinity
        var view = ObservedViews.View(
          session: UInt32(session), at: begin + Double(10 * number), cohort: UInt16(device),
          isCold: number == 0, hasStarted: wait <= left, wait: min(wait, left))
        view.watched = view.hasStarted ? watched * exponential() : 0
        if !appeal.isEmpty {
          view.title = UInt32(1 + generator.next(below: titles))
          view.watched *= appeal[Int(view.title) - 1]
        }
        view.stalls = generator.nextUniform() < stallShare ? 1 : 0
        view.stalled = view.stalls * exponential()
        view.bytes = 800_000 * (0.5 + generator.nextUniform())
        if isPrediction { view.block = Int64(session % days) }
        made.add(view, parts: [view.wait * connect, view.wait * (1 - connect)])
        for _ in 0..<2 {
          made.add(
            request: "segment", at: view.at, isHit: generator.nextUniform() < hitRatio,
            bytes: 400_000)
        }
      }
    }
    if isPrediction {
      for place in made.traffic.indices {
        made.traffic[place].block /= Int64(ObservedViews.day / ObservedViews.block)
      }
    }
    return made
  }

  /// A prediction with these laws: eight replications.
  func prediction(sessions: Int = 800) -> ObservedViews {
    var other = self
    (other.days, other.seed, other.sessions) = (8, seed &+ 1000, sessions)
    return other.views(isPrediction: true)
  }
}

extension ObservedViews {
  /// Counts a request of an edge's log.
  ///
  /// - Parameter at: seconds, as of views.
  mutating func add(request asset: String, at: Double, isHit: Bool, bytes: Double) {
    var row = Traffic(block: Int64((at / ObservedViews.block).rounded(.down)), asset: asset)
    (row.requests, row.bytes) = (1, bytes)
    if isHit { (row.hits, row.hitBytes) = (1, bytes) }
    add(traffic: [row])
  }
}
