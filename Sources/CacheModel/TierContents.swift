/// The stationary contents of each tier at time zero; nil for one that holds everything.
public struct TierContents: Sendable {
  private var tiers = [UntouchedResidents?](repeating: nil, count: CacheTier.allCases.count)
  /// What the law of a part of the audience says of each tier; empty: nobody asks by law.
  public var laws: [TierLaw] = []

  public init() {}

  public subscript(tier: CacheTier) -> UntouchedResidents? {
    get { tiers[Int(tier.rawValue)] }
    set { tiers[Int(tier.rawValue)] = newValue }
  }
}

extension TierContents {
  /// What holds for objects by law only; nil without laws.
  public func law(_ tier: CacheTier) -> TierLaw? { laws.isEmpty ? nil : laws[Int(tier.rawValue)] }

  /// What a tier's order of eviction starts with.
  public func ordered(_ tier: CacheTier) -> UntouchedResidents? {
    isLawOnly ? nil : self[tier]
  }

  /// Whether the law covers every object.
  private var isLawOnly: Bool { !laws.isEmpty && laws.allSatisfy { $0.room == nil } }
}
