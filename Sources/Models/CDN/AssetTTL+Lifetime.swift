import CachePolicy
import MediaUnits

extension AssetTTL {
  /// How long a shared cache keeps an object of a class fresh, seconds.
  func sharedLifetime(of asset: AssetClass) -> Double {
    CacheFreshness.lifetime(of: directives(for: asset), shared: true).seconds
  }
}
