import CallSignalling
import MediaUnits
import PolicyTesting

func user(_ number: UInt32) -> UserID { UserID(number) }
func connection(_ number: UInt32) -> ConnectionID { ConnectionID(number) }
func call(_ number: UInt64) -> CallID { CallID(high: 5, low: number) }
func fresh(_ number: UInt64) -> CallServer.Fresh { .init(high: 5, low: number) }
func seconds(_ count: Double) -> Instant { .zero + TimeSpan(seconds: count) }

let description = Payload.opaque(bytes: 900, digest: 1)

extension CallServer {
  /// A server with callers 0 and 1 and interpreters 2 and 3, each on the connection of its number,
  /// all of them registered, the interpreters online.
  static func busy(_ configuration: Configuration = Configuration()) -> CallServer {
    var server = CallServer(configuration)
    server.tell(.started)
    for number in 0..<4 as Range<UInt32> {
      let role = number < 2 ? Role.caller : .interpreter
      server.tell(.opened(connection(number)))
      server.say(
        number, Envelope(.register, from: user(number), payload: .registration(role, token: 0)),
        fresh: 100 + UInt64(number))
      if role == .interpreter { server.say(number, Envelope(.goOnline)) }
    }
    return server
  }

  /// A message on the connection of that number.
  @discardableResult
  mutating func say(
    _ number: UInt32, _ envelope: Envelope, fresh bits: UInt64 = 1, at now: Instant = .zero
  ) -> [Command] {
    tell(.message(connection(number), envelope, fresh(bits)), at: now)
  }

  mutating func tell(_ event: Event) { _ = tell(event, at: .zero) }
}

/// What was sent to a connection.
func sent(_ commands: [CallServer.Command], to number: UInt32) -> [Envelope] {
  commands.compactMap {
    if case .send(connection(number), let envelope) = $0 { return envelope }
    return nil
  }
}
