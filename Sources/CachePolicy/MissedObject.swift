import MediaUnits

/// A missed object that would enter a cache: what a rule of admission looks at.
public struct MissedObject: Sendable, Equatable {
  /// What it is.
  public var asset: AssetClass
  /// Its bytes.
  public var size: ByteCount
  /// Whether the cache has missed it before.
  public var wasMissed: Bool

  public init(asset: AssetClass, size: ByteCount, wasMissed: Bool) {
    self.asset = asset
    self.size = size
    self.wasMissed = wasMissed
  }
}
