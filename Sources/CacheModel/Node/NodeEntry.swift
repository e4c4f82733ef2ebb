import CachePolicy
import MediaUnits

/// What became of a node's copy of an object.
public enum CopyFate: UInt8 {
  /// It never had one.
  case never
  /// It is here.
  case resident
  /// It left for others.
  case evicted
  case purged
}

/// What a cache node knows of an object that it was asked for.
public struct NodeEntry {
  /// The object in the low half, what else the key has in the high half.
  public let key: UInt64
  public let asset: AssetClass
  /// What became of the last copy.
  public var fate = CopyFate.never
  /// Who brought the copy.
  public var source = AnsweringTier.none
  /// The object was absent when it was asked for before.
  public var wasMissed = false
  /// Others ask for it by law, and what they did is drawn; it stands in no order of eviction.
  public var isLawful = false
  /// Bytes of the whole object.
  public var bytes: Int64 = 0
  /// The copy; when it has left, ``StoredResponse/storedAt`` is when.
  public var stored: StoredResponse
  /// The lifetime that the origin stated.
  public var stated = TimeSpan.zero
  /// The machine that has the object's requests, or -1: a fresh copy needs none.
  public var machine: Int32 = -1
  /// Fetches begun, and draws of the others' demand: numbers of draws.
  public var fetches: UInt32 = 0
  public var otherDraws: UInt32 = 0

  init(key: UInt64, asset: AssetClass) {
    self.key = key
    self.asset = asset
    stored = StoredResponse(storedAt: .zero, lifetime: .zero)
    // Keys of one object share its streams; each begins at a place of its own. Fetches use 28 bits.
    fetches = (UInt32(truncatingIfNeeded: key >> 32) &* 0x9E37_79B1) >> 5
  }

  /// The object without the rest of the key.
  public var object: UInt32 { UInt32(truncatingIfNeeded: key) }
}
