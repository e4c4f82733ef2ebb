import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What one viewer with real servers and real players needs of a configuration, as a line of text:
/// how it gets into a page of a browser, to ``LiveFeed``'s one session alone.
///
/// Included: titles, viewers and their habits, policies. Left out, because they are real there:
/// networks, devices, caches. Their places in the draws of a session stay, so that a session is the
/// same one. What a page's viewer cannot be has no text: ``PageConfiguration/lacks(_:)``.
public enum PageConfiguration {
  /// What a configuration has that a page's viewer cannot have; empty when there is no such thing.
  public static func lacks(_ configuration: borrowing FeedConfiguration) -> [StaticString] {
    var lacks: [StaticString] = []
    if configuration.surface != nil { lacks.append("surface") }
    if configuration.client.isActive { lacks.append("client") }
    if configuration.catalogue.packaging != .hls { lacks.append("catalogue.packaging") }
    if configuration.catalogue.audioRate != nil { lacks.append("catalogue.audio") }
    if configuration.catalogue.newTitles != nil { lacks.append("catalogue.newTitles") }
    if !configuration.catalogue.republishes.isEmpty { lacks.append("catalogue.republish") }
    if !configuration.audience.crowds.isEmpty { lacks.append("audience.crowds") }
    if configuration.audience.exits != nil { lacks.append("audience.exits") }
    if configuration.audience.extraColdStarts > 0 { lacks.append("audience.extraColdStarts") }
    if !configuration.scale.isWhole { lacks.append("audience.background, audience.sampling") }
    return lacks
  }

  /// - Precondition: the configuration ``lacks(_:)`` nothing.
  public static func text(_ configuration: borrowing FeedConfiguration) -> [UInt8] {
    precondition(lacks(configuration).isEmpty, "a page's viewer cannot be of this configuration")
    var line = PolicyLine()
    line.add("page")
    line.add(1)
    line.add(configuration.networks.count)
    line.add(configuration.networkChoice)
    line.add(configuration.devices.count)
    line.add(configuration.deviceChoice)
    line.add(configuration.normal)
    line.add(configuration.transport.connectionsPerHost)
    configuration.policy.write(into: &line)
    write(configuration.audience, into: &line)
    write(configuration.catalogue, into: &line)
    return line.bytes
  }

  /// The configuration of a text; nil for anything that ``text(_:)`` does not write.
  public static func read(_ text: [UInt8]) -> FeedConfiguration? {
    var fields = PolicyFields(text)
    guard fields.take("page"), fields.number() == 1, let networks = fields.count(),
      (1...256).contains(networks), let networkChoice = fields.aliases(),
      networkChoice.count == networks, let devices = fields.count(),
      (1...256).contains(devices), let deviceChoice = fields.aliases(),
      deviceChoice.count == devices, let normal = fields.table(),
      let connections = fields.count(), (1...Connection.perHost).contains(connections),
      let policy = PolicyConfiguration(from: &fields),
      let audience = audience(from: &fields), let catalogue = catalogue(from: &fields),
      fields.isAtEnd
    else { return nil }
    return FeedConfiguration(
      catalogue: catalogue, networks: [NetworkProfile](repeating: network(), count: networks),
      networkChoice: networkChoice,
      transport: TransportConfiguration(http: .http1, connectionsPerHost: connections),
      devices: [DeviceClass](repeating: device(), count: devices), deviceChoice: deviceChoice,
      cdn: caches(), audience: audience, policy: policy,
      feedLatency: QuantileTable(constant: 0), feedBytesPerItem: 0, normal: normal)
  }

  // MARK: What is real there

  /// A link that nothing is read of.
  private static func network() -> NetworkProfile {
    NetworkProfile(
      sessionRate: QuantileTable(constant: 1e9), rateFactor: 1,
      roundTrip: QuantileTable(constant: 0), queueLimit: .zero, lossRate: 0, uplinkRate: 1e9,
      nameLookup: .zero, promotion: .zero, radioIdle: .hours(24))
  }

  private static func device() -> DeviceClass {
    let none = QuantileTable(constant: 0)
    return DeviceClass(
      playerCreation: none, decoderSetup: none, decoderReuse: none, firstDecode: none,
      decoderLimit: 64, diskCache: .zero, diskRead: .zero)
  }

