import MediaUnits

/// How a stand-in origin behaves beyond what its scenario says.
public struct StandinOptions: Sendable {
  /// The replication whose draws make the catalogue, as `run --replications` numbers them from 0.
  public var replication: UInt16 = 0
  public var faults: [StandinFault] = []
  /// Whether objects come after the time that the scenario's origin takes to the first byte.
  public var waitsAsOrigin = false
  /// Whether pages and posts come after the time that the scenario says.
  public var waitsAsService = true
  /// Whether answers state their object in `CMSD-Static` (CTA-5006).
  public var tellsServerData = false
  /// What stands before paths in JSON, such as `https://cdn.example.com`; empty: relative paths,
  /// which are right through any edge.
  public var base = ""
  /// What segments are, in place of bytes that are made up; the scenario's catalogue must be its.
  public var media: MediaLibrary?
  /// What a client has to know to change things while it runs; nil: nobody can.
  public var token: RunToken?
  /// What is served under `/player/`.
  public var page: StandinPage?

  public init() {}
}
