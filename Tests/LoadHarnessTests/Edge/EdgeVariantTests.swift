import CachePolicy
import NIOCore
import NIOHTTP1
import Testing

@testable import LoadHarness

/// Takes a body together.
private final class Reader: EdgeBodyReader {
  var bytes = ByteBuffer()
  var parts = 0
  var isWhole = false
  var isReady: Bool { true }

  func take(_ bytes: ByteBuffer) {
    parts += 1
    self.bytes.writeImmutableBuffer(bytes)
  }
  func finish(isWhole: Bool) { self.isWhole = isWhole }
}

/// What is known of one address, and of objects that are not there.
struct EdgeVariantTests {
  private static func vary(_ names: String) -> VariantFields {
    EdgeFields.variant(["Vary": names])
  }

  /// A variant whose requests have these fields.
  private static func variant(
    _ address: EdgeAddress, _ handle: UInt32, _ vary: VariantFields, _ request: HTTPHeaders
  ) -> EdgeVariant {
    EdgeVariant(
      address: address, handle: handle, vary: vary, key: EdgeAnswer.key(vary, request))
  }

  @Test func `a request finds its variant among any number`() {
    let address = EdgeAddress("/a")
    let vary = Self.vary("X-One, Accept-Language")
    let request = { (one: Int) -> HTTPHeaders in ["x-one": "\(one)", "Accept-Language": "de, en"] }
    var all: [EdgeVariant] = []
    for number in 0..<1_000 {
      #expect(address.variant(for: request(number)) == nil)
      all.append(Self.variant(address, UInt32(number), vary, request(number)))
      address.add(all[number])
    }
    for number in stride(from: 0, to: 1_000, by: 7) {
      #expect(address.variant(for: request(number)) === all[number])
      let other: HTTPHeaders = ["x-one": "\(number)", "Accept-Language": "EN,de"]
      #expect(address.variant(for: other) === all[number], "the order of languages says nothing")
    }
    #expect(address.variant(for: [:]) == nil)
    // Taken out one by one, in another order; those that stay are found.
    for number in 0..<999 {
      let gone = all[number * 617 % 1_000]
      address.remove(gone)
      #expect(gone.isReleased && address.variant(for: request(Int(gone.handle))) == nil)
      let kept = all[999 * 617 % 1_000]
      #expect(address.variant(for: request(Int(kept.handle))) === kept)
    }
    #expect(address.variants.count == 1)
  }

  @Test func `keys tell absent, empty and joined fields apart`() {
    let vary = Self.vary("A, B")
    let requests: [HTTPHeaders] = [
      [:], ["A": ""], ["B": ""], ["A": "", "B": ""], ["A": "x"], ["B": "x"], ["A": "x", "B": ""],
      ["A": "x,y"], ["A": "x", "B": "y"], ["A": "xy"],
    ]
    let keys = Set(requests.map { EdgeAnswer.key(vary, $0) })
    #expect(keys.count == requests.count)
    #expect(EdgeAnswer.key(VariantFields(), ["A": "x"]).isEmpty)
  }

  @Test func `one that was found stays, another goes`() throws {
    let address = EdgeAddress("/a")
    let vary = Self.vary("A")
    for number in 0..<10 {
      address.add(Self.variant(address, UInt32(number), vary, ["A": "\(number)"]))
    }
    for number in 0..<9 { _ = address.variant(for: ["A": "\(number)"]) }
    #expect(try #require(address.dispensable()).handle == 9)
    // The hand has gone by all: nobody was found since.
    #expect(address.dispensable() != nil)
  }

  @Test func `an address takes few sets of names`() {
    let address = EdgeAddress("/a")
    for number in 0..<20 {
      let vary = Self.vary("A\(number)")
      #expect(address.takes(vary) == (number < EdgeAddress.mostGroups))
      if address.takes(vary) {
        address.add(Self.variant(address, UInt32(number), vary, ["A\(number)": "x"]))
      }
    }
    #expect(!address.takes(Self.vary("*")))
    #expect(!address.takes(Self.vary((0..<65).map { "B\($0)" }.joined(separator: ","))))
    #expect(address.takes(Self.vary("A0")))
  }

  @Test func `absent objects keep their handles, the latest of them`() {
    var ghosts = EdgeGhosts(most: 3)
    for handle in UInt32(0)..<3 {
      let free = ghosts.put("/\(handle)", [], handle)
      #expect(free == nil)
    }
    #expect(ghosts.take("/1", []) == 1)
    #expect(ghosts.take("/1", []) == nil)
    #expect(ghosts.put("/3", [], 3) == 0, "the oldest is forgotten")
    #expect(ghosts.put("/4", [], 4) == nil, "that one had been taken")
    #expect(ghosts.put("/4", [], 5) == 4, "the same name again")
    #expect(ghosts.take("/4", []) == 5 && ghosts.take("/4", [1]) == nil)
    #expect(ghosts.take("/0", []) == nil && ghosts.take("/2", []) == 2)
  }

  @Test(arguments: [0, 1, 255, 256, 257, 1_000, 65_535, 65_536, 65_537, 300_000])
  func `a body is kept in buffers that it fills, and takes what it was weighed with`(
    _ bytes: Int
  ) throws {
    let body = EdgeBody(isKept: true)
    var rest = ByteBuffer(bytes: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 * 31) })
    let whole = rest
    while let part = rest.readSlice(length: min(1_448, rest.readableBytes)), part.readableBytes > 0
    {
      body.append(part)
    }
    body.finish(isWhole: true)
    let reader = Reader()
    body.join(reader)
    #expect(body.count == bytes && reader.bytes == whole && reader.isWhole)
    #expect(body.memory == EdgeBody.memory(of: Int64(bytes)))
    #expect(body.memory >= bytes && body.memory <= Int64(bytes) + Int64(bytes / 8) + 2_000)
    // Each is a write of its own.
    #expect(reader.parts <= bytes / 65_536 + 3)
  }

  @Test(arguments: [1: 1, 920: 1, 1_000: 1, 1_448: 2, 5_000: 2, 60_000: 1, 65_536: 1])
  func `a body of a usual size is a single write, or few`(_ bytes: Int, _ parts: Int) {
    let reader = Reader()
    EdgeBody(whole: ByteBuffer(repeating: 1, count: bytes)).join(reader)
    #expect(reader.parts == parts)
  }
}
