import Scenario

/// The words that cohorts are made of, by what they describe.
public struct ObservedWords: Sendable {
  public private(set) var devices = WordTable()
  public private(set) var networks = WordTable()
  public private(set) var regions = WordTable()
  public private(set) var versions = WordTable()
  public private(set) var edges = WordTable()
  public private(set) var players = WordTable()

  /// Writes the number of a word down.
  mutating func note(
    _ text: TextSpan, _ quantity: ObservedQuantity, _ words: inout Observation.Words
  ) {
    switch quantity {
    case .device: words.device = devices.number(text)
    case .network: words.network = networks.number(text)
    case .region: words.region = regions.number(text)
    case .version: words.version = versions.number(text)
    case .edge: words.edge = edges.number(text)
    case .player: words.player = players.number(text)
    default: preconditionFailure("\(quantity) is no word")
    }
  }

  /// The cohort that words stand for.
  func cohort(_ words: Observation.Words) -> ObservedViews.Cohort {
    func word(_ table: WordTable, _ number: UInt16) -> String {
      number == 0 || table.isDropped ? "" : table.words[Int(number) - 1]
    }
    return ObservedViews.Cohort(
      device: word(devices, words.device), network: word(networks, words.network),
      region: word(regions, words.region), version: word(versions, words.version))
  }

  /// What has too many words to be a cohort.
  var dropped: [ObservedQuantity] {
    let tables: [(ObservedQuantity, WordTable)] = [
      (.device, devices), (.network, networks), (.region, regions), (.version, versions),
      (.edge, edges), (.player, players),
    ]
    return tables.filter { $0.1.isDropped }.map(\.0)
  }
}
