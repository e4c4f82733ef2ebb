import MediaUnits

/// What the viewer looks at since the list came to rest.
struct SurfaceView {
  private(set) var isOpen = false
  private(set) var item: UInt32 = 0
  private(set) var startedAt = Instant.zero
  /// When it was given up without a frame.
  private(set) var leftAt: Instant?
  private(set) var frameAt: Instant?
  private(set) var toldAt: Instant?
  /// The frame was ready when the card was told to play.
  private(set) var isReady = false
  /// The steps of the start as they stood when it had a frame or was given up.
  private(set) var times: SurfaceTimes?
  private(set) var played = TimeSpan.zero
  private(set) var stalled = TimeSpan.zero
  private(set) var stalls: Int32 = 0

  /// Nothing is looked at.
  init() {}

  /// A view of a card that begins now.
  ///
  /// - Parameters:
  ///   - wasReady: whether the frame was decoded when the card was told to play; nil when it is
  ///     not told.
  ///   - shown: the steps of a card that plays already; nil of others.
  init(of item: Int, at now: Instant, wasReady: Bool?, shown: SurfaceTimes?) {
    isOpen = true
    self.item = UInt32(item)
    startedAt = now
    if let wasReady {
      toldAt = now
      isReady = wasReady
    }
    if let shown {
      frameAt = now
      isReady = true
      times = shown
    }
  }

  /// Whether the view is open and of a card.
  func isOf(_ item: Int) -> Bool { isOpen && self.item == UInt32(item) }

  /// Whether a first frame of a card would be this view's.
  func awaitsFrame(of item: Int) -> Bool { isOf(item) && frameAt == nil && leftAt == nil }

  /// The viewer means to tap a card.
  mutating func aim(at item: Int) { self.item = UInt32(item) }

  /// The card is told to play; the first time counts.
  mutating func tell(isReady: Bool, at now: Instant) {
    if toldAt != nil { return }
    toldAt = now
    self.isReady = isReady
  }

  /// The first frame is there.
  mutating func show(_ times: SurfaceTimes, at now: Instant) {
    frameAt = now
    self.times = times
  }

  /// The viewer gives it up, or has seen enough.
  mutating func leave(_ times: SurfaceTimes, at now: Instant) {
    leftAt = now
    if self.times == nil { self.times = times }
  }

  mutating func close() { isOpen = false }

  /// Time of the view's card counts for it.
  mutating func add(played: TimeSpan, stalled: TimeSpan) {
    self.played += played
    self.stalled += stalled
  }

  mutating func countStall() { stalls += 1 }
}
