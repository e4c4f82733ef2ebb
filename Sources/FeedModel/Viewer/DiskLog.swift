import AudienceModel
import CachePolicy
import MediaUnits

/// A response on a device's disk: as much as cannot be found again from its class and what the
/// origin says of that.
struct DiskCopy: Equatable {
  var storedAt: Instant
  /// Its age at that time, and the lifetime that the origin stated.
  var age: TimeSpan
  var stated: TimeSpan
  /// Of a manifest: the number of the version that it names.
  var number: UInt32
  var asset: AssetClass
}

/// What a device has stored and used again, in order.
///
/// As long as nothing has to leave a disk, which of its objects was used last does not matter, and
/// this stands for it; ``FeedWorld`` repeats it to a disk when that may be full. A disk is asked
/// only when a title comes up again in a session, so it may take its time to find what it has.
///
/// An entry is a byte and what that does not say. The byte names one of the seven titles that came
/// last (``DiskLogTitles``) and the step from that title's object before, as far as it is one of
/// the steps that loading a title takes. What else is not as usual for the object follows: most
/// segments are one byte, a title of ten segments some thirty. Numbers take seven bits a byte, the
/// low ones first.
struct DiskLog: ~Copyable {
  /// What happened to an object.
  enum Entry: Equatable {
    case stored(UInt32, DiskCopy, bytes: Int64)
    case used(UInt32)
  }

  // The first byte: the title's place and the step, three bits each, and these.
  private static let isUnusual: UInt8 = 64
  private static let staysFresh: UInt8 = 128
  // The second byte, if the entry is unusual: the class or that it was used, and these.
  private static let classes: UInt8 = 15
  private static let isUse: UInt8 = 15
  private static let hasUsualLifetime: UInt8 = 16
  private static let namesItself: UInt8 = 32
  private static let hasUsualSize: UInt8 = 64
  private static let isNew: UInt8 = 128
  /// A lifetime beyond the end of any run.
  private static let forever = TimeSpan.hours(24 * 36_500)
  /// No entry is longer: two bytes, four numbers of 32 bits and three of 64.
  private static let longestEntry = 2 + 4 * 5 + 3 * 10
  private static let headBytes = MemoryLayout<DiskLogTitles>.stride

  /// Whether the disk itself is not used yet.
  private(set) var isOpen = true
  /// The titles that came last, and behind them the entries; nil before the first.
  private var memory: UnsafeMutableRawPointer?
  /// Bytes of the entries, and those that have room.
  private var count: Int32 = 0
  private var room: Int32 = 0
  /// Bytes of the objects, each as often as it was stored.
  private var bytes: Int64 = 0

  deinit { memory?.deallocate() }

