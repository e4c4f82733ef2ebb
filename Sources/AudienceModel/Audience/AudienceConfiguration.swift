import MediaUnits
import SimulationKernel

/// How long viewers of one kind stay with items of one length.
public struct DwellLaw: Sendable {
  /// Items shorter than this (and not shorter than the bucket before) use this law.
  public var below: TimeSpan
  /// Probability of watching to the end.
  public var completion: Double
  /// Watch time of those who do not, seconds of played media, cut at the item's end.
  public var watchTime: QuantileTable

  public init(below: TimeSpan, completion: Double, watchTime: QuantileTable) {
    self.below = below
    self.completion = completion
    self.watchTime = watchTime
  }
}

/// A kind of viewer.
public struct Persona: Sendable {
  /// By length of the item, ascending; the last bucket is open.
  public var dwell: [DwellLaw]
  /// Probability that a started view has a long-press scrub.
  public var scrubProbability: Double

  public init(dwell: [DwellLaw], scrubProbability: Double) {
    precondition(!dwell.isEmpty, "a persona has at least one dwell bucket")
    self.dwell = dwell
    self.scrubProbability = scrubProbability
  }

  /// The place in ``dwell`` of the law for items of a length.
  public func place(of duration: TimeSpan) -> Int {
    var place = 0
    while place < dwell.count - 1 && duration >= dwell[place].below { place += 1 }
    return place
  }
}

/// Viewers who close the app after a view that made them wait, whatever they had meant to watch.
///
/// Each second of waiting for a first frame beyond a limit, and each second of a stall, has a risk
/// of its own, and risks add up: of those who waited alike the share that stays is e to the power
/// of minus their sum. Left out: that viewers differ, and that they remember earlier views.
///
/// Sources: S. Krishnan and R. Sitaraman, IMC 2012, DOI 10.1145/2398776.2398799, for slow starts;
/// L. Jia et al., SIGCOMM 2025, arXiv 2508.16454, for stalls in a feed of short videos.
public struct ExitHazards: Sendable, Equatable {
  /// A first frame that comes later than this is late.
  public var slowStart: TimeSpan
  /// Risk of each second by which it is late, and of each second of the view's stalls.
  public var perLateSecond, perStalledSecond: Double

  public init(slowStart: TimeSpan, perLateSecond: Double, perStalledSecond: Double) {
    self.slowStart = slowStart
    self.perLateSecond = perLateSecond
    self.perStalledSecond = perStalledSecond
  }

  /// Probability that the viewer closes the app after a view.
  ///
  /// - Parameters:
  ///   - waited: to the first frame, or to the end of the view when there was none.
  ///   - stalled: all stalls of the view together.
  public func probability(waited: TimeSpan, stalled: TimeSpan) -> Double {
    let late = waited > slowStart ? (waited - slowStart).seconds : 0
    let risk = perLateSecond * late + perStalledSecond * stalled.seconds
    return 1 - PortableMath.exp(-risk)
  }
}

/// Who comes, when, and what they do.
///
/// Included: open-loop Poisson arrivals, sessions of random length, dwell by duration bucket and
/// persona, back-swipes, swipe bursts, loops of short items, impatience before the first frame and
/// in stalls, exits after waiting (off by default), scrubs, the time of day, flash crowds. Left
/// out: pauses of the app, which ``ClientConfiguration`` has, and scroll gestures between items.
/// Defaults are those of parameters.md section 6.
public struct AudienceConfiguration: Sendable {
  /// Views per day and edge that the arrivals aim at, and the views of a session that this counts
  /// with. The sessions come at the quotient whatever the policies do, so that variants share their
  /// arrivals; where policies change how much is watched, the views differ from the aim.
  public var viewsPerDayPerEdge, viewsPerSession: Double
  /// Sessions arrive in [0, window).
  public var window: TimeSpan
  /// Sessions still running this long after the window are cut.
  public var drain: TimeSpan
  /// Length of a session, seconds.
  public var sessionLength: QuantileTable
  public var personas: [Persona]
  public var personaChoice: AliasTable
  public var backSwipe: Double
  /// Swipe bursts: probability that a view begins one, that it goes on, and how long the viewer
  /// looks at each of its items after the settling, frame or not, seconds.
  public var burstStart, burstContinuation: Double
  public var burstDwell: QuantileTable
  /// From the end of a view to the next item's settling, seconds.
  public var settle: QuantileTable
  /// A viewer waits this long, and then a time with this law, for a frame, seconds.
  public var patienceFloor: TimeSpan
  public var patience: QuantileTable
  /// Items that end in less than this loop; the extra loops are uniform on 0...``maximumLoops``.
  public var loopBelow: TimeSpan
  public var maximumLoops: Int
  /// A long press: how long it is held, seconds of viewer's time.
  public var scrubHold: QuantileTable
  /// Rate of the arrivals over the mean rate, by seconds from the beginning of the measured window,
  /// from the start of the warm-up to the end of the window; nil when it is constant.
  public var day: RateProfile?
  /// Sessions on top of those.
  public var crowds: [Crowd] = []
  /// No view wants to see more of an item than this; nil: as the persona's law says.
  public var watchLimit: TimeSpan?
  /// Viewers who close the app after a view that made them wait; nil: nobody does.
  public var exits: ExitHazards?
  /// Cold starts of viewers whom nobody else notices, spread over the window.
  public var extraColdStarts = 0

  public init(
    viewsPerDayPerEdge: Double, viewsPerSession: Double, window: TimeSpan, drain: TimeSpan,
    sessionLength: QuantileTable,
    personas: [Persona], personaChoice: AliasTable, backSwipe: Double, burstStart: Double,
    burstContinuation: Double, burstDwell: QuantileTable, settle: QuantileTable,
    patienceFloor: TimeSpan, patience: QuantileTable, loopBelow: TimeSpan, maximumLoops: Int,
    scrubHold: QuantileTable
  ) {
    self.viewsPerDayPerEdge = viewsPerDayPerEdge
    self.viewsPerSession = viewsPerSession
    self.window = window
    self.drain = drain
    self.sessionLength = sessionLength
    self.personas = personas
    self.personaChoice = personaChoice
    self.backSwipe = backSwipe
    self.burstStart = burstStart
    self.burstContinuation = burstContinuation
    self.burstDwell = burstDwell
    self.settle = settle
    self.patienceFloor = patienceFloor
    self.patience = patience
    self.loopBelow = loopBelow
    self.maximumLoops = maximumLoops
    self.scrubHold = scrubHold
  }

  /// Items that a session remembers, so as not to show their titles again.
  public static let rememberedItems = 128

  /// Sessions per second at one edge.
  public var sessionsPerSecondPerEdge: Double {
    viewsPerDayPerEdge / (86_400 * viewsPerSession)
  }
}