  /// An edge that nobody asks. Its capacity is one that a machine of 32 bits can count.
  private static func caches() -> CDNConfiguration {
    let none = QuantileTable(constant: 0)
    return CDNConfiguration(
      edges: 1, edgesBehindShield: 1,
      edge: CacheTierConfiguration(
        capacity: ByteCount(1 << 20), serviceTime: none,
        upstream: UpstreamConfiguration(roundTrip: none, floor: .zero)),
      shield: nil, origin: OriginConfiguration(firstByte: none), start: .cold, warmUp: .zero,
      assetTTL: AssetTTL())
  }

  // MARK: The audience

  private static func write(_ audience: AudienceConfiguration, into line: inout PolicyLine) {
    line.add(audience.drain)
    line.add(audience.sessionLength)
    line.add(audience.personas.count)
    for persona in audience.personas {
      line.add(bitsOf: persona.scrubProbability)
      line.add(persona.dwell.count)
      for law in persona.dwell {
        line.add(law.below)
        line.add(bitsOf: law.completion)
        line.add(law.watchTime)
      }
    }
    line.add(audience.personaChoice)
    line.add(bitsOf: audience.backSwipe)
    line.add(bitsOf: audience.burstStart)
    line.add(bitsOf: audience.burstContinuation)
    line.add(audience.burstDwell)
    line.add(audience.settle)
    line.add(audience.patienceFloor)
    line.add(audience.patience)
    line.add(audience.loopBelow)
    line.add(audience.maximumLoops)
    line.add(audience.scrubHold)
    line.add(optional: audience.watchLimit)
  }

  private static func audience(from fields: inout PolicyFields) -> AudienceConfiguration? {
    guard let drain = fields.span(), let length = fields.table(), let count = fields.count(),
      (1...256).contains(count)
    else { return nil }
    var personas: [Persona] = []
    for _ in 0..<count {
      guard let persona = persona(from: &fields) else { return nil }
      personas.append(persona)
    }
    guard let choice = fields.aliases(), choice.count == count, let back = fields.double(),
      let begin = fields.double(), let goesOn = fields.double(), let dwell = fields.table(),
      let settle = fields.table(), let floor = fields.span(), let patience = fields.table(),
      let loops = fields.span(), let most = fields.count(), let hold = fields.table(),
      let limit = fields.optionalSpan()
    else { return nil }
    // One session in a day: nobody else comes.
    var audience = AudienceConfiguration(
      viewsPerDayPerEdge: 1, viewsPerSession: 1, window: .nanoseconds(1), drain: drain,
      sessionLength: length, personas: personas, personaChoice: choice, backSwipe: back,
      burstStart: begin, burstContinuation: goesOn, burstDwell: dwell, settle: settle,
      patienceFloor: floor, patience: patience, loopBelow: loops, maximumLoops: most,
      scrubHold: hold)
    audience.watchLimit = limit
    return audience
  }

  private static func persona(from fields: inout PolicyFields) -> Persona? {
    guard let scrubs = fields.double(), let count = fields.count(), (1...256).contains(count)
    else { return nil }
    var laws: [DwellLaw] = []
    for _ in 0..<count {
      guard let below = fields.span(), let completion = fields.double(),
        let time = fields.table()
      else { return nil }
      laws.append(DwellLaw(below: below, completion: completion, watchTime: time))
    }
    return Persona(dwell: laws, scrubProbability: scrubs)
  }

  // MARK: The catalogue

  private static func write(_ catalogue: CatalogueConfiguration, into line: inout PolicyLine) {
    line.add(catalogue.titles)
    line.add(catalogue.popularity)
    line.add(catalogue.duration)
    line.add(catalogue.minimumDuration)
    line.add(catalogue.maximumDuration)
    line.add(catalogue.ladder.count)
    for rate in catalogue.ladder.rates { line.add(rate.bitsPerSecond) }
    line.add(catalogue.segmentDuration)
    line.add(catalogue.titleScale)
    line.add(catalogue.segmentVariation)
    line.add(catalogue.firstSegmentRatio)
    line.add(bitsOf: catalogue.peakRatio)
    line.add(catalogue.manifestBytes)
    line.add(catalogue.masterBytes)
    line.add(catalogue.initBytes)
    line.add(catalogue.posterBytes)
    line.add(catalogue.playlistBytes)
    line.add(catalogue.playlistBytesPerSegment)
    line.add(catalogue.cueBytes)
    line.add(catalogue.spriteBytes)
    line.add(catalogue.spriteSpan)
    line.add(catalogue.cueSpan)
    write(catalogue.media, ladder: catalogue.ladder, into: &line)
    line.add(catalogue.given.count)
    for title in catalogue.given {
      line.add(title.duration)
      line.add(title.segmentCount)
      line.add(title.step)
      line.add(UInt32(title.missing))
    }
  }

