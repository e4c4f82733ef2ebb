import Foundation
import HTTPTypes
import Hummingbird
import MediaUnits
import MessageDelivery
import Models
import NIOCore
import SimulationKernel

/// The service, its object store and its push service behind HTTP: the machine that ships.
///
/// Requests are those of ``MessagePath``; `GET /v1/push?client=N` waits for the next push to a
/// client, of which the latest one is kept while nobody waits. A share of the pushes is dropped on
/// purpose, by their number.
actor MessageService {
  private var server: MessageServer
  private let clock: LiveMessageClock
  private let pushLoss: Double
  private let draws: RandomStreams
  private var stored: [StoredVideo] = []
  private var held: [UInt32: InfoPacket] = [:]
  private var waiting: [UInt32: CheckedContinuation<InfoPacket?, Never>] = [:]
  private(set) var counts = LiveMessageCounts()
  /// When the last push to a client was dropped on purpose, and when one took another's place.
  private(set) var lostAt: [UInt32: Instant] = [:]
  private(set) var coalescedAt: [UInt32: Instant] = [:]
  private var isOver = false

  init(
    _ configuration: MessageServer.Configuration, clock: LiveMessageClock, pushLoss: Double,
    seed: UInt64
  ) {
    server = MessageServer(configuration)
    self.clock = clock
    self.pushLoss = pushLoss
    draws = RandomStreams(seed: seed, replication: 0)
  }

  /// Starts the service's timers.
  func start() { _ = tell(.started) }

  /// Ends whoever waits.
  func stop() {
    isOver = true
    for (_, wait) in waiting { wait.resume(returning: nil) }
    waiting = [:]
  }

  /// What the machine or the store answers.
  enum Answer: Sendable {
    case outcome(RequestOutcome)
    case packet(InfoPacket)
  }

  func answer(_ request: ServerRequest) -> Answer {
    counts.requests += 1
    switch request.kind {
    case .store:
      if !stored.contains(where: { $0.video == request.video }) { put(request) }
      return .outcome(.done(version: 0, status: .pending))
    case .download:
      let isThere = stored.contains { $0.video == request.video }
      return .outcome(isThere ? .done(version: 0, status: .pending) : .gone)
    case .poll: counts.polls += 1
    case .submit where !stored.contains(where: { $0.video == request.video }): put(request)
    default: break
    }
    return tell(.request(request, token: 0)) ?? .outcome(.lost)
  }

  private func put(_ request: ServerRequest) {
    stored.append(
      StoredVideo(
        video: request.video, sender: request.client, recipient: request.peer,
        order: request.order, since: clock.now))
  }

  private func tell(_ event: MessageServer.Event) -> Answer? {
    var commands: [MessageServer.Command] = []
    server.handle(event, at: clock.now, into: &commands)
    var answer: Answer?
    for command in commands {
      switch command {
      case .answer(_, let outcome): answer = .outcome(outcome)
      case .packet(_, let packet): answer = .packet(packet)
      case .push(let client, let packet): push(client.index, packet)
      case .deleteVideo(let video): stored.removeAll { $0.video == video }
      case .sweep:
        let found = stored.filter { server.status(of: $0.video) ?? .pending == .pending }
        if !found.isEmpty { _ = tell(.swept(found)) }
      case .setTimer(let at):
        Task { [clock] in
          try? await clock.sleep(until: at)
          self.fire()
        }
      }
    }
    return answer
  }

  private func fire() { if !isOver { _ = tell(.timerFired) } }

  // MARK: Pushes

  private func push(_ client: UInt32, _ packet: InfoPacket) {
    counts.pushes += 1
    let number = UInt32(truncatingIfNeeded: counts.pushes)
    if draws.uniform(.livePush, entity: UInt64(client), draw: number) < pushLoss {
      counts.lostPushes += 1
      lostAt[client] = clock.now
      return
    }
    if let wait = waiting.removeValue(forKey: client) {
      wait.resume(returning: packet)
    } else {
      if held.updateValue(packet, forKey: client) != nil { coalescedAt[client] = clock.now }
    }
  }

  /// The next push to a client; nil when there is none any more.
  func nextPush(to client: UInt32) async -> InfoPacket? {
    if isOver { return nil }
    if let packet = held.removeValue(forKey: client) { return packet }
    waiting.removeValue(forKey: client)?.resume(returning: nil)
    return await withCheckedContinuation { waiting[client] = $0 }
  }
}

/// Answers requests for ``MessageService``.
struct MessageResponder: HTTPResponder {
  typealias Context = StandinContext

  let service: MessageService

  func respond(to request: Request, context: StandinContext) async throws -> Response {
    let query = request.uri.queryParameters
    func value(_ name: String) -> String? { query[Substring(name)].map(String.init) }
    if request.uri.path == "/v1/push" {
      guard let client = value("client").flatMap({ UInt32($0) }) else { return empty(.badRequest) }
      guard let packet = await service.nextPush(to: client) else { return empty(.noContent) }
      return try json(PacketForm(packet))
    }
    guard let asked = MessagePath.request(request.uri.path, value) else {
      return empty(.notFound)
    }
    // The bytes of a video are read and not kept.
    if asked.kind == .store || asked.kind == .submit { for try await _ in request.body {} }
    switch await service.answer(asked) {
    case .packet(let packet): return try json(PacketForm(packet))
    case .outcome(.done(let version, let status)):
      return try json(AnswerForm(version: version, status: status.rawValue))
    case .outcome(.gone): return empty(.gone)
    case .outcome(.refused): return empty(.badRequest)
    case .outcome(.busy), .outcome(.lost): return empty(.serviceUnavailable)
    }
  }

  private func empty(_ status: HTTPResponse.Status) -> Response { Response(status: status) }

  private func json(_ form: some Encodable) throws -> Response {
    let bytes = ByteBuffer(bytes: try JSONEncoder().encode(form))
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: bytes))
  }
}
