import Models
import Scenario

/// What of a study shares its beginnings and is not kept yet.
public struct PrefixPlan: Sendable {
  /// One replication of several variants at once.
  public struct Unit: Sendable {
    public var replication: Int
    public var tree: PrefixTree
  }

  /// Family after family.
  public internal(set) var units: [Unit] = []
  /// Variants that share a beginning with another one.
  public internal(set) var variants = 0
  /// Runs that are left to do, and how many of them are saved, as work.
  public internal(set) var open = 0
  public internal(set) var saved = 0.0

  /// The part of the work that is left to do.
  public var share: Double { open > 0 ? 1 - saved / Double(open) : 1 }
  /// Most worlds in memory at one time for each unit under way.
  public var worlds: Int { units.map(\.tree.worlds).max() ?? 1 }
}

/// Who runs what shares beginnings: processes of their own, because a process with several threads
/// cannot become two.
public protocol PrefixWorkers: Sendable {
  /// Is told what could be shared, which may be nothing.
  ///
  /// - Returns: whether ``run(stop:finished:)`` is to be called; if not, all is run by itself.
  func begin(_ plan: PrefixPlan) -> Bool

  /// Runs the units, keeps their records in the store, and returns when nobody works on them any
  /// more. Whatever is not kept then is run by itself, and so that nothing fails unseen, it says
  /// what went wrong.
  ///
  /// - Parameters:
  ///   - stop: requested: nothing more is begun; abandoned: what is under way is given up.
  ///   - finished: is called for each record that is kept, one call at a time.
  func run(
    stop: StopRequest, finished: (_ variant: Int, _ replication: Int) -> Void
  )
}

extension VariantStudy {
  /// What of replications `range` shares its beginnings.
  ///
  /// - Parameter isOpen: whether a replication of a variant is not kept yet; nil: the store knows.
  public func prefixPlan(
    _ range: Range<Int>, isOpen: ((_ variant: Int, _ replication: Int) -> Bool)? = nil
  ) -> PrefixPlan {
    var plan = PrefixPlan()
    let families = PrefixFamilies(variants)
    var sharing: Set<Int> = []
    for family in families.families {
      // Of a study that begins the same members are open in every replication.
      var known: (open: [Int], trees: [(tree: PrefixTree, saved: Double)]) = ([], [])
      for replication in range {
        let open = family.filter { member in
          isOpen?(member, replication) ?? (kept(member, replication) == nil)
        }
        if open != known.open { known = (open, families.trees(family, only: open)) }
        for (tree, saved) in known.trees {
          plan.units.append(PrefixPlan.Unit(replication: replication, tree: tree))
          plan.saved += saved
          sharing.formUnion(tree.members)
        }
      }
    }
    plan.variants = sharing.count
    return plan
  }

  /// Runs the pilot that the runs of a tree have in common.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` when it runs into a limit.
  public func prefixRunner(_ tree: PrefixTree) throws -> PrefixRunner {
    PrefixRunner(study: self, runner: try runner(variants[tree.members[0]].scenario))
  }

  /// What variants do that nobody sees before its time.
  public func faults(_ member: Int) -> CDNFaults {
    guard let feed = variants[member].scenario.plan.studied.forkedFeed else {
      preconditionFailure("only a feed's run goes on under other faults")
    }
    return feed.configuration.cdn.faults
  }
}

/// Runs the units of one family.
public struct PrefixRunner: Sendable {
  let study: VariantStudy
  let runner: ReplicationRunner

  /// Runs one replication, which begins as that of a tree's first member.
  ///
  /// - Returns: for ``keep(_:of:)``.
  /// - Throws: ``SimulationKernel/SimulationError`` when it runs into a limit.
  public func run(_ replication: Int, fork: any RunFork) throws -> ReplicationRecord {
    guard let digest = try runner.digest(replication, fork: fork) else {
      preconditionFailure("nobody stopped the run")
    }
    return ReplicationRecord(digest)
  }

  /// Keeps a record as a variant's.
  ///
  /// - Throws: an error of the file system.
  public func keep(_ record: ReplicationRecord, of variant: Int) throws {
    try study.series(variant)?.keep(record)
  }
}
