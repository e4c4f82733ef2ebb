import Foundation

/// A folder that takes what a run leaves, and nothing else.
public enum EmptyFolder {
  /// Makes a folder where there is none.
  ///
  /// - Throws: ``HarnessFailure`` when it cannot be made, or holds something.
  public static func make(_ path: String) throws(HarnessFailure) {
    let found: [String]
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      found = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw HarnessFailure(.output, "\(path): expected a folder that can be made, got \(error)")
    }
    if !found.isEmpty {
      throw HarnessFailure(.output, "\(path): expected an empty folder, got \(found.count) files")
    }
  }
}
