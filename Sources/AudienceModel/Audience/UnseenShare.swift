import MediaUnits

/// The share of the sessions under way that have yet to see a crowd's new title.
///
/// An item is the title with probability p, once in a session: of those under way when it appears,
/// and of those that come, each sees it after 1/(p·m/L) seconds in the mean, m the views of a
/// session and L its mean length. With sessions that come at f times their usual rate and
/// exponential lengths, the number that has not seen it follows n' = f/L - n·(1 + p·m)/L, and all
/// of them N' = f/L - N/L, both from 1 on.
public struct UnseenShare {
  /// The share in the long run.
  public let lasting: Double
  /// 1/s.
  private let leaving, fading: Double
  /// What n and N end at.
  private let unseen, all: Double

  /// - Parameters:
  ///   - perItem: probability that an item is the new title.
  ///   - viewsPerSession: views of a session in the mean.
  ///   - sessionSeconds: its mean length; what is not finite makes the share that of the long run.
  ///   - arrivals: rate of new sessions while the title is there over that before.
  public init(perItem: Double, viewsPerSession: Double, sessionSeconds: Double, arrivals: Double) {
    let seen = 1 + perItem * viewsPerSession
    lasting = 1 / seen
    leaving = sessionSeconds.isFinite ? 1 / sessionSeconds : .infinity
    fading = leaving * seen
    unseen = arrivals / seen
    all = arrivals
  }

  /// The share so many seconds after the title has appeared.
  public func at(_ age: Double) -> Double {
    if age <= 0 { return 1 }
    let n = unseen + (1 - unseen) * PortableMath.exp(-fading * age)
    let every = all + (1 - all) * PortableMath.exp(-leaving * age)
    return n / every
  }
}
