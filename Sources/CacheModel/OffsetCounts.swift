import AudienceModel
import MediaUnits
import ModelBasics

/// What a pilot run counts at the edges. Nothing is counted, and nothing held, in other runs.
public struct OffsetCounts: Sendable, Equatable {
  /// Requests by the segments of the title, less one, and by the offset of ``ObjectLayout``.
  private var requests: [Int64] = []
  private var bytes: [Int64] = []
  /// Since the session's first request for anything of the item.
  public var delays = RequestDelays()
  /// Items that were asked for and viewed, and the seconds from the first request until the view
  /// ended.
  public var items: Int64 = 0
  public var itemSeconds = 0.0
  /// Views by the segments of the title, less one.
  private(set) var viewsOfLength: [Int64] = []
  /// Items that were asked for, viewed or not, by the segments of the title, less one; empty where
  /// ``items`` are not counted.
  private(set) var itemsOfLength: [Int64] = []
  /// Views by the number of items before them in the session, at most
  /// ``AudienceConfiguration/rememberedItems``.
  private(set) var viewsByMemory: [Int64] = []
  public private(set) var views: Int64 = 0
  public var sessions: Int64 = 0
  /// Intended lengths of the sessions, seconds.
  public var sessionSeconds = 0.0

  public init() {}

  /// Counts one request.
  ///
  /// - Parameter segments: how many the title has.
  public mutating func addRequest(_ offset: Int, segments: Int, bytes size: Int64) {
    if requests.isEmpty {
      let offsets = Int(ObjectLayout.stride)
      requests = [Int64](repeating: 0, count: offsets * ObjectLayout.maximumSegments)
      bytes = [Int64](repeating: 0, count: offsets)
    }
    requests[(segments - 1) * Int(ObjectLayout.stride) + offset] += 1
    bytes[offset] += size
  }

  /// Counts one view of a title with so many segments, after so many items of the session.
  public mutating func addView(segments: Int, after items: Int) {
    if viewsOfLength.isEmpty {
      viewsOfLength = [Int64](repeating: 0, count: ObjectLayout.maximumSegments)
      viewsByMemory = [Int64](repeating: 0, count: AudienceConfiguration.rememberedItems + 1)
    }
    views += 1
    viewsOfLength[segments - 1] += 1
    let most = AudienceConfiguration.rememberedItems
    viewsByMemory[items < most ? items : most] += 1
  }

  /// Counts the first request for anything of an item.
  public mutating func addItem(segments: Int) {
    if itemsOfLength.isEmpty {
      itemsOfLength = [Int64](repeating: 0, count: ObjectLayout.maximumSegments)
    }
    itemsOfLength[segments - 1] += 1
  }

  /// Adds what another run has counted.
  public mutating func add(_ other: OffsetCounts) {
    Tally.add(other.requests, to: &requests)
    Tally.add(other.bytes, to: &bytes)
    delays.add(other.delays)
    items += other.items
    itemSeconds += other.itemSeconds
    Tally.add(other.viewsOfLength, to: &viewsOfLength)
    Tally.add(other.itemsOfLength, to: &itemsOfLength)
    Tally.add(other.viewsByMemory, to: &viewsByMemory)
    views += other.views
    sessions += other.sessions
    sessionSeconds += other.sessionSeconds
  }

  /// Requests at an offset in views of titles with so many segments.
  func requests(_ offset: Int, segments: Int) -> Int64 {
    requests.isEmpty ? 0 : requests[(segments - 1) * Int(ObjectLayout.stride) + offset]
  }

  /// All requests at an offset, and their bytes.
  func total(_ offset: Int) -> (requests: Int64, bytes: Int64) {
    if requests.isEmpty { return (0, 0) }
    let count = (1...ObjectLayout.maximumSegments).reduce(0) {
      $0 + requests(offset, segments: $1)
    }
    return (count, bytes[offset])
  }
}

extension OffsetCounts: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(sparse: requests)
    writer.add(sparse: bytes)
    delays.write(to: &writer)
    writer.add(items)
    writer.add(itemSeconds)
    writer.add(sparse: viewsOfLength)
    writer.add(sparse: itemsOfLength)
    writer.add(sparse: viewsByMemory)
    writer.add(views)
    writer.add(sessions)
    writer.add(sessionSeconds)
  }

  public init?(_ reader: inout WordReader) {
    let offsets = Int(ObjectLayout.stride)
    let lengths = ObjectLayout.maximumSegments
    guard let requests = reader.integers(count: offsets * lengths),
      let bytes = reader.integers(count: offsets), requests.isEmpty == bytes.isEmpty,
      let delays = RequestDelays(&reader), let items = reader.integer(),
      let itemSeconds = reader.double(), let viewsOfLength = reader.integers(count: lengths),
      let itemsOfLength = reader.integers(count: lengths),
      let viewsByMemory = reader.integers(count: AudienceConfiguration.rememberedItems + 1),
      viewsOfLength.isEmpty == viewsByMemory.isEmpty, let views = reader.integer(),
      let sessions = reader.integer(), let sessionSeconds = reader.double()
    else { return nil }
    self.requests = requests
    self.bytes = bytes
    self.delays = delays
    self.items = items
    self.itemSeconds = itemSeconds
    self.viewsOfLength = viewsOfLength
    self.itemsOfLength = itemsOfLength
    self.viewsByMemory = viewsByMemory
    self.views = views
    self.sessions = sessions
    self.sessionSeconds = sessionSeconds
  }
}
