import MediaUnits
import Models
import SimulationKernel

// A replication's digest as words: what another machine, or another day, has found, to the bit.

extension ReplicationDigest: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(Int64(replication))
    writer.add(Int64(bitPattern: fingerprint.value))
    writer.add(Int64(bitPattern: events))
    writer.add(end.nanoseconds)
    measures.write(to: &writer)
    SampleWords.write(samples, to: &writer)
    writer.add(each: cohorts) { $0.write(to: &$1) }
    writer.add(each: histograms) { clocks, writer in
      writer.add(each: clocks) { clock, writer in
        clock.started.write(to: &writer)
        clock.censored.write(to: &writer)
      }
    }
    for band in [medianBand, p95Band, waitedBand] { band.write(to: &writer) }
    writer.add(each: startedParts) { $1.add($0) }
    late.write(to: &writer)
    writer.add(isFolded)
    writer.add(peakLoad != nil)
    peakLoad?.write(to: &writer)
    writer.add(series != nil)
    series?.write(to: &writer)
    writer.add(sessions != nil)
    if let sessions {
      for number in [
        sessions.views, sessions.waited, sessions.squares, sessions.products, sessions.sizes,
      ] { writer.add(number) }
    }
  }

  public init?(_ reader: inout WordReader) {
    guard let replication = reader.integer().flatMap({ UInt16(exactly: $0) }),
      let fingerprint = reader.word(), let events = reader.word(), let end = reader.integer(),
      let measures = FeedMeasures(&reader), let samples = SampleWords.samples(&reader),
      let cohorts = reader.each({ CohortSums(&$0) }),
      let histograms = reader.each({ $0.each { ClockHistogram(words: &$0) } })
    else { return nil }
    self.replication = replication
    self.fingerprint = Fingerprint(value: fingerprint)
    self.events = events
    self.end = Instant(nanoseconds: end)
    self.measures = measures
    self.samples = samples
    self.cohorts = cohorts
    self.histograms = histograms
    if !readRest(&reader) { return nil }
  }

  private mutating func readRest(_ reader: inout WordReader) -> Bool {
    guard let medianBand = BreakdownBand(&reader), let p95Band = BreakdownBand(&reader),
      let waitedBand = BreakdownBand(&reader), let parts = reader.each({ $0.integer() }),
      parts.count == startedParts.count, let late = LateStarts(&reader),
      let isFolded = reader.truth(), let hasLoad = reader.truth()
    else { return false }
    self.medianBand = medianBand
    self.p95Band = p95Band
    self.waitedBand = waitedBand
    startedParts = parts
    self.late = late
    self.isFolded = isFolded
    if hasLoad {
      guard let load = PeakLoad(&reader) else { return false }
      peakLoad = load
    }
    guard let hasSeries = reader.truth() else { return false }
    if hasSeries {
      guard let series = SeriesDigest(&reader) else { return false }
      self.series = series
    }
    guard let hasSessions = reader.truth() else { return false }
    if !hasSessions { return true }
    guard let views = reader.integer(), let waited = reader.integer(),
      let squares = reader.integer(), let products = reader.integer(),
      let sizes = reader.integer()
    else { return false }
    sessions = SessionSpread(
      views: views, waited: waited, squares: squares, products: products, sizes: sizes)
    return true
  }
}

extension ClockHistogram {
  fileprivate init?(words reader: inout WordReader) {
    guard let started = TimeHistogram(&reader), let censored = TimeHistogram(&reader) else {
      return nil
    }
    self.init()
    self.started = started
    self.censored = censored
  }
}

extension BreakdownBand: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(views)
    writer.add(total)
    writer.add(each: parts) { $1.add($0) }
    writer.add(exemplar != nil)
    if let exemplar {
      writer.add(Int64(exemplar.session))
      writer.add(Int64(exemplar.item))
      writer.add(Int64(exemplar.replication))
    }
  }

  public init?(_ reader: inout WordReader) {
    self.init()
    guard let views = reader.integer(), let total = reader.integer(),
      let parts = reader.each({ $0.integer() }), parts.count == self.parts.count,
      let hasExemplar = reader.truth()
    else { return nil }
    self.views = views
    self.total = total
    self.parts = parts
    if !hasExemplar { return }
    guard let session = reader.integer().flatMap({ UInt32(exactly: $0) }),
      let item = reader.integer().flatMap({ UInt32(exactly: $0) }),
      let replication = reader.integer().flatMap({ UInt16(exactly: $0) })
    else { return nil }
    exemplar = (session, item, replication)
  }
}

