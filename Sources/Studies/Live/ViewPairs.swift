import Models

/// The views that both sides of a validation have: same session, same item, and where an item is
/// seen again the same time of seeing it.
struct ViewPairs {
  /// One view, simulated and live, both with a first frame.
  private(set) var started: [(simulated: ViewRecord, live: ViewRecord)] = []
  /// One view of which a side has no first frame.
  private(set) var others: [(simulated: ViewRecord, live: ViewRecord)] = []
  /// Views that the other side has not.
  private(set) var onlySimulated: [ViewRecord] = []
  private(set) var onlyLive: [ViewRecord] = []

  init(simulated: [FeedMeasures], live: [FeedMeasures]) {
    let (left, right) = (ViewPairs.ordered(simulated), ViewPairs.ordered(live))
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      if j == right.count || i < left.count && left[i].key < right[j].key {
        onlySimulated.append(left[i].view)
        i += 1
      } else if i == left.count || right[j].key < left[i].key {
        onlyLive.append(right[j].view)
        j += 1
      } else {
        let pair = (left[i].view, right[j].view)
        if pair.0.hasStarted && pair.1.hasStarted {
          started.append(pair)
        } else {
          others.append(pair)
        }
        i += 1
        j += 1
      }
    }
  }

  /// Session, item, and how often the session had seen it before.
  private typealias Key = (session: UInt32, item: UInt32, time: Int)

  /// A side's views by their keys.
  private static func ordered(_ side: [FeedMeasures]) -> [(key: Key, view: ViewRecord)] {
    let views = side.flatMap(\.views).sorted {
      ($0.session, $0.item, $0.settledAt.nanoseconds)
        < ($1.session, $1.item, $1.settledAt.nanoseconds)
    }
    var ordered: [(key: Key, view: ViewRecord)] = []
    for view in views {
      let isAgain =
        ordered.last.map { $0.key.session == view.session && $0.key.item == view.item } ?? false
      let time = isAgain ? (ordered.last?.key.time ?? 0) + 1 : 0
      ordered.append(((view.session, view.item, time), view))
    }
    return ordered
  }

  /// All views as comma-separated values.
  var text: String {
    func time(_ view: ViewRecord?) -> String {
      guard let view, view.hasStarted else { return "" }
      return "\(Double(view.ttff.nanoseconds / 1000) / 1000)"
    }
    var rows: [(session: UInt32, item: UInt32, text: String)] = []
    func add(_ simulated: ViewRecord?, _ live: ViewRecord?) {
      guard let view = simulated ?? live else { return }
      let clock = view.flags.contains(.cold) ? "cold" : "swipe"
      rows.append(
        (
          view.session, view.item,
          "\(view.session),\(view.item),\(clock),\(time(simulated)),\(time(live))"
        ))
    }
    for pair in started + others { add(pair.simulated, pair.live) }
    for view in onlySimulated { add(view, nil) }
    for view in onlyLive { add(nil, view) }
    rows.sort { ($0.session, $0.item, $0.text) < ($1.session, $1.item, $1.text) }
    let head = "session,item,clock,simulated_ms,live_ms"
    return ([head] + rows.map(\.text)).joined(separator: "\n") + "\n"
  }
}
