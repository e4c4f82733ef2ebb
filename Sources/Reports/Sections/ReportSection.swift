/// What the reports of a run say of one matter, from the same record: lines on the terminal, a
/// piece of the page, or both. A file of this folder holds a section; its row is in the list here.
struct ReportSection: Sendable {
  /// What kind of run has the section.
  enum Scope: Sendable { case feed, world, any }

  /// Every section, in the order of the terminal; under one heading that of the page, too.
  static let all: [ReportSection] = [
    budgets, live, worldTimes, worldNumbers, times, histogram, series, breakdown, late, playback,
    client, links, comparisons, caches, peakLoad, load, cacheNote, cost, bytes, counters, surface,
    byNetwork, byDevice, cohorts, windows, newVersions, changes, history, metrics, provenance,
  ]

  /// The heading of the page under which it stands; nil: it is on the terminal alone.
  let heading: PageHeading?
  let scope: Scope
  /// On the terminal.
  let title: @Sendable (RunRecord) -> String
  /// Without any the title is left out, too.
  let lines: @Sendable (ReportWriter) -> [String]
  let page: @Sendable (HTMLPage, inout Markup) -> Void

  init(
    _ heading: PageHeading? = nil, of scope: Scope = .feed, title: String = "",
    lines: @escaping @Sendable (ReportWriter) -> [String] = { _ in [] },
    page: @escaping @Sendable (HTMLPage, inout Markup) -> Void = { _, _ in }
  ) {
    self.init(heading, of: scope, titled: { _ in title }, lines: lines, page: page)
  }

  /// With a title that depends on the run.
  init(
    _ heading: PageHeading? = nil, of scope: Scope = .feed,
    titled title: @escaping @Sendable (RunRecord) -> String,
    lines: @escaping @Sendable (ReportWriter) -> [String],
    page: @escaping @Sendable (HTMLPage, inout Markup) -> Void = { _, _ in }
  ) {
    self.heading = heading
    self.scope = scope
    self.title = title
    self.lines = lines
    self.page = page
  }

  /// A feed without views has nothing to say of them.
  func isOnTerminal(_ record: RunRecord) -> Bool {
    switch scope {
    case .any: true
    case .world: record.hasMetricsOnly
    case .feed: !record.hasMetricsOnly && record.views > 0
    }
  }
}

/// The headings of the page in their order; each is a fragment identifier. Those without contents
/// say so.
enum PageHeading: String, CaseIterable, Sendable {
  case budgets, live, why, times, numbers, startup, ttff, series, playback, caches, links, bytes,
    players, cohorts, comparisons, changes, history, metrics, provenance

  var title: String {
    switch self {
    case .budgets: "Budgets"
    case .live: "Live"
    case .why: "Why"
    case .times: "Times"
    case .numbers: "Truth and cost"
    case .startup: "Startup"
    case .ttff: "Time to first frame"
    case .series: "Over time"
    case .playback: "Playback"
    case .caches: "Caches"
    case .links: "Links"
    case .bytes: "Media bytes"
    case .players: "Players and prefetch"
    case .cohorts: "Cohorts"
    case .comparisons: "Other simulators"
    case .changes: "Against a baseline"
    case .history: "Over commits"
    case .metrics: "All metrics"
    case .provenance: "Provenance"
    }
  }

  /// Whether the page of a run has it.
  func isOn(_ record: RunRecord) -> Bool {
    switch self {
    case .budgets, .why, .changes, .history, .provenance: true
    case .live: record.live != nil
    case .times, .numbers: record.hasMetricsOnly
    default: !record.hasMetricsOnly
    }
  }
}
