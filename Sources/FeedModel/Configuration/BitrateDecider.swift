import CacheModel
import FeedPolicy
import MediaUnits

/// Chooses the rendition of each segment in the place of ``FeedPolicy/BitrateRule``: code that the
/// program does not ship (docs/decisions/0044).
public protocol BitrateDecider: RuleDecider {
  /// The rung of a segment. The same snapshot has the same one; what is above the ladder or the cap
  /// is held to the highest rung that is not.
  func rung(for snapshot: BitrateSnapshot, in ladder: Ladder) -> RungIndex
}

extension PolicyConfiguration {
  /// The rung of the next segment, by the rule or whoever decides in its place.
  @inline(__always)
  func rung(for snapshot: BitrateSnapshot, in ladder: Ladder) -> RungIndex {
    guard let bitrateDecider else { return bitrate.rung(for: snapshot, in: ladder) }
    let ceiling = snapshot.ceiling(in: ladder)
    return min(bitrateDecider.rung(for: snapshot, in: ladder), ceiling)
  }
}
