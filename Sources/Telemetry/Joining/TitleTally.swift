import Scenario

/// How often each title was viewed, and by how many sessions.
struct TitleTally: Sendable {
  /// The most titles that are counted one by one.
  static let limit = 1 << 21

  private var titles = HandleTable()
  private var counts: [UInt32] = []
  private var sessionCounts: [UInt32] = []
  /// Views of titles that there was no room for.
  private var uncounted = 0
  private var places: [Range<Int>] = []
  private var repeats = 0

  mutating func count(_ title: UInt64) {
    if let place = place(of: title) { counts[place] &+= 1 } else { uncounted += 1 }
  }

  private mutating func place(of title: UInt64) -> Int? {
    if titles.count >= TitleTally.limit { return titles.known(title) }
    let place = titles.handle(of: title)
    if place == counts.count {
      counts.append(0)
      sessionCounts.append(0)
    }
    return place
  }

  /// Each title of a session once. Who goes back to an item sees its title again without having
  /// been given it again.
  mutating func close(_ views: [JoinedView], begin: Int) {
    var given: [(title: Int, item: Double)] = []
    for view in views where view.title != 0 {
      guard let title = place(of: view.title) else { continue }
      given.append((title, view.start.item.isNaN ? -1 : view.start.item))
    }
    given.sort { ($0.title, $0.item) < ($1.title, $1.item) }
    var distinct = 0
    for (index, view) in given.enumerated() {
      if index > 0, given[index - 1].title == view.title {
        let before = given[index - 1].item
        let isNear = view.item - before <= Double(TelemetryData.near)
        if view.item < 0 || view.item != before && isNear { repeats += 1 }
        continue
      }
      distinct += 1
      sessionCounts[view.title] &+= 1
    }
    if distinct > 0 { places.append(begin..<begin + distinct) }
  }

  func finish(
    _ reading: inout TelemetryReading, requests: RequestTally, hasAllSessions: Bool
  ) {
    let ofRequests = requests.titleCounts
    if counts.isEmpty {
      reading.data.titleCounts += ofRequests
      return
    }
    if !ofRequests.isEmpty {
      reading.notes.append(
        "titles are those that views name: \(ofRequests.reduce(0, +)) requests or more that name "
          + "none are not among them")
    }
    if uncounted > 0 {
      reading.notes.append(
        "\(uncounted) views are of other titles than the first \(TitleTally.limit): they are not "
          + "among the titles; is the column one of titles?")
    }
    reading.data.titleCounts += counts.filter { $0 > 0 }.map { Int($0) }
    if places.isEmpty { return }
    if hasAllSessions {
      reading.data.sessionTitles += places
      reading.data.titleSessions += sessionCounts.filter { $0 > 0 }.map { Int($0) }
      reading.data.titleRepeats += repeats
    } else {
      reading.notes.append(
        "more than \(ObservationTally.sessionLimit) sessions: titles are counted by views alone")
    }
  }
}
