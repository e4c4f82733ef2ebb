import SimulationKernel
import Testing

@testable import FeedModel

/// Memory of viewers' items.
@Suite struct HeldSegmentsTests {
  @Test func `segments come back as they were put in, in blocks that others had`() {
    var blocks = WordBlocks()
    let streams = RandomStreams(seed: 5, replication: 0)
    var held = [HeldSegments](repeating: HeldSegments(), count: 40)
    var expected = [[UInt64]](repeating: [], count: 40)
    for step in 0..<20_000 as Range<UInt32> {
      let draw = streams.bits(.sessionChoice, entity: 1, draw: step)
      let item = Int(draw % 40)
      let count = expected[item].count
      if draw >> 40 % 30 == 0 || count == 120 {
        held[item].release(count, &blocks)
        expected[item] = []
      } else if count > 0 && draw >> 40 % 30 == 1 {
        // Once more one that is held.
        let index = Int(draw >> 20) % count
        held[item].set(index, to: draw, of: count, &blocks)
        expected[item][index] = draw
      } else {
        held[item].set(count, to: draw, of: count, &blocks)
        expected[item].append(draw)
      }
      if step % 1000 == 0 {
        blocks.trim(to: 2)
        for item in 0..<40 {
          #expect((0..<expected[item].count).map { held[item][$0] } == expected[item])
        }
      }
    }
    #expect(expected.contains { $0.count > 16 })
    for item in 0..<40 { held[item].release(expected[item].count, &blocks) }
  }

  @Test func `an item of few segments has little room, and one of none has no block`() {
    #expect(HeldSegments.bytes(0) == 0)
    #expect(HeldSegments.bytes(1) == 32)
    #expect(HeldSegments.bytes(4) == 32)
    #expect(HeldSegments.bytes(5) == 64)
    #expect(HeldSegments.bytes(120) == 1024)
  }

  @Test func `a block is used again, and what is trimmed is not`() {
    var blocks = WordBlocks()
    let (first, second, large) = (blocks.take(4), blocks.take(3), blocks.take(9))
    blocks.put(first, 4)
    blocks.put(second, 3)
    blocks.put(large, 9)
    let again = (small: blocks.take(1), large: blocks.take(16))
    #expect(again.small == second)
    #expect(again.large == large)
    blocks.put(second, 1)
    blocks.put(large, 16)
    blocks.trim(to: 1)
    // The one that was put back last is gone.
    let kept = (small: blocks.take(2), large: blocks.take(10))
    #expect(kept.small == first)
    #expect(kept.large == large)
    blocks.put(kept.small, 2)
    blocks.put(kept.large, 10)
  }
}
