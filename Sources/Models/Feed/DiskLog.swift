import CachePolicy
import MediaUnits

/// A response on a device's disk: as much as cannot be found again from its class and what the
/// origin says of that.
struct DiskCopy {
  var storedAt: Instant
  /// Its age at that time, and the lifetime that the origin stated.
  var age: TimeSpan
  var stated: TimeSpan
  /// Of a manifest: the number of the version that it names.
  var number: UInt32
  var asset: AssetClass
}

/// What a device has stored, in order.
///
/// A disk is asked only when a title comes up again in a session, and nothing leaves it before it
/// is full. Until either happens this stands for it. ``FeedWorld`` then repeats it to the disk.
///
/// An entry is some bytes of text: its class and what is usual about it, the distance from the
/// object before it, its size unless that follows from the object; and of an object that may become
/// stale before the run ends when it was stored, with what age and for how long. Numbers take seven
/// bits a byte, the low ones first.
struct DiskLog {
  struct Entry {
    var copy: DiskCopy
    var object: UInt32
    var bytes: UInt32
  }

  // The first byte: the class, and these.
  private static let classes: UInt8 = 15
  private static let staysFresh: UInt8 = 16
  private static let hasUsualLifetime: UInt8 = 32
  private static let namesItself: UInt8 = 64
  private static let hasUsualSize: UInt8 = 128
  /// A lifetime beyond the end of any run.
  private static let forever = TimeSpan.hours(24 * 36_500)

  /// Whether the disk itself is not used yet.
  private(set) var isOpen = true
  private var text: [UInt8] = []
  private var bytes: Int64 = 0
  private var lastObject: UInt32 = 0
  private var lastTime: Int64 = 0

  /// Adds an entry, unless the disk has to decide: when it may be full with it.
  ///
  /// - Parameters:
  ///   - usual: the lifetime that objects of its class mostly have.
  ///   - isUsualSize: its size follows from its number.
  ///   - staysFresh: it does for the rest of the run, so that nothing of its time is asked for
  ///     again.
  mutating func add(
    _ copy: DiskCopy, object: UInt32, bytes size: Int64, capacity: Int64, usual: TimeSpan,
    isUsualSize: Bool, staysFresh: Bool
  ) -> Bool {
    guard isOpen, size <= Int64(UInt32.max), bytes + size <= capacity else { return false }
    bytes += size
    var head = copy.asset.rawValue
    if staysFresh { head |= DiskLog.staysFresh }
    if copy.stated == usual { head |= DiskLog.hasUsualLifetime }
    if copy.number == object / ObjectLayout.stride { head |= DiskLog.namesItself }
    if isUsualSize { head |= DiskLog.hasUsualSize }
    text.append(head)
    write(Int64(object) - Int64(lastObject))
    lastObject = object
    if !isUsualSize { write(size) }
    if head & DiskLog.namesItself == 0 { write(Int64(copy.number)) }
    if staysFresh { return true }
    write(copy.storedAt.nanoseconds - lastTime)
    lastTime = copy.storedAt.nanoseconds
    write(copy.age.nanoseconds)
    if head & DiskLog.hasUsualLifetime == 0 { write(copy.stated.nanoseconds) }
    return true
  }

  /// Where the list lies, and where it ends: for asking for that memory in advance.
  var memory: UnsafeRawPointer? { text.memory }
  var end: UnsafeRawPointer? { memory.map { $0 + text.count } }

  private mutating func write(_ value: Int64) {
    // The sign goes last, so that small numbers of either sign are short.
    var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
    while rest >= 128 {
      text.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    text.append(UInt8(rest))
  }

  /// Gives the entries away: from now on there is the disk.
  ///
  /// - Parameters:
  ///   - usual: as the entries were added with, by class.
  ///   - size: of an object whose size follows from its number.
  mutating func close(usual: [TimeSpan], size usualSize: (UInt32) -> Int64) -> [Entry] {
    isOpen = false
    var entries: [Entry] = []
    var place = 0
    var (object, time) = (Int64(0), Int64(0))
    while place < text.count {
      let head = text[place]
      place += 1
      object += read(&place)
      let size = head & DiskLog.hasUsualSize != 0 ? usualSize(UInt32(object)) : read(&place)
      guard let asset = AssetClass(rawValue: head & DiskLog.classes) else {
        preconditionFailure("an entry begins with its class")
      }
      var copy = DiskCopy(
        storedAt: Instant(nanoseconds: time), age: .zero, stated: DiskLog.forever,
        number: UInt32(object) / ObjectLayout.stride, asset: asset)
      if head & DiskLog.namesItself == 0 { copy.number = UInt32(read(&place)) }
      if head & DiskLog.staysFresh == 0 {
        time += read(&place)
        copy.storedAt = Instant(nanoseconds: time)
        copy.age = TimeSpan(nanoseconds: read(&place))
        copy.stated =
          head & DiskLog.hasUsualLifetime != 0
          ? usual[Int(asset.rawValue)] : TimeSpan(nanoseconds: read(&place))
      }
      entries.append(Entry(copy: copy, object: UInt32(object), bytes: UInt32(size)))
    }
    text = []
    return entries
  }

  private func read(_ place: inout Int) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = text[place]
      place += 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { break }
      shift += 7
    }
    return Int64(value >> 1) ^ -Int64(value & 1)
  }

  /// Forgets everything and keeps the memory.
  mutating func reset() {
    text.removeAll(keepingCapacity: true)
    isOpen = true
    bytes = 0
    lastObject = 0
    lastTime = 0
  }

  var heapBytes: Int { text.capacity }
}
