import Models
import Scenario

/// The blocks of a search that lie in a store, or are asked for there.
public struct FuzzShards: FuzzBlocks {
  /// Most seeds of a plan: blocks of them are counted like replications.
  public static let most = UInt64(ShardPlan.mostReplications) * FuzzSearch.blockSize

  private let store: ShardStore
  private let series: ShardSeries
  public let count: Int

  /// - Parameters:
  ///   - name: the protocol, where no scenario has it.
  /// - Precondition: there are seeds, and at most ``most``.
  public init(
    _ store: ShardStore, search name: String, _ scenario: StudyScenario?, seeds: Range<UInt64>
  ) {
    let all = seeds.upperBound - seeds.lowerBound
    precondition(all <= FuzzShards.most, "at most \(FuzzShards.most) seeds")
    self.store = store
    series = store.series(ShardSubject(search: name, scenario, seeds: seeds))
    count = ShardSubject.blocks(all)
  }

  public func words(_ block: Int) -> [UInt64]? {
    series.content(block).flatMap { PackedWords.words(of: $0) }
  }

  public func want(_ block: Int) { series.want(block) }

  public func check() throws { try store.checkNothingIsMissing() }
}
