import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Scenario
import Synchronization

/// A connection to a browser's DevTools protocol, a WebSocket with JSON: calls and their answers by
/// number, events by session.
final class DevToolsLink: Sendable {
  /// Called on the connection's loop, one event after the other.
  typealias Listener = @Sendable (DevToolsEvent) -> Void

  private struct Call {
    let session: String?
    let promise: EventLoopPromise<Data>
  }

  private struct State {
    var last = 0
    var calls: [Int: Call] = [:]
    var listeners: [String: Listener] = [:]
    var isOpen = true
    var isClosedByUs = false
  }

  private let channel: any Channel
  private let state = Mutex(State())

  /// Bytes of a message, and pieces that it may come in (assumed: far more than any page sends).
  private static let largest = 256 << 20
  private static let mostPieces = 65_536

  private init(_ channel: any Channel) { self.channel = channel }

  /// Connects to a browser on the loopback address of the group's namespace.
  static func connect(
    port: Int, path: String, on group: any EventLoopGroup
  ) async throws(HarnessFailure) -> DevToolsLink {
    let link: DevToolsLink?
    do {
      let upgrade = try await ClientBootstrap(group: group)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .connectTimeout(.seconds(10))
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try handshake(on: channel, port: port, path: path)
          }
        }
      link = try await upgrade.get()
    } catch {
      throw HarnessFailure(
        .unreachable, "chromium: expected its DevTools protocol on port \(port), got \(error)")
    }
    guard let link else {
      throw HarnessFailure(
        .unreachable, "chromium: expected a WebSocket on port \(port), got another answer")
    }
    return link
  }

  private static func handshake(
    on channel: any Channel, port: Int, path: String
  ) throws -> EventLoopFuture<DevToolsLink?> {
    let upgrader = NIOTypedWebSocketClientUpgrader<DevToolsLink?>(maxFrameSize: largest) {
      channel, _ in
      channel.eventLoop.makeCompletedFuture {
        let link = DevToolsLink(channel)
        try channel.pipeline.syncOperations.addHandlers(
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: mostPieces,
            maxAccumulatedFrameSize: largest),
          WebSocketClientEnd(
            hear: { link.hear(Data($0.readableBytesView)) }, hearEnd: { link.hearEnd() }))
        return link
      }
    }
    // A name that is no address of the loopback's would be refused.
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: path, headers: ["Host": "127.0.0.1:\(port)"])
    let configuration = NIOTypedHTTPClientUpgradeConfiguration(
      upgradeRequestHead: head, upgraders: [upgrader]
    ) { channel in
      channel.close().map { nil }
    }
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
      configuration: .init(upgradeConfiguration: configuration))
  }

  // MARK: Calls

  /// Calls a method and waits for its result.
  ///
  /// - Parameters:
  ///   - session: that of a page; nil: the browser's own.
  ///   - patience: after it the call fails; its late answer is dropped.
  func call<Result: Decodable & Sendable>(
    _ method: String, _ parameters: [String: DevToolsValue] = [:], session: String? = nil,
    patience: Duration = .seconds(30), as form: Result.Type = DevToolsNothing.self
  ) async throws(HarnessFailure) -> Result {
    let promise = channel.eventLoop.makePromise(of: Data.self)
    let number = state.withLock { state -> Int? in
      guard state.isOpen else { return nil }
      state.last += 1
      state.calls[state.last] = Call(session: session, promise: promise)
      return state.last
    }
    guard let number else {
      promise.fail(Self.gone)
      throw Self.gone
    }
    defer { _ = state.withLock { $0.calls.removeValue(forKey: number) } }
    do {
      let text = try JSONEncoder().encode(
        DevToolsCall(id: number, method: method, params: parameters, sessionId: session))
      try await send(text)
    } catch {
      promise.fail(Self.gone)
    }
    let answer = try await wait(for: promise, patience, "an answer to \(method)")
    do {
      return try JSONReader.decode(
        DevToolsAnswer<Result>.self, from: answer, within: .message
      ).result
    } catch {
      throw HarnessFailure(
        .unreachable, "chromium: expected the result of \(method), got \(error)")
    }
  }

  private func send(_ text: Data) async throws {
    let channel = channel
    let buffer = channel.allocator.buffer(bytes: text)
    try await channel.writeAndFlush(WebSocketClientEnd.frame(.text, buffer))
  }

  /// What a promise of the connection's comes to within some time.
  func wait<Value: Sendable>(
    for promise: EventLoopPromise<Value>, _ patience: Duration, _ subject: String
  ) async throws(HarnessFailure) -> Value {
    let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(patience)) {
      promise.fail(
        HarnessFailure(.unreachable, "chromium: expected \(subject) within \(patience), got none"))
    }
    defer { alarm.cancel() }
    do {
      return try await promise.futureResult.get()
    } catch let error as HarnessFailure {
      throw error
    } catch {
      throw HarnessFailure(.unreachable, "chromium: expected \(subject), got \(error)")
    }
  }

  /// A promise for something that an event tells.
  func makePromise() -> EventLoopPromise<Void> { channel.eventLoop.makePromise() }

  /// Has the events of a session told to a listener.
  ///
  /// - Returns: whether there still is a connection.
  func listen(to session: String, _ listener: @escaping Listener) -> Bool {
    state.withLock { state in
      state.listeners[session] = listener
      return state.isOpen
    }
  }

  /// Fails what still waits for an answer of a session, whose events nobody is told any more.
  func drop(_ session: String, _ failure: HarnessFailure) {
    let calls = state.withLock { state in
      state.listeners[session] = nil
      return state.calls.values.filter { $0.session == session }
    }
    for call in calls { call.promise.fail(failure) }
  }

  /// Whether there still is a connection.
  var isConnected: Bool { state.withLock { $0.isOpen } }

  /// Ends the connection.
  func close() {
    let isOpen = state.withLock { state in
      defer { state.isClosedByUs = true }
      return state.isOpen && !state.isClosedByUs
    }
    if isOpen { channel.close(promise: nil) }
  }

  private static let gone = HarnessFailure(
    .unreachable, "chromium: expected a connection, got its end")

  // MARK: What the connection tells

  private func hear(_ text: Data) {
    guard let message = try? JSONReader.decode(DevToolsMessage.self, from: text, within: .message)
    else { return }
    if let number = message.call {
      let promise = state.withLock { $0.calls[number]?.promise }
      if let trouble = message.trouble {
        promise?.fail(HarnessFailure(.unreachable, "chromium: \(trouble.message)"))
      } else {
        promise?.succeed(text)
      }
      return
    }
    var session = message.session
    if case .detached(let ended) = message.event { session = ended }
    guard let session, let listener = state.withLock({ $0.listeners[session] }) else { return }
    listener(message.event)
  }

  private func hearEnd() {
    let last = state.withLock { state in
      defer { state.listeners = [:] }
      state.isOpen = false
      return state
    }
    for call in last.calls.values { call.promise.fail(Self.gone) }
    for listener in last.listeners.values { listener(.disconnected(byUs: last.isClosedByUs)) }
  }
}