  /// Adds an object, unless the disk has to decide: when it may be full with it.
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
    let (number, offset) = object.quotientAndRemainder(dividingBy: ObjectLayout.stride)
    let (titles, text) = place()
    var end = text + 1
    text.pointee = DiskLog.name(titles, number, offset, &end)
    var flags = copy.asset.rawValue
    if copy.stated == usual || staysFresh { flags |= DiskLog.hasUsualLifetime }
    if copy.number == number { flags |= DiskLog.namesItself }
    if isUsualSize { flags |= DiskLog.hasUsualSize }
    if copy.age == .zero || staysFresh { flags |= DiskLog.isNew }
    if flags != DiskLog.usual(offset) {
      text.pointee |= DiskLog.isUnusual
      end.pointee = flags
      end += 1
      if !isUsualSize { DiskLog.write(size, &end) }
      if flags & DiskLog.namesItself == 0 { DiskLog.write(Int64(copy.number), &end) }
    }
    if staysFresh {
      text.pointee |= DiskLog.staysFresh
    } else {
      DiskLog.write(copy.storedAt.nanoseconds - titles.pointee.time, &end)
      titles.pointee.time = copy.storedAt.nanoseconds
      if flags & DiskLog.isNew == 0 { DiskLog.write(copy.age.nanoseconds, &end) }
      if flags & DiskLog.hasUsualLifetime == 0 { DiskLog.write(copy.stated.nanoseconds, &end) }
    }
    count += Int32(end - text)
    return true
  }

  /// Notes that an object that was added is used again.
  mutating func use(_ object: UInt32) {
    precondition(isOpen, "the disk itself is used by now")
    let (number, offset) = object.quotientAndRemainder(dividingBy: ObjectLayout.stride)
    let (titles, text) = place()
    var end = text + 1
    text.pointee = DiskLog.name(titles, number, offset, &end) | DiskLog.isUnusual
    end.pointee = DiskLog.isUse
    end += 1
    count += Int32(end - text)
  }

  /// Where the entries begin and end: for asking for that memory in advance.
  var start: UnsafeRawPointer? { memory.map { UnsafeRawPointer($0) } }
  var end: UnsafeRawPointer? {
    memory.map { UnsafeRawPointer($0 + DiskLog.headBytes + Int(count)) }
  }
  /// Bytes at ``start`` that every addition needs.
  static var startBytes: Int { headBytes }

  var heapBytes: Int { memory == nil ? 0 : DiskLog.headBytes + Int(room) }

  /// Gives the entries in order. Of what stays fresh the time is not known any more.
  ///
  /// - Parameters:
  ///   - usual: as the entries were added with, by class.
  ///   - size: of an object whose size follows from its number.
  func forEach(usual: [TimeSpan], size: (UInt32) -> Int64, _ body: (Entry) -> Void) {
    guard let memory else { return }
    // The titles come up again as they did.
    var titles = DiskLogTitles()
    var text = UnsafePointer(
      (memory + DiskLog.headBytes).assumingMemoryBound(to: UInt8.self))
    let end = text + Int(count)
    while text < end { body(DiskLog.entry(&text, &titles, usual, size)) }
  }

  private static func entry(
    _ text: inout UnsafePointer<UInt8>, _ titles: inout DiskLogTitles, _ usual: [TimeSpan],
    _ usualSize: (UInt32) -> Int64
  ) -> Entry {
    let head = text.pointee
    text += 1
    let known = Int(head & 7)
    let place =
      known == DiskLogTitles.count ? titles.add(UInt32(DiskLog.read(&text))) : known
    guard let step = DiskLogTitles.Step(rawValue: head >> 3 & 7) else {
      preconditionFailure("an entry begins with its title and step")
    }
    let offset = step == .named ? UInt32(DiskLog.read(&text)) : titles.offset(place, by: step)
    titles.take(place, step, offset)
    let object = ObjectLayout.object(titles.number(place), offset)
    var number = titles.number(place)
    var flags = DiskLog.usual(offset)
    var size: Int64?
    if head & DiskLog.isUnusual != 0 {
      flags = text.pointee
      text += 1
      if flags == DiskLog.isUse { return .used(object) }
      if flags & DiskLog.hasUsualSize == 0 { size = DiskLog.read(&text) }
      if flags & DiskLog.namesItself == 0 { number = UInt32(DiskLog.read(&text)) }
    }
    guard let asset = AssetClass(rawValue: flags & DiskLog.classes) else {
      preconditionFailure("an entry has a class")
    }
    var copy = DiskCopy(
      storedAt: Instant(nanoseconds: titles.time), age: .zero, stated: DiskLog.forever,
      number: number, asset: asset)
    if head & DiskLog.staysFresh == 0 {
      titles.time += DiskLog.read(&text)
      copy.storedAt = Instant(nanoseconds: titles.time)
      if flags & DiskLog.isNew == 0 { copy.age = TimeSpan(nanoseconds: DiskLog.read(&text)) }
      copy.stated =
        flags & DiskLog.hasUsualLifetime != 0
        ? usual[Int(asset.rawValue)] : TimeSpan(nanoseconds: DiskLog.read(&text))
    }
    return .stored(object, copy, bytes: size ?? usualSize(object))
  }

  /// From now on there is the disk.
  mutating func close() {
    reset()
    isOpen = false
  }

  /// Forgets everything, and gives the memory back.
  mutating func reset() {
    memory?.deallocate()
    memory = nil
    count = 0
    room = 0
    bytes = 0
    isOpen = true
  }

  /// The first byte of an entry; what it does not say of the object is written behind it.
  private static func name(
    _ titles: UnsafeMutablePointer<DiskLogTitles>, _ number: UInt32, _ offset: UInt32,
    _ end: inout UnsafeMutablePointer<UInt8>
  ) -> UInt8 {
    let known = titles.pointee.place(of: number)
    let place = known ?? titles.pointee.add(number)
    if known == nil { write(Int64(number), &end) }
    let step = titles.pointee.step(place, to: offset)
    if step == .named { write(Int64(offset), &end) }
    titles.pointee.take(place, step, offset)
    return UInt8(known ?? DiskLogTitles.count) | step.rawValue << 3
  }

  /// What the second byte says of an object with nothing unusual.
  private static func usual(_ offset: UInt32) -> UInt8 {
    let asset = ObjectLayout.assetClass(of: offset)?.rawValue ?? classes
    return asset | hasUsualLifetime | namesItself | hasUsualSize | isNew
  }

  // MARK: Memory

  /// The titles, and where the next entry goes.
  private mutating func place() -> (
    UnsafeMutablePointer<DiskLogTitles>, UnsafeMutablePointer<UInt8>
  ) {
    if Int(count) + DiskLog.longestEntry > Int(room) { grow() }
    guard let memory else { preconditionFailure("it has just grown") }
    return (
      memory.assumingMemoryBound(to: DiskLogTitles.self),
      (memory + DiskLog.headBytes + Int(count)).assumingMemoryBound(to: UInt8.self)
    )
  }

  private mutating func grow() {
    // By an eighth: of millions of lists a third would be empty if they doubled.
    room = count + count / 8 + 2 * Int32(DiskLog.longestEntry)
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: DiskLog.headBytes + Int(room), alignment: MemoryLayout<DiskLogTitles>.alignment)
    if let memory {
      larger.copyMemory(from: memory, byteCount: DiskLog.headBytes + Int(count))
      memory.deallocate()
    } else {
      larger.initializeMemory(as: DiskLogTitles.self, to: DiskLogTitles())
    }
    memory = larger
  }

  private static func write(_ value: Int64, _ end: inout UnsafeMutablePointer<UInt8>) {
    // The sign goes last, so that small numbers of either sign are short.
    var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
    while rest >= 128 {
      end.pointee = UInt8(truncatingIfNeeded: rest) | 128
      end += 1
      rest >>= 7
    }
    end.pointee = UInt8(rest)
    end += 1
  }

  private static func read(_ text: inout UnsafePointer<UInt8>) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = text.pointee
      text += 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { break }
      shift += 7
    }
    return Int64(value >> 1) ^ -Int64(value & 1)
  }
}
