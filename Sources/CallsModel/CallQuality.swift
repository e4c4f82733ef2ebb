import CallSignalling
import MediaUnits
import MessagingModel

/// What a call looks like, second by second (ICC-041 to ICC-044, ICC-056).
///
/// Models: a 720p stream cut into packets, of which independent losses, repeated once when a round
/// trip is short enough (RFC 4585) or mended by redundancy (RFC 5109), leave some frames
/// incomplete; spells of a worse network; uplinks that are too narrow; devices that are too slow or
/// too hot. A frame that is incomplete is not shown. Left out: codecs, congestion control, key
/// frames.
public struct CallQuality: Sendable, Equatable {
  /// Pictures a second that a camera gives. 30 (ICC-041).
  public var frameRate = 30.0
  /// Of the stream. 2 Mbps: 720p30 needs 1.5 to 2.5 (parameters section 11).
  public var bitRate = 2e6
  /// Bytes of a packet's payload. 1,200 (libwebrtc's limit for RTP).
  public var packetBytes = 1_200.0
  /// Uplinks, in bits a second, evenly between these. 1 to 10 Mbps (assumed).
  public var narrowestUplink = 1e6
  public var widestUplink = 10e6
  /// Loss outside of spells. 0.5 % (parameters section 1).
  public var loss = 0.005
  /// Spells of a worse network, by call and hour; how long, and their loss. (assumed)
  public var spellsPerHour = 6.0
  public var spellLength = DelayLaw(.seconds(2), .seconds(20))
  public var spellLoss = 0.15
  /// Whether lost packets are asked for again, and repeats still come in time within this.
  public var repeats = true
  public var repeatWithin = TimeSpan.milliseconds(200)
  /// Packets of redundancy for each packet; one of them mends one loss of a group.
  public var redundancy = 0.1
  /// Devices that encode, decode and preview at no more than ``slowFrameRate``, and at
  /// ``hotFrameRate`` after ``hotAfter`` (assumed).
  public var slowShare = 0.1
  public var slowFrameRate = 24.0
  public var hotAfter = TimeSpan.minutes(10)
  public var hotFrameRate = 15.0
  /// Below this signing is hard to read. 20 (ICC-043: 20 to 25).
  public var legible = 20.0
  /// Who says when a call is of poor quality; nil: the shipped monitor.
  public var monitors: ForeignQuality?

  public init() {}

  /// Lost packets that neither a repeat nor redundancy brings back.
  public func residual(loss: Double, roundTrip: TimeSpan) -> Double {
    let repeated = repeats && roundTrip <= repeatWithin ? loss * loss : loss
    // Of the losses left, those that come alone within a group are mended.
    if redundancy <= 0 { return repeated }
    let group = 1 / redundancy
    var alone = 1.0
    for _ in 0..<Int(group) { alone *= 1 - repeated }
    return repeated * (1 - alone)
  }

  /// Pictures a second that arrive whole.
  public func shown(
    loss: Double, roundTrip: TimeSpan, uplink: Double, isSlow: Bool, after: TimeSpan
  ) -> Double {
    var rate = frameRate
    if isSlow { rate = min(rate, after >= hotAfter ? hotFrameRate : slowFrameRate) }
    // A narrow uplink carries fewer pictures of the same quality.
    rate *= min(1, uplink / bitRate)
    let packets = max(1, Int(bitRate / frameRate / 8 / packetBytes))
    let missing = residual(loss: loss, roundTrip: roundTrip)
    var whole = 1.0
    for _ in 0..<packets { whole *= 1 - missing }
    return rate * whole
  }
}

/// One end of a call that is being watched.
struct QualityState: Sendable {
  var monitor = QualityMonitor()
  var since = Instant.zero
  var uplink = 0.0
  var isSlow = false
  var spellUntil = Instant.zero
  var roundTrip = TimeSpan.zero
  /// Counts draws.
  var draws: UInt32 = 0
}
