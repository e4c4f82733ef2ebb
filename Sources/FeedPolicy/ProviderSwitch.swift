import MediaUnits

/// Which of several CDN providers each request goes to.
///
/// A session begins at the provider that the host has drawn by the contract's shares. By its rule
/// it leaves that one when requests fail, when a steering manifest says so, or when another was
/// measured to be faster by enough; a request whose first byte does not come may be sent to a
/// second provider while the first is waited for (a hedged request). Now and then a request that
/// nobody waits for is sent to another provider, so that there is something to compare with (a
/// probe).
///
/// A provider that has failed so often in a row is left out for the penalty's time. When all are,
/// the one whose penalty ends first is asked. When a penalty is over, a session goes back to where
/// its contract or the manifest has it; by its measurements it goes back when they say so.
///
/// Steering as HLS and DASH have it (draft-pantos-hls-rfc8216bis section 7, ETSI TS 103 998): an
/// order of providers that holds for a lifetime, after which the last order stays until there is a
/// new one. Leaves out: fetching the manifest and its reload, and cloned pathways. What was never
/// measured counts as unknown and is never switched to for its speed.
public struct ProviderSwitch: PolicyMachine {
  /// What makes a session leave a provider, beside the failures of one that does not work.
  public enum Rule: UInt8, Sendable, Equatable {
    /// Nothing, and failures neither: what fails is given up.
    case fixed = 0
    /// Nothing; failures do.
    case failover
    /// A measured throughput that is ``Configuration/gain`` times as high; and failures.
    case measured
    /// A steering manifest's order; and failures.
    case steered
  }

  public struct Configuration: Sendable, Equatable {
    /// How many there are, 1 to 8.
    public var providers: Int
    /// Where the session begins.
    public var first: UInt8
    public var rule: Rule
    /// Failures in a row after which a provider is left out. Default 2 (assumed).
    public var failureLimit: Int
    /// For how long. Default 60 s (assumed).
    public var penalty: TimeSpan
    /// How many times as fast another has to be. Default 1.5 (assumed).
    public var gain: Double
    /// Shortest time between two switches for speed. Default 30 s (assumed).
    public var hold: TimeSpan
    /// The wait for a first byte after which a second provider is asked; nil: never.
    public var hedgeAfter: TimeSpan?
    /// Of the requests that may be probes every so many is one; 0: none. Default 0.
    public var probeEvery: Int
    /// Requests that may be under way at once; one beyond is sent, and not watched. Default 16.
    public var limit: Int

    public init(
      providers: Int, first: UInt8 = 0, rule: Rule = .failover, failureLimit: Int = 2,
      penalty: TimeSpan = .seconds(60), gain: Double = 1.5, hold: TimeSpan = .seconds(30),
      hedgeAfter: TimeSpan? = nil, probeEvery: Int = 0, limit: Int = 16
    ) {
      self.providers = providers
      self.first = first
      self.rule = rule
      self.failureLimit = failureLimit
      self.penalty = penalty
      self.gain = gain
      self.hold = hold
      self.hedgeAfter = hedgeAfter
      self.probeEvery = probeEvery
      self.limit = limit
    }
  }

  /// What the host reports. A copy of a request is named by its provider.
  public enum Event: Sendable, Equatable {
    /// - mayProbe: nobody waits for it, so that it may go to another provider to be measured there.
    case requested(request: UInt32, mayProbe: Bool = false)
    case firstByte(request: UInt32, provider: UInt8)
    case ended(request: UInt32, provider: UInt8, bytes: ByteCount, span: TimeSpan)
    case failed(request: UInt32, provider: UInt8)
    /// Nobody wants it any more; the host has stopped its copies.
    case cancelled(request: UInt32)
    case timerFired(request: UInt32)
    /// A steering manifest's order, best first.
    case steered(ProviderOrder)
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    case send(request: UInt32, provider: UInt8)
    /// Stop this copy: the other one answers.
    case cancel(request: UInt32, provider: UInt8)
    /// Report ``Event/timerFired(request:)`` at this time.
    case setTimer(request: UInt32, at: Instant)
    /// No provider answers it.
    case giveUp(request: UInt32)
  }

