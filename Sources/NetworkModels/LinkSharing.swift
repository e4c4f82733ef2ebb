/// How transfers at one time share a viewer's link.
public enum LinkSharing: UInt8, Sendable, Equatable, CaseIterable {
  /// By weight, each transfer for itself: its rounds of slow start and recovery are a wait, in
  /// which the others have the link.
  case weights
  /// The responses of one HTTP/2 or HTTP/3 connection have one sender, whose rounds are theirs, and
  /// are served in turns. Connections share by weight, and so does all of HTTP/1.1 and of a cell.
  case turns
  /// By weight, and connections of HTTP/1.1 have one queue: an answer waits for the packets that
  /// arrived before it, a request for what is in flight.
  case queue
}
