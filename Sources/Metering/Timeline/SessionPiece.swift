import CachePolicy
import FeedModel
import MediaUnits

/// A stretch of a session in which somebody is busy with one thing.
public struct SessionPiece: Sendable, Equatable {
  public var work: SessionWork
  /// The item that it is for, as far as that is not the view's or the request's.
  public var item: UInt32?
  public var from: Instant
  public var until: Instant
}

// MARK: The screen

extension SessionRecording {
  /// The parts of a view's start; they follow each other and fill it.
  public func start(of view: View) -> [SessionPiece] {
    var edge = view.record.settledAt
    return StartupPart.allCases.map { part in
      let from = edge
      edge = from + view.record.part(part)
      return SessionPiece(work: .start(part), from: from, until: edge)
    }
  }

  /// What the screen shows from a view's first frame to its end.
  public func playback(of view: View) -> [SessionPiece] {
    if !view.record.hasStarted { return [] }
    let first = view.record.settledAt + view.record.ttff
    var pieces: [SessionPiece] = []
    for change in changes where change.at >= first && change.at < view.endedAt {
      guard let state = ScreenState(change.kind) else { continue }
      if !pieces.isEmpty { pieces[pieces.count - 1].until = change.at }
      pieces.append(SessionPiece(work: .screen(state), from: change.at, until: view.endedAt))
    }
    return pieces
  }

  // MARK: Players

  /// How many players have done something, up to the last one that has.
  var players: UInt32 {
    var count: UInt32 = 0
    for change in changes {
      if let player = change.kind.player { count = max(count, player + 1) }
    }
    return count
  }

  /// What a player does: from each item that it gets to the next change of hands, and within that
  /// the work on it.
  public func pieces(ofPlayer player: UInt32) -> [SessionPiece] {
    var pieces: [SessionPiece] = []
    var hand: Int?
    func endHand(_ time: Instant) {
      guard let first = hand else { return }
      for place in first..<pieces.count where pieces[place].until > time {
        pieces[place].until = time
      }
      hand = nil
    }
    let last = endedAt ?? beganAt ?? .zero
    for change in changes where change.kind.player == player {
      func add(_ work: PlayerWork, _ from: Instant, _ until: Instant) {
        pieces.append(
          SessionPiece(work: .player(work), item: change.item, from: from, until: until))
      }
      switch change.kind {
      case .assigned(_, let usableAt, let isCreated):
        endHand(change.at)
        hand = pieces.count
        add(isCreated ? .holdsFirst : .holds, change.at, last)
        add(.isCreated, change.at, usableAt)
      case .decoder(_, let from, let ready, let isReused):
        if hand != nil { add(isReused ? .resetsDecoder : .setsDecoderUp, from, ready) }
      case .released: endHand(change.at)
      default: break
      }
    }
    endHand(last)
    return pieces
  }

  // MARK: Requests

  /// By when they were sent; of two that were sent at once the one that ended first.
  public var requestsInOrder: [RequestRecord] {
    var sorted: [RequestRecord] = []
    for request in requests {
      var place = sorted.count
      while place > 0, sorted[place - 1].sentAt > request.sentAt { place -= 1 }
      sorted.insert(request, at: place)
    }
    return sorted
  }
}

extension RequestRecord {
  /// What it waited for, one after the other; the last step that began lasts to the end. Nothing
  /// for one that the device's disk answered.
  public var steps: [(step: RequestStep, until: Instant)] {
    if isFromDisk { return [] }
    let isFeed = asset == .feed
    let times: [(step: RequestStep, until: Instant?)] = [
      (.connectionWait, dispatchedAt), (.connection, readyAt), (.wayToEdge, edgeAt),
      (.behindEdge, edgeAt.map { $0 + upstreamWait }),
      (isFeed ? .feedAPI : edgeAt == nil ? .answer : .wayFromEdge, firstByteAt),
      (.slowStart, joinedAt), (.transfer, endedAt),
    ]
    // A step that was not reached took the time that was left; one before a later step is unknown.
    let reached = times.dropLast().lastIndex { $0.until != nil } ?? -1
    var steps: [(step: RequestStep, until: Instant)] = []
    for (index, step) in times.enumerated() {
      if index > reached {
        steps.append((isFeed && reached == 1 ? .feedAPI : step.step, endedAt))
        break
      }
      if let until = step.until { steps.append((step.step, min(until, endedAt))) }
    }
    return steps
  }

  /// The steps that have a length; of one from the disk all of it.
  public var pieces: [SessionPiece] {
    if isFromDisk {
      return [SessionPiece(work: .request(.disk), from: sentAt, until: endedAt)]
    }
    var pieces: [SessionPiece] = []
    var edge = sentAt
    for (step, until) in steps where until > edge {
      pieces.append(SessionPiece(work: .request(step), from: edge, until: until))
      edge = until
    }
    return pieces
  }
}
