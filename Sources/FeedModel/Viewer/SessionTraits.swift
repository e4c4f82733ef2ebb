import MediaUnits

/// What does not change about a viewer in one session.
struct SessionTraits {
  /// The session's number.
  var session: UInt32 = 0
  /// Whether it is the session that is written down.
  var isWatched = false
  var edge: UInt32 = 0
  /// What the cache key has beside the object.
  var keyValue: UInt32 = 0
  // Places in the configuration.
  var network = 0
  var device = 0
  var persona = 0
  var arrivedAt = Instant.zero
  /// When he has had enough: the view under way then is his last.
  var endsAt = Instant.zero
}
