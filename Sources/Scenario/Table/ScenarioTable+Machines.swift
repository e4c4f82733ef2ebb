import ForeignPolicies
import Models

/// The machines of the other worlds that may be somebody else's.
extension ScenarioTable {
  /// Who decides when a client asks; nil: the shipped machine.
  static let polls = PluginFamily(
    shippedPolls, PolicyPackages.installed.polls, ForeignPolls.init)

  static let shippedPolls: [PluginFamily<@Sendable (ResolvedTree) -> ForeignPolls?>.Row] = [
    .init("timer", "The shipped machine, by the keys beside this one") { _ in nil }
  ]

  /// Who says when a call is of poor quality; nil: the shipped monitor.
  static let monitors = PluginFamily(
    shippedMonitors, PolicyPackages.installed.quality, ForeignQuality.init)

  static let shippedMonitors: [PluginFamily<@Sendable (ResolvedTree) -> ForeignQuality?>.Row] = [
    .init("monitor", "The shipped monitor, with its defaults") { _ in nil }
  ]
}

extension PluginFamily {
  /// The machines of a key: those that are shipped, and those that this program was built with.
  ///
  /// - Parameter foreign: what a world takes for a package's deciders.
  fileprivate init<Decider: Sendable, Foreign>(
    _ shipped: [Row], _ packages: [RulePackage<Decider>],
    _ foreign: @escaping @Sendable (Decider) -> Foreign
  ) where Value == @Sendable (ResolvedTree) -> Foreign? {
    self.init(
      shipped
        + packages.map { package in
          Row(package.row.word, package.row.summary, package.row.fields) {
            foreign(package.decider($0.values(of: package.row)))
          }
        })
  }
}
