import Foundation
import PeerModels
import Testing

/// Small sessions of the Sabre model, worked by hand, and what must hold between sessions.
@Suite struct SabreSessionTests {
  @Test func `a fast network plays the lowest level once and the highest after it`() {
    let film = sabreFilm([100, 200], segments: 3)
    let network = sabreNetwork((1e6, 1000, 0))
    let result = sabrePlay(film, network, SabreOptions(algorithm: .throughput))
    #expect(result.downloads.map(\.level) == [0, 1, 1])
    #expect(result.downloads.map(\.end) == [100, 300, 500])
    let outcome = result.outcome
    #expect(outcome.isComplete && outcome.startupTime == 100 && outcome.stallEvents == 0)
    #expect(outcome.playTime == 3100)
    #expect(abs(outcome.meanBitrate - 500_000.0 / 3100) < 1e-9)
    #expect(abs(outcome.utility - 2 * log(2.0)) < 1e-12)
    #expect(abs(outcome.score - 2 * log(2.0) / 3.1) < 1e-12)
    #expect(outcome.bitrateChange == 100)
    #expect(
      SabreSession.run(film, over: network, options: .init(algorithm: .throughput)) == outcome)
  }

  @Test func `an outage longer than the buffer is one stall`() {
    let network = sabreNetwork((100, 1000, 0), (2000, 0, 0), (1000, 1000, 0))
    var options = SabreOptions(algorithm: .throughput)
    options.abandons = false
    let result = sabrePlay(sabreFilm([100, 200], segments: 3), network, options)
    // The second segment waits 2000 ms and takes 200; 1000 ms were buffered.
    #expect(result.downloads.map(\.end) == [100, 2300, 2400])
    #expect(result.downloads.map(\.level) == [0, 1, 0])
    #expect(result.outcome.stallTime == 1200)
    #expect(result.outcome.stallEvents == 1)
    #expect(result.outcome.playTime == 4300)
    #expect(abs(result.outcome.score - (log(2.0) - 5 * 1.2) / 4.3) < 1e-12)
  }

  @Test func `a request waits until its segment fits into the buffer`() {
    let options = SabreOptions(algorithm: .throughput, bufferLimit: 2000)
    let result = sabrePlay(
      sabreFilm([100, 200], segments: 4), sabreNetwork((1e6, 1000, 0)), options)
    // 1800 ms are buffered at 300 ms, so the third request leaves 800 ms later.
    #expect(result.downloads.map(\.start) == [0, 100, 1100, 2100])
  }

  @Test func `latency is no part of the start-up time but of the play time`() {
    let result = sabrePlay(
      sabreFilm([100], segments: 1), sabreNetwork((1e6, 1000, 250)), .init(algorithm: .bola))
    #expect(result.outcome.startupTime == 100)
    #expect(result.outcome.playTime == 1350)
  }

  @Test func `a hopeless download is given up and its segment asked for again`() {
    let film = sabreFilm([100, 1000], segments: 2)
    let network = sabreNetwork((150, 4000, 0), (10_000, 100, 0))
    let result = sabrePlay(film, network, SabreOptions(algorithm: .throughput))
    // 502,500 bits in 150 ms, then 12,000 every 120 ms: at 1110 ms the rest would end after 1800.
    #expect(result.downloads.map(\.segment) == [0, 1, 1])
    #expect(result.downloads.map(\.level) == [0, 1, 0])
    #expect(result.downloads.map(\.isAbandoned) == [false, true, false])
    #expect(abs(result.downloads[1].end - 1135) < 1e-9)
    #expect(abs(result.downloads[2].end - 2135) < 1e-9)
    #expect(abs(result.outcome.stallTime - 1110) < 1e-9)
    #expect(result.outcome.stallEvents == 1)
    #expect(abs(result.outcome.playTime - 3135) < 1e-9)
  }

  @Test func `a session that would be abandoned for ever is given up`() {
    var options = SabreOptions(algorithm: .throughput)
    options.keepsInsufficientBufferRule = false
    let network = sabreNetwork((150, 4000, 0), (1e9, 100, 0))
    let outcome = SabreSession.run(
      sabreFilm([100, 1000], segments: 2), over: network, options: options)
    #expect(!outcome.isComplete)
    #expect(outcome.downloads == SabreSession.abandonmentLimit + 1)
  }

  @Test func `replacements lift what is buffered but not what is about to play`() {
    let film = sabreFilm([100, 1000], segments: 40)
    let network = sabreNetwork((1000, 150, 0), (1e6, 10_000, 0))
    var options = SabreOptions(algorithm: .throughput)
    let plain = sabrePlay(film, network, options)
    options.replaces = true
    let switching = sabrePlay(film, network, options)
    let replaced = switching.downloads.filter(\.isReplacement)
    #expect(replaced.count > 3)
    #expect(replaced.allSatisfy { $0.level == 1 && !$0.isAbandoned })
    #expect(Set(replaced.map(\.segment)).count == replaced.count)
    // Play starts with the end of the first download and never stalls here.
    let begin = switching.downloads[0].end
    #expect(switching.outcome.stallEvents == 0)
    for download in replaced {
      #expect(Double(download.segment) * 1000 + begin - download.start >= 1500)
    }
    let rates = switching.outcome.meanBitrate - plain.outcome.meanBitrate
    let gained = 900.0 * 1000 * Double(replaced.count) / plain.outcome.playTime
    #expect(abs(rates - gained) < 1e-6)
  }

  @Test(arguments: [true, false])
  func `with less than 10 s buffered the dynamic policies are the throughput rule`(
    avoidsOscillation: Bool
  ) {
    let film = sabreFilm([100, 200, 400, 900, 2000], segments: 100)
    let network = sabreNetwork(
      (7000, 1500, 30), (9000, 500, 80), (3000, 90, 200), (8000, 6000, 20))
    func play(_ algorithm: SabreAlgorithm) -> [SabreDownload] {
      var options = SabreOptions(algorithm: algorithm, bufferLimit: 10_000)
      options.avoidsOscillation = avoidsOscillation
      return sabrePlay(film, network, options).downloads
    }
    let throughput = play(.throughput)
    #expect(throughput.contains { $0.level > 2 } && throughput.contains { $0.isAbandoned })
    #expect(play(.dynamic) == throughput)
    #expect(play(.dynamicDash) == throughput)
    #expect(play(.bola) != throughput)
    #expect(play(.bolaEnhanced) != throughput)
  }

  @Test(arguments: SabreAlgorithm.allCases)
  func `time and play add up whatever the policy`(algorithm: SabreAlgorithm) {
    let film = sabreFilm([100, 200, 400, 900, 2000], segments: 150)
    let network = sabreNetwork(
      (7000, 1500, 30), (9000, 500, 80), (3000, 0, 200), (2000, 60, 400), (8000, 6000, 20))
    var options = SabreOptions(algorithm: algorithm)
    options.replaces = true
    let (downloads, outcome) = sabrePlay(film, network, options)
    #expect(outcome.isComplete)
    let played = 150_000 + downloads[0].end
    #expect(abs(outcome.playTime - outcome.stallTime - played) < 1e-6)
    for (earlier, later) in zip(downloads, downloads.dropFirst()) {
      #expect(later.start >= earlier.end && later.end > later.start)
    }
    let firsts = downloads.filter { !$0.isReplacement && !$0.isAbandoned }
    #expect(firsts.map(\.segment) == Array(0..<150))
    #expect(outcome.downloads == downloads.count)
  }
}
