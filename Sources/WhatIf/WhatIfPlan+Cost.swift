import FeedImage
import FeedModel
import Metering

extension WhatIfPlan.Cost: Imaged {
  public static func image(
    _ value: WhatIfPlan.Cost?, _ coder: inout ImageCoder
  ) -> WhatIfPlan.Cost {
    WhatIfPlan.Cost(terms: coder(value?.terms), viewsPerDay: coder(value?.viewsPerDay))
  }
}

extension CostTerms: Imaged {
  public static func image(_ value: CostTerms?, _ coder: inout ImageCoder) -> CostTerms {
    CostTerms(
      prices: coder(value?.prices), storedBytes: coder(value?.storedBytes),
      statedViewsPerDay: coder.optional(value?.statedViewsPerDay), share: coder(value?.share))
  }
}

extension CDNPrices: Imaged {
  public static func image(_ value: CDNPrices?, _ coder: inout ImageCoder) -> CDNPrices {
    CDNPrices(
      freeTransfer: coder(value?.freeTransfer), freeRequests: coder(value?.freeRequests),
      transfer: coder.list(value?.transfer), requestsPer10000: coder(value?.requestsPer10000),
      shieldPer10000: coder(value?.shieldPer10000),
      originGetPer1000: coder(value?.originGetPer1000),
      originTransferPerGB: coder(value?.originTransferPerGB),
      storagePerGBMonth: coder(value?.storagePerGBMonth))
  }
}

extension CDNPrices.Tier: Imaged {
  public static func image(_ value: CDNPrices.Tier?, _ coder: inout ImageCoder) -> CDNPrices.Tier {
    CDNPrices.Tier(upTo: coder.optional(value?.upTo), perGB: coder(value?.perGB))
  }
}

extension CDNBill: Imaged {
  public static func image(_ value: CDNBill?, _ coder: inout ImageCoder) -> CDNBill {
    CDNBill(
      transfer: coder(value?.transfer), requests: coder(value?.requests),
      shield: coder(value?.shield), originRequests: coder(value?.originRequests),
      originTransfer: coder(value?.originTransfer), storage: coder(value?.storage))
  }
}
