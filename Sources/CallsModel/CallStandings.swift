import CallSignalling

/// The standing that the server last had each client in, and which change of it is legal.
struct CallStandings {
  private var last: [CallServer.Standing?]

  init(clients: UInt32) { last = [CallServer.Standing?](repeating: nil, count: Int(clients)) }

  /// The server has a client in a standing now.
  ///
  /// - Returns: whether the change is legal; nil for no change.
  mutating func note(_ client: UInt32, _ standing: CallServer.Standing?) -> Bool? {
    let before = last[Int(client)]
    if standing == before { return nil }
    last[Int(client)] = standing
    return CallStandings.isLegal(before, standing)
  }

  /// A server that begins anew knows nobody.
  mutating func forget() { for client in 0..<last.count { last[client] = nil } }

  /// The edges of ICC-011, and leaving, which may happen at any time.
  private static func isLegal(
    _ old: CallServer.Standing?, _ new: CallServer.Standing?
  ) -> Bool {
    switch (old, new) {
    case (_, nil), (nil, .unavailable): return true
    case (.unavailable, .available), (.available, .unavailable), (.available, .ringing):
      return true
    case (.ringing, .available), (.ringing, .unavailable): return true
    case (.ringing(let a), .inCall(let b)): return a == b
    case (.inCall, .available), (.inCall, .unavailable): return true
    default: return false
    }
  }
}
