import MediaUnits

/// What several connections of HTTP/1.1 have in the one queue before a viewer's link.
///
/// A sender puts its window on the wire at once, and whoever comes then waits for it: a playlist of
/// a kilobyte behind the first packets of a poster, a request behind what the connections beside it
/// keep in flight beyond the pipe. By weight the short answer has its share of the link from its
/// first byte on, as if there were a queue for each connection.
///
/// Included: the first flight of every answer, served in the order in which answers arrive; windows
/// in flight, which grow with what has come. Left out: who fills the gaps between later flights.
struct SharedQueue {
  /// A connection's present answer, bytes on the wire.
  private struct Sender {
    var wire = 0.0
    /// The window that it began with.
    var window = 0.0
  }

  private let senders: UnsafeMutableBufferPointer<Sender>
  /// When the first flights that have arrived are through, nanoseconds.
  private var busyUntil = Int64.min

  /// - Parameter connections: all that the viewer may have, by their numbers.
  init(connections: Int) {
    senders = .allocate(capacity: connections)
    senders.initialize(repeating: Sender())
  }

  /// Gives the memory back; the queue must not be used afterwards.
  func release() { senders.deallocate() }

  static func bytes(connections: Int) -> Int {
    MemoryLayout<SharedQueue>.stride + connections * MemoryLayout<Sender>.stride
  }

  /// Nothing is in it: another session, or another network.
  mutating func reset() {
    busyUntil = .min
    for place in senders.indices { senders[place] = Sender() }
  }

  /// An answer arrives.
  ///
  /// - Parameters:
  ///   - window: that it may send at once, bytes.
  ///   - rate: of the link, bytes a nanosecond; zero while it is down.
  ///   - limit: of a wait, nanoseconds.
  /// - Returns: nanoseconds that it waits for what arrived before it.
  mutating func enter(
    _ connection: Int, wire: Double, window: Double, rate: Double, at arrival: Int64, limit: Int64
  ) -> Int64 {
    senders[connection] = Sender(wire: wire, window: window)
    if rate <= 0 { return 0 }
    var wait = busyUntil > arrival ? busyUntil - arrival : 0
    if wait > limit { wait = limit }
    let flight = window < wire ? window : wire
    busyUntil = arrival + wait + Int64(atMost: flight / rate)
    return wait
  }

  /// Bytes that an answer has in flight of which so many have not come: its window grows by what
  /// has, and ends as the connection's.
  func inFlight(_ connection: Int, remaining: Double, window: Double) -> Double {
    let sender = senders[connection]
    let grown = sender.window + (sender.wire - remaining)
    let open = grown < window ? grown : window
    return open < remaining ? open : remaining
  }
}
