import CacheModel
import FeedModel

/// What one replication adds to a bill: its views and their traffic.
public struct ReplicationTraffic: Sendable, Equatable {
  public var views: Double
  public var traffic: CDNBill.Traffic

  /// - Parameter providers: of the scenario; each is paid for the bytes that came from it.
  public init(views: Int64, measures: FeedMeasures, providers: [CDNProvider] = []) {
    self.views = Double(views)
    traffic = CDNBill.Traffic(
      bytes: Double(measures.counts.deliveredBytes),
      requests: Double(measures.counts.requests + measures.counts.clientRetries),
      shieldRequests: Double(measures.counts.shieldCrossings),
      originRequests: Double(measures.counts.originRequests),
      originBytes: Double(measures.counts.originBytes))
    let bytes = measures.providers.each.map { Double($0.counts.bytes) }
    let all = bytes.reduce(0) { $0 + $1 }
    if all > 0 {
      traffic.parts = zip(providers, bytes).map { provider, part in
        CDNBill.Traffic.Part(share: part / all, transferPerGB: provider.transferPerGB)
      }
    }
  }

  /// The traffic of a month with so many views a day; a month has 30.
  private func monthly(_ viewsPerDay: Double) -> CDNBill.Traffic {
    let factor = views > 0 ? viewsPerDay * 30 / views : 0
    var month = CDNBill.Traffic(
      bytes: traffic.bytes * factor, requests: traffic.requests * factor,
      shieldRequests: traffic.shieldRequests * factor,
      originRequests: traffic.originRequests * factor,
      originBytes: traffic.originBytes * factor)
    month.parts = traffic.parts
    return month
  }

  /// What a month of such traffic with so many views a day costs; nil without views.
  public func bill(_ terms: CostTerms, viewsPerDay: Double) -> CDNBill? {
    if views <= 0 { return nil }
    var month = monthly(viewsPerDay)
    month.storedBytes = Double(terms.storedBytes)
    return CDNBill(month, prices: terms.prices)
  }
}
