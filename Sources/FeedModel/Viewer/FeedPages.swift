import FeedPolicy
import MediaUnits

/// The feed as a viewer's app knows it: its pages so far.
struct FeedPages {
  var pager: CursorPager
  /// The pager's number of its last request.
  var request: UInt32 = 0
  /// Titles that pages of a real feed have listed, by item; empty where the world draws them.
  var listed: [UInt32] = []

  init(_ policy: borrowing PolicyConfiguration) { pager = FeedPages.pager(policy) }

  /// Nothing is known any more.
  mutating func reset(_ policy: borrowing PolicyConfiguration) {
    pager = FeedPages.pager(policy)
    listed.removeAll(keepingCapacity: true)
  }

  /// Items known: those below this.
  var count: UInt32 { pager.count }

  private static func pager(_ policy: borrowing PolicyConfiguration) -> CursorPager {
    CursorPager(CursorPager.Configuration(trigger: policy.pageTrigger, memory: 1, emptyPages: 0))
  }
}
