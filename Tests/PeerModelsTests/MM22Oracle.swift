import PeerModels

/// The MM22 model once more, written down line by line from its description in floating point, with
/// a queue of objects that grows and shrinks: slow, and with no thought but to be like the text.
final class MM22Oracle {
  final class Video {
    let id: Int
    let sizes: [[Int64]]
    let retention: [Double]
    let watch: Double
    var n: Int { sizes[0].count }
    var cnt = 0
    var q: [Int] = []
    var buf = 0.0
    var pos = 0.0
    var pre = 0.0

    init(_ id: Int, _ sizes: [[Int64]], _ retention: [Double], _ watch: Double) {
      self.id = id
      self.sizes = sizes
      self.retention = retention
      self.watch = watch
    }
    var left: Int { n - cnt }
  }

  struct Result {
    var delay = 0.0
    var rebuf = 0.0
    var size = 0.0
    var waste = 0.0
    var end = false
    var start = 0
  }

  let rates: [Double] = [750, 1200, 1850]
  var videos: [Video]
  var queue: [Video]
  var start = 0
  var times: [Double]
  var megabits: [Double]
  var i = 1
  var at: Double
  var last: [Int: Int] = [:]
  var qoe = 0.0
  var bytes = 0.0
  var waste = 0.0
  var downloads = 0
  var score: Double { qoe - 0.5 * bytes * 8 / 1e6 }
  // no_save
  var bw = [0.0, 0, 0, 0, 0]
  var est: [Double] = []
  var err: [Double] = []

  init(
    sizes: [[[Int64]]], retention: [[Double]], watch: [Int64], times: [Double],
    megabits: [Double]
  ) {
    videos = sizes.indices.map { Video($0, sizes[$0], retention[$0], Double(watch[$0])) }
    queue = Array(videos.prefix(5))
    self.times = times
    self.megabits = megabits
    at = times[0]
  }

  func download(_ size: Double) -> Double {
    var d = 0.0
    var sent = 0.0
    while true {
      let thr = megabits[i] * 1e6 / 8
      let dur = times[i] - at
      let pay = thr * dur * 0.95
      if sent + pay > size {
        let f = (size - sent) / thr / 0.95
        d += f
        at += f
        break
      }
      sent += pay
      d += dur
      at = times[i]
      i += 1
      if i == times.count {
        i = 1
        at = 0
      }
    }
    return (d * 1000 + 80 + 0.5).rounded(.down)
  }

  func play(_ time: Double) -> (rebuf: Double, waste: Double) {
    var T = time
    var buffer = 0.0
    var waste = 0.0
    while buffer >= 0 && T > 0 {
      let v = queue[0]
      let rem = v.watch - v.pos
      let m = min(T, rem)
      let before = v.pos
      buffer = v.buf - m
      v.pos += min(v.buf, m)
      v.buf = max(v.buf - m, 0)
      let played = v.pos - before
      T -= played
      if played == rem {
        let first = Int((v.watch / 1000).rounded(.up))
        if first < v.q.count {
          for j in first..<v.q.count { waste += Double(v.sizes[v.q[j]][j]) }
        }
        queue.removeFirst()
        start += 1
        if start + 5 <= videos.count { queue.append(videos[start + 4]) }
      }
      if start >= videos.count { break }
    }
    return (buffer < 0 ? T : 0, waste)
  }

  func account(_ video: Int, _ level: Int) -> (quality: Double, smooth: Double) {
    var quality = 0.0
    var smooth = 0.0
    let v = queue[video - start]
    let c = v.cnt
    let w = Int(v.watch / 1000)
    if c <= w {
      if c == w {
        last[video] = level
        if video - start + 1 < queue.count {
          let next = queue[video - start + 1]
          if next.cnt != 0 { smooth += rates[next.q[0]] }
        }
      }
      quality = rates[level]
      if video == 0 && c == 0 {
        smooth += 0
      } else if c == 0 {
        if let before = last[video - 1] { smooth += abs(quality - rates[before]) }
      } else {
        smooth += abs(quality - rates[v.q[c - 1]])
      }
    }
    return (quality, smooth)
  }

