/// The shape of a video as the data of a mixed feed states it: height to width.
///
/// "16:9" in that data is a portrait video, what is elsewhere called 9:16 (VF-003).
public struct FrameShape: Sendable, Equatable {
  public var height: UInt32
  public var width: UInt32

  /// Nil when a side is zero.
  public init?(height: UInt32, width: UInt32) {
    if height == 0 || width == 0 { return nil }
    self.height = height
    self.width = width
  }

  /// Reads the two numbers of a text such as "16:9", height first; nil for anything else.
  public init?(utf8 text: some Sequence<UInt8>) {
    var numbers: (UInt32, UInt32) = (0, 0)
    var isSecond = false
    var digits = 0
    for byte in text {
      if byte == 0x3A {
        if isSecond || digits == 0 { return nil }
        isSecond = true
        digits = 0
        continue
      }
      if byte < 0x30 || byte > 0x39 || digits == 5 { return nil }
      digits += 1
      let digit = UInt32(byte - 0x30)
      if isSecond {
        numbers.1 = numbers.1 * 10 + digit
      } else {
        numbers.0 = numbers.0 * 10 + digit
      }
    }
    if !isSecond || digits == 0 { return nil }
    self.init(height: numbers.0, width: numbers.1)
  }

  public var isPortrait: Bool { height > width }

  /// Height of a frame of this width.
  public func height(ofWidth width: Double) -> Double {
    width * Double(height) / Double(self.width)
  }
}

/// Sizes on the screen of a mixed feed, in points or density-independent pixels.
///
/// Included: a column of limited width, Carousels that show a number and a half of cards. Left out:
/// text, controls and safe areas; the gap between widgets stands for them.
///
/// Source: requirements VF-002, VF-003.
public struct FeedGeometry: Sendable, Equatable {
  /// Widest column (VF-002).
  public static let widestColumn = 768.0
  /// Screens narrower than this are small (assumed: where Material's medium window class begins).
  public static let smallWidth = 600.0

  public var screenWidth: Double
  public var screenHeight: Double
  /// Space between two widgets. Default 48 (assumed: a line of text and its margins).
  public var gap: Double

  /// - Precondition: the screen has an area; the gap is not negative.
  public init(screenWidth: Double, screenHeight: Double, gap: Double = 48) {
    precondition(screenWidth > 0 && screenHeight > 0, "a screen has an area")
    precondition(gap >= 0, "the gap is not negative")
    self.screenWidth = screenWidth
    self.screenHeight = screenHeight
    self.gap = gap
  }

  public var columnWidth: Double {
    screenWidth < Self.widestColumn ? screenWidth : Self.widestColumn
  }

  public var isSmall: Bool { screenWidth < Self.smallWidth }

  /// Cards of a Carousel on the screen at once.
  public var cardsShown: Double { isSmall ? 2.5 : 3.5 }

  /// Width of a Carousel's card.
  public var cardWidth: Double { columnWidth / cardsShown }

  /// Height of a widget: its videos have the shape; a Merch image is square.
  public func height(of kind: WidgetKind, shape: FrameShape) -> Double {
    switch kind {
    case .short: shape.height(ofWidth: columnWidth)
    case .carousel: shape.height(ofWidth: cardWidth)
    case .merch: columnWidth
    }
  }

  /// Visible share of a Carousel's card, 0 ... 1, when it has been scrolled sideways by an offset;
  /// 0 for an offset that is no number.
  public func across(place: UInt32, offset: Double) -> Double {
    if offset != offset { return 0 }
    let left = Double(place) * cardWidth - offset
    let right = left + cardWidth
    let visible = (right < columnWidth ? right : columnWidth) - (left > 0 ? left : 0)
    return visible <= 0 ? 0 : visible >= cardWidth ? 1 : visible / cardWidth
  }

  /// Farthest that a Carousel with so many cards can be scrolled sideways.
  public func farthest(cards: UInt32) -> Double {
    let rest = Double(cards) * cardWidth - columnWidth
    return rest > 0 ? rest : 0
  }

  /// Visible share of something on the column, 0 ... 1; 0 for what is no number.
  ///
  /// - Parameters:
  ///   - offset: distance of its middle from the viewport's middle, viewports.
  ///   - extent: its height, viewports.
  public static func along(offset: Double, extent: Double) -> Double {
    if !(extent > 0) || offset != offset { return 0 }
    let top = offset - extent / 2
    let bottom = offset + extent / 2
    let visible = (bottom < 0.5 ? bottom : 0.5) - (top > -0.5 ? top : -0.5)
    return visible <= 0 ? 0 : visible >= extent ? 1 : visible / extent
  }
}
