import MediaUnits
import Testing

@testable import Studies

/// Which runs are one, and until when.
@Suite struct PrefixTreeTests {
  private static let end = at(100)

  private static func at(_ seconds: Int64) -> Instant { Instant.zero + .seconds(seconds) }

  /// A tree of variants of which each is what happens to it, by seconds.
  private func tree(_ variants: [[Int64]]) -> PrefixTree {
    PrefixTree(Array(variants.indices), until: PrefixTreeTests.end) { a, b in
      var (left, right) = (variants[a][...], variants[b][...])
      while let first = left.first, first == right.first {
        left.removeFirst()
        right.removeFirst()
      }
      return [left.first, right.first].compactMap(\.self).min().map { PrefixTreeTests.at($0) }
    }
  }

  private func work(_ tree: PrefixTree) -> Double {
    tree.work { Double($0.nanoseconds) / Double(PrefixTreeTests.end.nanoseconds) }
  }

  @Test func `equal runs are one to the end`() {
    let tree = tree([[40], [40], [40]])
    #expect(tree.members == [0, 1, 2] && tree.parting == nil && tree.branches.isEmpty)
    #expect(work(tree) == 1 && tree.worlds == 1)
  }

  @Test func `runs part where the first of them differs, and go on together where they can`() {
    let tree = tree([[], [20], [60], [20, 70], [90]])
    #expect(tree.parting == PrefixTreeTests.at(20))
    #expect(tree.branches.map(\.members) == [[1, 3], [0, 2, 4]])
    #expect(tree.branches[0].parting == PrefixTreeTests.at(70))
    #expect(tree.branches[0].branches.map(\.members) == [[1], [3]])
    #expect(tree.branches[1].parting == PrefixTreeTests.at(60))
    #expect(tree.branches[1].branches.map(\.members) == [[2], [0, 4]])
    #expect(tree.branches[1].branches[1].parting == PrefixTreeTests.at(90))
    // 20; 50 and 2 x 30; 40, 40, 30 and 2 x 10.
    #expect(abs(work(tree) - 2.6) < 1e-9)
    // The first run, and in a branch of it the run that this one comes from.
    #expect(tree.worlds == 3)
  }

  @Test func `runs that part one after the other are two at a time`() {
    let tree = tree([[10], [20], [30], [40], []])
    #expect(tree.worlds == 2)
    #expect(abs(work(tree) - 4) < 1e-9)
  }

  @Test func `what happens after the end is nothing`() {
    #expect(tree([[101], [], [200]]).parting == nil)
    #expect(tree([[100], []]).parting == PrefixTreeTests.at(100))
  }
}
