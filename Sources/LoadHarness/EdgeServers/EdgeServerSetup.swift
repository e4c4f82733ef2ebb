import MediaUnits

/// Where an edge server listens, where it gets what it lacks and where it may write.
struct EdgeServerSetup: Sendable, Equatable {
  /// Address to listen on.
  var address: String
  var port: Int
  /// Host and port of the origin; plain HTTP.
  var originHost: String
  var originPort: Int
  /// Folder of this server alone.
  var folder: String
  /// Folder or file for bodies when they are not kept in memory.
  var cacheFolder: String
  /// Bytes that may be used for bodies.
  var room: Int64

  /// What is answered by the server itself, to see that it is up.
  static let readyPath = "/firstframe-edge-ready"

  /// Seconds with milliseconds, as nginx and Varnish read them (`1500ms`, `1.500s`).
  static func milliseconds(_ span: TimeSpan) -> String {
    "\(max(1, min(span.nanoseconds, 31_536_000_000_000_000) / 1_000_000))ms"
  }
}
