/// One request as a cache sees it.
struct CacheRequest {
  /// The object's handle in this cache.
  var object: UInt32
  /// Its bytes now; a resident copy keeps the size it came with.
  var size: Int64
  /// The number of the request in the trace.
  var index: UInt32
  /// Nanoseconds.
  var time: Int64
}
