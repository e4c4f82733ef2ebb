import MediaUnits

/// Keeps what a viewer has typed into an item's message bar and not sent, while the bar's view is
/// given to other items (REEL-026).
///
/// The host keeps the texts and numbers them; the store says which text belongs into a bar that
/// comes on the screen, and which texts the host may forget. The number of drafts is bounded: the
/// one that was edited longest ago makes room. Leaves out: drafts that outlive the process.
///
/// Events may be late or repeated: what changes nothing is counted.
public struct DraftStore: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Drafts kept at most, at least 1. Default 64 (assumed).
    public var limit: Int

    public init(limit: Int = 64) { self.limit = limit }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The text in the item's bar is this one now.
    case edited(ItemID, draft: UInt64)
    /// The bar was emptied, or its message sent.
    case cleared(ItemID)
    /// The item got a message bar.
    case shown(ItemID)
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    /// Put the text into the item's bar.
    case restore(ItemID, draft: UInt64)
    /// The text is not needed any more.
    case forget(draft: UInt64)
  }

  struct Draft: Sendable, Equatable {
    var item: ItemID
    var number: UInt64
  }

  public let configuration: Configuration
  /// The draft edited longest ago first.
  var drafts: [Draft] = []

  /// Drafts put back into a bar.
  public private(set) var restored = 0
  /// Drafts that made room.
  public private(set) var evicted = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: `limit` is at least 1.
  public init(_ configuration: Configuration = Configuration()) {
    precondition(configuration.limit >= 1, "limit is at least 1, got \(configuration.limit)")
    self.configuration = configuration
  }

  /// Drafts kept.
  public var count: Int { drafts.count }

  /// - Complexity: O(drafts).
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .edited(let item, let number): edit(item, number, into: &commands)
    case .cleared(let item):
      guard let place = place(of: item) else {
        ignored += 1
        return
      }
      commands.append(.forget(draft: drafts[place].number))
      drafts.remove(at: place)
    case .shown(let item):
      guard let place = place(of: item) else { return }
      restored += 1
      commands.append(.restore(item, draft: drafts[place].number))
    }
  }

  private mutating func edit(
    _ item: ItemID, _ number: UInt64, into commands: inout [Command]
  ) {
    if let place = place(of: item) {
      let old = drafts.remove(at: place)
      drafts.append(Draft(item: item, number: number))
      if old.number == number { ignored += 1 } else { commands.append(.forget(draft: old.number)) }
      return
    }
    if drafts.count == configuration.limit {
      evicted += 1
      commands.append(.forget(draft: drafts.removeFirst().number))
    }
    drafts.append(Draft(item: item, number: number))
  }

  private func place(of item: ItemID) -> Int? {
    for index in 0..<drafts.count where drafts[index].item == item { return index }
    return nil
  }
}
