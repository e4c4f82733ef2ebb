import MediaUnits
import MessageDelivery

/// What clients of one run write down together.
///
/// A video is owed until its recipient has it and its sender has been shown its view, unless
/// another video of the pair took its place before, or the sender was told that it failed.
actor LiveMessageLedger {
  /// One video of the run.
  struct Track: Sendable {
    let sender: UInt32
    let recipient: UInt32
    let composedAt: Instant
    var offeredAt: Instant?
    var viewedAt: Instant?
    var isSeenAsViewed = false
    /// Another took its place.
    var isReplaced = false
    var hasFailed = false

    /// Whether something of it is still to come.
    var isOwed: Bool { !isReplaced && !hasFailed && !(offeredAt != nil && isSeenAsViewed) }

    /// Who waits for news, and since when there are any.
    func waits(lookAfter: TimeSpan) -> (client: UInt32, since: Instant) {
      guard let offeredAt else { return (recipient, composedAt) }
      return (sender, viewedAt ?? offeredAt + lookAfter)
    }
  }

  private(set) var tracks: [VideoID: Track] = [:]
  private(set) var outcome = LiveMessageOutcome()
  /// Videos not yet done with.
  private(set) var owed = 0
  /// From when on news came because an app was opened, by number of the client.
  private var openedAt: [UInt32: Instant] = [:]

  private func change(_ video: VideoID, _ body: (inout Track) -> Void) {
    guard var track = tracks[video] else { return }
    let wasOwed = track.isOwed
    body(&track)
    tracks[video] = track
    owed += (track.isOwed ? 1 : 0) - (wasOwed ? 1 : 0)
  }

  func composed(_ video: VideoID, from sender: UInt32, to recipient: UInt32, at now: Instant) {
    tracks[video] = Track(sender: sender, recipient: recipient, composedAt: now)
    owed += 1
    outcome.videos += 1
  }

  func offered(_ video: VideoID, at now: Instant) {
    guard let track = tracks[video] else { return }
    if track.offeredAt != nil { outcome.offeredTwice += 1 }
    if let opened = openedAt[track.recipient], track.composedAt < opened {
      outcome.deliveredAtOpening += 1
    } else {
      outcome.deliveries.append((now - track.composedAt).seconds)
    }
    change(video) { $0.offeredAt = now }
  }

  func viewed(_ video: VideoID, at now: Instant) { change(video) { $0.viewedAt = now } }

  func shown(_ video: VideoID, _ status: DeliveryStatus, at now: Instant) {
    guard let track = tracks[video] else { return }
    if status == .viewed {
      guard let since = track.viewedAt else {
        outcome.falseViews += 1
        return
      }
      if let opened = openedAt[track.sender], since < opened {
        outcome.viewsSeenAtOpening += 1
      } else {
        outcome.viewLags.append((now - since).seconds)
      }
      change(video) { $0.isSeenAsViewed = true }
    } else if status == .downloaded, let since = track.offeredAt,
      openedAt[track.sender].map({ since >= $0 }) ?? true
    {
      outcome.downloadLags.append((now - since).seconds)
    }
  }

  func failed(_ video: VideoID) {
    outcome.failures += 1
    change(video) { $0.hasFailed = true }
  }

  func replaced(_ video: VideoID) { change(video) { $0.isReplaced = true } }

  /// The videos that are not done with.
  var waiting: [Track] { tracks.values.filter(\.isOwed) }

  /// News of before come to these clients because they opened the app.
  func opened(_ clients: Set<UInt32>, unexplained: Int, at now: Instant) {
    for client in clients where openedAt[client] == nil { openedAt[client] = now }
    outcome.unexplained += unexplained
  }

  /// What came of the run: whatever is owed now did not come.
  func result() -> LiveMessageOutcome {
    var result = outcome
    for track in tracks.values {
      if track.offeredAt == nil && track.isReplaced { result.replaced += 1 }
      if !track.isOwed { continue }
      if track.offeredAt == nil { result.undelivered += 1 } else { result.unseenViews += 1 }
    }
    return result
  }
}
