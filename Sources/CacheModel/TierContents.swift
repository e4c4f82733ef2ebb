import ModelBasics

/// The stationary contents of each tier at time zero; nil for one that holds everything.
public struct TierContents: Sendable, Equatable {
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

extension TierContents: HeldInWords {
  public func write(to writer: inout WordWriter) {
    for tier in tiers {
      writer.add(tier != nil)
      tier?.write(to: &writer)
    }
    writer.add(Int64(laws.count))
    for law in laws {
      writer.add(law.characteristicTime)
      writer.add(law.room != nil)
      writer.add(law.room ?? 0)
    }
  }

  public init?(_ reader: inout WordReader) {
    self.init()
    for tier in CacheTier.allCases {
      guard let isThere = reader.truth() else { return nil }
      if !isThere { continue }
      guard let residents = UntouchedResidents(&reader) else { return nil }
      self[tier] = residents
    }
    guard let count = reader.integer(), count == 0 || count == Int64(tiers.count) else {
      return nil
    }
    for _ in 0..<count {
      var law = TierLaw()
      guard let time = reader.double(), let hasRoom = reader.truth(),
        let room = reader.integer()
      else { return nil }
      law.characteristicTime = time
      law.room = hasRoom ? room : nil
      laws.append(law)
    }
  }
}
