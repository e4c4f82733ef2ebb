import CachePolicy
import MediaUnits

/// What the origin says of the objects of each class, and for how long shared caches take them for
/// fresh by that.
public struct OriginDirectives: Sendable {
  /// What it usually says, by class.
  public let directives: [CacheDirectives]
  /// How long shared caches keep an object by that, by class.
  public let usualLifetimes: [TimeSpan]
  /// What becomes of a class's lifetimes: jitter, and what expires together.
  let rules: [AssetRule]

  public init(_ cdn: CDNConfiguration) {
    directives = AssetClass.allCases.map { cdn.directives(for: $0) }
    usualLifetimes = directives.map { CacheFreshness.lifetime(of: $0, shared: true) }
    rules = cdn.assetRules
  }

  /// What it says about objects of a class with a lifetime of its own.
  public func directives(for asset: AssetClass, lifetime: TimeSpan) -> CacheDirectives {
    var stated = directives[Int(asset.rawValue)]
    if stated.maxAge != nil { stated.maxAge = lifetime }
    return stated
  }

  /// The lifetime that it states of an object that it sends at a time.
  ///
  /// - Parameter u: uniform on 0 ..< 1; 0.5 for no jitter.
  func lifetime(_ asset: AssetClass, at time: Instant, u: Double) -> TimeSpan {
    let place = Int(asset.rawValue)
    return rules[place].lifetime(usualLifetimes[place], at: time, u: u)
  }
}
