import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Pages of the feed: ``CursorPager`` says when the next one is asked for.
///
/// The server of this world never shows an item twice and its feed has no end, so that a cursor is
/// the number of the page's first item, and so is an item's key. A real feed's pages may say which
/// titles their items are (``OutsideAnswer/Kind/listed(_:)``), and how many there are.
extension FeedWorld {
  static func pager(_ policy: PolicyConfiguration) -> CursorPager {
    CursorPager(CursorPager.Configuration(trigger: policy.pageTrigger, memory: 1, emptyPages: 0))
  }

  /// Tells the pager where the viewer is and asks for the page that it wants, if any.
  mutating func askForPage(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    if viewer.pointee.feedCount == 0 { tellPager(viewer, .opened, &context) }
    tellPager(viewer, .moved(to: ItemID(viewer.pointee.current)), &context)
  }

  private mutating func tellPager(
    _ viewer: ViewerPointer, _ event: CursorPager.Event, _ context: inout Context<FeedEvent>
  ) {
    var commands: [CursorPager.Command] = []
    viewer.pointee.pager.handle(event, at: context.now, into: &commands)
    noteTold(viewer, CursorPager.self, event, at: context.now, commands)
    perform(commands, viewer, &context)
  }

  private mutating func perform(
    _ commands: [CursorPager.Command], _ viewer: ViewerPointer,
    _ context: inout Context<FeedEvent>
  ) {
    for command in commands {
      guard case .request(let number, _) = command else { continue }
      viewer.pointee.pageRequest = number
      requestFeedPage(viewer, &context)
    }
  }

  /// Asks the feed API for the page after the items that are known.
  private mutating func requestFeedPage(
    _ viewer: ViewerPointer, _ context: inout Context<FeedEvent>
  ) {
    let index = takeRequest(viewer)
    viewer.pointee.requests[index].destination = .feed
    viewer.pointee.requests[index].asset = .feed
    viewer.pointee.requests[index].sentAt = context.now
    viewer.pointee.requests[index].bytes =
      configuration.feedBytesPerItem * Int64(policy.pointee.pageSize)
    let entity =
      UInt64(viewer.pointee.session) << 32 | UInt64(viewer.pointee.feedCount)
    viewer.pointee.requests[index].serviceDraw = streams.uniform(.feedPage, entity: entity)
    measures.counts.feedPages += 1
    sendFeedRequest(viewer, index, &context)
  }

  /// Sends a request to the feed API; its answer follows after the API's latency.
  mutating func sendFeedRequest(
    _ viewer: ViewerPointer, _ index: Int, isRepeated: Bool = false,
    _ context: inout Context<FeedEvent>
  ) {
    guard let sent = send(viewer, index, &context) else { return }
    if servers != .modelled {
      arrive(viewer, index, at: sent, &context)
      return
    }
    var service = TimeSpan(
      seconds: configuration.feedLatency.quantile(
        viewer.pointee.requests[index].serviceDraw))
    if hasClient { service = pageService(viewer, usual: service, isRepeated: isRepeated) }
    beginTransfer(
      viewer, index, at: sent + service + viewer.pointee.roundTrip / 2, &context)
  }

  /// A feed page has arrived.
  mutating func receiveFeedPage(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let isFirst = viewer.pointee.feedCount == 0
    var commands: [CursorPager.Command] = []
    // A viewer between two items is told of with the next one; the page counts from there.
    let moved = CursorPager.Event.moved(to: ItemID(viewer.pointee.current))
    viewer.pointee.pager.handle(moved, at: context.now, into: &commands)
    noteTold(viewer, CursorPager.self, moved, at: context.now, commands)
    let first = UInt64(viewer.pointee.feedCount)
    let listed = UInt64(viewer.pointee.listed.count)
    let end = listed > first ? listed : first + UInt64(policy.pointee.pageSize)
    let arrived = CursorPager.Event.pageArrived(
      request: viewer.pointee.pageRequest,
      CursorPager.Page(keys: Array(first..<end), next: end))
    let before = commands.count
    viewer.pointee.pager.handle(arrived, at: context.now, into: &commands)
    noteTold(viewer, CursorPager.self, arrived, at: context.now, commands, from: before)
    let last = ItemID(viewer.pointee.feedCount - 1)
    if viewer.pointee.view.phase == .waitingForFeed {
      if isFirst { viewer.pointee.view.playCalledAt = context.now }
      beginView(viewer, &context)
    } else {
      tellPool(viewer, .feedExtended(last: last), &context)
      tellLengths(viewer, &context)
      tellPrefetch(viewer, .feedExtended(last: last), &context)
    }
    // A page may be smaller than the distance that triggers the next one.
    perform(commands, viewer, &context)
  }
}
