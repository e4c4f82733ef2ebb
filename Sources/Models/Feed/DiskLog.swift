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
/// is full. Until either happens this stands for it, because it costs a quarter: a place at the end
/// of a list in place of a search, two links and a table. ``FeedWorld`` then repeats it to the
/// disk.
struct DiskLog {
  struct Entry {
    var copy: DiskCopy
    var object: UInt32
    var bytes: UInt32
  }

  /// Whether the disk itself is not used yet.
  private(set) var isOpen = true
  private(set) var entries: [Entry] = []
  private var bytes: Int64 = 0

  /// Adds an entry, unless the disk has to decide: when it may be full with it.
  mutating func add(_ copy: DiskCopy, object: UInt32, bytes size: Int64, capacity: Int64) -> Bool {
    guard isOpen, size <= Int64(UInt32.max), bytes + size <= capacity else { return false }
    bytes += size
    entries.append(Entry(copy: copy, object: object, bytes: UInt32(size)))
    return true
  }

  /// Gives the entries away: from now on there is the disk.
  mutating func close() -> [Entry] {
    isOpen = false
    let given = entries
    entries = []
    return given
  }

  var heapBytes: Int { entries.capacity * MemoryLayout<Entry>.stride }
}
