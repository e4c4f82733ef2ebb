import MediaUnits
import Models
import Scenario
import Studies

/// Why a view started late or never: the part that took longest, and what lay behind the edge.
struct StartupCause {
  let text: String

  /// The cause of a view; nil when it started in time.
  init?(_ record: ViewRecord, limit: TimeSpan) {
    if record.hasStarted && record.ttff <= limit { return nil }
    // Of equal parts the earlier one.
    var longest = StartupPart.feed
    for part in StartupPart.allCases where record.parts[part] > record.parts[longest] {
      longest = part
    }
    var text =
      "most in \(longest.label), \(TraceFigures.milliseconds(record.part(longest))) "
      + "(\(Figures.share(record.parts[longest], of: record.ttff.nanoseconds)))"
    if record.answer.reason != .none {
      text +=
        "; waited \(TraceFigures.milliseconds(record.upstreamWait)) behind the edge, longest for "
        + "\(TraceFigures.name(record.answer.asset)): \(record.answer.reason.name), "
        + (record.answer.tier == .none ? "not answered" : "answered by \(record.answer.tier.name)")
    }
    self.text = text
  }
}
