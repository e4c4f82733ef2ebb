import CachePolicy
import MediaUnits

/// What became of a node's copy of an object.
enum CopyFate: UInt8 {
  /// It never had one.
  case never
  /// It is here.
  case resident
  /// It left for others.
  case evicted
  case purged
}

/// What a cache node knows of an object that it was asked for.
struct NodeEntry {
  /// The object in the low half, what else the key has in the high half.
  let key: UInt64
  let asset: AssetClass
  var fate = CopyFate.never
  /// Who brought the copy.
  var source = AnsweringTier.none
  /// The object was absent when it was asked for before.
  var wasMissed = false
  /// Others ask for it by law, and what they did is drawn; it stands in no order of eviction.
  var isLawful = false
  /// Bytes of the whole object.
  var bytes: Int64 = 0
  /// The copy; when it has left, ``StoredResponse/storedAt`` is when.
  var stored: StoredResponse
  /// The lifetime that the origin stated.
  var stated = TimeSpan.zero
  /// The machine that has the object's requests, or -1: a fresh copy needs none.
  var machine: Int32 = -1
  /// Fetches begun, and draws of the others' demand: numbers of draws.
  var fetches: UInt32 = 0
  var otherDraws: UInt32 = 0

  init(key: UInt64, asset: AssetClass) {
    self.key = key
    self.asset = asset
    stored = StoredResponse(storedAt: .zero, lifetime: .zero)
    // Keys of one object share its streams; each begins at a place of its own. Fetches use 28 bits.
    fetches = (UInt32(truncatingIfNeeded: key >> 32) &* 0x9E37_79B1) >> 5
  }

  var object: UInt32 { UInt32(truncatingIfNeeded: key) }
}