  /// A sleep above 0 wins over the video, as in the step list.
  func take(video: Int, level: Int, sleep: Double) -> Result {
    let (quality, smooth) = sleep > 0 ? (0, 0) : account(video, level)
    var result = Result()
    if sleep > 0 {
      result.delay = sleep.rounded(.towardZero)
      (result.rebuf, result.waste) = play(result.delay)
      result.end = start >= videos.count || queue[0].left == 0
    } else {
      let v = queue[video - start]
      result.size = Double(v.sizes[level][v.cnt])
      v.q.append(level)
      v.pre += result.size
      downloads += 1
      result.delay = download(result.size)
      (result.rebuf, result.waste) = play(result.delay)
      if video < start {
        result.waste += result.size
        result.end = true
      } else if start == videos.count {
        result.end = true
      } else {
        v.buf += 1000
        v.cnt += 1
        result.end = v.cnt >= v.n
      }
    }
    result.start = start
    qoe += quality / 1000 - 1.85 * result.rebuf / 1000 - smooth / 1000
    bytes += result.size
    waste += result.waste
    return result
  }
}

/// The policies, as they are told.
extension MM22Oracle {
  typealias Choice = (video: Int, level: Int, sleep: Double)

  func fixedPreload(first: Bool) -> Choice {
    if first { return (0, 0, 0) }
    var target: Int?
    if queue[0].left > 0 {
      target = 0
    } else {
      for i in 1..<max(queue.count, 1) {
        let v = queue[i]
        let stays = { v.retention[v.cnt] / v.retention[Int(v.pos / 1000)] > 0.65 }
        if v.cnt < 4 && v.left > 0 && stays() {
          target = i
          break
        }
      }
    }
    guard let target else { return (0, 0, 500) }
    let buf = queue[target].buf
    return (start + target, buf > 2000 ? 2 : buf > 1000 ? 1 : 0, 0)
  }

  func nextOne() -> Choice {
    if queue[0].left > 0 { return (start, 2, 0) }
    if queue.count > 1 && queue[1].left > 0 { return (start + 1, 2, 0) }
    return (0, 0, 500)
  }

  func noSave(after result: Result?) -> Choice {
    guard let result else { return (0, 2, 0) }
    if result.size > 0 {
      bw.removeFirst()
      bw.append((result.size / 1e6) / (result.delay / 1000))
    }
    var target: Int?
    if queue[0].left > 0 {
      target = 0
    } else if queue.dropFirst().contains(where: { $0.left > 0 }) {
      var c = 1.0
      while target == nil {
        for i in 1..<queue.count where queue[i].pre < 800_000 * c && queue[i].left > 0 {
          target = i
          break
        }
        c += 1
      }
    }
    guard let target else { return (0, 0, 500) }
    return (start + target, control(queue[target]), 0)
  }

  private func control(_ v: Video) -> Int {
    let samples = Array(bw.drop { $0 == 0 })
    let harmonic = 1 / (samples.map { 1 / $0 }.reduce(0, +) / Double(samples.count))
    err.append(est.last.map { abs($0 - bw[4]) / bw[4] } ?? 0)
    est.append(harmonic)
    err.append(abs(harmonic - bw[4]) / bw[4])
    let capacity = harmonic / (1 + err.suffix(5).reduce(0) { max($0, $1) })
    est.append(harmonic)
    let chunks = min(5, v.left)
    var combinations: [[Int]] = [[]]
    for _ in 0..<chunks { combinations = combinations.flatMap { c in (0...2).map { c + [$0] } } }
    var prev = v.q.last ?? 0
    var best = -1e300
    var level = 0
    for combination in combinations {
      var (b, R, B, S) = (v.buf, 0.0, 0.0, 0.0)
      for (position, q) in combination.enumerated() {
        let dt = 1000 * (Double(v.sizes[q][v.cnt + position]) / 1e6) / capacity
        if b < dt {
          R += dt - b
          b = 0
        } else {
          b -= dt
        }
        b += 1000
        B += rates[q]
        S += abs(rates[q] - rates[prev])
        prev = q
      }
      let reward = B / 1000 - 4.3 * R / 1000 - S / 1000
      if reward >= best {
        best = reward
        level = combination[0]
      }
    }
    return level
  }
}
