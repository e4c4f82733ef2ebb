/// The one timer of a sender: what it waits for, how often it ran out, and whether a loss probe is
/// under way.
///
/// How long the waits are is the sender's to say.
struct ChunkTimer: BitwiseCopyable {
  /// For packets that may be lost, for a silent tail, for a silent connection.
  enum Kind: UInt8 { case reordering, probe, timeout }

  /// Timeouts in a row before a connection is given up (tcp_retries2).
  static let mostTimeouts: Int64 = 15
  /// Linux's least wait of a timer that is due already: one tick.
  private static let tick: Int64 = 1_000_000

  private(set) var kind = Kind.timeout
  /// When it runs out; `.max` while it stands.
  private(set) var at = Int64.max
  /// Timeouts in a row.
  private var timeouts: Int64 = 0
  private var isProbing = false

  /// Whether a silent tail is probed: once, and not after a timeout (RFC 8985 section 7).
  var mayProbe: Bool { !isProbing && timeouts == 0 }
  /// The timeout is doubled so many times.
  var doublings: Int64 {
    timeouts < ChunkTimer.mostTimeouts ? timeouts : ChunkTimer.mostTimeouts
  }
  var isFirstTimeout: Bool { timeouts == 1 }
  var isGivenUp: Bool { timeouts > ChunkTimer.mostTimeouts }

  mutating func set(_ kind: Kind, at time: Int64) {
    self.kind = kind
    at = time
  }

  mutating func stop() { at = .max }

  /// A probe leaves.
  mutating func beginProbe() { isProbing = true }

  /// Waits for the answer to a probe until `due`, at least a tick from now on.
  mutating func awaitProbe(until due: Int64, at now: Int64) {
    set(.timeout, at: due > now + ChunkTimer.tick ? due : now + ChunkTimer.tick)
  }

  /// The retransmission timeout is over; after too many in a row the connection is given up and
  /// the timer stands.
  mutating func expire() {
    timeouts += 1
    if isGivenUp { at = .max }
  }

  /// An acknowledgement is here: the path is alive.
  mutating func revive() {
    timeouts = 0
    isProbing = false
  }

  /// Nothing is waited for any more.
  mutating func abandon() {
    revive()
    stop()
  }
}
