/// One response on its way through the chunk tier.
struct ChunkFlow: BitwiseCopyable {
  /// Where a flow stands.
  enum Stage: UInt8 {
    /// Before its start.
    case waiting
    /// Waits for its connection to open or, with HTTP/1.1, for the responses before it.
    case queued
    /// The request is on its way.
    case requested
    /// The server has bytes to send or the client misses some.
    case responding
    case done
  }

  var stage = Stage.waiting
  var connection: Int32
  /// The next flow, and the one before, in the connection's list of queued or of sending flows.
  var next: Int32 = -1
  var previous: Int32 = -1
  /// The next flow in the lists of those whose header fields, first byte and last byte are due.
  var nextHeader: Int32 = -1
  var nextFirst: Int32 = -1
  var nextLast: Int32 = -1
  /// The next flow in the lists of those just done, and of those whose first byte was just seen.
  var nextEnded: Int32 = -1
  var nextSeen: Int32 = -1
  /// Whether somebody waits for its first byte.
  var tells = false
  /// Payload that the server has not sent yet, bytes.
  var headerLeft: Int64
  var bytesLeft: Int64
  /// Nothing to send at all: one empty packet is the response.
  var isEmpty: Bool
  /// Packets sent and not at the client.
  var missing: Int64 = 0
  /// Sequence numbers of the first byte as the client sees it, and of the last packet.
  var firstSequence: Int64 = -1
  var lastSequence: Int64 = -1
  /// Whether the packet with the first byte is missing at the client.
  var isFirstMissing = false
  /// Payload still to be sent before the client sees a first byte (a TLS record is opened whole).
  var firstByteLeft: Int64
  /// Whether it was the one that opened its connection.
  var isOpener = false
  /// On the case's clock; -1 before they are known.
  var start: Int64
  var firstByteAt: Int64 = -1
  var endedAt: Int64 = -1
  /// Payload of all of it, and at the client by the horizon, bytes.
  private(set) var bytes: Int64
  var arrived: Int64 = 0

  /// The server has sent a packet of it.
  mutating func note(_ payload: Int64, sequence: Int64) {
    missing += 1
    lastSequence = sequence
    if firstSequence >= 0 { return }
    firstByteLeft -= payload
    if firstByteLeft <= 0 || isSent { firstSequence = sequence }
  }

  var isSent: Bool { headerLeft == 0 && bytesLeft == 0 && !isEmpty }

  /// One of `bytes` of payload in one stream, of which the client waits for the first `mark`.
  init(connection: Int, bytes: Int64, mark: Int64, at start: Int64) {
    self.connection = Int32(truncatingIfNeeded: connection)
    headerLeft = 0
    self.bytes = bytes
    bytesLeft = bytes
    isEmpty = bytes == 0
    firstByteLeft = mark > 0 ? mark : 1
    tells = mark > 0
    self.start = start
  }

  /// - Parameter isWhole: whether header fields and body are one stream of bytes that is opened in
  ///   records, as HTTP/1.1's is over TLS.
  init(_ flow: TransferFlow, isWhole: Bool) {
    connection = Int32(truncatingIfNeeded: flow.connection)
    headerLeft = flow.responseHeaderBytes > 0 ? flow.responseHeaderBytes : 0
    bytesLeft = flow.bytes > 0 ? flow.bytes : 0
    bytes = headerLeft + bytesLeft
    if isWhole {
      bytesLeft += headerLeft
      headerLeft = 0
    }
    isEmpty = headerLeft + bytesLeft == 0
    firstByteLeft = isWhole ? Handshake.recordBytes : 1
    start = flow.start
  }
}
