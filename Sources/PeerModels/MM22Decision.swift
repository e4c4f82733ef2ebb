/// What an MM22 policy answers.
public enum MM22Decision: Hashable, Sendable {
  /// Download the next chunk of `video` (counted from 0 over all videos) at `level`.
  case download(video: Int, level: Int)
  /// Do nothing for so many milliseconds, of which only the whole ones pass.
  case sleep(Double)

  /// What a policy answers when there is nothing to download.
  static let wait = MM22Decision.sleep(500)
}

/// What one decision led to.
public struct MM22Step: Hashable, Sendable {
  /// The time that passed, in milliseconds: whole, the round trip of a download included.
  public var delay: Int64
  /// How long playback stood still, in milliseconds.
  public var stall: Int64
  /// Whether the video that stood still had shown nothing yet.
  public var isStartupStall: Bool
  /// The bytes downloaded; 0 for a sleep.
  public var bytes: Int64
  /// The bytes found wasted in this step.
  public var wasted: Int64
  /// The peer's end-of-video flag: the video has no chunk left, or was left meanwhile.
  public var isEnd: Bool
  /// The video that plays after the step; the number of videos when the session is over.
  public var playing: Int
}

/// What an MM22 session came to.
public struct MM22Outcome: Hashable, Sendable {
  /// The sum over the decisions of quality less stalls less changes of level.
  public var qoe = 0.0
  /// The bytes downloaded.
  public var bytes: Int64 = 0
  /// The bytes downloaded and never watched, as the peer counts them: the last chunk of a video
  /// that is left during its download may count twice.
  public var wasted: Int64 = 0
  /// The stalls in milliseconds.
  public var stalled: Int64 = 0
  /// The part of ``stalled`` in videos that had shown nothing yet.
  public var stalledAtStart: Int64 = 0
  /// The sum of the delays in milliseconds.
  public var length: Int64 = 0
  /// How many chunks were requested.
  public var chunks = 0
  /// The watch times of the videos that entered the queue, in milliseconds.
  public var watched: Int64 = 0

  /// The QoE less half a point for each megabit downloaded.
  public var score: Double { qoe - 0.5 * Double(bytes) * 8 / 1e6 }
  /// The part of ``stalled`` in videos that had begun to play.
  public var stalledMidway: Int64 { stalled - stalledAtStart }
  /// Media requested over media watched; NaN when nothing was watched.
  public var downloadedOverWatched: Double {
    Double(MM22Video.chunkLength) * Double(chunks) / Double(watched)
  }
}
