import MediaUnits
import MessageDelivery
import Models
import NIOCore
import NIOPosix

/// How to run the message protocol against a real service on this machine.
public struct LiveMessageOptions: Sendable {
  /// Pairs of clients; the first of each sends.
  public var pairs = 20
  /// How long videos are sent. The run ends as soon as nothing is owed any more.
  public var duration = TimeSpan.seconds(20)
  /// Between two videos of a pair.
  public var sendEvery = TimeSpan.seconds(4)
  /// How long a recipient waits before looking.
  public var lookAfter = TimeSpan.milliseconds(700)
  /// How long news may take after the last video, until whoever still waits opens the app again;
  /// nil for ``LiveMessagePromise/drain``.
  public var drain: TimeSpan?
  /// Pushes that are dropped.
  public var pushLoss = 0.0
  public var seed: UInt64 = 1
  /// 0 for any port that is free.
  public var port = 0

  public init() {}
}

/// What clients of a real service have seen; times in seconds.
public struct LiveMessageOutcome: Sendable, Equatable {
  public var videos = 0
  /// From sending to the recipient's having it.
  public var deliveries: [Double] = []
  /// From the recipient's having it, and from its view, until the sender sees so.
  public var downloadLags: [Double] = []
  public var viewLags: [Double] = []
  /// Videos that never arrived because a later one of the pair took their place: they are not owed.
  public var replaced = 0
  /// News that came only when the app was opened again after the drain; their times count nowhere.
  public var deliveredAtOpening = 0
  public var viewsSeenAtOpening = 0
  /// What must not happen.
  public var falseViews = 0
  public var offeredTwice = 0
  public var failures = 0
  /// News that had not come at the end of the drain although a push or a timer had promised them.
  public var unexplained = 0
  /// Videos that never arrived, and views that were never shown.
  public var undelivered = 0
  public var unseenViews = 0
  /// From the last video until nothing was owed any more, or the run gave up.
  public var drained = 0.0
  public var counts = LiveMessageCounts()

  public init() {}
}

/// Runs the machines of the message protocol over real HTTP: a stand-in service, and clients with
/// connections and timers of their own.
public enum LiveMessages {
  public static func run(
    _ configuration: MessagingConfiguration, _ options: LiveMessageOptions
  ) async throws -> LiveMessageOutcome {
    let clock = LiveMessageClock()
    let service = MessageService(
      configuration.server, clock: clock, pushLoss: options.pushLoss, seed: options.seed)
    await service.start()
    let host = try await WebListener.start(
      MessageResponder(service: service), host: "127.0.0.1", port: options.port)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let ledger = LiveMessageLedger()
    let clients = (0..<UInt32(2 * options.pairs)).map { number in
      LiveMessageClient(
        number, configuration, lookAfter: options.lookAfter, service: ("127.0.0.1", host.port),
        loop: group.next(), clock: clock, ledger: ledger, seed: options.seed)
    }
    for client in clients { await client.open() }
    await send(clients, options, clock)
    let sent = clock.now
    await drain(clients, configuration, options, ledger, service, clock)
    let drained = clock.now - sent
    for client in clients { await client.close() }
    await service.stop()
    await host.stop()
    try await group.shutdownGracefully()
    var outcome = await ledger.result()
    outcome.drained = drained.seconds
    outcome.counts = await service.counts
    return outcome
  }

  /// How long a run takes at the most.
  public static func longest(
    _ configuration: MessagingConfiguration, _ options: LiveMessageOptions
  ) -> TimeSpan {
    let promise = LiveMessagePromise(configuration, lookAfter: options.lookAfter)
    return .seconds(1) + options.duration + (options.drain ?? promise.drain) * 4
  }

  /// Every pair sends in its own part of the gap, so that videos come evenly.
  private static func send(
    _ clients: [LiveMessageClient], _ options: LiveMessageOptions, _ clock: LiveMessageClock
  ) async {
    let start = clock.now + .milliseconds(300)
    var number: UInt64 = 0
    let gap = options.sendEvery / Int64(max(1, options.pairs))
    var at = start
    while at - start < options.duration {
      try? await clock.sleep(until: at)
      let pair = Int(number % UInt64(options.pairs))
      await clients[2 * pair].compose(
        VideoID(high: options.seed, low: number), to: UInt32(2 * pair + 1))
      number += 1
      at += gap
    }
  }

  /// Waits until nothing is owed. After each drain whoever still waits opens the app again, as a
  /// user does at last: up to three times, because a view may follow a delivery and be lost too.
  private static func drain(
    _ clients: [LiveMessageClient], _ configuration: MessagingConfiguration,
    _ options: LiveMessageOptions, _ ledger: LiveMessageLedger, _ service: MessageService,
    _ clock: LiveMessageClock
  ) async {
    let promise = LiveMessagePromise(configuration, lookAfter: options.lookAfter)
    for round in 0..<4 {
      let end = clock.now + (options.drain ?? promise.drain)
      while await ledger.owed > 0, clock.now < end {
        try? await clock.sleep(until: min(end, clock.now + .milliseconds(20)))
      }
      let waiting = await ledger.waiting
      if waiting.isEmpty || round == 3 { return }
      let (lostAt, coalescedAt) = (await service.lostAt, await service.coalescedAt)
      var openers: Set<UInt32> = []
      var unexplained = 0
      for track in waiting {
        let (client, since) = track.waits(lookAfter: options.lookAfter)
        openers.insert(client)
        let isKept = promise.isKept(
          at: clock.now, since: since, isDelivered: track.offeredAt != nil,
          lostAt: lostAt[client], coalescedAt: coalescedAt[client])
        if !isKept { unexplained += 1 }
      }
      await ledger.opened(openers, unexplained: unexplained, at: clock.now)
      for client in openers { await clients[Int(client)].reopen() }
    }
  }
}
