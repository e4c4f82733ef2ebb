import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The column: recycled cells, sights.
extension SurfaceWorld {
  // MARK: Cells

  /// Binds the widgets near the viewport and recycles the others. Cells reach as far beyond the
  /// viewport as prefetches do, and half a viewport at least.
  private mutating func bindCells(
    _ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>
  ) {
    let height = viewer.pointee.traits.geometry.screenHeight
    let range = surface.visibility.prefetchRange
    let margin = height * (range > 0.5 ? range : 0.5)
    let near = viewer.pointee.column.near(screenHeight: height, margin: margin)
    let old = viewer.pointee.column.bound
    for index in old where !near.contains(index) { recycle(viewer, index, &context) }
    for index in near where !old.contains(index) { bind(viewer, index, &context) }
    viewer.pointee.column.bind(near)
  }

  private mutating func bind(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let widget = viewer.pointee.column.widgets[index]
    measures.surface.binds += 1
    spend(viewer, surface.costs.bind)
    if !viewer.pointee.column.takeCell(widget.widget.kind) {
      measures.surface.cellCreates += 1
      spend(viewer, surface.costs.cell)
    }
    for card in 0..<widget.widget.cards {
      let item = widget.widget.first.index + card
      let token = viewer.pointee.column.nextToken()
      viewer.pointee.items[Int(item)].cell.bind(token)
      tell(
        viewer,
        .bound(
          ItemID(item), token: token, widget: widget.widget.id,
          kind: widget.widget.kind,
          extent: widget.height / viewer.pointee.traits.geometry.screenHeight), &context)
    }
  }

  private mutating func recycle(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let widget = viewer.pointee.column.widgets[index].widget
    viewer.pointee.column.giveCell(widget.kind)
    for card in 0..<widget.cards {
      let item = widget.first.index + card
      let token = viewer.pointee.items[Int(item)].cell.token
      tell(viewer, .recycled(ItemID(item), token: token), &context)
      viewer.pointee.items[Int(item)].cell.recycle()
    }
  }

  // MARK: Sights

  /// One frame: sights of all cards with a cell, then the gate, then what may begin.
  ///
  /// - Parameters:
  ///   - velocity: viewports per second; zero at rest and sideways.
  ///   - travel: viewports to the predicted rest.
  mutating func look(
    _ viewer: SurfacePointer, velocity: Double, travel: Double, isSettled: Bool,
    _ context: inout Context<SurfaceEvent>
  ) {
    bindCells(viewer, &context)
    var last: UInt32?
    var crossings: Int64 = 0
    var visible: Int64 = 0
    let height = viewer.pointee.traits.geometry.screenHeight
    let middle = viewer.pointee.column.offset + height / 2
    for index in viewer.pointee.column.bound {
      let widget = viewer.pointee.column.widgets[index]
      let offset = (widget.top + widget.height / 2 - middle) / height
      for card in 0..<widget.widget.cards {
        let item = widget.widget.first.index + card
        let across =
          widget.widget.kind == .carousel
          ? viewer.pointee.traits.geometry.across(place: card, offset: widget.across) : 1
        let sight = CardSight(offset: offset, extent: widget.height / height, across: across)
        if sight.fraction > 0 {
          visible += 1
          last = item
        }
        if see(viewer, item, sight, extent: widget.height / height, &context) { crossings += 1 }
      }
    }
    count(viewer, visible: visible, crossings: crossings)
    if isSettled {
      tellGate(viewer, .scrolled(velocity: 0, crosses: crossings > 0), &context)
      tellGate(viewer, .settled, &context)
      tell(viewer, .settled, &context)
    } else {
      tellGate(viewer, .scrolled(velocity: velocity, crosses: crossings > 0), &context)
      tell(viewer, .scrolled(velocity: velocity, travel: travel), &context)
    }
    if isEndShown(viewer) {
      // Videos that a Carousel waits for the rest of count as shown: nothing else is left to see.
      tellPager(viewer, .itemShown(ItemID(viewer.pointee.pager.known - 1)), &context)
    } else if let last {
      tellPager(viewer, .itemShown(ItemID(last)), &context)
    }
  }

  /// Whether the last widget of what is known is on the screen, or nothing of it makes a widget.
  private func isEndShown(_ viewer: SurfacePointer) -> Bool {
    if viewer.pointee.pager.known == 0 { return false }
    return viewer.pointee.column.isEndShown(
      screenHeight: viewer.pointee.traits.geometry.screenHeight)
  }

  /// Reports a card's sight; true when it crosses a threshold.
  private mutating func see(
    _ viewer: SurfacePointer, _ item: UInt32, _ sight: CardSight, extent: Double,
    _ context: inout Context<SurfaceEvent>
  ) -> Bool {
    let old = viewer.pointee.items[Int(item)].cell.sight
    if old == sight { return false }
    viewer.pointee.items[Int(item)].cell.see(sight)
    let kind = viewer.pointee.items[Int(item)].kind
    let token = viewer.pointee.items[Int(item)].cell.token
    tell(viewer, .seen(ItemID(item), token: token, sight), &context)
    let limits = kind == .carousel ? surface.visibility.carousel : surface.visibility.short
    return limits.isCrossed(
      from: old, to: sight, extent: extent, prefetchRange: surface.visibility.prefetchRange)
  }

  private mutating func count(_ viewer: SurfacePointer, visible: Int64, crossings: Int64) {
    measures.surface.frameMessages += visible
    measures.surface.crossingMessages += crossings
    let messages = surface.isScripted ? visible : crossings
    measures.surface.messages += messages
    spend(viewer, surface.costs.message * Double(messages))
  }
}
