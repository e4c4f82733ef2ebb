import Foundation
import Scenario
import Statistics
import Studies
import Testing

/// Made data of known truth come back as the keys of a scenario; what they do not tell is said.
@Suite struct FieldCalibrationTests {
  private struct Draws {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func uniform() -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return (Double((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53
    }

    mutating func normal() -> Double { (try? StandardNormal.quantile(uniform())) ?? 0 }

    mutating func lognormal(_ median: Double, _ sigma: Double) -> Double {
      median * exp(sigma * normal())
    }
  }

  /// Sessions on Wi-Fi and LTE as a scenario has them: its mean is the session's rate.
  private static func links(
    _ kind: FieldSamples.Kind, sessions: Int = 400, values: Int = 12, width: Double = .nan,
    seed: UInt64 = 1
  ) -> FieldSamples {
    var draws = Draws(seed)
    var samples = FieldSamples()
    samples.isRead = true
    samples.networks = ["Wi-Fi", "cellular"]
    let links = [(40e6, 0.8, 0.3, 0.6, 0.020), (10e6, 0.6, 0.5, 0.4, 0.050)]
    for session in 0..<sessions {
      let place = session % 4 == 0 ? 1 : 0
      let (rate, between, within, correlation, trip) = links[place]
      samples.sessions.append(FieldSamples.Session(network: UInt16(place + 1)))
      let mean = draws.lognormal(rate, between)
      let base = draws.lognormal(trip, 0.35)
      var state = within * draws.normal()
      for step in 0..<values {
        let second = 1.7e9 + Double(session) * 100 + Double(step)
        samples.values.append(
          FieldSamples.Value(
            kind: kind, session: session, second: second,
            value: mean * exp(state - within * within / 2), width: width))
        let queue = step % 3 == 0 ? 0 : 0.05 * draws.uniform()
        samples.values.append(
          FieldSamples.Value(
            kind: .roundTrip, session: session, second: second, value: base + queue))
        state =
          correlation * state
          + within * (1 - correlation * correlation).squareRoot() * draws.normal()
      }
    }
    return samples
  }

  private static func calibration(
    _ samples: FieldSamples, _ options: Calibration.Options = .init(resamples: 50)
  ) -> Calibration {
    var reading = TelemetryReading()
    reading.records = 1
    reading.data.field = samples
    return Calibration(reading, options: options)
  }

  private static func row(_ name: String, _ found: Calibration) throws -> FieldCalibration.Row {
    try #require(found.field.rows.first { $0.name == name }, "\(found.field.rows.map(\.name))")
  }

  private struct NotFitted: Error {
    let outcome: Calibration.Outcome
  }

  private static func fit(_ law: Calibration.Finding) throws -> Calibration.Fit {
    guard case .fitted(let fit) = law.outcome else { throw NotFitted(outcome: law.outcome) }
    return fit
  }

  /// The entry of a key, a part of which was too small for a fit and has kept its share.
  private static func entry(
    _ key: String, keepingShareOf part: String, _ found: Calibration
  ) throws -> FieldCalibration.Entry {
    #expect(
      found.field.unknown.contains {
        $0.hasPrefix("\(part): too little carries a fit: its share is kept")
      })
    return try #require(found.field.entries.first { $0.key == key })
  }

  /// The truth within four standard errors, and intervals that say something.
  private static func expect(
    _ row: FieldCalibration.Row, _ name: String, _ truth: Double
  ) throws {
    let number = try #require(row.numbers.first { $0.name == name })
    let half = (number.interval.upper - number.interval.lower) / 2
    #expect(half > 0 && half < 0.5 * truth, "\(row.line)")
    #expect(abs(number.value - truth) <= 4 * half / 2, "\(row.line)")
  }

