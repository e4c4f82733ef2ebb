import CachePolicy
import Models
import Scenario

extension WhatIfPage {
  /// What the numbers of a page's timelines mean: the words by their number, with a hash where the
  /// number that they come with stands and as many decimals as it has; the kinds of pieces, as
  /// they are drawn; and the kind of each piece by its number.
  static var timelineWords: JSONText {
    let kinds = TimelineKind.allCases
    return [
      "words": .array(TimelineWord.all.map { .string($0.words) }),
      "kinds": .array(kinds.map { .string($0.rawValue) }),
      "works": .array(
        SessionWork.all.map { .integer(Int64(kinds.firstIndex(of: $0.kind) ?? 0)) }),
    ]
  }
}

extension TimelineWord {
  fileprivate var words: String {
    switch self {
    case .work(let work): work.words
    case .event(let event): event.words(of: "item #")
    case .asset(let asset): asset == .feed ? "feed page" : TraceFigures.name(asset)
    case .reason(let reason): "\(reason.name)"
    case .outcome(let outcome): SessionTrace.text(outcome)
    case .other(let other): other.words
    }
  }
}

extension TimelineWord.Other {
  fileprivate var words: String {
    switch self {
    case .comma: ", "
    case .colon: ": "
    case .semicolon: "; "
    case .plus: " + "
    case .equals: " = "
    case .fullStop: "."
    case .screen: "screen"
    case .player: "player #"
    case .prefetchPolicy: "prefetch policy"
    case .network: "network"
    case .item: "item #"
    case .segment: "segment #"
    case .rung: "rung #"
    case .prefetch: "prefetch"
    case .again: ", seen # before"
    case .clock: "the clock starts"
    case .coldStart: "Feed opened at #.### s of the session; "
    case .swipe: "Swipe at #.### s of the session; "
    case .swipeBack: "Swipe back at #.### s of the session; "
    case .ready: "ready: "
    case .firstFrame: "first frame after #.# ms"
    case .noFrame: "no frame: left after #.# ms"
    case .milliseconds: " #.#"
    case .omitted: " Requests of other items that are not drawn: #."
    }
  }
}
