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
    noteTold(context.logs?.pager, event, at: context.now, commands, &context)
    requestPages(commands, &context)
  }

  /// Asks for the pages that the pager wants.
  mutating func requestPages(
    _ commands: [CursorPager.Command], _ context: inout ViewerContext
  ) {
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
    requests[index].times.sentAt = context.now
    requests[index].bytes =
      configuration.feedBytesPerItem * Int64(policy.pointee.pageSize)
    let entity =
      UInt64(session) << 32 | UInt64(pages.count)
    requests[index].way.serviceDraw = streams.uniform(.feedPage, entity: entity)
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
        requests[index].way.serviceDraw))
    if hasClient { service = pageService(usual: service, isRepeated: isRepeated, &context) }
    beginTransfer(index, at: sent + service + transport.roundTrip / 2, &context)
  }

  /// Time of the feed API for a page, and where the page comes from.
  ///
  /// - Parameter isRepeated: the page was asked for before and has been counted.
  private func pageService(usual: TimeSpan, isRepeated: Bool, _ context: inout ViewerContext)
    -> TimeSpan
  {
    guard let ranker = clientSettings.pointee.ranker else { return usual }
    let page = pages.count / policy.pointee.pageSize
    let entity = UInt64(session) << 32 | UInt64(page)
    let (u, slow) = streams.uniformPair(.ranker, entity: entity)
    var time = ranker.latency.quantile(u)
    if slow < ranker.slowShare { time *= ranker.slowFactor }
    let latency = TimeSpan(seconds: time)
    let seen = ranker.isAtClient ? latency + ranker.overhead + transport.roundTrip : latency
    let fallback = RankerFallback(ranker.fallback)
    let bit = UInt64(1) << UInt64(page & 63)
    context.measures.clientSide.pages += isRepeated ? 0 : 1
    if fallback.source(latency: seen) == .ranker {
      clientState.pointee.trending &= ~bit
      return latency + ranker.overhead
    }
    clientState.pointee.trending |= bit
    context.measures.clientSide.trendingPages += isRepeated ? 0 : 1
    return ranker.fallback.deadline + ranker.overhead
  }

  /// Tells the pager that the page it waits for does not come.
  mutating func losePage(_ context: inout ViewerContext) {
    tellPager(.pageFailed(request: pages.request), &context)
  }

  /// Tells the pager of the page that has arrived; what it commands because of that.
  mutating func addPage(_ context: inout ViewerContext) -> [CursorPager.Command] {
    var commands: [CursorPager.Command] = []
    // A viewer between two items is told of with the next one; the page counts from there.
    let moved = CursorPager.Event.moved(to: ItemID(current))
    pages.pager.handle(moved, at: context.now, into: &commands)
    noteTold(context.logs?.pager, moved, at: context.now, commands, &context)
    let first = UInt64(pages.count)
    let listed = UInt64(pages.listed.count)
    let end = listed > first ? listed : first + UInt64(policy.pointee.pageSize)
    let arrived = CursorPager.Event.pageArrived(
      request: pages.request,
      CursorPager.Page(keys: Array(first..<end), next: end))
    let before = commands.count
    pages.pager.handle(arrived, at: context.now, into: &commands)
    noteTold(context.logs?.pager, arrived, at: context.now, commands, from: before, &context)
    return commands
  }
}
