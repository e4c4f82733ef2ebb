import Foundation
import Testing

@testable import PeerModels

/// The parts that decide, and the buffer, against arithmetic by hand.
@Suite struct SabrePolicyTests {
  private let film = sabreFilm([100, 200, 400], segments: 200)

  private func ladder(_ options: SabreOptions) -> SabreLadder { SabreLadder(film, options) }

  @Test func `the sustained level fetches every step within its own play time`() {
    let ladder = ladder(SabreOptions(algorithm: .throughput))
    #expect(ladder.sustained(throughput: 199, latency: 0) == 0)
    #expect(ladder.sustained(throughput: 200, latency: 0) == 1)
    #expect(ladder.sustained(throughput: 400, latency: 1) == 1)
    #expect(ladder.sustained(throughput: 1000, latency: 600) == 2)
    #expect(ladder.sustained(throughput: 1000, latency: 700) == 1)
    #expect(ladder.sustained(throughput: 1000, latency: 900) == 0)
  }

  @Test func `the insufficient-buffer rule tightens with every decision`() {
    let ladder = ladder(SabreOptions(algorithm: .throughput))
    var rule = SabreInsufficientBufferRule()
    // Level 2 has 400,000 bits: 0.9 · 500 ms · 1000 kbit/s are 450,000, then 405,000, 364,500.
    let view = sabreView(buffer: 600, latency: 100)
    #expect((0..<3).map { _ in rule.lower(2, view, ladder) } == [2, 2, 1])
    // From 0.5 on it stays: 250,000 bits are enough for level 1 for ever.
    #expect((0..<100).map { _ in rule.lower(2, view, ladder) }.allSatisfy { $0 == 1 })
  }

  @Test func `BOLA waits or steps down when the throughput does not sustain its choice`() {
    var options = SabreOptions(algorithm: .bola, bufferLimit: 10_000)
    options.isBasic = true
    // V = 9000 / (ln 4 + 5); at 8500 ms level 2 is the only one worth anything.
    let weight = 9000 / (log(4.0) + 5)
    let view = sabreView(buffer: 8500, throughput: 150)
    var bold = SabreBola(options, ladder(options))
    #expect(bold.decide(view, ladder(options)) == SabreChoice(level: 1))
    options.avoidsOscillation = true
    var calm = SabreBola(options, ladder(options))
    let choice = calm.decide(view, ladder(options))
    #expect(choice.level == 0)
    #expect(abs(choice.delay - (8500 - weight * 5)) < 1e-9)
    // With enough throughput it takes level 2, and keeps it when the throughput falls again.
    var steady = SabreBola(options, ladder(options))
    #expect(steady.decide(sabreView(buffer: 8500), ladder(options)).level == 2)
    #expect(steady.decide(view, ladder(options)) == SabreChoice(level: 2))
  }

  @Test func `BOLA makes do with a smaller buffer near the ends of the film`() {
    let options = SabreOptions(algorithm: .bola, bufferLimit: 10_000)
    var bola = SabreBola(options, ladder(options))
    // Three segments count at least: V = 2000 / (ln 4 + 5), level 1 best from 1 566 - 217 ms on.
    #expect(bola.decide(sabreView(buffer: 1300, segment: 2), ladder(options)).level == 0)
    #expect(bola.decide(sabreView(buffer: 1900, segment: 2), ladder(options)).level == 2)
    #expect(bola.decide(sabreView(buffer: 1900, segment: 100), ladder(options)).level == 0)
    #expect(bola.decide(sabreView(buffer: 1900, segment: 197), ladder(options)).level == 2)
  }

  @Test func `BOLA gives a download up for a level with more value for each bit`() {
    let options = SabreOptions(algorithm: .bola, bufferLimit: 10_000)
    let ladder = ladder(options)
    var bola = SabreBola(options, ladder)
    func progress(_ got: Double) -> SabreProgress {
      SabreProgress(level: 2, size: 400_000, got: got, time: 100, timeToFirstByte: 0)
    }
    let low = sabreView(buffer: 0)
    // V·5 / 100,000 beats V·(5 + ln 4) / rest while the rest is above 127,726 bits.
    #expect(bola.check(progress(12_000), low, ladder) == 0)
    #expect(bola.check(progress(272_000), low, ladder) == 0)
    #expect(bola.check(progress(273_000), low, ladder) == nil)
    #expect(bola.check(progress(0), low, ladder) == nil)
    // Nothing is worth fetching at 10 s, so nothing is given up.
    #expect(bola.check(progress(12_000), sabreView(buffer: 10_000), ladder) == nil)
    var basic = options
    basic.isBasic = true
    var plain = SabreBola(basic, ladder)
    #expect(plain.check(progress(12_000), low, ladder) == nil)
  }

