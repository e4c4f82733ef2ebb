import CallSignalling
import MediaUnits

/// A timer of a client that is set.
struct ClientTimerDue: Equatable {
  var number: UInt32
  /// On the client's own clock.
  var at: Instant
}

/// Timers that clients have set, one for each client and purpose: what is due is looked up when a
/// client's clock is set.
struct ClientTimers {
  private var due: [ClientTimerDue?]

  init(clients: UInt32) {
    due = [ClientTimerDue?](
      repeating: nil, count: Int(clients) * CallClient.Timer.allCases.count)
  }

  /// A timer that is set.
  subscript(client: UInt32, timer: CallClient.Timer) -> ClientTimerDue? {
    due[ClientTimers.place(client, timer)]
  }

  /// A timer of this number; nil if it is not set, or was set anew.
  func due(_ client: UInt32, _ timer: CallClient.Timer, _ number: UInt32) -> ClientTimerDue? {
    guard let entry = self[client, timer], entry.number == number else { return nil }
    return entry
  }

  mutating func set(_ client: UInt32, _ timer: CallClient.Timer, _ entry: ClientTimerDue) {
    due[ClientTimers.place(client, timer)] = entry
  }

  /// A timer fires.
  mutating func clear(_ client: UInt32, _ timer: CallClient.Timer) {
    due[ClientTimers.place(client, timer)] = nil
  }

  /// A client's process ends.
  mutating func clear(_ client: UInt32) {
    for timer in CallClient.Timer.allCases { clear(client, timer) }
  }

  private static func place(_ client: UInt32, _ timer: CallClient.Timer) -> Int {
    Int(client) * CallClient.Timer.allCases.count + Int(timer.rawValue)
  }
}
