import FeedPolicy
import MediaUnits

/// A widget on the column.
struct SurfaceWidget {
  let widget: Widget
  /// Upper edge and height on the column, points.
  let top: Double
  let height: Double
  /// How far it has been pushed sideways, points.
  fileprivate(set) var across = 0.0

  var bottom: Double { top + height }
}

/// The column of a viewer's feed: its widgets, where the viewport stands, and which of them have a
/// cell.
///
/// Cells are recycled by kind of widget. What is bound to a cell hears of it from whoever asks.
struct SurfaceColumn {
  private(set) var widgets: [SurfaceWidget] = []
  /// Upper edge of the viewport, points.
  private(set) var offset = 0.0
  /// Widgets with a cell.
  private(set) var bound = 0..<0
  /// Free cells by kind of widget.
  private var freeCells: SIMD4<Int32> = .zero
  private var tokens: UInt32 = 0

  // MARK: Widgets

  /// Appends a widget.
  ///
  /// - Parameter gap: space to the one before, points.
  mutating func append(_ widget: Widget, height: Double, gap: Double) {
    let top = widgets.last.map { $0.bottom + gap } ?? 0
    widgets.append(SurfaceWidget(widget: widget, top: top, height: height))
  }

  /// Cards with a cell; they are neighbours.
  var boundCards: Range<Int> {
    if bound.isEmpty { return 0..<0 }
    let first = widgets[bound.lowerBound].widget
    let last = widgets[bound.upperBound - 1].widget
    return Int(first.first.index)..<Int(last.first.index + last.cards)
  }

  /// The Carousel with a cell across the middle of a viewport of this height; nil without one.
  func centredCarousel(screenHeight: Double) -> Int? {
    let middle = offset + screenHeight / 2
    for index in bound {
      let widget = widgets[index]
      if widget.widget.kind == .carousel && widget.top <= middle && widget.bottom >= middle {
        return index
      }
    }
    return nil
  }

  /// Whether the last widget is on the screen, or there is none.
  func isEndShown(screenHeight: Double) -> Bool {
    guard let last = widgets.last else { return true }
    return last.top < offset + screenHeight
  }

  // MARK: Cells

  /// The widgets that touch the viewport and a margin around it.
  func near(screenHeight: Double, margin: Double) -> Range<Int> {
    let (top, bottom) = (offset - margin, offset + screenHeight + margin)
    var first = bound.lowerBound
    while first > 0 && widgets[first - 1].bottom >= top { first -= 1 }
    while first < widgets.count && widgets[first].bottom < top { first += 1 }
    var end = first
    while end < widgets.count && widgets[end].top <= bottom { end += 1 }
    return first..<end
  }

  /// These widgets have a cell from now on.
  mutating func bind(_ widgets: Range<Int>) { bound = widgets }

  /// Takes a free cell for a kind of widget.
  ///
  /// - Returns: whether there was one.
  mutating func takeCell(_ kind: WidgetKind) -> Bool {
    if freeCells[Int(kind.rawValue)] == 0 { return false }
    freeCells[Int(kind.rawValue)] -= 1
    return true
  }

  /// A cell is free.
  mutating func giveCell(_ kind: WidgetKind) { freeCells[Int(kind.rawValue)] += 1 }

  /// The number of the next binding.
  mutating func nextToken() -> UInt32 {
    tokens += 1
    return tokens
  }

  // MARK: Motion

  /// Scrolls the column to a position within its ends.
  ///
  /// - Returns: whether the position was.
  mutating func scroll(to position: Double, screenHeight: Double) -> Bool {
    var limit = 0.0
    if let last = widgets.last, last.bottom > screenHeight { limit = last.bottom - screenHeight }
    offset = SurfaceColumn.kept(position, limit)
    return offset == position
  }

  /// Pushes a widget sideways to a position from 0 to a limit.
  ///
  /// - Returns: whether the position was.
  mutating func push(_ index: Int, to position: Double, limit: Double) -> Bool {
    widgets[index].across = SurfaceColumn.kept(position, limit)
    return widgets[index].across == position
  }

  private static func kept(_ position: Double, _ limit: Double) -> Double {
    position < 0 ? 0 : position > limit ? limit : position
  }
}