  @Test func `links of two networks come back with what they rest on, and run`() throws {
    let found = Self.calibration(Self.links(.measured))
    try Self.expect(try Self.row("session rate (Wi-Fi)", found), "median", 40e6)
    try Self.expect(try Self.row("session rate (Wi-Fi)", found), "sigma", 0.8)
    try Self.expect(try Self.row("session rate (cellular)", found), "median", 10e6)
    try Self.expect(try Self.row("rate inside a session (Wi-Fi)", found), "sigma", 0.3)
    try Self.expect(try Self.row("rate inside a session (Wi-Fi)", found), "correlation", 0.6)
    try Self.expect(try Self.row("rate inside a session (cellular)", found), "sigma", 0.5)
    try Self.expect(try Self.row("rate inside a session (cellular)", found), "correlation", 0.4)
    let inside = try Self.row("rate inside a session (Wi-Fi)", found)
    #expect(inside.distance != nil && inside.alternatives.map(\.name) == ["independent"])
    #expect(inside.alternatives.allSatisfy { $0.aic > 0 })
    // The least round trip of a session is its base.
    let trip = try #require(found.field.laws.first { $0.name == "round trip (Wi-Fi)" })
    let fit = try Self.fit(trip)
    let middle = try fit.best.law.quantile(0.5)
    #expect(middle > 0.018 && middle < 0.023, "\(middle)")
    let text = found.fragment(name: "fit", sources: ["made"])
    let study = try StudyScenario.parse(text, file: "fit.yaml")
    #expect(study.networks == ["Wi-Fi", "cellular"])
    for words in ["kind: wifi-good", "kind: lte", "weight: 300", "outageStart: 0", "distance"] {
      #expect(text.contains(words), "\(words) in \(text)")
    }
    // What is not told is said, in the file, too.
    #expect(found.field.unknown.contains { $0.contains("network.access[Wi-Fi].loss") })
    #expect(text.contains("# Not told by these data: network.access[Wi-Fi].loss"))
    #expect(found.left.isEmpty)
  }

  @Test func `a player's estimate tells of sessions and not of seconds`() throws {
    let found = Self.calibration(Self.links(.estimate))
    #expect(found.field.rows.contains { $0.name == "session rate (Wi-Fi)" })
    #expect(!found.field.rows.contains { $0.name.hasPrefix("rate inside") })
    let text = found.fragment(name: "fit", sources: ["made"])
    #expect(!text.contains("rateSigma:") && !text.contains("outageStart"))
    #expect(found.field.unknown.contains { $0.contains("rateSigma") && $0.contains("mtp") })
    // Nor does a mean over seconds.
    let long = Self.calibration(Self.links(.measured, width: 6))
    #expect(!long.field.rows.contains { $0.name.hasPrefix("rate inside") })
    #expect(long.field.unknown.contains { $0.contains("a mean over 6 s") })
  }

  @Test func `one value a session leaves open how a rate varies in it`() throws {
    let found = Self.calibration(Self.links(.measured, sessions: 600, values: 1))
    let law = try #require(found.field.laws.first { $0.name == "rate (Wi-Fi)" })
    let fit = try Self.fit(law)
    // Both variances together: 0.8 and 0.3.
    #expect(fit.best.family == .lognormal && abs(fit.best.values[1] - 0.854) < 0.12)
    #expect(found.fragment(name: "f", sources: []).contains("rateSigma: 0"))
    #expect(
      found.field.unknown.contains {
        $0.contains("[Wi-Fi].rateSigma") && $0.contains("trade off")
      })
  }

  @Test func `values of one session at one second are one of its law`() throws {
    var samples = Self.links(.measured, sessions: 600, values: 1)
    // Six transfers at a time, and of every tenth session sixty.
    for value in samples.values where value.kind == .measured {
      let more = value.session % 10 == 0 ? 59 : 5
      samples.values += [FieldSamples.Value](repeating: value, count: more)
    }
    let found = Self.calibration(samples)
    let law = try #require(found.field.laws.first { $0.name == "rate (Wi-Fi)" })
    let fit = try Self.fit(law)
    // Of 600 sessions a quarter is on the other network.
    #expect(law.count == 450 && fit.best.family == .lognormal)
    #expect(abs(fit.best.values[1] - 0.854) < 0.12, "\(fit.best.values)")
    #expect(found.field.unknown.contains { $0.contains("values are of 450 sessions") })
  }

