import Foundation
import Studies

extension RunFolder {
  /// Adds whole lines to the end of a file, all of them or none, with the folders above it.
  ///
  /// Writers that do so at the same time wait for each other. Where the file ends within a line, as
  /// after a fault, the line is ended first, so that it stays and the new ones are whole.
  ///
  /// - Throws: ``WriteError`` naming the path; then the file is as it was.
  public static func appendLines(_ lines: [String], to path: String) throws(WriteError) {
    if lines.isEmpty { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      _ = try makeFolders(String(path[..<slash]))
    }
    try HeldSignals.during { () throws(WriteError) in try add(lines, to: path) }
  }

  private static func add(_ lines: [String], to path: String) throws(WriteError) {
    func failure(_ expected: String) -> WriteError {
      WriteError(
        path: path, expected: expected, got: String(cString: strerror(errno)).lowercased())
    }
    let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    if file < 0 { throw failure("a file to append to") }
    defer { close(file) }
    // Let go of with the last descriptor.
    while flock(file, LOCK_EX) != 0 {
      if errno != EINTR { throw failure("a file that can be locked") }
    }
    var status = stat()
    if fstat(file, &status) != 0 { throw failure("a file to append to") }
    let size = status.st_size
    var last: UInt8 = 0x0A
    if size > 0, pread(file, &last, 1, size - 1) != 1 { throw failure("a file that can be read") }
    let text = (last == 0x0A ? "" : "\n") + lines.map { $0 + "\n" }.joined()
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes {
        Foundation.write(file, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 {
        let error = failure("room for \(bytes.count) bytes")
        ftruncate(file, size)
        throw error
      }
      start += count
    }
  }
}
