import MediaUnits

/// A device's radio, which sleeps when nothing has come for a while.
public struct Radio {
  /// When the last byte arrived, or when the radio will be awake.
  private var lastByteAt = Instant(nanoseconds: .min / 2)

  public init() {}

  public mutating func receive(at now: Instant) { lastByteAt = now }

  /// When packets can leave: a radio that was idle has to be promoted before anything is sent.
  ///
  /// - Parameter isIdle: whether nothing is on its way to the device.
  public mutating func wake(
    at now: Instant, isIdle: Bool, profile: UnsafeMutablePointer<NetworkProfile>
  ) -> Instant {
    if isIdle && profile.pointee.promotion > .zero && now - lastByteAt > profile.pointee.radioIdle {
      lastByteAt = now + profile.pointee.promotion
      return lastByteAt
    }
    // Another request of this instant has woken the radio; both wait for it.
    return lastByteAt > now ? lastByteAt : now
  }
}

extension NetworkProfile {
  /// When a packet that leaves at `begin` or is sent again gets through a link that is down by
  /// script; nil for never.
  ///
  /// Each try doubles the wait for the next one: a SYN's from 1 s, a segment's from the
  /// retransmission timeout (RFC 6298).
  ///
  /// - Parameters:
  ///   - start: when the session began, from which the script counts.
  ///   - isOpen: whether the connection is, so that a segment is repeated and not a SYN.
  /// - Precondition: the profile has a timeline.
  public func firstTry(
    at begin: Instant, since start: Instant, isOpen: Bool, roundTrip: TimeSpan
  ) -> Instant? {
    let age = (begin - start).nanoseconds
    let up = timeline!.upTime(from: age)
    if up == .max { return nil }
    if up == age { return begin }
    var wait = isOpen ? 200_000_000 + roundTrip.nanoseconds : 1_000_000_000
    var attempt = age
    while attempt < up {
      attempt += wait
      wait = wait < 30_000_000_000 ? wait * 2 : 60_000_000_000
    }
    return begin + TimeSpan(nanoseconds: attempt - age)
  }
}
