import Foundation

/// One request of a trace for caches.
public struct CacheRecord: Sendable, Equatable {
  /// Seconds from the start; 0 in a trace without times.
  public var time: UInt32 = 0
  public var object: UInt32
  /// Bytes; 0 in a trace without sizes.
  public var bytes: UInt32 = 0
  /// Seconds; 0 lives for ever.
  public var lifetime: UInt32 = 0
  public var edge: UInt8 = 0
}

/// The traces in `Tests/Reference/cache`, unpacked: `T1` to `T3` are names of objects, `T4` has
/// everything. The README there says how they are packed.
public enum CacheTraceFile {
  /// - Throws: ``ReferenceFiles/Problem`` for a file that is missing or cut.
  public static func records(_ trace: String) throws -> [CacheRecord] {
    let name = "cache/\(trace)." + (trace == "T4" ? "records" : "ids")
    var numbers = PackedNumbers(name: name, bytes: [UInt8](try ReferenceFiles.data(name)))
    var records: [CacheRecord] = []
    if trace != "T4" {
      while !numbers.isAtEnd { records.append(CacheRecord(object: try numbers.next())) }
      return records
    }
    let lifetimes = try (0..<numbers.next()).map { _ in try numbers.next() }
    var known: [UInt32: (bytes: UInt32, lifetime: UInt32)] = [:]
    var (time, object) = (UInt32(0), UInt32(0))
    while !numbers.isAtEnd {
      let head = try numbers.next()
      time += head >> 2
      // Even steps go up, odd ones down.
      let step = try numbers.next()
      object = step & 1 == 0 ? object + step / 2 : object - (step / 2 + 1)
      if known[object] == nil {
        known[object] = (try numbers.next(), lifetimes[Int(try numbers.next())])
      }
      guard let (bytes, lifetime) = known[object] else { break }
      records.append(
        CacheRecord(
          time: time, object: object, bytes: bytes, lifetime: lifetime, edge: UInt8(head & 3)))
    }
    return records
  }

  /// The sizes that `T3` takes by a hash of the object.
  /// - Throws: ``ReferenceFiles/Problem`` when the file is missing.
  public static func sizes() throws -> [Int64] {
    try ReferenceFiles.text("cache/sizes1024.txt").split(separator: "\n").compactMap { Int64($0) }
  }

  /// Writes a trace as the command reads it: `u32le`, or `rec17` for `T4`.
  /// - Returns: the path.
  /// - Throws: ``ReferenceFiles/Problem``, and errors of Foundation.
  public static func write(_ trace: String, into folder: String) throws -> String {
    var data = Data()
    func add(_ value: UInt32) {
      for shift in [UInt32(0), 8, 16, 24] { data.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    for record in try records(trace) {
      if trace != "T4" {
        add(record.object)
        continue
      }
      for value in [record.time, record.object, record.bytes, record.lifetime] { add(value) }
      data.append(record.edge)
    }
    let path = "\(folder)/\(trace).dev." + (trace == "T4" ? "rec17" : "u32le")
    try data.write(to: URL(fileURLWithPath: path))
    return path
  }
}

/// Numbers of seven bits a byte, the low ones first, the top bit set on all but the last (LEB128).
private struct PackedNumbers {
  let name: String
  let bytes: [UInt8]
  var place = 0

  var isAtEnd: Bool { place == bytes.count }

  mutating func next() throws -> UInt32 {
    var (value, shift) = (UInt32(0), UInt32(0))
    while place < bytes.count && shift < 32 {
      let byte = bytes[place]
      place += 1
      value |= UInt32(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    throw ReferenceFiles.Problem(
      description: "Tests/Reference/\(name): expected a number at byte \(place), got none")
  }
}
