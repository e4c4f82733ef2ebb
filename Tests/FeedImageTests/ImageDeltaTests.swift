import FeedImage
import SimulationKernel
import Testing

@Suite struct ImageDeltaTests {
  /// Numbers that are the same each time.
  private struct Numbers {
    var seed: UInt64
    var count: UInt64 = 0

    mutating func below(_ limit: Int) -> Int {
      count += 1
      return Int(SplitMix.hash(seed &* 1_000_003 &+ count) >> 1 % UInt64(limit))
    }

    mutating func bytes(_ count: Int, values: Int = 256) -> [UInt8] {
      (0..<count).map { _ in UInt8(below(values)) }
    }
  }

  /// Another list, from some edits at places of their own; and how many bytes they touch.
  private static func edited(
    _ base: [UInt8], edits: Int, _ numbers: inout Numbers
  ) -> (bytes: [UInt8], touched: Int) {
    var result = base
    var touched = 0
    for _ in 0..<edits {
      let place = ImageDelta.front + numbers.below(result.count - ImageDelta.front)
      let count = min(numbers.below(20), result.count - place)
      let inserted = numbers.bytes(numbers.below(20))
      result.replaceSubrange(place..<place + count, with: inserted)
      touched += count + inserted.count
    }
    return (result, touched)
  }

  private static func expectLawful(_ delta: ImageDelta, _ base: [UInt8], _ other: [UInt8]) {
    #expect(delta.applied(to: base)[ImageDelta.front...] == other[ImageDelta.front...])
    var end = ImageDelta.front
    for (number, replacement) in delta.replacements.enumerated() {
      #expect(replacement.offset > end || number == 0 && replacement.offset >= end)
      #expect(replacement.removed > 0 || !replacement.inserted.isEmpty)
      end = replacement.end
    }
    #expect(end <= base.count)
  }

  @Test(arguments: 0..<60) func editsComeBack(number: Int) {
    var numbers = Numbers(seed: UInt64(number))
    let values = [2, 4, 256][number % 3]
    let base = numbers.bytes(12 + [1, 40, 700, 20_000][number % 4], values: values)
    let (other, _) = Self.edited(base, edits: numbers.below(8), &numbers)
    let delta = ImageDelta.between(base, other)
    Self.expectLawful(delta, base, other)
    Self.expectLawful(ImageDelta.between(other, base), other, base)
  }

  /// Edits far from each other, some of which move all behind them, cost what they touch.
  @Test(arguments: 0..<12) func editsAreSmall(number: Int) {
    var numbers = Numbers(seed: 100 + UInt64(number))
    let base = numbers.bytes(200_000)
    let (other, touched) = Self.edited(base, edits: 10, &numbers)
    let delta = ImageDelta.between(base, other)
    Self.expectLawful(delta, base, other)
    #expect(delta.insertedCount <= 2 * touched + 100)
  }

  @Test func whatIsInFrontIsNotCompared() {
    let base = [UInt8](0..<40)
    var other = base
    for place in 0..<ImageDelta.front { other[place] ^= 0xFF }
    #expect(ImageDelta.between(base, other) == .none)
    #expect(ImageDelta.between([], []) == .none)
    #expect(ImageDelta.between([1, 2], [3]).applied(to: [1, 2]).count == 1)
  }

  /// Little that is the same between two changes goes with them.
  @Test func smallGapsAreTakenIn() {
    let base = [UInt8](0..<60)
    var other = base
    other[20] = 200
    other[23] = 201
    other[40] = 202
    let replacements = ImageDelta.between(base, other).replacements
    #expect(replacements.map(\.offset) == [20, 40])
    #expect(replacements.map(\.removed) == [4, 1])
  }

  // MARK: Several at once

  private static func delta(_ change: (inout [UInt8]) -> Void) -> ImageDelta {
    let base = [UInt8](0..<100)
    var other = base
    change(&other)
    return ImageDelta.between(base, other)
  }

  @Test func deltasArePutTogether() throws {
    let one = Self.delta { $0[30] = 200 }
    let other = Self.delta {
      $0.insert(contentsOf: [1, 2, 3], at: 50)
      $0[20] = 201
    }
    #expect(ImageDelta.areApart(one, other))
    let both = try #require(ImageDelta.merged([one, other]))
    var expected = [UInt8](0..<100)
    expected[20] = 201
    expected[30] = 200
    expected.insert(contentsOf: [1, 2, 3], at: 50)
    #expect(both.applied(to: [UInt8](0..<100)) == expected)
    #expect(ImageDelta.merged([other, one]) == both)
    #expect(ImageDelta.merged([]) == ImageDelta.none)
  }

  /// Bytes beside each other may go by two deltas; what is inserted there has no order.
  @Test func deltasThatMeetAreNotPutTogether() {
    let byte = Self.delta { $0[30] = 200 }
    let next = Self.delta { $0[31] = 200 }
    let same = Self.delta { $0[30] = 201 }
    let before = Self.delta { $0.insert(250, at: 30) }
    let behind = Self.delta { $0.insert(250, at: 31) }
    #expect(ImageDelta.areApart(byte, next))
    #expect(ImageDelta.areApart(next, byte))
    for other in [same, before, behind] {
      #expect(!ImageDelta.areApart(byte, other))
      #expect(!ImageDelta.areApart(other, byte))
      #expect(ImageDelta.merged([byte, other]) == nil)
    }
    #expect(!ImageDelta.areApart(before, before))
    #expect(ImageDelta.areApart(before, behind))
  }
}
