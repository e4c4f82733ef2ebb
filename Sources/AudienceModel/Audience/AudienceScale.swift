import MediaUnits

/// How much of the audience is simulated viewer by viewer (docs/decisions/0018).
///
/// The viewers that are not simulated ask the caches by their law alone: requests for an object are
/// Poisson, and what they did to a copy is drawn when a simulated viewer asks for it. Two uses:
/// - *background audience*: every title is simulated, most viewers are not;
/// - *sampling*: as many titles as viewers are left out. Of the tail's titles one in ``stride`` is
///   kept and asked for as often as in the whole, in caches that are as much smaller, so that its
///   copies are simulated without any law. Popular titles are all kept, because each of them is
///   much of the whole; their other viewers ask by law.
public struct AudienceScale: Sendable, Equatable {
  /// Sessions of the whole audience for each one that is simulated, at least 1.
  public var factor: Double
  /// Of so many neighbouring titles of the tail one is simulated; 1: all titles are.
  public var stride: UInt32
  /// Titles below this are all simulated, and the law covers their other viewers.
  public var headTitles: UInt32

  private init(factor: Double, stride: UInt32, headTitles: UInt32) {
    precondition(factor >= 1 && stride >= 1, "at least what is simulated")
    self.factor = factor
    self.stride = stride
    self.headTitles = headTitles
  }

  /// Everybody is simulated.
  public static let whole = AudienceScale(factor: 1, stride: 1, headTitles: 0)

  /// All titles and one session of `factor`.
  public static func background(factor: Double) -> AudienceScale {
    factor > 1 ? AudienceScale(factor: factor, stride: 1, headTitles: .max) : .whole
  }

  /// One session, and one title of the tail, of `stride`.
  ///
  /// A session does not show a title again, so that a group of titles with one title in its place
  /// is seen less often than it should be when it is much of a session. The tail begins where a
  /// group has ``largestGroup`` views of the longest memory of a session.
  ///
  /// - Parameter probabilities: of the titles, descending.
  public static func sampling(oneOf stride: UInt32, probabilities: [Double]) -> AudienceScale {
    if stride <= 1 { return .whole }
    let most = largestGroup / (Double(stride) * Double(AudienceConfiguration.rememberedItems))
    var head = 0
    while head < probabilities.count && probabilities[head] > most { head += 1 }
    return AudienceScale(factor: Double(stride), stride: stride, headTitles: UInt32(head))
  }

  /// Expected views of a group of titles in as many items as a session remembers.
  static let largestGroup = 0.05

  /// Whether everybody is simulated.
  public var isWhole: Bool { factor == 1 }
  /// Whether titles are left out, too.
  public var isSample: Bool { stride > 1 }

  /// The group of a title of the tail.
  ///
  /// - Precondition: titles are left out, and this one is in the tail.
  public func group(of title: UInt32, titles: UInt32) -> (first: UInt32, count: UInt32) {
    precondition(isSample && title >= headTitles)
    let first = title - (title - headTitles) % stride
    return (first, titles - first < stride ? titles - first : stride)
  }
}