  private static func catalogue(from fields: inout PolicyFields) -> CatalogueConfiguration? {
    guard let titles = fields.unsigned(), titles >= 1, let popularity = fields.aliases(),
      popularity.count == Int(titles), let duration = fields.table(),
      let shortest = fields.span(), let longest = fields.span(),
      let ladder = ladder(from: &fields), let step = fields.span(), step > .zero,
      longest <= step * Int64(ObjectLayout.maximumSegments), let scale = fields.table(),
      let variation = fields.table(), let first = fields.table(), let peak = fields.double(),
      let manifest = fields.amount(), let master = fields.amount(), let start = fields.amount(),
      let poster = fields.amount(), let playlist = fields.amount(), let each = fields.amount(),
      let cue = fields.amount(), let sprite = fields.amount(), let spriteSpan = fields.span(),
      let cueSpan = fields.span(), let media = media(from: &fields, ladder),
      let given = given(from: &fields)
    else { return nil }
    var catalogue = CatalogueConfiguration(
      titles: titles, popularity: popularity, probabilities: [], duration: duration,
      minimumDuration: shortest, maximumDuration: longest, ladder: ladder, segmentDuration: step,
      titleScale: scale, segmentVariation: variation, firstSegmentRatio: first, peakRatio: peak,
      manifestBytes: manifest, masterBytes: master, initBytes: start, posterBytes: poster,
      playlistBytes: playlist, playlistBytesPerSegment: each, cueBytes: cue, spriteBytes: sprite,
      spriteSpan: spriteSpan, cueSpan: cueSpan)
    catalogue.media = media
    catalogue.given = given
    return catalogue
  }

  private static func ladder(from fields: inout PolicyFields) -> Ladder? {
    guard let count = fields.count(), (1...ObjectLayout.maximumRungs).contains(count)
    else { return nil }
    var rates: [BitRate] = []
    for _ in 0..<count {
      guard let rate = fields.rate(), rate > rates.last ?? .zero else { return nil }
      rates.append(rate)
    }
    return Ladder(rates)
  }

  /// The clip: its segments, 0 for none; their length; their bytes, rung by rung.
  private static func write(
    _ media: GivenMedia?, ladder: Ladder, into line: inout PolicyLine
  ) {
    line.add(media?.segmentCount ?? 0)
    guard let media else { return }
    line.add(media.step)
    for rate in ladder.rates {
      for segment in 0..<media.segmentCount { line.add(media.bytes(of: segment, rate: rate)) }
    }
  }

  /// The outer nil is none that can be read, the inner one is none.
  private static func media(from fields: inout PolicyFields, _ ladder: Ladder) -> GivenMedia?? {
    guard let count = fields.count(), count <= ObjectLayout.maximumSegments else { return nil }
    if count == 0 { return .some(nil) }
    guard let step = fields.span(), step > .zero else { return nil }
    var bytes: [[Int64]] = []
    for _ in 0..<ladder.count {
      var rung: [Int64] = []
      for _ in 0..<count {
        guard let size = fields.amount() else { return nil }
        rung.append(size)
      }
      bytes.append(rung)
    }
    return .some(GivenMedia(ladder, step: step, bytes: bytes))
  }

  private static func given(from fields: inout PolicyFields) -> [GivenTitle]? {
    guard let count = fields.count(), count <= 1 << 26 else { return nil }
    var titles: [GivenTitle] = []
    for _ in 0..<count {
      guard let duration = fields.span(), let segments = fields.count(),
        (1...ObjectLayout.maximumSegments).contains(segments), let step = fields.span(),
        step > .zero, duration > step * Int64(segments - 1), let missing = fields.unsigned()
      else { return nil }
      var title = GivenTitle(duration: duration, segmentCount: segments, step: step)
      for asset in AssetClass.allCases where missing >> UInt32(asset.rawValue) & 1 == 1 {
        title.lack(asset)
      }
      titles.append(title)
    }
    return titles
  }
}
