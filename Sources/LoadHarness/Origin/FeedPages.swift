import FeedPolicy
import MediaUnits
import Models

/// Pages of `/v1/feed`: for a session and a place in it the same page every time, no title twice in
/// a session, and opaque cursors (SIG-046).
///
/// A title is the simulated feed's draw for the place, the first that the session has not had. A
/// page of Trending has the most popular titles that it has not had.
struct FeedPages: Sendable {
  /// Where a session stands; what a cursor says.
  struct Place: Equatable {
    var session: UInt32
    /// Pages before this one, and items of each page.
    var page: UInt32
    var limit: UInt32
  }

  struct Page {
    var titles: [UInt32]
    var source: PageSource
    /// What the API takes for it.
    var latency: TimeSpan
    /// nil: nothing is left.
    var next: Place?
  }

  let contents: CatalogueContents
  let ranker: RankerConfiguration?
  /// The API's time for a page without a ranker of its own, seconds.
  let latency: @Sendable (_ u: Double) -> Double
  static let largestLimit: UInt32 = 50
  /// Pages that one session may turn: a page costs as much as all before it.
  static let largestPage: UInt32 = 10_000

  /// The page at a place.
  ///
  /// - Complexity: O(items up to it), since what a session has had is not stored.
  func page(_ place: Place) -> Page {
    var had = Set<UInt32>()
    var titles: [UInt32] = []
    var rank: UInt32 = 0
    for page in 0...place.page {
      titles.removeAll(keepingCapacity: true)
      let isTrending = source(place.session, page) == .trending
      for slot in 0..<place.limit {
        let item = page * place.limit + slot
        guard
          let title = isTrending
            ? nextRank(&rank, had) : drawn(place.session, item, had) ?? nextRank(&rank, had)
        else { break }
        had.insert(title)
        titles.append(title)
      }
    }
    let isLast = had.count >= contents.configuration.titles || place.page >= FeedPages.largestPage
    return Page(
      titles: titles, source: source(place.session, place.page), latency: time(place),
      next: isLast
        ? nil : Place(session: place.session, page: place.page + 1, limit: place.limit))
  }

  private func drawn(_ session: UInt32, _ item: UInt32, _ had: Set<UInt32>) -> UInt32? {
    for attempt in 0..<UInt32(64) {
      let title = contents.feedTitle(session: session, item: item, attempt: attempt)
      if !had.contains(title) { return title }
    }
    return nil
  }

  private func nextRank(_ rank: inout UInt32, _ had: Set<UInt32>) -> UInt32? {
    while rank < contents.configuration.titles {
      if !had.contains(rank) { return rank }
      rank += 1
    }
    return nil
  }

  // MARK: Time

  private func rankerTime(_ session: UInt32, _ page: UInt32) -> TimeSpan? {
    guard let ranker else { return nil }
    let draws = contents.rankerDraws(session: session, page: page)
    let time = ranker.latency.quantile(draws.time)
    return TimeSpan(seconds: draws.slow < ranker.slowShare ? time * ranker.slowFactor : time)
  }

  private func source(_ session: UInt32, _ page: UInt32) -> PageSource {
    guard let ranker, let time = rankerTime(session, page) else { return .ranker }
    return RankerFallback(ranker.fallback).source(latency: time)
  }

  private func time(_ place: Place) -> TimeSpan {
    if let ranker, let time = rankerTime(place.session, place.page) {
      return min(time, ranker.fallback.deadline) + ranker.overhead
    }
    return TimeSpan(
      seconds: latency(
        contents.pageDraw(session: place.session, firstItem: place.page * place.limit)))
  }

  // MARK: Cursors and text

  /// A cursor says nothing to a client: the place, mixed with a check.
  static func cursor(_ place: Place) -> String {
    let check = check(place)
    let words = [
      place.session ^ check &* 0x9E37_79B1, place.page ^ check, place.limit ^ check << 7, check,
    ]
    return words.map { word in
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 8 - text.count) + text
    }.joined()
  }

  /// The place of a cursor; nil for a text that is none.
  static func place(_ cursor: some StringProtocol) -> Place? {
    let bytes = Array(cursor.utf8)
    if bytes.count != 32 { return nil }
    var words: [UInt32] = []
    for start in stride(from: 0, to: 32, by: 8) {
      guard bytes[start] != UInt8(ascii: "+"), bytes[start] != UInt8(ascii: "-"),
        let word = UInt32(String(decoding: bytes[start..<(start + 8)], as: UTF8.self), radix: 16)
      else { return nil }
      words.append(word)
    }
    let mixed = words[3]
    let place = Place(
      session: words[0] ^ mixed &* 0x9E37_79B1, page: words[1] ^ mixed,
      limit: words[2] ^ mixed << 7)
    guard check(place) == mixed, place.limit >= 1, place.limit <= largestLimit,
      place.page <= largestPage
    else { return nil }
    return place
  }

  private static func check(_ place: Place) -> UInt32 {
    var sum: UInt32 = 0x811C_9DC5
    for word in [place.session, place.page, place.limit] {
      for shift in stride(from: UInt32(0), to: 32, by: 8) {
        sum = (sum ^ (word >> shift & 0xFF)) &* 0x0100_0193
      }
    }
    return sum
  }

  /// The page as JSON, as long as the scenario says a page of so many items is.
  func text(_ page: Page, base: String, bytesPerItem: Int64) -> [UInt8] {
    let items = page.titles.map { title in
      "{\"video_id\":\"\(MediaLayout.videoID(title))\",\"media_manifest_url\":\""
        + base + MediaLayout.path(.manifest(title: title))
        + "\",\"author\":{\"id\":\"u\(title % 9973)\",\"handle\":\"@u\(title % 9973)\"},"
        + "\"stats\":{\"likes\":\(title % 4001),\"comments\":\(title % 307),"
        + "\"shares\":\(title % 101)}}"
    }
    let cursor = page.next.map { "\"\(FeedPages.cursor($0))\"" } ?? "null"
    let source = page.source == .ranker ? "ranker" : "trending"
    return PlaylistText.blanks(
      "{\"cursor\":\(cursor),\"source\":\"\(source)\",\"items\":["
        + items.joined(separator: ",") + "]}", to: bytesPerItem * Int64(items.count))
  }
}