  @Test func `a network too small for a fit keeps its viewers, as its kind is`() throws {
    var samples = Self.links(.measured)
    samples.networks.append("5G")
    for session in 400..<430 {
      samples.sessions.append(FieldSamples.Session(network: 3))
      samples.values.append(FieldSamples.Value(kind: .measured, session: session, value: 90e6))
    }
    let found = Self.calibration(samples)
    let entry = try Self.entry("network.access", keepingShareOf: "network.access[n5G]", found)
    #expect(entry.value.contains("{kind: 5g, name: n5G, weight: 30}"), "\(entry.value)")
    #expect(entry.remarks.contains("n5G: nothing of it carried a fit: as 5g is"))
    let study = try StudyScenario.parse(
      found.fragment(name: "fit", sources: ["made"]), file: "fit.yaml")
    #expect(study.networks == ["Wi-Fi", "cellular", "n5G"])
    // Where none carries one there is no key.
    samples.values.removeAll { $0.session < 400 }
    #expect(!Self.calibration(samples).field.entries.contains { $0.key == "network.access" })
  }

  @Test func `too little is refused by name, and nothing at all is said`() throws {
    let few = Self.calibration(Self.links(.measured, sessions: 60))
    #expect(few.field.refusals.contains { $0.contains("[cellular].sessionRate") }, "\(few.field)")
    let none = Self.calibration(Self.links(.measured, sessions: 4, values: 3))
    #expect(none.field.entries.isEmpty)
    #expect(none.field.unknown.contains { $0.contains("expected at least 100 rates") })
    var nothing = FieldSamples()
    nothing.isRead = true
    let found = Self.calibration(nothing)
    #expect(found.isEmpty && found.field.unknown.contains { $0.hasPrefix("devices: no column") })
    #expect(found.field.unknown.contains { $0.hasPrefix("network.access: nothing tells rates") })
  }

