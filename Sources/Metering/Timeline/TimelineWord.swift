import CacheModel
import CachePolicy
import FeedModel

/// A word of a sentence about a session, for a page that puts sentences together: each comes with
/// a number, which some of them name.
public enum TimelineWord: Sendable, Equatable {
  case work(SessionWork)
  /// With the number of its item.
  case event(SessionEvent)
  case asset(AssetClass)
  case reason(MissReason)
  case outcome(RequestRecord.Outcome)
  case other(Other)

  public enum Other: Int, CaseIterable, Sendable {
    case comma, colon, semicolon, plus, equals, fullStop
    case screen, player, prefetchPolicy, network
    case item, segment, rung, prefetch
    /// With how often the item was seen before.
    case again
    case clock
    /// How a view began, with the second of the session.
    case coldStart, swipe, swipeBack
    case ready
    /// With milliseconds; so is a part of a start.
    case firstFrame, noFrame, milliseconds
    /// With how many requests are not drawn.
    case omitted
  }

  /// All of them, each at the place of its ``number``.
  public static var all: [TimelineWord] {
    SessionWork.all.map { .work($0) } + SessionEvent.allCases.map { .event($0) }
      + AssetClass.allCases.map { .asset($0) } + MissReason.allCases.map { .reason($0) }
      + RequestRecord.Outcome.allCases.map { .outcome($0) } + Other.allCases.map { .other($0) }
  }

  /// By which a page knows it.
  public var number: Int {
    let events = SessionWork.count
    let assets = events + SessionEvent.allCases.count
    let reasons = assets + AssetClass.allCases.count
    let outcomes = reasons + MissReason.allCases.count
    return switch self {
    case .work(let work): work.number
    case .event(let event): events + event.rawValue
    case .asset(let asset): assets + Int(asset.rawValue)
    case .reason(let reason): reasons + Int(reason.rawValue)
    case .outcome(let outcome): outcomes + Int(outcome.rawValue)
    case .other(let other): outcomes + RequestRecord.Outcome.allCases.count + other.rawValue
    }
  }
}