  @Test func `BOLA-E's buffers for each level follow from its weight`() {
    // Three levels: 16 s, so V·ln 2 = 3000 ms, and level 0 is worth nothing at 10 s + V.
    let ladder = ladder(SabreOptions(algorithm: .bolaEnhanced, bufferLimit: 10_000))
    let weight = 3000 / log(2.0)
    for (level, buffer) in [10_000, 13_000, 16_000].enumerated() {
      #expect(abs(ladder.highestBuffer[level] - weight - Double(buffer)) < 1e-8)
    }
    for (level, buffer) in [-weight, 7000, 10_000].enumerated() {
      #expect(abs(ladder.lowestBuffer[level] - weight - buffer) < 1e-8)
    }
  }

  @Test func `BOLA-E starts at the sustained level with the placeholder that level needs`() {
    var options = SabreOptions(algorithm: .bolaEnhanced, bufferLimit: 10_000)
    options.avoidsOscillation = true
    let ladder = ladder(options)
    var bola = SabreBolaEnhanced(options)
    let start = sabreView(buffer: 2000, throughput: 250)
    #expect(bola.decide(start, ladder) == SabreChoice(level: 1))
    let placeholder = ladder.lowestBuffer[1] - 2000
    #expect(abs(bola.placeholder - placeholder) < 1e-9)
    // Waiting for room adds to it: 3 s more are where level 2 begins, if the throughput allows.
    var waiting = bola
    waiting.delay(3001)
    var allowed = waiting
    #expect(allowed.decide(sabreView(buffer: 2000), ladder).level == 2)
    #expect(waiting.decide(start, ladder).level == 1)
    // A download given up for the lowest level leaves 10 s in all.
    let progress = SabreProgress(
      level: 1, size: 200_000, got: 20_000, time: 100, timeToFirstByte: 0)
    var after = bola
    after.done(
      SabreResult(progress: progress, abandonedTo: 0), isReplacement: false, buffer: 4000, ladder)
    #expect(after.placeholder == 6000)
    // A replacement adds its own play time.
    after = bola
    after.done(
      SabreResult(progress: progress, abandonedTo: nil), isReplacement: true, buffer: 4000, ladder)
    #expect(abs(after.placeholder - bola.placeholder - 1000) < 1e-9)
  }

  @Test func `the buffer plays whole and broken segments and counts a stall once`() {
    var buffer = SabreBuffer(
      ladder(SabreOptions(algorithm: .bola)), segmentCount: 10)
    buffer.drain(50)
    #expect(buffer.tally.stallTime == 50 && buffer.tally.stallEvents == 0)
    for level in [0, 2, 2] { buffer.append(level) }
    buffer.drain(400)
    #expect(buffer.level == 2600 && buffer.consumed == 400 && buffer.count == 3)
    buffer.drain(500)
    #expect(buffer.level == 2100 && buffer.tally.bitrate == 100)
    buffer.drain(350)
    #expect(buffer.level == 1750 && buffer.consumed == 250 && buffer.tally.bitrate == 500)
    #expect(buffer.tally.bitrateChange == 300)
    #expect(abs(buffer.tally.logBitrateChange - log(4.0)) < 1e-12)
    buffer.drain(1900)
    #expect(buffer.level == 0 && buffer.count == 0)
    #expect(buffer.tally.stallTime == 200 && buffer.tally.stallEvents == 1)
    buffer.drain(100)
    #expect(buffer.tally.stallTime == 300 && buffer.tally.stallEvents == 1)
    #expect(buffer.tally.playTime == 3300)
    #expect(abs(buffer.tally.utility - 2 * log(4.0)) < 1e-12)
  }
}
