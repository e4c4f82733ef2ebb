import AudienceModel
import MediaUnits
import Testing

@testable import CacheModel

/// When what a view asks for comes, and who has yet to see a new title.
@Suite struct RequestDelaysTests {
  @Test func `shares rise with time, and quantiles are their inverse`() {
    var delays = RequestDelays()
    for _ in 0..<300 { delays.add(7, .milliseconds(100)) }
    for _ in 0..<600 { delays.add(7, .seconds(3)) }
    for _ in 0..<100 { delays.add(7, .hours(1)) }
    #expect(delays.share(7, within: 0) == 0)
    #expect(delays.share(7, within: 0.125) == 0.3)
    #expect(delays.share(7, within: 2) == 0.3)
    // A fourth of an octave is a bin.
    let (begin, end) = (2 * 2.0.squareRoot(), 2 * 2.0.squareRoot() * 2.0.squareRoot().squareRoot())
    #expect(delays.share(7, within: begin) == 0.3)
    #expect(abs(delays.share(7, within: 3) - (0.3 + 0.6 * (3 - begin) / (end - begin))) < 1e-12)
    #expect(abs(delays.share(7, within: end) - 0.9) < 1e-12)
    #expect(delays.share(7, within: 4) == 0.9)
    // Nothing is known of what comes later than that.
    #expect(delays.share(7, within: 200) == 0.9 && delays.share(7, within: 256) == 1)
    for share in [0.1, 0.3, 0.45, 0.89] {
      #expect(abs(delays.share(7, within: delays.quantile(7, share)) - share) < 1e-12, "\(share)")
    }
    #expect(delays.quantile(7, 0.95) == 256)
    #expect(abs(delays.mean(7) - (300 * 0.1 + 600 * 3 + 100 * 3600) / 1000) < 1e-9)
    // What comes at once.
    delays.add(9, .zero)
    for _ in 0..<3 { delays.add(9, .milliseconds(125)) }
    #expect(delays.share(9, within: -1e-9) == 0 && delays.share(9, within: 0) == 0.25)
    #expect(delays.share(9, within: 0.0625) == 0.625)
    #expect(delays.quantile(9, 0.2) == 0 && delays.quantile(9, 0.625) == 0.0625)
    // Nothing was counted.
    #expect(delays.mean(8) == 0 && delays.share(8, within: 1) == 1 && delays.quantile(8, 0.5) == 0)
    #expect(RequestDelays().share(7, within: 1) == 1 && RequestDelays().mean(7) == 0)
  }

  @Test(arguments: [(1.0, 0.33, 30.0), (3.0, 0.33, 30.0), (3.0, 0.01, 12.0), (1.0, 1.0, 1.0)])
  func `those who have yet to see a new title follow their balance`(
    _ arrivals: Double, _ perItem: Double, _ views: Double
  ) {
    let length = 240.0
    let share = UnseenShare(
      perItem: perItem, viewsPerSession: views, sessionSeconds: length, arrivals: arrivals)
    #expect(share.at(-1) == 1 && share.at(0) == 1)
    var (unseen, all) = (1.0, 1.0)
    let step = 0.001
    for tick in 1...600_000 {
      unseen += step * (arrivals / length - unseen * (1 + perItem * views) / length)
      all += step * (arrivals - all) / length
      if tick % 50_000 == 0 {
        let age = Double(tick) * step
        #expect(abs(share.at(age) - unseen / all) < 1e-4, "\(age)")
      }
    }
    let endless = UnseenShare(
      perItem: perItem, viewsPerSession: views, sessionSeconds: .infinity, arrivals: arrivals)
    #expect(abs(endless.at(1) - 1 / (1 + perItem * views)) < 1e-12)
  }
}
