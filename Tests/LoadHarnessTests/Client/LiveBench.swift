import Foundation
import MediaUnits
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

@testable import LoadHarness

/// A client with a server beside it, and every event that the client has told of.
final class LiveBench: Sendable {
  private struct State {
    var events: [UInt64: [LiveEvent]] = [:]
    var ended: [UInt64: Int] = [:]
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var token: UInt64 = 0
  }

  let server: ScriptedServer
  let client: LiveClient
  let clock: LiveClock
  private let state: NIOLockedValueBox<State>
  private let keepsEvents: Bool

  static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

  init(
    _ kind: ScriptedServer.Kind = .http1, scheme: String = "http", keepsEvents: Bool = true,
    configure: (inout LiveClientConfiguration) -> Void = { _ in }
  ) async throws {
    server = try await ScriptedServer(kind, group: LiveBench.group)
    let clock = LiveClock()
    self.clock = clock
    let target = try LiveTarget(url: "\(scheme)://127.0.0.1:\(server.port)")
    var configuration = LiveClientConfiguration(targets: [target], clock: clock)
    configure(&configuration)
    let state = NIOLockedValueBox(State())
    self.state = state
    self.keepsEvents = keepsEvents
    client = try LiveClient(configuration: configuration, group: LiveBench.group) { event in
      let waiting = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
        if keepsEvents { state.events[event.token, default: []].append(event) }
        switch event.kind {
        case .ended, .failed:
          state.ended[event.token, default: 0] += 1
          return state.waiting.removeValue(forKey: event.token)
        default: return nil
        }
      }
      waiting?.resume()
    }
  }

  func stop() async throws {
    try await client.shutDown()
    try await server.stop()
  }

  /// Sends without waiting.
  @discardableResult
  func send(
    _ path: String, player: UInt32 = 1, connection: UInt16 = 0,
    change: (inout LiveRequest) -> Void = { _ in }
  ) -> UInt64 {
    let token = state.withLockedValue { state -> UInt64 in
      state.token += 1
      return state.token
    }
    var request = LiveRequest(token: token, player: player, path: path, intendedAt: clock.now)
    request.connection = connection
    request.keepsBody = true
    request.bound = 1 << 20
    request.timeouts = .init(
      connect: .seconds(60), firstByte: .seconds(60), whole: .seconds(90))
    change(&request)
    client.send(request)
    return token
  }

  /// The events of a request, once it has ended.
  func events(_ token: UInt64) async -> [LiveEvent] {
    await withCheckedContinuation { continuation in
      let isOver = state.withLockedValue { state -> Bool in
        if state.ended[token] != nil { return true }
        state.waiting[token] = continuation
        return false
      }
      if isOver { continuation.resume() }
    }
    return state.withLockedValue { $0.events[token] ?? [] }
  }

  /// How often a request has ended.
  func ends(_ token: UInt64) -> Int { state.withLockedValue { $0.ended[token] ?? 0 } }

  func get(
    _ path: String, player: UInt32 = 1, change: (inout LiveRequest) -> Void = { _ in }
  ) async -> Answer {
    Answer(await events(send(path, player: player, change: change)))
  }

  /// The events of one request, by what they say.
  struct Answer {
    var events: [LiveEvent]
    var connections: [Bool] = []
    var versions: [LiveEvent.Version] = []
    var tls = TimeSpan.zero
    var headers: LiveHeaders?
    var marks: [Int] = []
    var bytes: Int?
    var body: String?
    var failure: LiveFailure?

    init(_ events: [LiveEvent]) {
      self.events = events
      for event in events {
        switch event.kind {
        case .connected(let isReused, _, let tls, let version):
          connections.append(isReused)
          versions.append(version)
          self.tls = tls
        case .headed(let headers): self.headers = headers
        case .mark(let bytes): marks.append(bytes)
        case .ended(let bytes, let body):
          self.bytes = bytes
          self.body = body.map { String(decoding: $0, as: UTF8.self) }
        case .failed(let failure): self.failure = failure
        }
      }
    }
  }
}

/// A key and a certificate of our own for 127.0.0.1, made by openssl for one run of the tests.
enum TestCertificate {
  static let isPossible = FileManager.default.isExecutableFile(atPath: openssl)
  private static let openssl = "/usr/bin/openssl"

  /// The server's context, and the file of the certificate for clients that trust it.
  static let shared: Result<(NIOSSLContext, String), any Error> = Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("firstframe-tls-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder.appendingPathComponent("key.pem")) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: openssl)
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
      "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
      folder.path + "/key.pem", "-out", folder.path + "/cert.pem",
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let certificate = folder.path + "/cert.pem"
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: folder.path + "/key.pem", format: .pem)))
    tls.applicationProtocols = ["h2", "http/1.1"]
    return (try NIOSSLContext(configuration: tls), certificate)
  }
}
