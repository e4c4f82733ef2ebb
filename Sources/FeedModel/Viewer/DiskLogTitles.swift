import AudienceModel
import MediaUnits

/// The titles that came last in a ``DiskLog``, and where the loading of each stands: the usual next
/// object needs no name.
struct DiskLogTitles {
  /// From one object of a title to the next that is stored.
  enum Step: UInt8 {
    /// Any object, by its offset.
    case named
    /// The one that was last named, of whichever title.
    case sameAsNamed
    case manifest, master, poster
    /// The initialisation segment of the playlist before.
    case itsInit
    /// The next segment of the rendition before, and of the one whose initialisation segment came.
    case nextSegment, nextInRung
  }

  private struct Title {
    /// `.max`: there is none.
    var number = UInt32.max
    /// The offset of its last object; the segment that would be next, and the rung before.
    var last: UInt16 = 0
    var segment: UInt8 = 0
    var rung: UInt8 = 0
  }

  static let count = 7

  private var titles = InlineArray<7, Title>(repeating: Title())
  /// The place that is used next: they are used in turn.
  private var next: UInt32 = 0
  /// The object that was last named.
  private var named: UInt32 = 0
  /// When the last object was stored whose time is kept, nanoseconds.
  var time: Int64 = 0

  func place(of number: UInt32) -> Int? {
    for place in 0..<DiskLogTitles.count where titles[place].number == number { return place }
    return nil
  }

  func number(_ place: Int) -> UInt32 { titles[place].number }

  /// Puts a title in the place of the one that came first.
  mutating func add(_ number: UInt32) -> Int {
    let place = Int(next)
    next = (next + 1) % UInt32(DiskLogTitles.count)
    titles[place] = Title(number: number)
    return place
  }

  /// The shortest step of a title to an object.
  func step(_ place: Int, to offset: UInt32) -> Step {
    switch offset {
    case ObjectLayout.mediaManifest: return .manifest
    case ObjectLayout.master: return .master
    case ObjectLayout.poster: return .poster
    default: break
    }
    if self.offset(place, by: .nextSegment) == offset { return .nextSegment }
    if self.offset(place, by: .nextInRung) == offset { return .nextInRung }
    if self.offset(place, by: .itsInit) == offset { return .itsInit }
    return named == offset ? .sameAsNamed : .named
  }

  /// Where a step leads, unless to an object that has to be named.
  func offset(_ place: Int, by step: Step) -> UInt32 {
    switch step {
    case .named, .sameAsNamed: named
    case .manifest: ObjectLayout.mediaManifest
    case .master: ObjectLayout.master
    case .poster: ObjectLayout.poster
    case .itsInit:
      UInt32(titles[place].last) + ObjectLayout.inits - ObjectLayout.playlists
    case .nextSegment: UInt32(titles[place].last) + 1
    case .nextInRung:
      ObjectLayout.segment(
        Int(titles[place].segment), rung: RungIndex(UInt32(titles[place].rung)))
    }
  }

  /// Goes on to an object of a title.
  mutating func take(_ place: Int, _ step: Step, _ offset: UInt32) {
    if step == .named { named = offset }
    titles[place].last = UInt16(truncatingIfNeeded: offset)
    if let index = ObjectLayout.segmentIndex(of: offset) {
      titles[place].segment = UInt8(truncatingIfNeeded: index + 1)
      titles[place].rung = UInt8(ObjectLayout.rung(of: offset).index)
    } else if offset >= ObjectLayout.inits && offset < ObjectLayout.sprites {
      titles[place].rung = UInt8(offset - ObjectLayout.inits)
    }
  }
}

/// What a ``DiskLog`` has of the title that was last looked for.
struct FoundCopies {
  private var title: UInt32?
  private var copies: [(object: UInt32, copy: DiskCopy)] = []

  func isOf(_ title: UInt32) -> Bool { self.title == title }

  /// Nothing is found of a title yet.
  mutating func begin(_ title: UInt32) {
    self.title = title
    copies.removeAll(keepingCapacity: true)
  }

  subscript(object: UInt32) -> DiskCopy? {
    for found in copies where found.object == object { return found.copy }
    return nil
  }

  /// Takes in what is stored, if it is of the title.
  mutating func add(_ object: UInt32, _ copy: DiskCopy) {
    guard object / ObjectLayout.stride == title else { return }
    for index in 0..<copies.count where copies[index].object == object {
      copies[index].copy = copy
      return
    }
    copies.append((object, copy))
  }

  var heapBytes: Int { copies.capacity * MemoryLayout<(object: UInt32, copy: DiskCopy)>.stride }
}
