import Studies

/// How far a study is, in words and as a share.
public struct ProgressText: Sendable {
  private let progress: StudyProgress

  public init(_ progress: StudyProgress) { self.progress = progress }

  /// The part of the work to the next look that is done, 0...1. Replications under way count with
  /// the parts of them that are done; they are several at a time, so that their parts together may
  /// be more than one replication. It never falls before the next look is made.
  public var share: Double {
    if progress.finished >= progress.nextLook { return 1 }
    let done = Double(progress.finished) + max(0, progress.underWay)
    return min(1, done / Double(max(1, progress.nextLook)))
  }

  /// The same in whole per cent; 100 only when all is done.
  public var percent: Int {
    progress.finished >= progress.nextLook ? 100 : min(99, Int(share * 100))
  }

  /// Replications that are finished, and the share where that says more than they do.
  public var replications: String {
    let looks = "of \(progress.nextLook) replications to the next look (at most \(progress.cap))"
    let head = "\(progress.finished) \(looks)"
    if progress.underWay <= 0 || progress.finished >= progress.nextLook { return head }
    return "\(head), \(percentText) of the work"
  }

  /// `under 1 %` or `14 %`.
  public var percentText: String { percent < 1 ? "under 1 %" : "\(percent) %" }
}
