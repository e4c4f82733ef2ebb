import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Pages of the feed: when they are asked for, and the widgets that they make.
extension SurfaceViewer {
  mutating func tellPager(_ event: FeedPager.Event, _ context: inout SurfaceContext) {
    context.pagerCommands.removeAll(keepingCapacity: true)
    pager.handle(event, at: context.now, into: &context.pagerCommands)
    for command in context.pagerCommands {
      switch command {
      case .fetch(let request, _, let count):
        context.measures.counts.requests += 1
        let bytes = Int64(count) * setting.pointee.configuration.feedBytesPerItem
        let place = requests.add(SurfaceRequest(.page(request), asset: .feed, bytes: bytes))
        send(place, &context)
      case .setTimer(let at): context.plan(.pagerTimer(slot: slot), at: at)
      }
    }
  }

  /// A page of the feed is here: its widgets stand at the column's end.
  mutating func layOutPage(_ request: UInt32, _ context: inout SurfaceContext) {
    let pages = surface.pointee.pager
    let size = pager.known == 0 ? pages.firstPage : pages.laterPages
    tellPager(.pageArrived(request: request, items: size, isLast: false), &context)
    layOut(&context)
  }

  /// Appends the widgets of all known videos.
  private mutating func layOut(_ context: inout SurfaceContext) {
    feed.handle(.videosKnown(pager.known), at: context.now, into: &context.layoutCommands)
    while true {
      context.layoutCommands.removeAll(keepingCapacity: true)
      let draw = streams.uniform(.surfaceWidget, entity: entity(UInt32(column.widgets.count)))
      feed.handle(.nextWidget(draw: draw), at: context.now, into: &context.layoutCommands)
      guard case .append(let widget) = context.layoutCommands[0] else { return }
      append(widget)
    }
  }

  private mutating func append(_ widget: Widget) {
    let geometry = traits.geometry
    let place = column.widgets.count
    column.append(
      widget, height: geometry.height(of: widget.kind, shape: surface.pointee.shape),
      gap: geometry.gap)
    for card in 0..<widget.cards {
      let rank = catalogue.pointee.popularity.index(
        streams.bits(.surfaceTitle, entity: entity(UInt32(items.count))))
      let title = Title(TitleID(rank), catalogue: catalogue, streams: streams)
      items.append(SurfaceItem(title: title, widget: place, kind: widget.kind, place: card))
    }
  }
}
