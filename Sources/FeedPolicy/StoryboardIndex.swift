import MediaUnits

/// The cues of a WebVTT storyboard: which part of which image shows which time (SIG-034).
///
/// Reads the bytes of a file in the syntax of WebVTT (W3C 2019, section 4) whose cue payloads are
/// addresses with a spatial media fragment, `sprite.jpg#xywh=160,90,160,90` (W3C Media Fragments
/// 1.0, section 4.2.2, pixels only). As in a browser, a block that is malformed is left out and the
/// rest is read; every such block is a ``Problem`` with its line. Total: no input traps or fails.
///
/// Leaves out: cue settings, regions and styles (skipped), `xywh=percent:`, and what an address
/// means.
public struct StoryboardIndex: Sendable, Equatable {
  /// A rectangle of an image, in its pixels.
  public struct Area: Sendable, Equatable {
    public var x: UInt32
    public var y: UInt32
    public var width: UInt32
    public var height: UInt32

    public init(x: UInt32, y: UInt32, width: UInt32, height: UInt32) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// One picture of the storyboard.
  public struct Cue: Sendable, Equatable {
    /// Media time from which the picture stands, and the time at which it does not any more.
    public var start: TimeSpan
    public var end: TimeSpan
    /// Number of the image in ``StoryboardIndex/images``.
    public var image: UInt32
    /// The picture's part of the image; nil for all of it.
    public var area: Area?

    public init(start: TimeSpan, end: TimeSpan, image: UInt32, area: Area?) {
      self.start = start
      self.end = end
      self.image = image
      self.area = area
    }
  }

  /// Why a block was left out.
  public enum Reason: UInt8, Sendable, Equatable {
    /// The first line is not `WEBVTT`; nothing is read.
    case signature = 0
    /// A time is not `mm:ss.ttt` or `hh:mm:ss.ttt`, or the arrow is missing.
    case timing
    /// The cue ends before it starts, or at once.
    case emptySpan
    /// The cue starts before the one before it.
    case order
    /// There is no address.
    case payload
    /// The fragment is not `#xywh=x,y,w,h` in whole pixels.
    case fragment
    /// More cues, images or bytes of a line than ``Limits`` allow; nothing after it is read.
    case limit
  }

  /// A block that was left out.
  public struct Problem: Sendable, Equatable {
    /// The line, counted from 1.
    public var line: Int
    public var reason: Reason

    public init(line: Int, reason: Reason) {
      self.line = line
      self.reason = reason
    }
  }

  /// How much is read at most.
  public struct Limits: Sendable, Equatable {
    /// Cues. Default 4096: more than an hour at one a second (assumed).
    public var cues: Int
    /// Images. Default 256 (assumed).
    public var images: Int
    /// Bytes of an address. Default 2048 (assumed).
    public var addressBytes: Int
    /// Problems that are kept; all are counted. Default 32 (assumed).
    public var problems: Int

    public init(
      cues: Int = 4096, images: Int = 256, addressBytes: Int = 2048, problems: Int = 32
    ) {
      self.cues = cues
      self.images = images
      self.addressBytes = addressBytes
      self.problems = problems
    }
  }

  /// The cues in order of their starts.
  public private(set) var cues: [Cue] = []
  /// The addresses of the images as bytes, without fragments, in order of appearance.
  public private(set) var images: [[UInt8]] = []
  /// The first problems, in order of their lines.
  public private(set) var problems: [Problem] = []
  /// All problems.
  public private(set) var problemCount = 0

  let limits: Limits
  var isFull = false

  /// Reads a file.
  ///
  /// - Complexity: O(bytes + cues · images).
  public init(_ bytes: [UInt8], limits: Limits = Limits()) {
    self.limits = limits
    var reader = VTTLineReader(bytes)
    guard reader.next(), VTTText.isSignature(bytes, reader.line) else {
      report(1, .signature)
      return
    }
    // The rest of the header ends at a blank line, as every block does.
    reader.skipBlock()
    while !isFull && reader.next() {
      if reader.line.isEmpty { continue }
      if VTTText.isComment(bytes, reader.line) {
        reader.skipBlock()
      } else {
        readCue(bytes, &reader)
      }
    }
  }

  /// The cue that shows a time: the last one that starts at or before it, where it has not ended.
  /// - Complexity: O(log cues).
  public func cue(at position: TimeSpan) -> Cue? {
    var low = 0
    var high = cues.count
    while low < high {
      let middle = (low + high) / 2
      if cues[middle].start <= position { low = middle + 1 } else { high = middle }
    }
    if low == 0 || cues[low - 1].end <= position { return nil }
    return cues[low - 1]
  }

  private mutating func report(_ line: Int, _ reason: Reason) {
    problemCount += 1
    if problems.count < limits.problems { problems.append(Problem(line: line, reason: reason)) }
    if reason == .limit { isFull = true }
  }

  /// Reads the block whose first line the reader stands on.
  private mutating func readCue(_ bytes: [UInt8], _ reader: inout VTTLineReader) {
    // A cue may have a name in a line of its own before the times.
    if !VTTText.hasArrow(bytes, reader.line) {
      let first = reader.number
      guard reader.next(), VTTText.hasArrow(bytes, reader.line) else {
        report(first, .timing)
        if !reader.line.isEmpty { reader.skipBlock() }
        return
      }
    }
    let line = reader.number
    guard let span = VTTText.span(bytes, reader.line) else {
      report(line, .timing)
      reader.skipBlock()
      return
    }
    guard reader.next(), !reader.line.isEmpty, !VTTText.hasArrow(bytes, reader.line) else {
      report(line, .payload)
      if !reader.line.isEmpty { reader.unread() }
      return
    }
    addCue(bytes, reader.line, span, line: line, payload: reader.number)
    reader.skipBlock()
  }

  private mutating func addCue(
    _ bytes: [UInt8], _ payload: Range<Int>, _ span: (start: TimeSpan, end: TimeSpan),
    line: Int, payload number: Int
  ) {
    if span.end <= span.start { return report(line, .emptySpan) }
    if let last = cues.last, span.start < last.start { return report(line, .order) }
    let text = VTTText.trimmed(bytes, payload)
    let mark = VTTText.position(of: UInt8(ascii: "#"), bytes, text) ?? text.upperBound
    let address = text.lowerBound..<mark
    if address.isEmpty { return report(number, .payload) }
    var area: Area?
    if mark < text.upperBound {
      area = VTTText.area(bytes, (mark + 1)..<text.upperBound)
      if area == nil { return report(number, .fragment) }
    }
    if address.count > limits.addressBytes || cues.count >= limits.cues {
      return report(number, .limit)
    }
    guard let image = imageNumber(bytes, address) else { return report(number, .limit) }
    cues.append(Cue(start: span.start, end: span.end, image: image, area: area))
  }

  private mutating func imageNumber(_ bytes: [UInt8], _ address: Range<Int>) -> UInt32? {
    // Neighbouring cues are on the same image: look from the end.
    for index in stride(from: images.count - 1, through: 0, by: -1)
    where images[index].count == address.count {
      var isSame = true
      for offset in 0..<address.count
      where images[index][offset] != bytes[address.lowerBound + offset] {
        isSame = false
        break
      }
      if isSame { return UInt32(index) }
    }
    if images.count >= limits.images { return nil }
    var image: [UInt8] = []
    image.reserveCapacity(address.count)
    for index in address { image.append(bytes[index]) }
    images.append(image)
    return UInt32(images.count - 1)
  }
}
