/// The state of one video in an MM22 session.
struct MM22Player: Sendable {
  /// How long it will be watched, in milliseconds.
  var watch: Int64 = 0
  /// The chunks downloaded.
  var count = 0
  /// The media downloaded and not yet played, in milliseconds.
  var buffer: Int64 = 0
  /// The media played, in milliseconds.
  private(set) var position: Int64 = 0
  /// The bytes requested.
  private(set) var requested: Int64 = 0
  /// The level of every chunk requested.
  private var levels: [UInt8] = []

  init(chunks: Int) { levels.reserveCapacity(chunks) }

  mutating func reset(watch: Int64) {
    self.watch = watch
    count = 0
    buffer = 0
    position = 0
    requested = 0
    levels.removeAll(keepingCapacity: true)
  }

  /// The level of a chunk that was requested.
  func level(of chunk: Int) -> Int { Int(levels[chunk]) }

  /// The level of the newest request.
  var lastLevel: Int? { levels.last.map { Int($0) } }

  mutating func request(level: Int, bytes: Int64) {
    levels.append(UInt8(level))
    requested += bytes
  }

  /// Plays `due` milliseconds, or what the buffer holds of them; returns how much that was.
  mutating func play(_ due: Int64) -> Int64 {
    let before = position
    position += min(buffer, due)
    buffer = max(buffer - due, 0)
    return position - before
  }

  /// The bytes requested beyond the last second that is watched.
  func unwatched(of video: MM22Video) -> Int64 {
    let first = Int((watch + MM22Video.chunkLength - 1) / MM22Video.chunkLength)
    if first >= levels.count { return 0 }
    var bytes: Int64 = 0
    for chunk in first..<levels.count {
      bytes += video.size(level: level(of: chunk), chunk: chunk)
    }
    return bytes
  }
}

/// What a policy sees: the videos in the queue, head first.
struct MM22Queue {
  let videos: [MM22Video]
  let players: [MM22Player]
  /// The head.
  let start: Int
  /// One past the last video.
  let end: Int

  /// How many chunks of a video are still to come.
  func chunksLeft(_ video: Int) -> Int { videos[video].chunks - players[video].count }

  /// The next chunk of a video, what is held of it in milliseconds, and the level of the chunk
  /// before.
  func next(of video: Int) -> (chunk: Int, buffer: Int64, lastLevel: Int?) {
    (players[video].count, players[video].buffer, players[video].lastLevel)
  }

  /// The size of a chunk in bytes.
  func size(_ video: Int, level: Int, chunk: Int) -> Int64 {
    videos[video].size(level: level, chunk: chunk)
  }

  /// The videos behind the head.
  var behindHead: Range<Int> { min(start + 1, end)..<end }
}
