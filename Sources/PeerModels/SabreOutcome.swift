/// What a Sabre session comes to; the names of Sabre's output in brackets.
public struct SabreOutcome: Sendable, Equatable {
  /// False when the session was given up because one segment was abandoned
  /// ``SabreSession/abandonmentLimit`` times in a row; the numbers then cover what came before.
  public var isComplete = true
  /// kbit/s over all play time, stalls included (`time average played bitrate`).
  public var meanBitrate = 0.0
  /// Start-up, play and stalls, ms (`total play time`, there in seconds).
  public var playTime = 0.0
  /// ms (`total rebuffer`, there in seconds).
  public var stallTime = 0.0
  /// Of the play time (`rebuffer ratio`).
  public var stallRatio = 0.0
  /// Times that the buffer ran dry (`total rebuffer events`).
  public var stallEvents = 0
  /// Sum of the changes between neighbours, kbit/s (`total bitrate change`).
  public var bitrateChange = 0.0
  /// The same of the natural logarithm (`total log bitrate change`).
  public var logBitrateChange = 0.0
  /// Sum of ln(bit rate / lowest) over the segments played (`total played utility`).
  public var utility = 0.0
  /// Utility less five for each segment's time of stall, for each segment's time of play
  /// (`time average score`).
  public var score = 0.0
  /// Transfer time of the first segment without its latency, ms (`startup_time_ms`).
  public var startupTime = 0.0
  /// Downloads begun, abandoned ones and replacements included.
  public var downloads = 0

  /// An outcome of zeros.
  public init() {}
}

/// One download of a session.
public struct SabreDownload: Sendable, Equatable {
  /// The segment, from 0.
  public var segment: Int
  public var level: Int
  /// Request and end on the session's clock, ms.
  public var start: Double
  public var end: Double
  /// Given up half-way.
  public var isAbandoned: Bool
  /// Fetches a segment again that is in the buffer already.
  public var isReplacement: Bool
}
