import Foundation
import Testing

@testable import Studies

/// A folder that is removed afterwards.
func inPilotFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    .path
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await body(folder)
}

private func key(_ number: UInt64) -> ContentKey { ContentKey(high: number, low: ~number) }

@Suite struct PilotStoreTests {
  @Test func `words come back as they were kept`() async throws {
    try await inPilotFolder { folder in
      let store = PilotStore(folder: "\(folder)/new/below") { "1" }
      for count: UInt64 in [0, 1, 2, 3, 1000] {
        let words = (0..<count).map { $0 &* 0x9E37_79B9_7F4A_7C15 }
        #expect(store.words(key(count)) == nil)
        store.keep(words, as: key(count))
        #expect(store.words(key(count)) == words)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: store.folder)
      #expect(files.count == 5, "nothing half-written is left: \(files)")
    }
  }

  @Test func `a file that is cut, longer, changed or another's counts as absent`() async throws {
    try await inPilotFolder { folder in
      let store = PilotStore(folder: folder) { "1" }
      let words: [UInt64] = [1, 2, 3, 4, 5, 6, 7]
      store.keep(words, as: key(1))
      let path = URL(fileURLWithPath: store.path(key(1)))
      let whole = try Data(contentsOf: path)
      func expectAbsent(_ data: Data, _ what: String) throws {
        try data.write(to: path)
        #expect(store.words(key(1)) == nil, "\(what)")
      }
      for count in 0..<whole.count { try expectAbsent(whole.prefix(count), "\(count) bytes") }
      for place in 0..<whole.count {
        var changed = whole
        changed[place] ^= 0x10
        try expectAbsent(changed, "byte \(place)")
      }
      try expectAbsent(whole + whole, "twice")
      try expectAbsent(whole + Data(count: 8), "longer")
      try expectAbsent(Data("not a pilot at all, but a text".utf8), "a text")
      store.keep(words, as: key(2))
      try expectAbsent(Data(contentsOf: URL(fileURLWithPath: store.path(key(2)))), "another's")
      store.keep(words, as: key(1))
      #expect(store.words(key(1)) == words)
    }
  }

  @Test func `where nothing can be kept nothing is, and that is no error`() async throws {
    try await inPilotFolder { folder in
      try Data("a file".utf8).write(to: URL(fileURLWithPath: folder))
      let store = PilotStore(folder: "\(folder)/below") { "1" }
      store.keep([1], as: key(1))
      #expect(store.words(key(1)) == nil)
    }
    try await inPilotFolder { folder in
      let store = PilotStore(folder: folder) { "1" }
      // A folder stands where the file should.
      try FileManager.default.createDirectory(
        atPath: "\(store.path(key(1)))/below", withIntermediateDirectories: true)
      store.keep([1], as: key(1))
      #expect(store.words(key(1)) == nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }
  }

  @Test func `the oldest files go when there are too many, or too large ones`() async throws {
    try await inPilotFolder { folder in
      // One is looked at when 64 more have been written.
      for (most, bytes) in [(40, 1 << 30), (1000, 40 * 48)] {
        try? FileManager.default.removeItem(atPath: folder)
        let store = PilotStore(folder: folder, mostFiles: most, mostBytes: bytes) { "1" }
        for number: UInt64 in 0..<65 {
          store.keep([number], as: key(number))
          let date = Date(timeIntervalSince1970: 1e9 + Double(number))
          try? FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: store.path(key(number)))
        }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder)/notes.txt"))
        let kept = (0..<65 as Range<UInt64>).filter { store.words(key($0)) != nil }
        #expect(kept == Array(35..<65), "three quarters of 40, the newest")
        #expect(FileManager.default.fileExists(atPath: "\(folder)/notes.txt"))
      }
    }
  }
}
