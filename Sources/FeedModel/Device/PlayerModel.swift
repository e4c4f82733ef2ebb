import FeedPolicy
import MediaUnits

/// How a player buffers, beyond its thresholds.
///
/// Included: load control with two levels, AVPlayer's prediction whether playback will keep up, the
/// estimator of the throughput, parts of segments. Left out: buffers in bytes, back buffers,
/// playback speed; the choice of the rung is a policy of its own (``BitrateRule``).
public struct PlayerModel: Sendable {
  /// When playback may begin, or go on after a stall, where that depends on the throughput.
  public struct KeepUp: Sendable {
    /// Throughput over bit rate from which the shorter buffer is enough.
    public var plenty: Double
    /// Media that is enough with so much throughput, and media that always is.
    public var shorter, longer: TimeSpan

    public init(plenty: Double, shorter: TimeSpan, longer: TimeSpan) {
      self.plenty = plenty
      self.shorter = shorter
      self.longer = longer
    }
  }

  /// How the throughput is estimated.
  public enum Estimator: Sendable {
    /// Media3's sliding weighted median.
    case median
    /// The smaller of two exponentially weighted means, as hls.js and dash.js.
    case means(EWMAEstimator.Configuration)
  }

  /// After loading has stopped at the forward buffer it goes on when so much is left; nil: at once.
  public var minimumBuffer: TimeSpan?
  /// The forward buffer while the top rung is loaded; nil: the same as otherwise.
  public var topBuffer: TimeSpan?
  public var keepUp: KeepUp?
  public var estimator = Estimator.median
  /// One player for all items, which has data in advance and no decoder: with each item it prepares
  /// the source, takes the surface off and sets the decoder up anew.
  public var isSetUpAnew = false
  /// What has come of a segment can be played; otherwise a segment counts when it is whole, but for
  /// what the start needs. Of a segment's time as large a share has come as of its bytes. Left out:
  /// audio of its own, bytes that wait behind a lost packet, mixed feeds, servers that are real
  /// without a modelled link before them.
  public var takesParts = false

  /// Less media than this ahead of a player that takes parts is a stall, and after so long one is
  /// looked at again: a frame at 25 Hz.
  public static let leastPart = TimeSpan.milliseconds(40)

  public init() {}
}
