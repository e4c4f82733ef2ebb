/// The requests of a cache trace, one array per column.
///
/// Objects are dense handles from 0; whoever reads a file maps its identifiers to them. An optional
/// column is empty when the trace does not have it, else it is as long as ``objects``.
public struct CacheTrace: Sendable {
  /// The object of each request, below ``objectCount``.
  public var objects: [UInt32]
  /// Bytes of the object as each request saw it, not negative, below 2^63 in all; empty: every
  /// object is one byte.
  public var sizes: [Int64]
  /// When each request came, in nanoseconds from any zero, never going back; empty: all at 0.
  public var times: [Int64]
  /// How long the answer to each request is good for, in nanoseconds, not negative. 0 never
  /// expires; so does every object where this is empty.
  public var lifetimes: [Int64]
  /// The edge each request goes to; empty: all go to edge 0.
  public var nodes: [UInt16]
  /// All handles are below this number.
  public var objectCount: Int
  /// What each handle is called in the file, as a number or a hash of its name; only the sketch of
  /// W-TinyLFU looks at it. Empty: the handles are the names.
  public var identities: [UInt64]

  public init(
    objects: [UInt32] = [], sizes: [Int64] = [], times: [Int64] = [], lifetimes: [Int64] = [],
    nodes: [UInt16] = [], objectCount: Int = 0, identities: [UInt64] = []
  ) {
    self.objects = objects
    self.sizes = sizes
    self.times = times
    self.lifetimes = lifetimes
    self.nodes = nodes
    self.objectCount = objectCount
    self.identities = identities
  }

  /// How many requests the trace has.
  public var count: Int { objects.count }

  /// Stops the program unless every column is empty or complete and every handle, size and
  /// lifetime is in its range, the sum of the sizes too. Readers establish this; a replay checks it
  /// once.
  /// - Complexity: O(``count``).
  public func checkShape() {
    precondition(objectCount >= 0 && Int64(count) < Int64(UInt32.max), "the trace is too long")
    precondition(sizes.isEmpty || sizes.count == count, "a size for each request, or none")
    precondition(times.isEmpty || times.count == count, "a time for each request, or none")
    precondition(
      lifetimes.isEmpty || lifetimes.count == count, "a lifetime for each request, or none")
    precondition(nodes.isEmpty || nodes.count == count, "a node for each request, or none")
    precondition(
      identities.isEmpty || identities.count == objectCount,
      "an identity for each object, or none")
    for object in objects {
      precondition(Int(object) < objectCount, "a handle is not below the number of objects")
    }
    var bytes: Int64 = 0
    for size in sizes {
      precondition(size >= 0, "a size is negative")
      let (sum, overflow) = bytes.addingReportingOverflow(size)
      precondition(!overflow, "the bytes of all requests are no 64-bit number")
      bytes = sum
    }
    for lifetime in lifetimes { precondition(lifetime >= 0, "a lifetime is negative") }
  }
}
