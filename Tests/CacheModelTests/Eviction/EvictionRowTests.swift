import Foundation
import Testing

@testable import CacheModel

@Suite struct EvictionRowTests {
  @Test func `every case of the registry has a row`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
    let path = root.appending(path: "../../../Sources/CacheModel/Eviction/EvictionKind.swift").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let cases = text.split(separator: "\n").filter { $0.hasPrefix("  case ") }.map { line in
      String(line.dropFirst(7).prefix { $0 != "(" })
    }
    #expect(!cases.isEmpty)
    let named = EvictionKind.all.map { kind in String("\(kind)".prefix { $0 != "(" }) }
    // Somebody else's has none.
    #expect(Set(cases) == Set(named + ["foreign"]))
  }

  @Test(arguments: EvictionKind.all)
  func `a kind finds the row it came from`(_ kind: EvictionKind) {
    #expect(EvictionKind.rows.filter { $0.holds(kind) }.count == 1)
    #expect(kind.row.samples.contains(kind))
  }

  @Test func `traits are what they were`() {
    let all = EvictionKind.all
    #expect(all.filter(\.isClairvoyant) == [.lookahead(window: 1_000), .belady])
    #expect(all.filter(\.hashesObjects) == [.wTinyLFU, .wTinyLFUWide])
    #expect(all.filter { $0.effectiveCapacity(7) != 7 } == [.infinite])
    #expect(EvictionKind.clock(bits: 3).row.holds(.clock(bits: 8)))
  }
}
