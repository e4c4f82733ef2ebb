import CachePolicy
import Metering
import Models

/// What a metric's name says to those who compute it.
extension MetricReference {
  /// The stat as what it reads.
  public var reads: MetricStat { MetricStat(word: stat) }

  /// The labels as places in a feed that has these values of them.
  ///
  /// - Precondition: the window is one of them; a scenario's checks see to that.
  public func cut(_ known: CohortLabels) -> MetricCut {
    var cut = MetricCut()
    for label in labels {
      switch label.name {
      case "network": cut.network = known.networks.firstIndex(of: label.value)
      case "device": cut.device = known.devices.firstIndex(of: label.value)
      case "provider": cut.provider = known.providers.firstIndex(of: label.value)
      case "window":
        guard let place = known.windows.firstIndex(of: label.value) else {
          preconditionFailure("the windows of metrics were checked")
        }
        cut.window = place
      case "tier": cut.tier = MetricReference.tiers.first { $0.0 == label.value }?.1 ?? .edge
      case "class":
        cut.asset = MetricReference.classes.firstIndex(of: label.value).map {
          AssetClass.allCases[$0]
        }
      case "by": cut.isByBytes = label.value == "bytes"
      case "part":
        cut.part = MetricReference.parts.firstIndex(of: label.value).map {
          StartupPart.allCases[$0]
        }
      case "after":
        cut.after = MetricReference.waits.firstIndex(of: label.value).map {
          MetricWait.allCases[$0]
        }
      default: break
      }
    }
    return cut
  }

  /// Values of the label `tier`.
  static let tiers: [(String, MetricTier)] = MetricTier.allCases.map { ("\($0)", $0) }

  /// What decides how replications of it are put together.
  public var traits: MetricTraits {
    MetricTraits(
      unit: unit, stat: reads, isQuotient: isQuotient,
      bounds: unit == .ratio || isQuotient ? bounds : 0...Double.infinity, isShare: isShare,
      isOfViews: isOfViews, isCount: stat == "count")
  }
}

extension MetricStat {
  /// As a metric's name has it.
  init(word: String) {
    if word == "mean" {
      self = .mean
    } else if word == "max" {
      self = .largest
    } else if word.first == "p", let percent = Int(word.dropFirst().prefix { $0.isNumber }) {
      self = .percentile(percent, ofStarted: word.hasSuffix("_started"))
    } else {
      self = .itself
    }
  }
}

extension FeedWorldPlan {
  /// What metrics need of it.
  public var metered: MeteredFeed {
    MeteredFeed(configuration)
  }
}
