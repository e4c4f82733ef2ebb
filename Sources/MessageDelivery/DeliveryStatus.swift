/// How far a sent video has come. Later cases are further along (TBM-002, TBM-003).
///
/// Two reports are merged by taking the one further along, which is commutative, associative and
/// idempotent: the order in which reports arrive, and how often, makes no difference (TBM-064).
public enum DeliveryStatus: UInt8, Sendable, Equatable, Comparable, CaseIterable {
  /// The server knows of the video, which is not in the store yet.
  case pending = 0
  /// In the store and known to the server.
  case uploaded
  /// The server has sent a notification to the recipient.
  case notified
  /// The recipient knows of the video.
  case received
  /// The recipient has the video.
  case downloaded
  /// Seen. Nothing comes after this.
  case viewed

  @inlinable
  public static func < (a: DeliveryStatus, b: DeliveryStatus) -> Bool { a.rawValue < b.rawValue }

  /// The status further along.
  @inlinable
  public func joined(with other: DeliveryStatus) -> DeliveryStatus { self < other ? other : self }
}

/// Which states a service keeps apart (TBM-004, OQ-07).
public enum StatusLattice: UInt8, Sendable, Equatable, CaseIterable {
  /// Uploaded, downloaded, viewed (TBM-002).
  case three = 3
  /// And notified: the server knows that it sent a notification (TBM-003).
  case four = 4
  /// And received: the recipient says that it got one.
  case five = 5

  /// Whether the service has this state.
  @inlinable
  public func contains(_ status: DeliveryStatus) -> Bool {
    switch status {
    case .pending, .uploaded, .downloaded, .viewed: return true
    case .notified: return self != .three
    case .received: return self == .five
    }
  }

  /// The furthest state of this service that is not beyond the given one.
  @inlinable
  public func projected(_ status: DeliveryStatus) -> DeliveryStatus {
    switch status {
    case .received: return self == .five ? .received : self == .four ? .notified : .uploaded
    case .notified: return self == .three ? .uploaded : .notified
    case .pending, .uploaded, .downloaded, .viewed: return status
    }
  }
}
