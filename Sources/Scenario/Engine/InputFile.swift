import Foundation

/// Reads a file of the user whole, or says in one line why not.
public enum InputFile {
  /// What keeps a file from being read.
  public struct Failure: Error, Hashable {
    public var code: Problem.Code
    public var expected: String
    public var got: String

    public init(code: Problem.Code, expected: String, got: String) {
      self.code = code
      self.expected = expected
      self.got = got
    }
  }

  /// The bytes of the file at `path`, at most `limit`. A larger regular file is not read at all,
  /// and a pipe no further than the limit.
  public static func bytes(at path: String, limit: Int) throws(Failure) -> [UInt8] {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw failure(ENOENT) }
    var status = stat()
    if stat(path, &status) != 0 { throw failure(errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw failure(EISDIR) }
    if status.st_mode & S_IFMT == S_IFREG && Int(status.st_size) > limit {
      throw tooLarge(ByteText.approximate(Int(status.st_size)), limit)
    }
    guard let stream = fopen(path, "rb") else { throw failure(errno) }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, stream)
      bytes += chunk[..<count]
      if bytes.count > limit { throw tooLarge("more", limit) }
      if count < chunk.count {
        if ferror(stream) != 0 { throw failure(errno) }
        return bytes
      }
    }
  }

  /// The text of the file at `path`, at most `limit` bytes; nil where it cannot be read, is larger
  /// or is no UTF-8.
  public static func text(at path: String, limit: Int = documentLimit) -> String? {
    do throws(Failure) {
      return String(validating: try bytes(at: path, limit: limit), as: UTF8.self)
    } catch {
      return nil
    }
  }

  /// Bytes of a document of ours at most.
  public static let documentLimit = JSONReader.Limits.document.bytes

  /// The absolute path with links followed; nil when there is no such file.
  static func canonicalPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func tooLarge(_ got: String, _ limit: Int) -> Failure {
    Failure(code: .largeFile, expected: YAMLReader.Limits.sizeExpectation(limit), got: got)
  }

  /// The message for a system error number.
  public static func failure(_ number: Int32) -> Failure {
    switch number {
    case ENOENT, ENOTDIR:
      Failure(code: .missingFile, expected: "an existing file", got: "no file of this name")
    case EISDIR: Failure(code: .unreadable, expected: "a file", got: "a directory")
    case EACCES, EPERM:
      Failure(code: .unreadable, expected: "a readable file", got: "permission denied")
    default:
      Failure(
        code: .unreadable, expected: "a readable file",
        got: String(cString: strerror(number)).lowercased())
    }
  }
}
