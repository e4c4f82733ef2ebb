import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Pages of the feed: ``CursorPager`` says when the next one is asked for.
///
/// The server of this world never shows an item twice and its feed has no end, so that a cursor is
/// the number of the page's first item, and so is an item's key. A real feed's pages may say which
/// titles their items are (``OutsideAnswer/Kind/listed(_:)``), and how many there are.
extension Viewer {
  /// Tells the pager where the viewer is and asks for the page that it wants, if any.
  mutating func askForPage(_ context: inout ViewerContext) {
    if pages.count == 0 { tellPager(.opened, &context) }
    tellPager(.moved(to: ItemID(current)), &context)
  }

  private mutating func tellPager(_ event: CursorPager.Event, _ context: inout ViewerContext) {
    var commands: [CursorPager.Command] = []
    pages.pager.handle(event, at: context.now, into: &commands)
    noteTold(CursorPager.self, event, at: context.now, commands, &context)
    perform(commands, &context)
  }

  private mutating func perform(_ commands: [CursorPager.Command], _ context: inout ViewerContext) {
    for command in commands {
      guard case .request(let number, _) = command else { continue }
      pages.request = number
      requestFeedPage(&context)
    }
  }

  /// Asks the feed API for the page after the items that are known.
  private mutating func requestFeedPage(_ context: inout ViewerContext) {
    let index = requests.take()
    requests[index].destination = .feed
    requests[index].asset = .feed
    requests[index].sentAt = context.now
    requests[index].bytes =
      configuration.feedBytesPerItem * Int64(policy.pointee.pageSize)
    let entity =
      UInt64(session) << 32 | UInt64(pages.count)
    requests[index].serviceDraw = streams.uniform(.feedPage, entity: entity)
    context.measures.counts.feedPages += 1
    sendFeedRequest(index, &context)
  }

  /// Sends a request to the feed API; its answer follows after the API's latency.
  mutating func sendFeedRequest(
    _ index: Int, isRepeated: Bool = false,
    _ context: inout ViewerContext
  ) {
    guard let sent = send(index, &context) else { return }
    if servers != .modelled {
      arrive(index, at: sent, &context)
      return
    }
    var service = TimeSpan(
      seconds: configuration.feedLatency.quantile(
        requests[index].serviceDraw))
    if hasClient { service = pageService(usual: service, isRepeated: isRepeated, &context) }
    beginTransfer(index, at: sent + service + transport.roundTrip / 2, &context)
  }

  /// A feed page has arrived.
  mutating func receiveFeedPage(_ context: inout ViewerContext) {
    let isFirst = pages.count == 0
    var commands: [CursorPager.Command] = []
    // A viewer between two items is told of with the next one; the page counts from there.
    let moved = CursorPager.Event.moved(to: ItemID(current))
    pages.pager.handle(moved, at: context.now, into: &commands)
    noteTold(CursorPager.self, moved, at: context.now, commands, &context)
    let first = UInt64(pages.count)
    let listed = UInt64(pages.listed.count)
    let end = listed > first ? listed : first + UInt64(policy.pointee.pageSize)
    let arrived = CursorPager.Event.pageArrived(
      request: pages.request,
      CursorPager.Page(keys: Array(first..<end), next: end))
    let before = commands.count
    pages.pager.handle(arrived, at: context.now, into: &commands)
    noteTold(CursorPager.self, arrived, at: context.now, commands, from: before, &context)
    let last = ItemID(pages.count - 1)
    if view.phase == .waitingForFeed {
      if isFirst { view.playCalledAt = context.now }
      beginView(&context)
    } else {
      tellPool(.feedExtended(last: last), &context)
      tellLengths(&context)
      tellPrefetch(.feedExtended(last: last), &context)
    }
    // A page may be smaller than the distance that triggers the next one.
    perform(commands, &context)
  }
}
