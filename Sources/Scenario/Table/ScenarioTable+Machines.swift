import ForeignPolicies
import Models

/// The machines of the other worlds that may be somebody else's.
extension ScenarioTable {
  /// Who decides when a client asks; nil: the shipped machine.
  static let polls = PluginFamily(
    shippedPolls
      + PolicyPackages.installed.polls.map { package in
        .init(package.row.word, package.row.summary, package.row.fields) {
          ForeignPolls(package.decider($0.values(of: package.row)))
        }
      })

  static let shippedPolls: [PluginFamily<@Sendable (ResolvedTree) -> ForeignPolls?>.Row] = [
    .init("timer", "The shipped machine, by the keys beside this one") { _ in nil }
  ]

  /// Who says when a call is of poor quality; nil: the shipped monitor.
  static let monitors = PluginFamily(
    shippedMonitors
      + PolicyPackages.installed.quality.map { package in
        .init(package.row.word, package.row.summary, package.row.fields) {
          ForeignQuality(package.decider($0.values(of: package.row)))
        }
      })

  static let shippedMonitors: [PluginFamily<@Sendable (ResolvedTree) -> ForeignQuality?>.Row] = [
    .init("monitor", "The shipped monitor, with its defaults") { _ in nil }
  ]
}
