import Hummingbird
import HummingbirdCore
import Logging
import MediaUnits
import MessageDelivery
import Models
import NIOCore
import NIOPosix

/// How to run the message protocol against a real service on this machine.
public struct LiveMessageOptions: Sendable {
  /// Pairs of clients; the first of each sends.
  public var pairs = 20
  /// How long videos are sent; then one longest wait for a poll is left for the last.
  public var duration = TimeSpan.seconds(20)
  /// Between two videos of a pair.
  public var sendEvery = TimeSpan.seconds(4)
  /// How long a recipient waits before looking.
  public var lookAfter = TimeSpan.milliseconds(700)
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
  /// What must not happen.
  public var falseViews = 0
  public var offeredTwice = 0
  public var failures = 0
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
    let host = try await host(service, options)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let ledger = LiveMessageLedger()
    let clients = (0..<UInt32(2 * options.pairs)).map { number in
      LiveMessageClient(
        number, configuration, lookAfter: options.lookAfter, service: ("127.0.0.1", host.port),
        loop: group.next(), clock: clock, ledger: ledger, seed: options.seed)
    }
    for client in clients { await client.open() }
    await send(clients, options, clock)
    // The last news may come by a timer.
    let rest = options.lookAfter + configuration.poll.trackedInterval.scaled(by: 1.2) + .seconds(1)
    try? await Task.sleep(for: .nanoseconds(min(rest, .minutes(2)).nanoseconds))
    for client in clients { await client.close() }
    await service.stop()
    await host.stop()
    try await group.shutdownGracefully()
    var outcome = await ledger.outcome
    outcome.counts = await service.counts
    return outcome
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

  // MARK: The server

  private struct Host {
    let port: Int
    let listener: any Channel
    let task: Task<Void, any Error>

    func stop() async {
      try? await listener.close()
      task.cancel()
      _ = try? await task.value
    }
  }

  private static func host(
    _ service: MessageService, _ options: LiveMessageOptions
  ) async throws -> Host {
    var logger = Logger(label: "messages")
    logger.logLevel = .critical
    let (running, continuation) = AsyncThrowingStream<any Channel, any Error>.makeStream()
    let application = Application(
      responder: MessageResponder(service: service), server: .http1(),
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: options.port), serverName: nil, backlog: 1024),
      onServerRunning: { channel in continuation.yield(channel) }, logger: logger)
    let task = Task {
      do {
        try await application.run()
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
        throw error
      }
    }
    for try await listener in running {
      return Host(
        port: listener.localAddress?.port ?? options.port, listener: listener, task: task)
    }
    throw CancellationError()
  }
}
