import Foundation

/// What kept the reference data from being read.
public struct ReferenceError: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A folder of measurements that models are compared with: `Tests/Reference`, or one laid out as
/// its README says.
public struct Reference: Sendable {
  public let folder: String

  public init(_ folder: String) { self.folder = folder }

  /// The rows of one file of `network/`.
  func rows<Row: Decodable>(_ name: String, of type: Row.Type) throws(ReferenceError) -> [Row] {
    try file(name, of: Rows<Row>.self).rows
  }

  /// All of one file of `network/`.
  func file<File: Decodable>(_ name: String, of type: File.Type) throws(ReferenceError) -> File {
    let bytes = try data("network/\(name).json")
    do {
      return try decoder.decode(File.self, from: bytes)
    } catch {
      throw ReferenceError("\(folder)/network/\(name).json: expected its rows, got \(error)")
    }
  }

  /// A file that holds one JSON object.
  func object<Object: Decodable>(
    _ path: String, of type: Object.Type
  ) throws(ReferenceError) -> Object {
    let bytes = try data(path)
    do {
      return try JSONDecoder().decode(Object.self, from: bytes)
    } catch {
      throw ReferenceError("\(folder)/\(path): expected its members, got \(error)")
    }
  }

  /// The fields of a CSV file's lines, without the heading.
  func table(_ path: String, columns: Int) throws(ReferenceError) -> [[Substring]] {
    let text = String(decoding: try data(path), as: UTF8.self)
    var rows: [[Substring]] = []
    for (number, line) in text.split(separator: "\n").enumerated().dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count == columns else {
        throw ReferenceError(
          "\(folder)/\(path):\(number + 1): expected \(columns) fields, got \(fields.count)")
      }
      rows.append(fields)
    }
    return rows
  }

  func data(_ path: String) throws(ReferenceError) -> Data {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)"))
    } catch {
      throw ReferenceError("\(folder)/\(path): expected a readable file, got none")
    }
  }

  private var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  private struct Rows<Row: Decodable>: Decodable {
    var rows: [Row]
  }
}
