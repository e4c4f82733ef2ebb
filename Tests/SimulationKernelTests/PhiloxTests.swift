import SimulationKernel
import Statistics
import Testing

// Issue 2 item 3: random streams; docs/decisions/0004.

struct `Philox and its streams` {
  struct KnownAnswer: Sendable {
    let counter: Philox.Block
    let key: UInt64
    let answer: Philox.Block
  }

  /// The three lines "philox4x32 10" of kat_vectors in Random123, the reference implementation of
  /// Salmon et al., SC 2011, doi 10.1145/2063384.2063405: counter, key, answer.
  static let knownAnswers = [
    KnownAnswer(
      counter: Philox.Block(0, 0, 0, 0), key: 0,
      answer: Philox.Block(0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8)),
    KnownAnswer(
      counter: Philox.Block(.max, .max, .max, .max), key: .max,
      answer: Philox.Block(0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD)),
    KnownAnswer(
      counter: Philox.Block(0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344),
      key: 0x299F_31D0_A409_3822,
      answer: Philox.Block(0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1)),
  ]

  @Test(arguments: knownAnswers)
  func `ten rounds give the published known answers`(_ known: KnownAnswer) {
    #expect(Philox.block(counter: known.counter, key: known.key) == known.answer)
  }

  @Test func `a draw is the block of its key in the documented layout`() {
    let streams = RandomStreams(seed: 0x0123_4567_89AB_CDEF, replication: 0xBEEF)
    let block = Philox.block(
      counter: Philox.Block(0x8000_0000 >> 1, 0xDDDD_CCCC, 0xAAAA_BBBB, 0x1234_BEEF),
      key: 0x0123_4567_89AB_CDEF)
    let entity: UInt64 = 0xAAAA_BBBB_DDDD_CCCC
    let even = streams.bits(stream(0x1234), entity: entity, draw: 0x8000_0000)
    let odd = streams.bits(stream(0x1234), entity: entity, draw: 0x8000_0001)
    #expect(even == UInt64(block.word0) | UInt64(block.word1) << 32)
    #expect(odd == UInt64(block.word2) | UInt64(block.word3) << 32)
    let pair = streams.uniformPair(stream(0x1234), entity: entity, pair: 0x4000_0000)
    #expect(pair.0 == RandomStreams.uniform(even))
    #expect(pair.1 == RandomStreams.uniform(odd))
  }

  @Test func `the least and the greatest uniform are inside the open interval and exact`() {
    #expect(RandomStreams.uniform(0) == 0x1p-53)
    #expect(RandomStreams.uniform(.max) == 1 - 0x1p-53)
    var random = SplitMix64(seed: 7)
    for _ in 0..<100_000 {
      let u = RandomStreams.uniform(random.next())
      #expect(u > 0 && u < 1 && u * 0x1p53 == (u * 0x1p53).rounded(.down), "\(u)")
      // 1 - u is a multiple of 2^-53 as well, so nothing was rounded.
      #expect((1 - u) + u == 1 && 1 - (1 - u) == u, "\(u)")
    }
  }

  @Test(arguments: [UInt64](1...8))
  func `uniforms follow the uniform law`(_ seed: UInt64) throws {
    // Kolmogorov-Smirnov, 50,000 draws each; eight seeds, so 0.001 keeps false alarms under 1 %.
    let streams = RandomStreams(seed: seed, replication: UInt16(seed))
    let law = try Law.uniform(min: 0, max: 1)
    let alongDraws = (0..<50_000).map {
      streams.uniform(stream(3), entity: 42, draw: UInt32($0))
    }
    #expect(try GoodnessOfFit.kolmogorovSmirnov(alongDraws, law).pValue > 0.001)
    let alongEntities = (0..<50_000).map { streams.uniform(stream(3), entity: UInt64($0)) }
    #expect(try GoodnessOfFit.kolmogorovSmirnov(alongEntities, law).pValue > 0.001)
  }

