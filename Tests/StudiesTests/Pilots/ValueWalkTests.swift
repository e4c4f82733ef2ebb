import Testing

@testable import Studies

/// Values of many shapes.
private struct Sample {
  enum Plain { case one, two }
  enum Mixed {
    case none
    case other
    case count(Int64)
    case named(values: UInt32)
    case pair(Double, Bool)
  }
  struct Inner {
    var flag = false
    var number: Int64 = 1
    var byte: UInt8 = 2
  }

  var inner = Inner()
  var numbers = [1.0, 2.0]
  var shorts: [UInt16] = [1, 2, 3]
  var lists: [[Int64]] = [[1], [2, 3]]
  var inners = [Inner(), Inner()]
  var text = "a"
  var maybe: Double?
  var nested: Int64?? = .some(nil)
  var plain = Plain.one
  var mixed = Mixed.none
  var tuple: (UInt8, Double) = (1, 2)
}

private final class Reference {
  var number = 0
}

private struct Hidden: CustomReflectable {
  var number = 1.0
  var customMirror: Mirror { Mirror(self, children: []) }
}

private enum Spoken: CustomStringConvertible {
  case one, two, many(Int64)
  var description: String { "the same" }
}

private protocol Something {}
extension Double: Something {}

@Suite struct ValueWalkTests {
  private static let changes: [@Sendable (inout Sample) -> Void] = [
    { $0.inner.flag = true }, { $0.inner.number = 2 }, { $0.inner.byte = 3 },
    { $0.numbers[1] = 2.0.nextUp }, { $0.numbers.append(0) }, { $0.numbers[0] = 0 },
    { $0.numbers[0] = -0.0 }, { $0.shorts[2] = 4 }, { $0.shorts.append(0) },
    { $0.lists = [[1, 2], [3]] }, { $0.lists = [[1], [2], [3]] }, { $0.lists.append([]) },
    { $0.inners[1].byte = 7 }, { $0.inners.removeLast() }, { $0.text = "" }, { $0.text = "a\0" },
    { $0.maybe = 0 }, { $0.nested = nil }, { $0.nested = .some(.some(0)) }, { $0.plain = .two },
    { $0.mixed = .other }, { $0.mixed = .count(0) }, { $0.mixed = .count(1) },
    { $0.mixed = .named(values: 0) }, { $0.mixed = .pair(1, false) },
    { $0.mixed = .pair(1, true) }, { $0.tuple.0 = 2 }, { $0.tuple.1 = 3 },
  ]

  @Test func `what differs anywhere has another name`() throws {
    var names = [try #require(ValueWalk.key(of: Sample()))]
    for change in ValueWalkTests.changes {
      var sample = Sample()
      change(&sample)
      names.append(try #require(ValueWalk.key(of: sample)))
    }
    #expect(Set(names).count == names.count)
    #expect(ValueWalk.key(of: Sample()) == names[0])
    #expect(ValueWalk.key(of: Sample(), ["program"]) != names[0])
    #expect(names[0].description.count == 32)
  }

  @Test func `what cannot be seen through has no name, wherever it is`() {
    let opaque: [Any] = [
      Reference(), { () -> Int in 1 }, Hidden(), [1: 2], Set([1]), 0..<1 as Range<Int>, Double.self,
      "a" as StaticString, Spoken.one, [1.0, 2.0] as [any Something], "ab".dropFirst(),
      UnsafeRawPointer(bitPattern: 8) as Any,
    ]
    for value in opaque {
      #expect(ValueWalk.key(of: value) == nil, "\(type(of: value))")
      #expect(ValueWalk.key(of: (1.0, value)) == nil, "\(type(of: value)) in a pair")
      #expect(ValueWalk.key(of: [value]) == nil, "\(type(of: value)) in a list")
    }
    #expect(ValueWalk.key(of: Spoken.many(1)) != nil)
    let some: (any Something)? = 1.0
    #expect(ValueWalk.key(of: some as Any) == nil)
  }

  @Test func `a hash tells every word, place and length of what is added`() {
    func name(_ words: [UInt64]) -> ContentKey {
      var hash = ContentHash()
      words.withUnsafeBytes { hash.add($0) }
      return hash.key
    }
    var names: Set<ContentKey> = []
    var count = 0
    for length in 0..<20 {
      names.insert(name([UInt64](repeating: 0, count: length)))
      count += 1
      for place in 0..<length {
        for bit in stride(from: 0, to: 64, by: 7) {
          var words = [UInt64](repeating: 0, count: length)
          words[place] = 1 << UInt64(bit)
          names.insert(name(words))
          count += 1
        }
      }
    }
    #expect(names.count == count)
    // Bytes that do not fill a word.
    var texts: Set<ContentKey> = []
    for length in 0..<40 {
      var hash = ContentHash()
      hash.add(String(repeating: "\0", count: length))
      texts.insert(hash.key)
    }
    #expect(texts.count == 40)
  }
}
