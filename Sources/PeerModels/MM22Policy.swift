/// The policies that the MM22 model is run with.
public enum MM22Policy: Hashable, Sendable, CaseIterable {
  /// The challenge's own example: the head first, then up to four chunks of each of the next, as
  /// long as enough viewers get there.
  case fixedPreload
  /// The head, then the next video, always at the highest level.
  case nextOne
  /// Model-predictive control of the level, and everything in the queue downloaded in turn (Yin et
  /// al. 2015, doi:10.1145/2785956.2787486).
  case noSave
}

/// Takes the decisions of one session. It can be used again.
struct MM22Chooser: Sendable {
  private var policy: MM22Policy
  private var control = MM22Control()

  init(_ policy: MM22Policy) { self.policy = policy }

  /// Forgets the session before.
  mutating func begin(_ policy: MM22Policy) {
    self.policy = policy
    control.reset()
  }

  /// The decision after `step`; nil before the first.
  mutating func decision(after step: MM22Step?, queue: MM22Queue) -> MM22Decision {
    switch policy {
    case .fixedPreload: MM22Chooser.fixedPreload(after: step, queue)
    case .nextOne: MM22Chooser.nextOne(queue)
    case .noSave: noSave(after: step, queue)
    }
  }

  // MARK: fixed_preload

  /// Behind the head no video gets more chunks than this.
  private static let preloaded = 4
  /// The least share of viewers for whom a chunk is preloaded.
  private static let leastRetention = 0.65

  private static func fixedPreload(after step: MM22Step?, _ queue: MM22Queue) -> MM22Decision {
    if step == nil { return .download(video: queue.start, level: 0) }
    guard let video = fixedPreloadTarget(queue) else { return .wait }
    let buffer = queue.players[video].buffer
    return .download(video: video, level: buffer > 2_000 ? 2 : buffer > 1_000 ? 1 : 0)
  }

  private static func fixedPreloadTarget(_ queue: MM22Queue) -> Int? {
    if queue.chunksLeft(queue.start) > 0 { return queue.start }
    for video in queue.behindHead where queue.chunksLeft(video) > 0 {
      let player = queue.players[video]
      if player.count >= preloaded { continue }
      let retention = queue.videos[video].retention
      let now = Int(player.position / MM22Video.chunkLength)
      if retention[player.count] / retention[now] > leastRetention { return video }
    }
    return nil
  }

  // MARK: next_one

  private static func nextOne(_ queue: MM22Queue) -> MM22Decision {
    let top = MM22Video.rates.count - 1
    for video in queue.start..<min(queue.start + 2, queue.end) where queue.chunksLeft(video) > 0 {
      return .download(video: video, level: top)
    }
    return .wait
  }

  // MARK: no_save

  /// How many bytes each turn over the queue adds to what a video may have requested.
  private static let turnBytes: Int64 = 800_000

  private mutating func noSave(after step: MM22Step?, _ queue: MM22Queue) -> MM22Decision {
    guard let step else {
      return .download(video: queue.start, level: MM22Video.rates.count - 1)
    }
    if step.bytes > 0 { control.record(bytes: step.bytes, delay: step.delay) }
    guard let video = MM22Chooser.noSaveTarget(queue) else { return .wait }
    return .download(video: video, level: control.level(of: video, queue))
  }

  private static func noSaveTarget(_ queue: MM22Queue) -> Int? {
    if queue.chunksLeft(queue.start) > 0 { return queue.start }
    // The lowest number of turns that lets a video in, the first video among equals.
    var best: Int?
    var fewest = Int64.max
    for video in queue.behindHead where queue.chunksLeft(video) > 0 {
      let turns = queue.players[video].requested / turnBytes
      if turns < fewest {
        fewest = turns
        best = video
      }
    }
    return best
  }
}
