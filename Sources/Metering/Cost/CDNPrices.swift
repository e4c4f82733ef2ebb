/// What a content delivery network and the store behind it charge in one region of viewers, as
/// numbers of one currency. A gigabyte is 10^9 bytes.
public struct CDNPrices: Sendable, Equatable {
  /// A tier of monthly volume.
  public struct Tier: Sendable, Equatable {
    /// The volume at which the next tier begins, bytes a month; nil in the last tier.
    public var upTo: Int64?
    /// Price of a gigabyte in this tier.
    public var perGB: Double

    public init(upTo: Int64?, perGB: Double) {
      self.upTo = upTo
      self.perGB = perGB
    }
  }

  /// Bytes and requests a month that cost nothing.
  public var freeTransfer, freeRequests: Int64
  /// Of bytes to viewers, ascending; the last tier has no end.
  public var transfer: [Tier]
  /// Prices of 10,000 requests of viewers, and of as many that arrive at the shield.
  public var requestsPer10000, shieldPer10000: Double
  public var originGetPer1000: Double
  public var originTransferPerGB: Double
  public var storagePerGBMonth: Double

  public init(
    freeTransfer: Int64, freeRequests: Int64, transfer: [Tier], requestsPer10000: Double,
    shieldPer10000: Double, originGetPer1000: Double, originTransferPerGB: Double,
    storagePerGBMonth: Double
  ) {
    self.freeTransfer = freeTransfer
    self.freeRequests = freeRequests
    self.transfer = transfer
    self.requestsPer10000 = requestsPer10000
    self.shieldPer10000 = shieldPer10000
    self.originGetPer1000 = originGetPer1000
    self.originTransferPerGB = originTransferPerGB
    self.storagePerGBMonth = storagePerGBMonth
  }
}
