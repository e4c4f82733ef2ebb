import Foundation
import MediaUnits
import MessageDelivery
import Models
import NIOCore
import Scenario
import SimulationKernel

/// One client: the machines that ship, real requests and real timers.
actor LiveMessageClient {
  private let number: UInt32
  private let configuration: MessagingConfiguration
  private let service: (host: String, port: Int)
  private let loop: any EventLoop
  private let clock: LiveMessageClock
  private let ledger: LiveMessageLedger
  private let draws: RandomStreams
  /// How long the user waits before looking at what has come.
  private let lookAfter: TimeSpan
  private var sender: SenderMachine
  private var receiver: ReceiverMachine
  private var poll: PollMachine
  private var draw: UInt32 = 0
  private var isOver = false
  private var tasks: [Task<Void, Never>] = []

  init(
    _ number: UInt32, _ configuration: MessagingConfiguration, lookAfter: TimeSpan,
    service: (host: String, port: Int), loop: any EventLoop, clock: LiveMessageClock,
    ledger: LiveMessageLedger, seed: UInt64
  ) {
    self.number = number
    self.configuration = configuration
    self.lookAfter = lookAfter
    self.service = service
    self.loop = loop
    self.clock = clock
    self.ledger = ledger
    draws = RandomStreams(seed: seed, replication: 1)
    sender = SenderMachine(configuration.sender)
    receiver = ReceiverMachine(configuration.receiver)
    poll = PollMachine(configuration.poll)
  }

  /// Opens the app: connects, polls, and waits for pushes.
  func open() async {
    await tellPoll(.opened)
    await tellSender(.connected(true))
    await tellReceiver(.connected(true))
    await tellPoll(.connected(true))
    tasks.append(Task { await self.listen() })
  }

  /// The user leaves the app and opens it again.
  func reopen() async {
    await tellPoll(.left)
    await tellPoll(.opened)
  }

  func close() {
    isOver = true
    for task in tasks { task.cancel() }
    tasks = []
  }

  /// The user sends a video.
  func compose(_ video: VideoID, to peer: UInt32) async {
    await ledger.composed(video, from: number, to: peer, at: clock.now)
    await tellSender(.composed(video, to: ClientID(peer)))
  }

  private func random() -> Double {
    draw += 1
    return draws.uniform(.liveTimer, entity: UInt64(number), draw: draw)
  }

  private func later(
    _ at: Instant, _ jitter: TimeSpan, _ body: @escaping @Sendable () async -> Void
  ) {
    let due = at + jitter.scaled(by: random())
    tasks.append(
      Task { [clock] in
        do { try await clock.sleep(until: due) } catch { return }
        await body()
      })
    if tasks.count > 256 { tasks.removeFirst(64) }
  }

  // MARK: Machines

  private func tellSender(_ event: SenderMachine.Event) async {
    if isOver { return }
    var commands: [SenderMachine.Command] = []
    sender.handle(event, at: clock.now, into: &commands)
    for command in commands {
      switch command {
      case .send(let errand, let to, let order, let attempt):
        ask(errand, peer: to.index, order: order, status: .pending) { outcome in
          await self.tellSender(.answered(errand, attempt: attempt, outcome))
        }
      case .setTimer(let errand, let attempt, let at, let jitter):
        later(at, jitter) { await self.tellSender(.timerFired(errand, attempt: attempt)) }
      case .show(let video, let status): await ledger.shown(video, status, at: clock.now)
      case .showFailure(let video): await ledger.failed(video)
      case .forget(let video): await ledger.replaced(video)
      case .save: break
      }
    }
    await tellTracks()
  }

  private func tellReceiver(_ event: ReceiverMachine.Event) async {
    if isOver { return }
    var commands: [ReceiverMachine.Command] = []
    receiver.handle(event, at: clock.now, into: &commands)
    var isDone = false
    for command in commands {
      switch command {
      case .send(let errand, let from, let status, let attempt):
        ask(errand, peer: from.index, order: 0, status: status) { outcome in
          await self.tellReceiver(.answered(errand, attempt: attempt, outcome))
        }
      case .setTimer(let errand, let attempt, let at, let jitter):
        later(at, jitter) { await self.tellReceiver(.timerFired(errand, attempt: attempt)) }
      case .offer(let video, _):
        isDone = true
        await ledger.offered(video, at: clock.now)
        later(clock.now + lookAfter, .zero) { await self.look(at: video) }
      case .gone: isDone = true
      case .save: break
      }
    }
    await tellTracks()
    if isDone { await tellPoll(.downloaded(isLast: true)) }
  }

  private func look(at video: VideoID) async {
    await ledger.viewed(video, at: clock.now)
    await tellReceiver(.viewed(video))
  }

  private func tellTracks() async {
    await tellPoll(.tracks(sender.inTransit + receiver.inTransit > 0))
  }

  private func tellPoll(_ event: PollMachine.Event) async {
    if isOver { return }
    var commands: [PollMachine.Command] = []
    poll.handle(event, at: clock.now, into: &commands)
    for command in commands {
      switch command {
      case .poll(let number): tasks.append(Task { await self.makePoll(number) })
      case .setTimer(let number, let at, let jitter):
        later(at, jitter) { await self.tellPoll(.timerFired(number)) }
      }
    }
  }

  // MARK: Requests

  /// Makes a request and tells what came of it.
  private func ask(
    _ errand: Errand, peer: UInt32, order: UInt64, status: DeliveryStatus,
    _ answered: @escaping @Sendable (RequestOutcome) async -> Void
  ) {
    let request = ServerRequest(
      errand.kind, client: ClientID(number), video: errand.video,
      peer: ClientID(peer == .max ? number : peer), order: order, status: status)
    tasks.append(Task { await answered(await self.outcome(of: request)) })
  }

  private func outcome(of request: ServerRequest) async -> RequestOutcome {
    let bytes = request.kind == .store || request.kind == .submit ? 20_000 : 0
    guard let answer = await send(request, bytes: bytes) else { return .lost }
    switch answer.status {
    case 200:
      guard
        let form = try? JSONReader.decode(
          AnswerForm.self, from: Data(answer.body), within: .message),
        let status = DeliveryStatus(rawValue: form.status)
      else { return .lost }
      return .done(version: form.version, status: status)
    case 404, 410: return .gone
    case 429, 500...599: return .busy(after: .zero)
    default: return .refused
    }
  }

  private func send(_ request: ServerRequest, bytes: Int) async -> OneRequest.Answer? {
    try? await OneRequest.send(
      request.kind == .poll || request.kind == .download ? .GET : .POST,
      MessagePath.text(request), bytes: bytes, host: service.host, port: service.port, on: loop)
  }

  private func makePoll(_ number: UInt32) async {
    let request = ServerRequest(.poll, client: ClientID(self.number))
    guard let answer = await send(request, bytes: 0), answer.status == 200,
      let packet = packet(answer.body)
    else { return await tellPoll(.failed(poll: number)) }
    await take(packet)
    await tellPoll(.answered(poll: number, remaining: packet.remaining))
  }

  private func packet(_ body: [UInt8]) -> InfoPacket? {
    (try? JSONReader.decode(PacketForm.self, from: Data(body), within: .message))?.packet
  }

  private func take(_ packet: InfoPacket) async {
    await tellSender(.packet(packet))
    await tellReceiver(.packet(packet))
  }

  /// Waits for one push after the other.
  private func listen() async {
    while !isOver && !Task.isCancelled {
      let answer = try? await OneRequest.send(
        .GET, "/v1/push?client=\(number)", host: service.host, port: service.port, on: loop)
      if isOver { return }
      guard let answer, answer.status == 200, let packet = packet(answer.body) else {
        try? await Task.sleep(for: .milliseconds(200))
        continue
      }
      await take(packet)
      await tellPoll(.pushed)
    }
  }
}
