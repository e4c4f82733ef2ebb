import Testing

@testable import PeerModels

/// What the policies decide, worked out by hand.
@Suite("MM22 policies by hand")
struct MM22PolicyTests {
  private let trace = PeerTrace(times: [0, 1_000], megabits: [1, 8])
  private let sizes: [Int64] = [95_000, 190_000, 285_000]

  private func video(
    chunks: Int, retention: [Double], sizes: [Int64]? = nil
  ) -> MM22Video {
    let lists = (sizes ?? self.sizes).map { Array(repeating: $0, count: chunks) }
    let missing = max(0, chunks + 2 - retention.count)
    return MM22Video(
      sizes: lists, retention: retention + Array(repeating: 0.1, count: missing))
  }

  private func decisions(
    _ policy: MM22Policy, _ videos: [MM22Video], watch: [Int64], limit: Int
  ) -> [MM22Decision] {
    var session = MM22Session(videos: videos, over: trace, watch: watch)
    var taken: [MM22Decision] = []
    _ = session.run(policy, over: trace, watch: watch) { decision, _ in taken.append(decision) }
    return Array(taken.prefix(limit))
  }

  @Test func `fixed_preload fills the head, then the next videos while enough viewers stay`() {
    let head = video(chunks: 1, retention: [1])
    let kept = video(chunks: 5, retention: [1, 0.8, 0.66, 0.65])
    let left = video(chunks: 5, retention: [1, 0.5])
    let taken = decisions(
      .fixedPreload, [head, kept, left, left, left],
      watch: [1_000, 5_000, 5_000, 5_000, 5_000], limit: 8)
    #expect(
      taken == [
        .download(video: 0, level: 0), .download(video: 1, level: 0),
        .download(video: 1, level: 0), .download(video: 1, level: 1),
        .download(video: 2, level: 0), .download(video: 3, level: 0),
        // The first video has just been left; the second holds 3 s.
        .download(video: 1, level: 2), .download(video: 1, level: 2),
      ])
  }

  @Test func `fixed_preload stops at four chunks of each and then sleeps`() {
    // The head's chunks are nearly free and last for 30 s.
    let head = video(chunks: 30, retention: [1], sizes: [1, 1, 1])
    let next = video(chunks: 9, retention: Array(repeating: 1, count: 11))
    let taken = decisions(
      .fixedPreload, [head, next, next], watch: [30_000, 0, 0], limit: 40)
    let behind = taken.dropFirst(30)
    let levels = [0, 0, 1, 2]
    let wanted =
      levels.map { MM22Decision.download(video: 1, level: $0) }
      + levels.map { MM22Decision.download(video: 2, level: $0) }
    #expect(Array(behind) == wanted + [.sleep(500), .sleep(500)])
  }

  @Test func `next_one looks no further than the next video`() {
    let short = video(chunks: 2, retention: [1])
    let taken = decisions(
      .nextOne, [short, short, short], watch: [2_000, 2_000, 0], limit: 7)
    // Four downloads of 380 ms: the first stalls, so 1,140 ms of the first video are played.
    #expect(
      taken == [
        .download(video: 0, level: 2), .download(video: 0, level: 2),
        .download(video: 1, level: 2), .download(video: 1, level: 2), .sleep(500), .sleep(500),
        .download(video: 2, level: 2),
      ])
  }

  @Test func `no_save takes turns of 800,000 bytes behind the head`() {
    let head = video(chunks: 30, retention: [1], sizes: [1, 1, 1])
    let next = video(chunks: 4, retention: [1], sizes: [500_000, 500_000, 500_000])
    let taken = decisions(
      .noSave, [head, next, next, next], watch: [30_000, 0, 0, 0], limit: 42)
    let videos = taken.dropFirst(30).map { decision -> Int in
      if case .download(let video, _) = decision { video } else { -1 }
    }
    // 0 and 0.5 MB lie below 0.8; 1 and 1.5 below 1.6.
    #expect(videos == [1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3])
    #expect(taken.first == .download(video: 0, level: 2))
  }

  @Test func `no_save plans for what the throughput carries`() {
    let watch: [Int64] = [10_000]
    // 950,000 bytes a second carry 285,000 in 0.38 s: the top level throughout.
    let easy = video(chunks: 10, retention: [1])
    let high = decisions(.noSave, [easy], watch: watch, limit: 10)
    #expect(high == Array(repeating: .download(video: 0, level: 2), count: 10))
    // A top level that takes 10 s and a middle one that takes 5 s for each second.
    let hard = video(chunks: 10, retention: [1], sizes: [95_000, 4_750_000, 9_500_000])
    let low = decisions(.noSave, [hard], watch: watch, limit: 10)
    #expect(
      low.dropFirst() == ArraySlice(Array(repeating: .download(video: 0, level: 0), count: 9)))
  }
}
