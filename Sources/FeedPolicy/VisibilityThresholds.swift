import MediaUnits

/// What of a card is on the screen.
public struct CardSight: Sendable, Equatable {
  /// Visible share of the card, 0 ... 1.
  public var fraction: Double
  /// Distance of the middle of the card's widget from the viewport's middle, viewports; positive
  /// for a widget below it.
  public var offset: Double
  /// Visible share of the card sideways, 0 ... 1: 1 unless a Carousel cuts it.
  public var across: Double

  public init(fraction: Double, offset: Double, across: Double = 1) {
    self.fraction = fraction
    self.offset = offset
    self.across = across
  }

  /// Of a card of this height on a column.
  public init(offset: Double, extent: Double, across: Double = 1) {
    self.init(
      fraction: FeedGeometry.along(offset: offset, extent: extent) * across, offset: offset,
      across: across)
  }

  /// Whether all three are numbers.
  public var isValid: Bool { fraction == fraction && offset == offset && across == across }
}

/// At which visible shares a card changes its state.
public struct VisibilityThresholds: Sendable, Equatable {
  /// A player is mounted from here. Default 0.01 (VF-032).
  public var mount: Double
  /// A card becomes ready from here. Default 0.20 (VF-033).
  public var enter: Double
  /// A card is paused below this. Default 0.20 (VF-035); VF-037 asks for hysteresis, `enter` above
  /// `leave`.
  public var leave: Double
  /// A playing card that falls below this is on its way out. Default 0.50 (assumed; VF-034 gives no
  /// number).
  public var release: Double
  /// How long a card must stay at `enter` before it is ready. Default zero; VF-037: 100 to 300 ms.
  public var dwell: TimeSpan

  /// - Precondition: 0 < mount <= leave <= enter <= 1, and the dwell is not negative.
  public init(
    mount: Double = 0.01, enter: Double = 0.2, leave: Double = 0.2, release: Double = 0.5,
    dwell: TimeSpan = .zero
  ) {
    precondition(mount > 0 && mount <= leave, "mount is above 0 and not above leave")
    precondition(leave <= enter && enter <= 1, "leave is not above enter, enter not above 1")
    precondition(release == release, "release is a number, got NaN")
    precondition(dwell >= .zero, "the dwell is not negative")
    self.mount = mount
    self.enter = enter
    self.leave = leave
    self.release = release
    self.dwell = dwell
  }

  /// Whether a state may change between two sights of a card: what has to be told when visibility
  /// is computed elsewhere (VF-019).
  ///
  /// Complete for the model ``VisibilityMachine/Model/thresholds`` and orders that do not look at
  /// the fraction; the other models look at every frame.
  ///
  /// - Parameters:
  ///   - old: the card as it was seen last.
  ///   - new: the card as it is seen now.
  ///   - extent: the card's height, viewports.
  ///   - prefetchRange: as in the machine's configuration.
  public func isCrossed(
    from old: CardSight, to new: CardSight, extent: Double, prefetchRange: Double
  ) -> Bool {
    func differs(_ threshold: Double) -> Bool {
      (old.fraction >= threshold) != (new.fraction >= threshold)
    }
    if differs(mount) || differs(enter) || differs(leave) || differs(release) { return true }
    if (old.fraction > 0) != (new.fraction > 0) { return true }
    let limit = 0.5 + extent / 2 + prefetchRange
    return (abs(old.offset) <= limit) != (abs(new.offset) <= limit)
  }
}
