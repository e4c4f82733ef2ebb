import Foundation

/// The lines of a file of JSON lines, one at a time: a file of line ends alone costs no more memory
/// than it is long.
public struct DocumentLines: Sequence, IteratorProtocol {
  private let data: Data
  private var start: Data.Index
  /// Of the line that was given last, from 1.
  private var number = 0

  public init(_ data: Data) {
    self.data = data
    start = data.startIndex
  }

  /// The next line that is not empty, without its end.
  public mutating func next() -> (number: Int, line: Data)? {
    while start < data.endIndex {
      let end = data[start...].firstIndex(of: 0x0A) ?? data.endIndex
      let line = data[start..<end]
      start = Swift.min(end + 1, data.endIndex)
      number += 1
      if !line.isEmpty { return (number, Data(line)) }
    }
    return nil
  }
}
