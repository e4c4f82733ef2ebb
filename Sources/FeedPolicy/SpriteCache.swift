import MediaUnits

/// A small LRU cache of sprite images in memory, with prefetch of the neighbours (SIG-031).
///
/// A lookup says whether the image is there and appends the images to fetch: itself when it is
/// absent, then its neighbours, nearest first and the one after before the one before. An image
/// already asked for is not asked for again until it comes in or the host reports the failure.
/// Images are numbered within one item; the item is part of the key, 0 for a host with one cache
/// per item.
///
/// Leaves out: the size of an image (all count as one) and decoding.
public struct SpriteCache: Sendable {
  /// How many images are kept and fetched ahead.
  public struct Configuration: Sendable, Equatable {
    /// Images kept. Default 24 (SIG-031).
    public var capacity: Int
    /// Neighbours fetched on each side of a looked-up image; 0 turns that off. Default 1 (assumed).
    public var neighbours: Int

    public init(capacity: Int = 24, neighbours: Int = 1) {
      self.capacity = capacity
      self.neighbours = neighbours
    }
  }

  public let configuration: Configuration
  /// Keys of the images, most recently used first.
  var images: [UInt64] = []
  /// Keys of the images asked for, oldest first; no more than `capacity`, the oldest is forgotten.
  var requested: [UInt64] = []

  /// Lookups that found their image.
  public private(set) var hits = 0
  /// Lookups that did not.
  public private(set) var misses = 0
  /// Images asked for because of a neighbour.
  public private(set) var neighbourFetches = 0
  /// Images that made room for others.
  public private(set) var evictions = 0
  /// Images that came in twice, and lookups beyond the number of images.
  public private(set) var ignored = 0

  /// - Precondition: an image and its neighbours fit into `capacity`.
  public init(_ configuration: Configuration = Configuration()) {
    precondition(
      configuration.neighbours >= 0,
      "neighbours is not negative, got \(configuration.neighbours)")
    precondition(
      configuration.capacity >= 1 + 2 * configuration.neighbours,
      "an image and its neighbours fit, got a capacity of \(configuration.capacity) "
        + "for \(configuration.neighbours) on each side")
    self.configuration = configuration
  }

  /// How many images are held.
  public var count: Int { images.count }

  /// Whether the image is held; changes nothing.
  public func contains(_ sprite: UInt32, item: ItemID = ItemID(0)) -> Bool {
    position(of: imageKey(sprite, item), in: images) != nil
  }

  /// Looks an image up and appends the numbers of the images to fetch.
  ///
  /// - Parameters:
  ///   - sprite: the image's number in its item.
  ///   - count: how many images the item has. A number beyond is counted and is a miss.
  ///   - item: whose images they are.
  ///   - fetches: gets the numbers of the images to fetch, at its end.
  /// - Returns: whether the image is held.
  /// - Complexity: O(capacity · neighbours).
  public mutating func lookup(
    _ sprite: UInt32, of count: UInt32, item: ItemID = ItemID(0), into fetches: inout [UInt32]
  ) -> Bool {
    guard sprite < count else {
      ignored += 1
      return false
    }
    let found = position(of: imageKey(sprite, item), in: images)
    if let found {
      hits += 1
      moveToFront(found)
    } else {
      misses += 1
      request(sprite, item, into: &fetches)
    }
    for distance in 0..<UInt32(configuration.neighbours) {
      let step = distance + 1
      if count - 1 - sprite >= step {
        requestNeighbour(sprite + step, item, into: &fetches)
      }
      if sprite >= step { requestNeighbour(sprite - step, item, into: &fetches) }
    }
    return found != nil
  }

  /// Takes an image that came in, asked for or not, as the most recently used one.
  public mutating func insert(_ sprite: UInt32, item: ItemID = ItemID(0)) {
    let key = imageKey(sprite, item)
    forgetRequest(key)
    if let found = position(of: key, in: images) {
      ignored += 1
      moveToFront(found)
      return
    }
    images.insert(key, at: 0)
    if images.count > configuration.capacity {
      images.removeLast()
      evictions += 1
    }
  }

  /// The fetch of an image failed: the next lookup asks again.
  public mutating func fetchFailed(_ sprite: UInt32, item: ItemID = ItemID(0)) {
    forgetRequest(imageKey(sprite, item))
  }

  /// Drops all images and requests; the counters stay.
  public mutating func removeAll() {
    images.removeAll(keepingCapacity: true)
    requested.removeAll(keepingCapacity: true)
  }

  private func imageKey(_ sprite: UInt32, _ item: ItemID) -> UInt64 {
    UInt64(item.index) << 32 | UInt64(sprite)
  }

  private func position(of key: UInt64, in keys: [UInt64]) -> Int? {
    for index in 0..<keys.count where keys[index] == key { return index }
    return nil
  }

  private mutating func moveToFront(_ index: Int) {
    let key = images[index]
    var place = index
    while place > 0 {
      images[place] = images[place - 1]
      place -= 1
    }
    images[0] = key
  }

  private mutating func request(
    _ sprite: UInt32, _ item: ItemID, into fetches: inout [UInt32]
  ) {
    let key = imageKey(sprite, item)
    if position(of: key, in: requested) != nil { return }
    if requested.count >= configuration.capacity { requested.removeFirst() }
    requested.append(key)
    fetches.append(sprite)
  }

  private mutating func requestNeighbour(
    _ sprite: UInt32, _ item: ItemID, into fetches: inout [UInt32]
  ) {
    if position(of: imageKey(sprite, item), in: images) != nil { return }
    let before = fetches.count
    request(sprite, item, into: &fetches)
    neighbourFetches += fetches.count - before
  }

  private mutating func forgetRequest(_ key: UInt64) {
    if let index = position(of: key, in: requested) { requested.remove(at: index) }
  }
}
