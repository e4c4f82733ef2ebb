import MediaUnits
import Models
import Synchronization

/// How many viewers a replication is expected to have at a time: the arrivals' rate, day and crowds
/// included, and the law of the sessions' lengths.
///
/// A replication's work is nearly proportional to the viewers' time, so this tells how much of it
/// is done, and before anything is run how large it will be. Policies are left out: viewers who
/// lose patience leave earlier.
struct LoadCurve: Sendable {
  private static let steps = 1000
  private static let lengths = 64

  /// Seconds between two values.
  private let step: Double
  /// Viewers' time until the end of each step, over that of the whole run.
  private let done: [Double]
  /// The largest number of viewers at one time.
  let peak: Double
  /// Sessions that begin.
  let sessions: Double
  /// How much of a session lies in the run, on average.
  let meanShare: Double
  /// The part of the viewers' time that is measured.
  let measuredShare: Double

  /// What it follows from.
  private struct Inputs: Sendable, Equatable {
    /// Of a step and of the time before the window, seconds.
    var step, warmUp: Double
    /// Sessions that have begun by the end of each step, and how many steps sessions last.
    var arrived, lengths: [Double]
  }

  /// Those of this process, the latest last: the scenarios of a sweep share theirs.
  private static let made = Mutex<[(inputs: Inputs, curve: LoadCurve)]>([])
  private static let mostMade = 4

  init(_ configuration: FeedConfiguration) {
    let inputs = LoadCurve.inputs(configuration)
    let known = LoadCurve.made.withLock { made in
      made.first { $0.inputs == inputs }?.curve
    }
    if let known {
      self = known
      return
    }
    let curve = LoadCurve(inputs)
    LoadCurve.made.withLock { made in
      if made.count >= LoadCurve.mostMade { made.removeFirst() }
      made.append((inputs, curve))
    }
    self = curve
  }

  private static func inputs(_ configuration: FeedConfiguration) -> Inputs {
    let (audience, warmUp) = (configuration.audience, configuration.cdn.warmUp.seconds)
    let end = (configuration.end - Instant.zero).seconds
    let step = max(end, 1e-3) / Double(LoadCurve.steps)
    let mean = audience.sessionsPerSecondPerEdge * Double(configuration.cdn.edges)
    let lastArrival = warmUp + audience.window.seconds
    var arrived = [0.0]
    for index in 0..<LoadCurve.steps {
      let middle = (Double(index) + 0.5) * step
      var rate = 0.0
      if middle < lastArrival {
        rate = audience.day?.rate(at: middle - warmUp) ?? 1
        for crowd in audience.crowds { rate += crowd.extra.rate(at: middle - warmUp) }
      }
      arrived.append(arrived[index] + rate * mean * step)
    }
    let lengths = (0..<LoadCurve.lengths).map { place in
      audience.sessionLength.quantile((Double(place) + 0.5) / Double(LoadCurve.lengths)) / step
    }
    return Inputs(step: step, warmUp: warmUp, arrived: arrived, lengths: lengths)
  }

  private init(_ inputs: Inputs) {
    let (step, warmUp, arrived, lengths) = (
      inputs.step, inputs.warmUp, inputs.arrived, inputs.lengths
    )
    self.step = step
    var viewers: [Double] = []
    for index in 0..<arrived.count {
      var sum = 0.0
      for length in lengths {
        let begin = Double(index) - length
        if begin <= 0 {
          sum += arrived[index]
        } else {
          let place = Int(begin)
          let before = arrived[place]
          let after = arrived[min(place + 1, arrived.count - 1)]
          sum += arrived[index] - before - (after - before) * (begin - Double(place))
        }
      }
      viewers.append(sum / Double(LoadCurve.lengths))
    }
    var time = [0.0]
    for index in 1..<viewers.count {
      time.append(time[index - 1] + (viewers[index - 1] + viewers[index]) / 2)
    }
    let whole = max(time[time.count - 1], .leastNormalMagnitude)
    let done = time.map { $0 / whole }
    self.done = done
    peak = viewers.max() ?? 0
    let length = lengths.reduce(0, +) / Double(LoadCurve.lengths)
    meanShare = min(1, whole / max(arrived[arrived.count - 1] * length, 1e-9))
    sessions = arrived[arrived.count - 1]
    measuredShare = 1 - LoadCurve.share(done, at: warmUp / step)
  }

  /// The part of the work that is done at a time, 0...1.
  func share(at time: Instant) -> Double {
    LoadCurve.share(done, at: (time - Instant.zero).seconds / step)
  }

  private static func share(_ done: [Double], at place: Double) -> Double {
    if place >= Double(done.count - 1) { return 1 }
    let index = Int(max(0, place))
    return done[index] + (done[index + 1] - done[index]) * (place - Double(index))
  }

  /// Views that a replication is expected to measure.
  func views(_ plan: FeedPlan) -> Double {
    sessions * plan.viewsPerSession * meanShare * measuredShare
  }
}
