/// A rule that a policy breaks in a made-up session, and where.
public struct SessionFinding<Rule: RawRepresentable<String> & Sendable>:
  Sendable, CustomStringConvertible
{
  public let rule: Rule
  /// The number of the session, and whether it was told in order.
  public let session: Int
  public let isInOrder: Bool
  /// How many events it had been told.
  public let events: Int
  /// What was expected and what came, with the event.
  public let text: String

  public var description: String {
    "\(rule.rawValue): \(text) (session \(session), \(isInOrder ? "in order" : "in disorder"), "
      + "event \(events))"
  }
}
