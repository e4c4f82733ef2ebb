import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// The column: recycled cells, sights.
extension SurfaceViewer {
  // MARK: Cells

  /// Binds the widgets near the viewport and recycles the others. Cells reach as far beyond the
  /// viewport as prefetches do, and half a viewport at least.
  private mutating func bindCells(_ context: inout SurfaceContext) {
    let range = surface.pointee.visibility.prefetchRange
    let margin = screenHeight * (range > 0.5 ? range : 0.5)
    let near = column.near(screenHeight: screenHeight, margin: margin)
    let old = column.bound
    for index in old where !near.contains(index) { recycle(index, &context) }
    for index in near where !old.contains(index) { bind(index, &context) }
    column.bind(near)
  }

  private mutating func bind(_ index: Int, _ context: inout SurfaceContext) {
    let widget = column.widgets[index]
    context.measures.surface.binds += 1
    spend(surface.pointee.costs.bind, &context)
    if !column.takeCell(widget.widget.kind) {
      context.measures.surface.cellCreates += 1
      spend(surface.pointee.costs.cell, &context)
    }
    for card in 0..<widget.widget.cards {
      let item = widget.widget.first.index + card
      let token = column.nextToken()
      items[Int(item)].cell.bind(token)
      tell(
        .bound(
          ItemID(item), token: token, widget: widget.widget.id, kind: widget.widget.kind,
          extent: widget.height / screenHeight), &context)
    }
  }

  private mutating func recycle(_ index: Int, _ context: inout SurfaceContext) {
    let widget = column.widgets[index].widget
    column.giveCell(widget.kind)
    for card in 0..<widget.cards {
      let item = widget.first.index + card
      tell(.recycled(ItemID(item), token: items[Int(item)].cell.token), &context)
      items[Int(item)].cell.recycle()
    }
  }

  // MARK: Sights

  /// One frame: sights of all cards with a cell, then the gate, then what may begin.
  ///
  /// - Parameters:
  ///   - velocity: viewports per second; zero at rest and sideways.
  ///   - travel: viewports to the predicted rest.
  mutating func look(
    velocity: Double, travel: Double, isSettled: Bool, _ context: inout SurfaceContext
  ) {
    bindCells(&context)
    var last: UInt32?
    var crossings: Int64 = 0
    var visible: Int64 = 0
    let height = screenHeight
    let middle = column.offset + height / 2
    for index in column.bound {
      let widget = column.widgets[index]
      let offset = (widget.top + widget.height / 2 - middle) / height
      for card in 0..<widget.widget.cards {
        let item = widget.widget.first.index + card
        let across =
          widget.widget.kind == .carousel
          ? traits.geometry.across(place: card, offset: widget.across) : 1
        let sight = CardSight(offset: offset, extent: widget.height / height, across: across)
        if sight.fraction > 0 {
          visible += 1
          last = item
        }
        if see(item, sight, extent: widget.height / height, &context) { crossings += 1 }
      }
    }
    count(visible: visible, crossings: crossings, &context)
    tellGate(.scrolled(velocity: isSettled ? 0 : velocity, crosses: crossings > 0), &context)
    if isSettled {
      tellGate(.settled, &context)
      tell(.settled, &context)
    } else {
      tell(.scrolled(velocity: velocity, travel: travel), &context)
    }
    if isEndShown {
      // Videos that a Carousel waits for the rest of count as shown: nothing else is left to see.
      tellPager(.itemShown(ItemID(pager.known - 1)), &context)
    } else if let last {
      tellPager(.itemShown(ItemID(last)), &context)
    }
  }

  /// Whether the last widget of what is known is on the screen, or nothing of it makes a widget.
  private var isEndShown: Bool {
    pager.known > 0 && column.isEndShown(screenHeight: screenHeight)
  }

  /// Reports a card's sight; true when it crosses a threshold.
  private mutating func see(
    _ item: UInt32, _ sight: CardSight, extent: Double, _ context: inout SurfaceContext
  ) -> Bool {
    let old = items[Int(item)].cell.sight
    if old == sight { return false }
    items[Int(item)].cell.see(sight)
    let kind = items[Int(item)].kind
    tell(.seen(ItemID(item), token: items[Int(item)].cell.token, sight), &context)
    let limits =
      kind == .carousel
      ? surface.pointee.visibility.carousel : surface.pointee.visibility.short
    return limits.isCrossed(
      from: old, to: sight, extent: extent,
      prefetchRange: surface.pointee.visibility.prefetchRange)
  }

  private func count(visible: Int64, crossings: Int64, _ context: inout SurfaceContext) {
    context.measures.surface.frameMessages += visible
    context.measures.surface.crossingMessages += crossings
    let messages = surface.pointee.isScripted ? visible : crossings
    context.measures.surface.messages += messages
    spend(surface.pointee.costs.message * Double(messages), &context)
  }
}