  /// Of forty sessions half are farther than a tenth from any law by chance.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `few sessions of a law are not refused for what chance does`(_ seed: UInt64) throws {
    var samples = Self.links(.measured, sessions: 60, values: 8, seed: seed)
    for place in samples.sessions.indices { samples.sessions[place].network = 1 }
    samples.values.removeAll { $0.session % 4 == 0 }
    let found = Self.calibration(samples)
    #expect(found.field.refusals.isEmpty, "\(found.field.refusals)")
    _ = try Self.row("session rate (Wi-Fi)", found)
  }

  @Test func `parts of starts become device classes`() throws {
    var draws = Draws(3)
    var samples = FieldSamples()
    samples.isRead = true
    samples.devices = ["high", "Pixel 7"]
    for session in 0..<900 {
      let place = session % 3 == 0 ? 1 : 0
      samples.sessions.append(FieldSamples.Session(device: UInt16(place + 1)))
      func add(_ kind: FieldSamples.Kind, _ value: Double) {
        samples.values.append(FieldSamples.Value(kind: kind, session: session, value: value))
      }
      add(.setup, draws.lognormal(place == 0 ? 0.06 : 0.17, 0.2))
      add(.decode, draws.lognormal(0.02, 0.3))
      add(.presentation, draws.lognormal(0.03, 0.2))
    }
    let found = Self.calibration(samples)
    let setup = try #require(found.field.laws.first { $0.key == "devices[high].decoderSetup" })
    let fit = try Self.fit(setup)
    // 600 values of sigma 0.2: a standard error of 0.8 %.
    #expect(abs(try fit.best.law.quantile(0.5) / 0.06 - 1) < 4 * 0.008 * 1.25)
    let text = found.fragment(name: "fit", sources: [])
    for words in [
      "kind: high, weight: 600", "kind: mid, weight: 300", "refresh: 0 ms",
      "mid stands for 1 words",
    ] {
      #expect(text.contains(words), "\(words) in \(text)")
    }
    _ = try StudyScenario.parse(text, file: "fit.yaml")
    #expect(found.field.unknown.contains { $0.contains("devices[high].appLaunch, playerCreation") })
  }

  /// Ready starts are presentation alone; the others wait for set-up and network besides, longer
  /// the more bytes they are of.
  private static func starts(
    _ seed: UInt64, hasReady: Bool = true, hasWaited: Bool = true
  ) -> FieldSamples {
    var draws = Draws(seed)
    var samples = FieldSamples()
    samples.isRead = true
    samples.devices = ["high", "low-end"]
    for session in 0..<800 {
      let place = session % 2
      samples.sessions.append(FieldSamples.Session(device: UInt16(place + 1)))
      for start in 0..<5 {
        let isReady = start > 1
        let bytes = draws.lognormal(isReady ? 2e6 : 3e6, 0.5)
        let shown = draws.lognormal(place == 0 ? 0.025 : 0.08, 0.25)
        let wait = draws.lognormal(place == 0 ? 0.06 : 0.35, 0.2) + 0.1 + draws.uniform() * 0.1
        if isReady && hasReady || !isReady && hasWaited {
          samples.values.append(
            FieldSamples.Value(
              kind: isReady ? .readyStart : .waitedStart, session: session,
              value: isReady ? shown : shown + wait, bytes: bytes))
        }
      }
    }
    return samples
  }

  @Test func `ready starts give the presentation, and what others wait for stays together`() throws
  {
    let found = Self.calibration(Self.starts(11))
    for (kind, shown, setup) in [("high", 0.025, 0.06), ("low-end", 0.08, 0.35)] {
      let law = try #require(
        found.field.laws.first { $0.key == "devices[\(kind)].presentation" })
      #expect(law.name == "presentation of ready starts (\(kind))" && law.count == 1_200)
      let fit = try Self.fit(law)
      // 1,200 values of sigma 0.25: a standard error of 0.7 %.
      #expect(abs(try fit.best.law.quantile(0.5) / shown - 1) < 4 * 0.0072 * 1.25)
      let row = try Self.row("what a start that waited takes beyond a ready one (\(kind))", found)
      let number = try #require(row.numbers.first)
      // The mean of the set-up's law, and a uniform one from 0.1 to 0.2 s.
      let truth = setup * exp(0.02) + 0.15
      #expect(row.key == nil && row.of == "starts that waited, at equal bytes")
      #expect(
        abs(number.value - truth) < 2 * number.interval.halfWidth
          && number.interval.halfWidth < 0.1 * truth, "\(kind) \(number) \(truth)")
      #expect(
        found.field.unknown.contains {
          $0.hasPrefix("devices[\(kind)].playerCreation, sourcePreparation, decoderSetup")
            && $0.contains("nothing separates them")
        })
    }
    let text = found.fragment(name: "fit", sources: [])
    #expect(text.contains("starts that were ready") && !text.contains("decoderSetup:"))
    let study = try StudyScenario.parse(text, file: "fit.yaml")
    #expect(study.devices == ["high", "low-end"])
    // What a column tells goes before it.
    var parted = Self.starts(11)
    var draws = Draws(12)
    for session in 0..<800 {
      parted.values.append(
        FieldSamples.Value(
          kind: .presentation, session: session, value: draws.lognormal(0.05, 0.2)))
    }
    let parts = Self.calibration(parted).field.laws
    #expect(parts.contains { $0.name == "presentation (high)" && $0.count == 400 })
    #expect(!parts.contains { $0.name.hasPrefix("presentation of ready starts") })
  }

  @Test func `without starts of both sorts it is said what is not told`() throws {
    let waited = Self.calibration(Self.starts(5, hasReady: false))
    #expect(!waited.field.entries.contains { $0.key == "devices" })
    #expect(
      waited.field.unknown.contains {
        $0.hasPrefix("devices[high].presentation: of 800 starts none was ready")
      }, "\(waited.field.unknown)")
    let ready = Self.calibration(Self.starts(5, hasWaited: false))
    #expect(ready.field.entries.contains { $0.key == "devices" })
    #expect(
      ready.field.unknown.contains { $0.hasPrefix("devices[high]: all 1200 starts were ready") })
    #expect(ready.field.rows.allSatisfy { !$0.name.hasPrefix("what a start") })
  }

  @Test func `a class too small for a fit keeps its viewers, as its kind is`() throws {
    var draws = Draws(7)
    var samples = FieldSamples()
    samples.isRead = true
    samples.devices = ["high", "mid"]
    for session in 0..<330 {
      let place = session < 300 ? 1 : 2
      samples.sessions.append(FieldSamples.Session(device: UInt16(place)))
      samples.values.append(
        FieldSamples.Value(kind: .setup, session: session, value: draws.lognormal(0.06, 0.2)))
    }
    let found = Self.calibration(samples)
    let entry = try Self.entry("devices", keepingShareOf: "devices[mid]", found)
    #expect(entry.value.contains("{kind: mid, weight: 30}"), "\(entry.value)")
    #expect(entry.value.contains("{kind: high, weight: 300,"))
    _ = try StudyScenario.parse(found.fragment(name: "fit", sources: []), file: "fit.yaml")
    samples.values.removeAll { $0.session < 300 }
    #expect(!Self.calibration(samples).field.entries.contains { $0.key == "devices" })
  }

  @Test func `a night without anybody is no peak over a trough`() throws {
    var draws = Draws(13)
    var samples = FieldSamples()
    samples.isRead = true
    samples.span = 1.7e9...(1.7e9 + 5 * 86_400)
    while samples.begins.count < 4_000 {
      let at = 1.7e9 + draws.uniform() * 5 * 86_400
      let hour = at.truncatingRemainder(dividingBy: 86_400) / 3_600
      if draws.uniform() * 2 < 1 + cos((hour - 19) / 24 * 2 * Double.pi) {
        samples.begins.append(at)
      }
    }
    let found = Self.calibration(samples)
    #expect(
      found.field.refusals.contains {
        $0.hasPrefix("audience.diurnal: expected a peak of at most 100 times the trough, got ")
      }, "\(found.field.refusals)")
    #expect(!found.field.entries.contains { $0.key == "audience.diurnal" })
  }

  @Test func `the day, what is watched and what caches did`() throws {
    var draws = Draws(5)
    var samples = FieldSamples()
    samples.isRead = true
    samples.span = 1.7e9...(1.7e9 + 5 * 86_400)
    while samples.begins.count < 4_000 {
      let at = 1.7e9 + draws.uniform() * 5 * 86_400
      let hour = at.truncatingRemainder(dividingBy: 86_400) / 3_600
      if draws.uniform() * 1.5 < 1 + 0.5 * cos((hour - 19) / 24 * 2 * Double.pi) {
        samples.begins.append(at)
      }
    }
    for _ in 0..<2_000 { samples.watched.add(draws.lognormal(5, 0.8)) }
    samples.requests = 1_000
    samples.preloads = 400
    samples.outcomes = [
      .init(word: "hit", requests: 900, bytes: 9e8), .init(word: "miss", requests: 90, bytes: 1e8),
      .init(word: "error", requests: 10, bytes: 1e3),
    ]
    let found = Self.calibration(samples, .init(resamples: 50, policy: "three ahead"))
    let day = try Self.row("sessions by time of day", found)
    try Self.expect(day, "peak over trough", 3)
    try Self.expect(day, "hour of the peak (UTC)", 19)
    let watched = try #require(found.field.laws.first { $0.name == "watched" })
    let fit = try Self.fit(watched)
    #expect(fit.best.family == .lognormal && abs(fit.best.values[0] - 5) < 4 * 5 * 0.8 / 45)
    let hits = try Self.row("hit_ratio{tier=edge,by=requests}", found)
    #expect(hits.key == nil && abs(hits.numbers[0].value - 900.0 / 990) < 1e-12)
    #expect(found.field.warnings.count == 1)
    #expect(
      found.field.warnings[0].contains("three ahead") && found.field.warnings[0].contains("400"))
    let text = found.fragment(name: "fit", sources: [])
    for words in [
      "personas: [{kind: measured, watchTime: {kind: lognormal", "burstStart: 0",
      "diurnal: {peakToTrough: ", "# For comparison only: hit_ratio{tier=edge,by=requests}",
      "# Warning: ", "# Not told by these data: cdn.edge.capacity",
    ] {
      #expect(text.contains(words), "\(words) in \(text)")
    }
    _ = try StudyScenario.parse(text, file: "fit.yaml")
    let without = Self.calibration(
      samples, .init(resamples: 50, without: ["audience.diurnal", "audience.personas"]))
    #expect(without.field.entries.isEmpty)
    samples.span = 1.7e9...(1.7e9 + 7_200)
    #expect(
      Self.calibration(samples).field.unknown.contains { $0.contains("the data are of 2 h") })
  }

  @Test func `what is watched is a persona by length where lengths are told`() throws {
    var draws = Draws(11)
    var samples = FieldSamples()
    samples.isRead = true
    samples.watchedByLength = FieldSamples.Watched.bounds.map { .init(below: $0) }
    let truth = [(0, 5.0, 10.0, 0.4, 4.0), (1, 10, 20, 0.3, 6), (3, 40, 80, 0.1, 12)]
    for (place, least, most, completion, median) in truth {
      for _ in 0..<1_500 {
        let end = least + (most - least) * draws.uniform()
        let isCompleted = draws.uniform() < completion
        let time = draws.lognormal(median, 0.5)
        let isAtEnd = isCompleted || time >= end
        samples.watched.add(min(time, end))
        samples.watchedByLength[place].times.add(isAtEnd ? end : time, isCensored: isAtEnd)
      }
    }
    // Too few of one length go with the next.
    for _ in 0..<20 {
      samples.watchedByLength[2].times.add(draws.lognormal(12, 0.5))
      samples.watched.add(10)
    }
    let found = Self.calibration(samples)
    for (name, _, completion, median) in [
      ("titles of 0 to 10 s", 0, 0.4, 4.0), ("titles of 10 to 20 s", 1, 0.3, 6),
      ("titles of 20 s and more", 2, 0.1, 12),
    ] {
      let row = try Self.row("watched (\(name)), lognormal", found)
      for (number, truth) in zip(row.numbers, [completion, median, 0.5]) {
        let half = (number.interval.upper - number.interval.lower) / 2
        #expect(abs(number.value - truth) <= 4 * half / 1.96, "\(row.line)")
      }
    }
    let text = found.fragment(name: "fit", sources: [])
    for words in ["{below: 10 s, completion: 0.", "{below: 20 s, completion: 0.", "burstStart: 0"] {
      #expect(text.contains(words), "\(words) in \(text)")
    }
    let study = try FeedStudy.parse(text, file: "fit.yaml")
    let laws = study.configuration.audience.personas[0].dwell
    #expect(laws.count == 3 && abs(laws[2].completion - 0.1) < 0.06, "\(laws.map(\.completion))")
    #expect(!found.field.unknown.contains { $0.contains("no column tells titles' lengths") })
    #expect(found.field.unknown.contains { $0.hasPrefix("audience.personas: no column tells") })
    // The values that backtest sets are those of the file, a line each.
    let setting = try #require(found.settings.first { $0.key == "audience.personas" })
    #expect(!setting.value.contains("\n"))
    let again = try FeedStudy.parse(
      "version: 1\nname: x\n", file: "x.yaml",
      overrides: [.init(option: "--fit-on", keyPath: setting.key, value: setting.value)])
    let set = again.configuration.audience.personas[0].dwell
    #expect(set.map(\.completion) == laws.map(\.completion))
  }

  @Test func `what was found and has no key is listed, results are not`() throws {
    var draws = Draws(7)
    var reading = TelemetryReading()
    reading.records = 400
    for _ in 0..<200 {
      reading.data.named["network", default: .init()].add(draws.lognormal(1e7, 0.5))
      reading.data.named["feed.latencyy", default: .init()].add(draws.lognormal(0.1, 0.5))
      reading.data.named["feed.latency", default: .init()].add(draws.lognormal(0.1, 0.5))
      reading.data.startup.add(draws.lognormal(0.8, 0.5))
    }
    let found = Calibration(reading, options: .init(resamples: 50))
    #expect(found.left.map(\.name) == ["feed.latencyy", "network"])
    #expect(found.left[0].reason.contains("did you mean feed.latency?"))
    #expect(found.left[1].reason.contains("network.access"))
    let without = Calibration(
      reading, options: .init(resamples: 50, without: ["network", "feed.latencyy"]))
    #expect(without.left.isEmpty)
    // A result alone makes no scenario.
    var alone = TelemetryReading()
    alone.data.startup = reading.data.startup
    #expect(Calibration(alone, options: .init(resamples: 50)).left.map(\.name) == ["startup"])
  }
}
