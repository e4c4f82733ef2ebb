import Foundation
import Glibc

/// Whether a folder takes a file: what another program says when it does not has many words.
enum WritableFolder {
  /// As much as a short segment of media has.
  private static let size = 1 << 16

  /// Writes a file there and removes it.
  ///
  /// - Parameter name: what the message calls the folder.
  /// - Throws: `output` when the folder does not take it.
  static func check(_ folder: String, as name: String) throws(HarnessFailure) {
    let probe = "\(folder)/.room-\(getpid())"
    guard let stream = fopen(probe, "wb") else {
      throw HarnessFailure(
        .output, "\(name): expected a folder that can be written, got \(errorText())")
    }
    defer { unlink(probe) }
    let bytes = [UInt8](repeating: 0, count: size)
    let written = fwrite(bytes, 1, bytes.count, stream)
    if fclose(stream) != 0 || written < bytes.count {
      throw HarnessFailure(.output, "\(name): expected room for more files, got \(errorText())")
    }
  }
}
