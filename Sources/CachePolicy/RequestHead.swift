/// The parts of a request that decide whether its answer may be stored.
public struct RequestHead: Sendable, Equatable {
  /// The method, as far as caches tell them apart.
  public enum Method: UInt8, Sendable, Equatable {
    /// GET or HEAD.
    case read
    /// Any other. Answers to POST, which RFC 9110 section 9.3.3 allows to store in one case, are
    /// not.
    case other
  }

  public var method: Method
  /// Whether it carries `Authorization`.
  public var isAuthorized: Bool

  public init(method: Method = .read, isAuthorized: Bool = false) {
    self.method = method
    self.isAuthorized = isAuthorized
  }
}
