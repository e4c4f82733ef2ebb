import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Pages of the feed: when they are asked for, and the widgets that they make.
extension SurfaceWorld {
  mutating func tellPager(
    _ viewer: SurfacePointer, _ event: FeedPager.Event, _ context: inout Context<SurfaceEvent>
  ) {
    pagerCommands.removeAll(keepingCapacity: true)
    viewer.pointee.pager.handle(event, at: context.now, into: &pagerCommands)
    for command in pagerCommands {
      switch command {
      case .fetch(let request, _, let count):
        measures.counts.requests += 1
        let place = viewer.pointee.requests.add(
          SurfaceRequest(
            .page(request), asset: .feed,
            bytes: Int64(count) * configuration.feedBytesPerItem))
        send(viewer, place, &context)
      case .setTimer(let at):
        context.schedule(
          .pagerTimer(slot: viewer.pointee.slot), at: at, for: viewer.pointee.session)
      }
    }
  }

  /// A page of the feed is here.
  mutating func takePage(
    _ viewer: SurfacePointer, _ request: UInt32, _ context: inout Context<SurfaceEvent>
  ) {
    let size =
      viewer.pointee.pager.known == 0 ? surface.pager.firstPage : surface.pager.laterPages
    let isFirst = viewer.pointee.column.widgets.isEmpty
    tellPager(viewer, .pageArrived(request: request, items: size, isLast: false), &context)
    layOut(viewer, at: context.now)
    if isFirst {
      look(viewer, velocity: 0, travel: 0, isSettled: true, &context)
      // Where the first widget needs more than a page, there is nothing to look at yet.
      if !viewer.pointee.column.widgets.isEmpty { rest(viewer, &context) }
    } else if viewer.pointee.motion.kind == .rest {
      look(viewer, velocity: 0, travel: 0, isSettled: true, &context)
    }
  }

  /// Appends the widgets of all known videos.
  private mutating func layOut(_ viewer: SurfacePointer, at now: Instant) {
    viewer.pointee.feed.handle(
      .videosKnown(viewer.pointee.pager.known), at: now, into: &layoutCommands)
    while true {
      layoutCommands.removeAll(keepingCapacity: true)
      let draw = streams.uniform(
        .surfaceWidget, entity: viewer.pointee.entity(UInt32(viewer.pointee.column.widgets.count)))
      viewer.pointee.feed.handle(.nextWidget(draw: draw), at: now, into: &layoutCommands)
      guard case .append(let widget) = layoutCommands[0] else { return }
      append(viewer, widget)
    }
  }

  private mutating func append(_ viewer: SurfacePointer, _ widget: Widget) {
    let geometry = viewer.pointee.traits.geometry
    let place = viewer.pointee.column.widgets.count
    viewer.pointee.column.append(
      widget, height: geometry.height(of: widget.kind, shape: surface.shape), gap: geometry.gap)
    for card in 0..<widget.cards {
      let number = UInt32(viewer.pointee.items.count)
      let rank = catalogue.pointee.popularity.index(
        streams.bits(.surfaceTitle, entity: viewer.pointee.entity(number)))
      let title = Title(TitleID(rank), catalogue: catalogue, streams: streams)
      viewer.pointee.items.append(
        SurfaceItem(title: title, widget: place, kind: widget.kind, place: card))
    }
  }
}
