import Foundation
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization
import Testing

@testable import LoadHarness

/// Clients that connect as fast as they can while a server stops. SwiftNIO traps when a connection
/// was accepted and nobody takes it up, and a trap ends the process: each test is one of its own.
struct `A server that stops while clients connect` {
  @Test func `the stand-in over plain HTTP never traps`() async {
    await #expect(processExitsWith: .success) {
      try await ConnectionStorm.run(rounds: ConnectionStorm.rounds) {
        try await ConnectionStorm.standin(nil)
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test func `the stand-in over TLS never traps`() async {
    await #expect(processExitsWith: .success) {
      let certificate = try ServerCertificate.selfSigned()
      try await ConnectionStorm.run(rounds: ConnectionStorm.rounds / 3) {
        try await ConnectionStorm.standin(certificate)
      }
      certificate.remove()
      exit(EXIT_SUCCESS)
    }
  }

  @Test func `nor does a server that is given no time`() async {
    await #expect(processExitsWith: .success) {
      try await ConnectionStorm.run(rounds: ConnectionStorm.rounds) {
        let server = try await WebListener.start(
          ConnectionStorm.responder, host: "127.0.0.1", port: 0)
        return (server.port, { await server.stop(within: .zero) })
      }
      exit(EXIT_SUCCESS)
    }
  }

  /// Cancelling does not reach what serves a connection; the end of the connection does.
  @Test func `answers that wait do not keep a server from stopping`() async throws {
    var options = StandinOptions()
    options.faults = [StandinFault(.latency(.seconds(60)))]
    let server = try await StandinOrigin.start(
      try LiveFixture.scenario(), options: options, port: 0)
    let client = LiveRequests(port: server.port)
    let asking = Task { try? await client.get("/vod/t0/media_manifest.json") }
    while server.stats[.mediaManifest].requests == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let begin = ContinuousClock.now
    await server.stop()
    #expect(ContinuousClock.now - begin < .seconds(8))
    #expect(await asking.value == nil)
    await client.stop()
  }

  /// What the others are measured by: a server whose connections are dropped with it ends by the
  /// trap within the first rounds, given time for what is under way or none.
  @Test(arguments: [0, 2])
  func `a server that drops what it has accepted traps`(_ seconds: Int) async {
    await #expect(processExitsWith: .failure) { [seconds] in
      try await ConnectionStorm.run(rounds: 10 * ConnectionStorm.rounds) {
        try await ConnectionStorm.droppingServer(within: .seconds(seconds))
      }
      exit(EXIT_SUCCESS)
    }
  }
}

/// Threads that connect to a port again and again, say half a request, and leave.
private final class ConnectionStorm: Sendable {
  /// A server that runs, and how it stops.
  typealias Server = (port: Int, stop: @Sendable () async -> Void)

  static let rounds = 60
  static let responder = CallbackResponder { (_: Request, _: BasicRequestContext) in
    Response(status: .ok)
  }

  private let port: UInt16
  private let isOver = Atomic<Bool>(false)
  private let running = Atomic<Int>(0)

  private init(port: Int) { self.port = UInt16(port) }

  static func standin(_ certificate: ServerCertificate?) async throws -> Server {
    let server = try await StandinOrigin.start(
      try LiveFixture.scenario(), port: 0, certificate: certificate)
    return (server.port, { await server.stop() })
  }

  /// Hummingbird's own, stopped by closing its listener and cancelling what is left later on.
  static func droppingServer(within patience: Duration) async throws -> Server {
    var logger = Logger(label: "dropping")
    logger.logLevel = .critical
    let (running, continuation) = AsyncStream<any Channel>.makeStream()
    let application = Application(
      responder: responder,
      configuration: .init(address: .hostname("127.0.0.1", port: 0), backlog: 1024),
      onServerRunning: { continuation.yield($0) }, logger: logger)
    let task = Task { try await application.run() }
    for await listener in running {
      return (
        listener.localAddress?.port ?? 0,
        {
          try? await listener.close()
          let end = Task {
            try? await Task.sleep(for: patience)
            task.cancel()
          }
          _ = try? await task.value
          end.cancel()
        }
      )
    }
    throw CancellationError()
  }

  /// Starts and stops a server under a storm, again and again.
  static func run(rounds: Int, _ start: () async throws -> Server) async throws {
    for round in 0..<rounds {
      let server = try await start()
      let storm = ConnectionStorm(port: server.port)
      for _ in 0..<4 { storm.begin() }
      // At other moments in each round.
      try await Task.sleep(for: .microseconds(2_000 + 137 * (round % 20)))
      let before = ContinuousClock.now
      await server.stop()
      let took = ContinuousClock.now - before
      await storm.end()
      guard took < .seconds(10) else { fatalError("round \(round): stopped after \(took)") }
    }
  }

  private func begin() {
    running.wrappingAdd(1, ordering: .sequentiallyConsistent)
    Thread { [self] in
      while !isOver.load(ordering: .relaxed) { knock() }
      running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }.start()
  }

  private func end() async {
    isOver.store(true, ordering: .relaxed)
    while running.load(ordering: .sequentiallyConsistent) > 0 {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  private func knock() {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let isThere = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isThere { _ = send(descriptor, "GET / HTTP/1.1\r\n", 16, Int32(MSG_NOSIGNAL)) }
  }
}