extension LateStarts: HeldInWords {
  public func write(to writer: inout WordWriter) {
    for counts in [started, startedWithEdgeMiss, notStarted, notStartedWithEdgeMiss] {
      writer.add(each: counts) { $1.add($0) }
    }
    answers.write(to: &writer)
  }

  public init?(_ reader: inout WordReader) {
    self.init()
    let count = started.count
    func counts(_ reader: inout WordReader) -> [Int64]? {
      reader.each { $0.integer() }.flatMap { $0.count == count ? $0 : nil }
    }
    guard let started = counts(&reader), let startedWithEdgeMiss = counts(&reader),
      let notStarted = counts(&reader), let notStartedWithEdgeMiss = counts(&reader),
      let answers = LateAnswers(&reader)
    else { return nil }
    self.started = started
    self.startedWithEdgeMiss = startedWithEdgeMiss
    self.notStarted = notStarted
    self.notStartedWithEdgeMiss = notStartedWithEdgeMiss
    self.answers = answers
  }
}

/// Samples, and the times that several of them were read from once.
private enum SampleWords {
  static func write(_ samples: [MetricSample], to writer: inout WordWriter) {
    var places: [ObjectIdentifier: Int] = [:]
    var times: [SampledTimes] = []
    for sample in samples {
      guard let own = sample.times, places[ObjectIdentifier(own)] == nil else { continue }
      places[ObjectIdentifier(own)] = times.count
      times.append(own)
    }
    writer.add(each: times) { $0.write(to: &$1) }
    writer.add(each: samples) { sample, writer in
      writer.add(sample.value != nil)
      writer.add(sample.value ?? 0)
      writer.add(sample.isLowerBound)
      writer.add(sample.samples)
      writer.add(sample.numerator)
      writer.add(sample.denominator)
      writer.add(Int64(sample.times.flatMap { places[ObjectIdentifier($0)] } ?? -1))
    }
  }

  static func samples(_ reader: inout WordReader) -> [MetricSample]? {
    guard let times = reader.each({ SampledTimes.read(&$0) }) else { return nil }
    return reader.each { reader in
      guard let hasValue = reader.truth(), let value = reader.double(),
        let isLowerBound = reader.truth(), let samples = reader.integer(),
        let numerator = reader.double(), let denominator = reader.double(),
        let place = reader.integer(), place == -1 || times.indices.contains(Int(place))
      else { return MetricSample?.none }
      var sample = MetricSample()
      sample.value = hasValue ? value : nil
      sample.isLowerBound = isLowerBound
      sample.samples = samples
      sample.numerator = numerator
      sample.denominator = denominator
      sample.times = place < 0 ? nil : times[Int(place)]
      return sample
    }
  }
}

extension SampledTimes {
  func write(to writer: inout WordWriter) {
    writer.add(folded != nil)
    if let folded {
      folded.started.write(to: &writer)
      folded.censored.write(to: &writer)
    } else {
      SampledTimes.write(ascending: events, to: &writer)
      SampledTimes.write(ascending: censored, to: &writer)
    }
  }

  static func read(_ reader: inout WordReader) -> SampledTimes? {
    guard let isFolded = reader.truth() else { return nil }
    if isFolded {
      guard let started = FineHistogram(&reader), let censored = FineHistogram(&reader) else {
        return nil
      }
      var folded = FoldedTimes()
      folded.started = started
      folded.censored = censored
      return SampledTimes(folded)
    }
    guard let events = ascending(&reader), let censored = ascending(&reader) else { return nil }
    return SampledTimes(events: events, censored: censored)
  }

  /// Each time as what it is more than the one before: small numbers, which are packed.
  private static func write(ascending times: [Int64], to writer: inout WordWriter) {
    var last: Int64 = 0
    writer.add(each: times) { time, writer in
      writer.add(time &- last)
      last = time
    }
  }

  private static func ascending(_ reader: inout WordReader) -> [Int64]? {
    var last: Int64 = 0
    return reader.each { reader in
      guard let step = reader.integer(), step >= 0 else { return Int64?.none }
      let (sum, isOver) = last.addingReportingOverflow(step)
      if isOver { return nil }
      last = sum
      return sum
    }
  }
}
