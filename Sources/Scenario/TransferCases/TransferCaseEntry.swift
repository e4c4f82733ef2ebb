import Models

/// One case of a file of transfer cases.
public struct TransferCaseEntry: Sendable, Equatable {
  /// Unique in the file.
  public var id: String
  public var transfers: TransferCase
  /// The tier asked for; nil lets the model choose.
  public var tier: TransferTier?
  /// 1...65,535.
  public var replications: Int

  public init(
    id: String, transfers: TransferCase, tier: TransferTier? = nil, replications: Int = 1
  ) {
    precondition((1...65_535).contains(replications), "1 to 65,535 replications")
    self.id = id
    self.transfers = transfers
    self.tier = tier
    self.replications = replications
  }
}
