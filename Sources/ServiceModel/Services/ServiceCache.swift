import MediaUnits

/// The cache of the services: the metadata of titles, and the features of users.
///
/// Included: a lifetime from the reading on, whether the caches at the edges have lost a title, an
/// emptying. Left out: a capacity.
struct ServiceCache: Sendable {
  /// What a page found of a title.
  struct Look: Equatable {
    /// Its metadata has to come from the table.
    var isMissing: Bool
    /// Nobody was shown it for long.
    var isCold: Bool
  }

  private let lifetime: TimeSpan
  private let coldAfter: TimeSpan
  /// When each title's metadata came into the cache, and when it was last shown.
  private var loadedAt: [Instant]
  private var shownAt: [Instant]
  private var knownUsers: [Bool]
  private var emptiedAt: Instant?

  /// A cache that has the features of all users, and of all titles what was read at time zero.
  init(titles: Int, users: UInt32, lifetime: TimeSpan, coldAfter: TimeSpan) {
    self.lifetime = lifetime
    self.coldAfter = coldAfter
    loadedAt = [Instant](repeating: .zero, count: titles)
    shownAt = [Instant](repeating: .zero, count: titles)
    knownUsers = [Bool](repeating: true, count: Int(users))
  }

  /// A title was read and last shown before the run began.
  mutating func age(_ title: Int, to time: Instant) {
    loadedAt[title] = time
    shownAt[title] = time
  }

  /// Shows a title; what was missing of it is there afterwards.
  mutating func show(_ title: Int, at now: Instant) -> Look {
    let look = Look(
      isMissing: now - loadedAt[title] > lifetime, isCold: now - shownAt[title] > coldAfter)
    if look.isMissing { loadedAt[title] = now }
    shownAt[title] = now
    return look
  }

  /// Whether it has a user's features; it has them afterwards.
  mutating func knew(user: Int) -> Bool {
    defer { knownUsers[user] = true }
    return knownUsers[user]
  }

  /// Everything is lost at once (SIG-074).
  mutating func empty(at now: Instant) {
    emptiedAt = now
    let before = now.advanced(saturatingBy: -lifetime).advanced(saturatingBy: -.nanoseconds(1))
    for title in 0..<loadedAt.count { loadedAt[title] = before }
    for user in 0..<knownUsers.count { knownUsers[user] = false }
  }

  /// Whole seconds since it was emptied; nil if it never was.
  func secondsSinceEmptied(at now: Instant) -> Int? {
    emptiedAt.map { Int((now - $0).nanoseconds / 1_000_000_000) }
  }
}
