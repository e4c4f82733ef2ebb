import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// The list that pages are cut from, newest first: it grows while it is read, and its entries
/// expire.
///
/// Included: the time until the index shows an entry; entries from before the run, of which there
/// is no end. Left out: rows that are deleted (an expired one may still be there, SIG-061).
struct EntryList: Sendable {
  /// What a page has of the list.
  struct Page: Equatable {
    /// Keys of its entries, newest first.
    var keys: [UInt64] = []
    /// How far it has looked.
    var lowest: UInt64
    /// Entries in it that had expired.
    var expired = 0
  }

  /// The key of the first entry made in the run.
  static let firstKey: UInt64 = 1 << 32

  private let streams: RandomStreams
  private let cut: PageCut
  private let filtersExpired: Bool
  private let ephemeralShare: Double
  private let life: TimeSpan
  private let publishRate: Double
  /// Of entries that were made in the run: when, and when the index has them.
  private var published: [Instant] = []
  private var indexedAt: [Instant] = []

  init(_ content: ContentSettings, streams: RandomStreams) {
    self.streams = streams
    cut = content.cut
    filtersExpired = content.filtersExpired
    ephemeralShare = content.ephemeralShare
    life = content.life
    publishRate = content.publishRate
  }

  /// A new entry, which the index shows later.
  mutating func publish(at now: Instant, indexedAfter lag: TimeSpan) {
    published.append(now)
    indexedAt.append(now + lag)
  }

  /// The page after a cursor; the first one without.
  func page(of size: Int, after cursor: UInt64?, at now: Instant) -> Page {
    var page = Page(lowest: EntryList.firstKey + UInt64(published.count))
    var toSkip: UInt64 = 0
    if let cursor {
      if cut == .key { page.lowest = cursor } else { toSkip = cursor }
    }
    while page.keys.count < size && page.lowest > 1 {
      page.lowest -= 1
      if !isIndexed(page.lowest, at: now) { continue }
      let isExpired = isExpired(page.lowest, at: now)
      if isExpired && filtersExpired { continue }
      if toSkip > 0 {
        toSkip -= 1
        continue
      }
      if isExpired { page.expired += 1 }
      page.keys.append(page.lowest)
    }
    return page
  }

  /// Entries strictly between two keys that could be seen now.
  func visible(after first: UInt64, before last: UInt64, at now: Instant) -> Int {
    if first >= last { return 0 }
    var count = 0
    var key = last - 1
    while key > first {
      if isIndexed(key, at: now) && !isExpired(key, at: now) { count += 1 }
      key -= 1
    }
    return count
  }

  /// Whether the index shows an entry.
  private func isIndexed(_ key: UInt64, at now: Instant) -> Bool {
    key < EntryList.firstKey || indexedAt[Int(key - EntryList.firstKey)] <= now
  }

  /// Whether an entry has expired.
  private func isExpired(_ key: UInt64, at now: Instant) -> Bool {
    if ephemeralShare == 0 { return false }
    let u = streams.uniform(.serviceList, entity: key, draw: 2)
    if u >= ephemeralShare { return false }
    if key >= EntryList.firstKey {
      return published[Int(key - EntryList.firstKey)] + life < now
    }
    let age = Double(EntryList.firstKey - key) / max(publishRate, 1e-6)
    return now.seconds + age > life.seconds
  }
}