  @Test func `neighbours of a stream in draw, entity, stream and replication are uncorrelated`() {
    // For independent uniforms the sample correlation has standard error 1/√n; 4 of them.
    let n = 100_000
    func uniform(draw: Int = 0, entity: Int = 0, name: Int = 1, replication: Int = 0) -> Double {
      RandomStreams(seed: 2026, replication: UInt16(replication))
        .uniform(stream(UInt16(name)), entity: UInt64(entity), draw: UInt32(draw))
    }
    func expectUncorrelated(_ a: [Double], _ b: [Double], _ what: String) {
      // Centred on the known mean and scaled by the known variance 1/12.
      let sum = zip(a, b).reduce(0.0) { $0 + ($1.0 - 0.5) * ($1.1 - 0.5) }
      let correlation = sum / Double(a.count) * 12
      #expect(abs(correlation) < 4 / Double(a.count).squareRoot(), "\(what): \(correlation)")
    }
    let draws = (0..<n).map { uniform(draw: $0) }
    for lag in 1...10 {
      expectUncorrelated(Array(draws.dropLast(lag)), Array(draws.dropFirst(lag)), "lag \(lag)")
    }
    expectUncorrelated(draws, (0..<n).map { uniform(draw: $0, entity: 1) }, "entity")
    expectUncorrelated(draws, (0..<n).map { uniform(draw: $0, name: 2) }, "stream")
    expectUncorrelated(draws, (0..<n).map { uniform(draw: $0, replication: 1) }, "replication")
  }

  @Test func `pairs of neighbouring draws fill the square evenly`() throws {
    // Chi-square on 32 x 32 cells, 200,000 pairs.
    let streams = RandomStreams(seed: 99, replication: 0)
    var counts = [Int](repeating: 0, count: 1024)
    for pair in 0..<200_000 {
      let (a, b) = streams.uniformPair(stream(1), entity: 5, pair: UInt32(pair))
      counts[Int(a * 32) * 32 + Int(b * 32)] += 1
    }
    let even = [Double](repeating: 1.0 / 1024, count: 1024)
    #expect(try GoodnessOfFit.chiSquare(counts: counts, probabilities: even).pValue > 0.001)
  }

  @Test(arguments: [UInt64](1...4))
  func `a draw does not depend on what was drawn before`(_ seed: UInt64) {
    let streams = RandomStreams(seed: seed, replication: 3)
    var keys: [(UInt16, UInt64, UInt32)] = []
    for name in 0..<4 {
      for entity in 0..<8 {
        for draw in 0..<16 { keys.append((UInt16(name), UInt64(entity), UInt32(draw))) }
      }
    }
    let inOrder = keys.map { streams.bits(stream($0.0), entity: $0.1, draw: $0.2) }
    var random = SplitMix64(seed: seed)
    var order = Array(keys.indices)
    for index in order.indices.dropFirst() {
      order.swapAt(index, random.next(below: index + 1))
    }
    for index in order.prefix(300) {
      let key = keys[index]
      #expect(streams.bits(stream(key.0), entity: key.1, draw: key.2) == inOrder[index])
    }
  }

  @Test func `every part of the key gives other numbers`() {
    // 8,640 values of 64 bits: the chance of one coincidence is 2e-12.
    var seen: Set<UInt64> = []
    var drawn = 0
    let entities: [UInt64] = [0, 1, 2, 1 << 32, 1 << 33, 1 << 32 | 1, .max, 1 << 63]
    for seed: UInt64 in [0, 1, 1 << 32, 1 << 33, .max] {
      for replication: UInt16 in [0, 1, 2, 0x8000, .max, 256] {
        let streams = RandomStreams(seed: seed, replication: replication)
        for name: UInt16 in [0, 1, 2, 0x8000, 256, .max] {
          for entity in entities {
            for draw: UInt32 in [0, 1, 2, 3, 1 << 16, .max] {
              seen.insert(streams.bits(stream(name), entity: entity, draw: draw))
              drawn += 1
            }
          }
        }
      }
    }
    #expect(drawn == 8640)
    #expect(seen.count == drawn)
  }
}