  /// A request under way.
  struct Errand: Sendable {
    var request: UInt32
    /// Providers with a copy under way, and all that had one.
    var open: UInt8
    var asked: UInt8
    /// When a second provider is asked; nil once there is a first byte or a second copy.
    var hedgeAt: Instant?
  }

  /// What is known of a provider.
  struct Record: Sendable {
    var failures = 0
    var leftOutUntil = Instant.zero
    var throughput: EWMAEstimator
    var isMeasured = false
    /// When it was sent a probe, or measured.
    var lookedAt: Instant?
  }

  public let configuration: Configuration
  /// The provider of new requests while it is not left out.
  public private(set) var current: UInt8
  var order: ProviderOrder
  var records: [Record]
  var errands: [Errand] = []
  var switchedAt: Instant?
  /// Requests since the last probe that might have been one.
  var sinceProbe = 0

  /// Changes of ``current``, and copies sent to a second provider because the first was slow.
  public private(set) var switches = 0
  public private(set) var hedges = 0
  /// Requests sent to another provider to measure it.
  public private(set) var probes = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: 1 to 8 providers, the first of them among them, the limits at least 1, the
  ///   gain at least 1, no time and no number negative, no second copies by a fixed rule.
  public init(_ configuration: Configuration) {
    precondition((1...8).contains(configuration.providers), "1 to 8 providers")
    precondition(Int(configuration.first) < configuration.providers, "the first is one of them")
    precondition(configuration.failureLimit >= 1 && configuration.limit >= 1, "limits from 1 on")
    precondition(configuration.gain >= 1, "another is never switched to for being slower")
    precondition(
      configuration.penalty >= .zero && configuration.hold >= .zero
        && configuration.hedgeAfter ?? .zero >= .zero && configuration.probeEvery >= 0,
      "nothing is negative")
    precondition(
      configuration.rule != .fixed || configuration.hedgeAfter == nil,
      "a fixed rule asks nobody else")
    self.configuration = configuration
    current = configuration.first
    order = ProviderOrder()
    records = [Record](
      repeating: Record(throughput: EWMAEstimator(initial: .zero)), count: configuration.providers)
    errands.reserveCapacity(min(configuration.limit, 64))
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .requested(let request, let mayProbe):
      begin(request, mayProbe: mayProbe, at: now, into: &commands)
    case .firstByte(let request, let provider):
      hear(request, of: provider, at: now, into: &commands)
    case .ended(let request, let provider, let bytes, let span):
      end(request, provider, bytes, span, at: now, into: &commands)
    case .failed(let request, let provider):
      fail(request, provider, at: now, into: &commands)
    case .cancelled(let request):
      guard let index = index(of: request) else {
        ignored += 1
        return
      }
      errands.remove(at: index)
    case .timerFired(let request): hedge(request, at: now, into: &commands)
    case .steered(let order): steer(order, at: now)
    }
  }

  // MARK: Requests

  private mutating func begin(
    _ request: UInt32, mayProbe: Bool, at now: Instant, into commands: inout [Command]
  ) {
    if index(of: request) != nil {
      ignored += 1
      return
    }
    goBack(at: now)
    let probed = mayProbe ? probe(at: now) : nil
    let provider = probed ?? choose(at: now, without: 0) ?? current
    commands.append(.send(request: request, provider: provider))
    if errands.count >= configuration.limit { return }
    var errand = Errand(
      request: request, open: bit(provider), asked: bit(provider), hedgeAt: nil)
    if let wait = configuration.hedgeAfter, configuration.providers > 1 {
      let time = now.advanced(saturatingBy: wait)
      errand.hedgeAt = time
      commands.append(.setTimer(request: request, at: time))
    }
    errands.append(errand)
  }

  /// The first byte of a copy: the other one is not needed.
  private mutating func hear(
    _ request: UInt32, of provider: UInt8, at now: Instant, into commands: inout [Command]
  ) {
    guard let index = place(of: request, provider) else {
      ignored += 1
      return
    }
    records[Int(provider)].failures = 0
    errands[index].hedgeAt = nil
    let others = errands[index].open & ~bit(provider)
    for other in 0..<UInt8(configuration.providers) where others & bit(other) != 0 {
      commands.append(.cancel(request: request, provider: other))
    }
    errands[index].open = bit(provider)
  }

  private mutating func end(
    _ request: UInt32, _ provider: UInt8, _ bytes: ByteCount, _ span: TimeSpan,
    at now: Instant, into commands: inout [Command]
  ) {
    hear(request, of: provider, at: now, into: &commands)
    guard let index = place(of: request, provider) else { return }
    errands.remove(at: index)
    if bytes.bytes > 0 && span > .zero {
      records[Int(provider)].throughput.add(bytes, over: span)
      records[Int(provider)].isMeasured = true
      records[Int(provider)].lookedAt = now
      if configuration.rule == .measured { compare(at: now) }
    }
  }

  private mutating func fail(
    _ request: UInt32, _ provider: UInt8, at now: Instant, into commands: inout [Command]
  ) {
    guard let index = place(of: request, provider) else {
      ignored += 1
      return
    }
    penalise(provider, at: now)
    errands[index].open &= ~bit(provider)
    if errands[index].open != 0 { return }
    errands[index].hedgeAt = nil
    let isLeft = configuration.rule != .fixed
    guard isLeft, let next = choose(at: now, without: errands[index].asked) else {
      errands.remove(at: index)
      commands.append(.giveUp(request: request))
      return
    }
    ask(next, index, into: &commands)
  }

  /// The first byte has not come in time: a second provider is asked.
  private mutating func hedge(
    _ request: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    guard let index = index(of: request), let due = errands[index].hedgeAt else {
      ignored += 1
      return
    }
    if now < due {
      // A timer that is early, as those in whole milliseconds are.
      commands.append(.setTimer(request: request, at: due))
      return
    }
    errands[index].hedgeAt = nil
    guard let next = choose(at: now, without: errands[index].asked) else { return }
    hedges += 1
    ask(next, index, into: &commands)
  }

  private mutating func ask(_ provider: UInt8, _ index: Int, into commands: inout [Command]) {
    errands[index].open |= bit(provider)
    errands[index].asked |= bit(provider)
    commands.append(.send(request: errands[index].request, provider: provider))
  }

  // MARK: Providers

  private func bit(_ provider: UInt8) -> UInt8 { 1 << provider }

  private func isLeftOut(_ provider: UInt8, at now: Instant) -> Bool {
    now < records[Int(provider)].leftOutUntil
  }

  /// The provider of a request that none of those in `asked` is to have; nil when all were asked.
  private func choose(at now: Instant, without asked: UInt8) -> UInt8? {
    if asked & bit(current) == 0 && !isLeftOut(current, at: now) { return current }
    var soonest: UInt8?
    for provider in ranking where asked & bit(provider) == 0 {
      if !isLeftOut(provider, at: now) { return provider }
      if soonest == nil || until(provider) < until(soonest!) { soonest = provider }
    }
    return soonest
  }

  private func until(_ provider: UInt8) -> Instant { records[Int(provider)].leftOutUntil }

  /// All providers: those of the steering's order, then the rest by number.
  private var ranking: ProviderOrder {
    var ranking = ProviderOrder()
    if configuration.rule == .steered {
      for provider in order where Int(provider) < configuration.providers {
        ranking.append(provider)
      }
    }
    for provider in 0..<UInt8(configuration.providers) { ranking.append(provider) }
    return ranking
  }

  /// The provider that a request goes to so that it is measured: of the others that are not left
  /// out the one that was looked at longest ago; nil: it is no probe.
  private mutating func probe(at now: Instant) -> UInt8? {
    if configuration.probeEvery == 0 || configuration.rule == .fixed { return nil }
    sinceProbe += 1
    if sinceProbe < configuration.probeEvery { return nil }
    var oldest: UInt8?
    for provider in 0..<UInt8(configuration.providers)
    where provider != current && !isLeftOut(provider, at: now) {
      guard let other = oldest else {
        oldest = provider
        continue
      }
      let (since, before) = (records[Int(provider)].lookedAt, records[Int(other)].lookedAt)
      if let before, since == nil || since! < before { oldest = provider }
    }
    guard let oldest else { return nil }
    sinceProbe = 0
    probes += 1
    records[Int(oldest)].lookedAt = now
    return oldest
  }

  private mutating func penalise(_ provider: UInt8, at now: Instant) {
    if configuration.rule == .fixed { return }
    records[Int(provider)].failures += 1
    if records[Int(provider)].failures < configuration.failureLimit { return }
    records[Int(provider)].failures = 0
    records[Int(provider)].leftOutUntil = now.advanced(saturatingBy: configuration.penalty)
    if provider == current, let next = choose(at: now, without: 0) { change(to: next, at: now) }
  }

  /// Goes back to where the session belongs, once that is not left out any more.
  private mutating func goBack(at now: Instant) {
    switch configuration.rule {
    case .fixed, .measured: return
    case .failover:
      if !isLeftOut(configuration.first, at: now) { change(to: configuration.first, at: now) }
    case .steered: follow(at: now)
    }
  }

  /// Goes to the first of the steering's order that is not left out.
  private mutating func follow(at now: Instant) {
    if order.count == 0 { return }
    for provider in ranking where !isLeftOut(provider, at: now) {
      change(to: provider, at: now)
      return
    }
  }

  private mutating func compare(at now: Instant) {
    if let last = switchedAt, now - last < configuration.hold { return }
    guard records[Int(current)].isMeasured else { return }
    let needed =
      Double(records[Int(current)].throughput.estimate.bitsPerSecond) * configuration.gain
    var best = current
    var most = needed
    for provider in 0..<UInt8(configuration.providers)
    where records[Int(provider)].isMeasured && !isLeftOut(provider, at: now) {
      let rate = Double(records[Int(provider)].throughput.estimate.bitsPerSecond)
      if rate > most {
        most = rate
        best = provider
      }
    }
    change(to: best, at: now)
  }

  private mutating func steer(_ order: ProviderOrder, at now: Instant) {
    if configuration.rule != .steered || order == self.order {
      ignored += 1
      return
    }
    self.order = order
    follow(at: now)
  }

  private mutating func change(to provider: UInt8, at now: Instant) {
    if provider == current { return }
    current = provider
    switches += 1
    switchedAt = now
  }

  // MARK: Look-up

  private func index(of request: UInt32) -> Int? {
    for index in 0..<errands.count where errands[index].request == request { return index }
    return nil
  }

  /// Of a request that has a copy under way at the provider.
  private func place(of request: UInt32, _ provider: UInt8) -> Int? {
    guard Int(provider) < configuration.providers, let index = index(of: request),
      errands[index].open & bit(provider) != 0
    else { return nil }
    return index
  }
}

/// Providers by number, best first, each once; eight at most.
public struct ProviderOrder: Sendable, Equatable, Sequence {
  /// Four bits each, the first lowest, and how many there are.
  private var packed: UInt32 = 0
  public private(set) var count = 0

  public init() {}

  public init(_ providers: some Sequence<UInt8>) {
    for provider in providers { append(provider) }
  }

  /// Puts one behind the others; one that is there already, or is no provider, changes nothing.
  public mutating func append(_ provider: UInt8) {
    if provider >= 8 || contains(provider) { return }
    packed |= UInt32(provider) << UInt32(4 * count)
    count += 1
  }

  public subscript(place: Int) -> UInt8 { UInt8(packed >> UInt32(4 * place) & 15) }

  public struct Iterator: IteratorProtocol {
    var order: ProviderOrder
    var place = 0

    public mutating func next() -> UInt8? {
      if place >= order.count { return nil }
      defer { place += 1 }
      return order[place]
    }
  }

  public func makeIterator() -> Iterator { Iterator(order: self) }
}
