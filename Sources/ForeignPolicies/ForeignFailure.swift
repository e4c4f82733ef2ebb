import Synchronization

/// What went wrong with a policy of somebody else's in this process: where one fails the run is
/// void, and whoever runs it says why.
public enum ForeignFailure {
  private static let text = Mutex<String?>(nil)

  /// Of the first one that failed; nil: none has.
  public static var first: String? { text.withLock { $0 } }

  static func note(_ failure: String) {
    text.withLock { if $0 == nil { $0 = failure } }
  }
}
