import Foundation
import MediaUnits
import PolicyTesting
import Testing

@testable import CallSignalling

/// The table of that name in the folder `Tables`; with FIRSTFRAME_RECORD=1 it is written first.
private func recorded(_ name: String, _ lines: [String]) -> [String] {
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Tables/\(name).txt")
  if ProcessInfo.processInfo.environment["FIRSTFRAME_RECORD"] == "1" {
    let data = Data((lines.joined(separator: "\n") + "\n").utf8)
    #expect(throws: Never.self) { try data.write(to: file) }
  }
  let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  return text.split(separator: "\n").map(String.init)
}

private func text(_ envelope: Envelope) -> String {
  switch envelope.payload {
  case .fault(let fault): return "fault \(fault)"
  case .reason(let reason): return "\(envelope.type) \(reason)"
  case .presence(let user, let isAvailable): return (isAvailable ? "+" : "-") + "u\(user.index)"
  case .none, .opaque, .registration: return "\(envelope.type)"
  }
}

private func text(_ command: CallServer.Command) -> String? {
  switch command {
  case .send(let connection, let envelope): return "\(connection.index)<\(text(envelope))"
  case .close(let connection): return "close \(connection.index)"
  case .setTimer(let timer, let at):
    let name = "\(timer)".prefix { $0 != "(" }
    return "\(name)@\(at.nanoseconds / 1_000_000_000)"
  case .askStore: return "ask"
  case .log: return nil
  }
}

private func text(_ standing: CallServer.Standing?) -> String {
  switch standing {
  case nil: return "-"
  case .unavailable: return "U"
  case .available: return "A"
  case .ringing: return "R"
  case .inCall: return "C"
  }
}

private func text(_ server: CallServer) -> String {
  (0..<4).map { text(server.standing(of: user($0))) }.joined()
    + server.calls.map { " \($0.phase)" }.joined()
}

private func text(_ command: CallClient.Command) -> String {
  switch command {
  case .open: return "open"
  case .close: return "close"
  case .send(let envelope): return "say \(text(envelope))"
  case .setTimer(let timer, _, let at, _): return "\(timer)@\(at.nanoseconds / 1_000_000_000)"
  case .startMedia(_, let offers): return offers ? "media offer" : "media answer"
  case .takeDescription: return "take"
  case .takeCandidate: return "candidate"
  case .stopMedia: return "stop"
  case .show(let screen): return "show \(screen)"
  case .showPresence(let user, let isAvailable): return (isAvailable ? "+" : "-") + "u\(user.index)"
  case .showEnd(let reason): return "end \(reason)"
  case .showBusy: return "busy"
  case .showFault(let fault): return "fault \(fault)"
  }
}

private func text(_ client: CallClient) -> String {
  "\(client.state)".prefix { $0 != "(" } + (client.link == .confirmed ? "" : " \(client.link)")
}

struct `Call tables` {
  private typealias Step = (UInt32, Envelope)

  private static let ringing: [Step] = [(0, Envelope(.callRequest, to: user(2)))]
  private static let accepted = ringing + [(2, Envelope(.callAccept, call: call(1)))]
  private static let offered =
    accepted + [(0, Envelope(.offer, call: call(1), payload: description))]
  private static let answered =
    offered + [(2, Envelope(.answer, call: call(1), payload: description))]
  private static let connected =
    answered + [
      (0, Envelope(.videoVisible, call: call(1))), (2, Envelope(.videoVisible, call: call(1))),
    ]

  /// Covers: ICC-003, ICC-011, ICC-015, ICC-019, ICC-022, ICC-032, ICC-033, ICC-034.
  @Test func `every message of every party in every phase of a call`() {
    let phases: [(String, [Step])] = [
      ("none", []), ("ringing", Self.ringing), ("accepted", Self.accepted),
      ("offered", Self.offered), ("answered", Self.answered), ("connected", Self.connected),
      ("over", Self.connected + [(0, Envelope(.hangup, call: call(1)))]),
    ]
    var lines: [String] = []
    for (phase, steps) in phases {
      for sender in [0, 2, 1, 3, 9] as [UInt32] {
        for type in MessageType.allCases {
          var server = CallServer.busy()
          server.tell(.opened(connection(9)))
          for (who, envelope) in steps { server.say(who, envelope) }
          let commands = server.say(sender, message(type, from: sender), fresh: 2, at: seconds(1))
          let said = commands.compactMap(text).joined(separator: ", ")
          lines.append(
            "\(phase) \(sender) \(type) -> \(text(server))" + (said == "" ? "" : ": \(said)"))
        }
      }
    }
    #expect(lines == recorded("server", lines))
  }

  private func message(_ type: MessageType, from sender: UInt32) -> Envelope {
    var payload = Payload.none
    switch type {
    case .offer, .answer, .ice, .statsUpdate: payload = description
    case .register: payload = .registration(sender < 2 ? .caller : .interpreter, token: 0)
    default: break
    }
    return Envelope(
      type, call: type.needsCall ? call(1) : nil, from: user(sender),
      to: type == .callRequest ? user(sender == 0 ? 2 : 3) : nil, payload: payload)
  }

  /// Covers: ICC-018, ICC-024, ICC-026, ICC-028, ICC-029, ICC-030.
  @Test func `every timer and every loss in every phase of a call`() {
    let phases: [(String, [Step])] = [
      ("ringing", Self.ringing), ("accepted", Self.accepted), ("offered", Self.offered),
      ("answered", Self.answered), ("connected", Self.connected),
    ]
    let events: [(String, CallServer.Event)] = [
      ("ring", .timerFired(.ring(call(1)))), ("offer", .timerFired(.offerAnswer(call(1)))),
      ("ice", .timerFired(.ice(call(1)))), ("connecting", .timerFired(.connecting(call(1)))),
      ("presence0", .timerFired(.presence(user(0), generation: 1))),
      ("presence2", .timerFired(.presence(user(2), generation: 3))),
      ("old", .timerFired(.presence(user(2), generation: 9))),
      ("absence", .timerFired(.absence(user(2), generation: 3))),
      ("closed0", .closed(connection(0))), ("closed2", .closed(connection(2))),
      ("closed1", .closed(connection(1))), ("opened2", .opened(connection(2))),
      ("store", .storeAnswered(1)), ("statistics", .timerFired(.statistics)),
    ]
    let rules: [(String, DepartureRule)] = [
      ("removed", .removed), ("unavailable", .unavailable), ("available", .available),
      ("grace", .grace(.seconds(8))),
    ]
    var lines: [String] = []
    for (name, rule) in rules {
      for (phase, steps) in phases {
        for (label, event) in events {
          var server = CallServer.busy(.init(departure: rule))
          for (who, envelope) in steps { server.say(who, envelope) }
          let said = server.tell(event, at: seconds(30)).compactMap(text).joined(separator: ", ")
          lines.append(
            "\(name) \(phase) \(label) -> \(text(server))" + (said == "" ? "" : ": \(said)"))
        }
      }
    }
    #expect(lines == recorded("departure", lines))
  }

  private func registered(_ role: Role, in whose: CallID? = nil) -> Envelope {
    Envelope(.registered, call: whose, payload: .registration(role, token: 7))
  }

  /// Everything that a client can be told.
  private var clientEvents: [(String, CallClient.Event)] {
    [
      ("register", .register(user(0), .caller)), ("unregister", .unregister),
      ("online", .goOnline), ("offline", .goOffline), ("call", .call(user(2))),
      ("accept", .accept), ("decline", .decline), ("hang-up", .hangUp), ("report", .report),
      ("dismiss", .dismiss), ("opened", .opened), ("closed", .closed),
      ("registered", .message(registered(.caller))),
      ("busy", .message(Envelope(.busy))),
      ("ringing", .message(Envelope(.ringing, call: call(1), from: user(2)))),
      ("request", .message(Envelope(.callRequest, call: call(2), from: user(1)))),
      ("accepted", .message(Envelope(.callAccept, call: call(1)))),
      ("offer", .message(Envelope(.offer, call: call(1), payload: description))),
      ("answer", .message(Envelope(.answer, call: call(1), payload: description))),
      ("ice", .message(Envelope(.ice, call: call(1), payload: description))),
      ("hangup", .message(Envelope(.hangup, call: call(1), payload: .reason(.noAnswer)))),
      ("old-hangup", .message(Envelope(.hangup, call: call(8)))),
      ("presence", .message(Envelope(.presence, payload: .presence(user(3), isAvailable: true)))),
      ("taken", .message(Envelope(.fault, payload: .fault(.nameTaken)))),
      ("forgotten", .message(Envelope(.fault, payload: .fault(.notRegistered)))),
      ("expired", .message(Envelope(.fault, call: call(1), payload: .fault(.expiredCall)))),
      ("described", .described(description)), ("candidate", .candidate(description)),
      ("media", .mediaConnected), ("failed", .mediaFailed), ("visible", .remoteVisible),
      ("suspend", .suspended), ("resume", .resumed), ("beat", .timerFired(.heartbeat, number: 1)),
      ("unanswered", .timerFired(.answer, number: 1)), ("unrung", .timerFired(.ring, number: 1)),
      ("slow", .timerFired(.connecting, number: 1)), ("retry", .timerFired(.reconnect, number: 1)),
      ("mine", .message(registered(.interpreter))),
      ("mine-in-call", .message(registered(.interpreter, in: call(1)))),
      ("yours-in-call", .message(registered(.caller, in: call(1)))),
      ("uncut", .timerFired(.signalling, number: 1)),
      ("seen", .message(Envelope(.videoVisible, call: call(1)))),
      ("other", .register(user(3), .interpreter)),
      ("refused", .message(Envelope(.fault, payload: .fault(.wrongPhase)))),
      ("odd-fault", .message(Envelope(.fault))), ("odd-presence", .message(Envelope(.presence))),
      ("odd-registered", .message(Envelope(.registered))),
    ]
      + MessageType.allCases.filter { !$0.isServerOnly && !$0.needsCall }.map {
        ("heard-\($0)", .message(Envelope($0)))
      }
  }

  private func clientLines(
    _ configuration: CallClient.Configuration, _ states: [(String, [CallClient.Event])]
  ) -> [String] {
    var lines: [String] = []
    for (name, setup) in states {
      for (label, event) in clientEvents {
        var client = CallClient(configuration)
        client.tell(all: setup)
        let said = client.tell(event, at: seconds(1)).map(text).joined(separator: ", ")
        lines.append("\(name) \(label) -> \(text(client))" + (said == "" ? "" : ": \(said)"))
      }
    }
    return lines
  }

  private var answering: [CallClient.Event] {
    [.register(user(2), .interpreter), .opened, .message(registered(.interpreter)), .goOnline]
  }

  private var offering: [CallClient.Event] {
    [
      .register(user(0), .caller), .opened, .message(registered(.caller)), .call(user(2)),
      .message(Envelope(.ringing, call: call(1), from: user(2))),
      .message(Envelope(.callAccept, call: call(1))),
    ]
  }

  /// Covers: ICC-046, ICC-047, ICC-021.
  @Test func `every event in every state of a client`() {
    let asking = Array(offering.prefix(3))
    let incoming = answering + [.message(Envelope(.callRequest, call: call(1), from: user(0)))]
    let requesting = Array(offering.prefix(4))
    let calling = Array(offering.prefix(5))
    let accepting = incoming + [.accept]
    let offered: CallClient.Event = .message(
      Envelope(.offer, call: call(1), payload: description))
    let answered: CallClient.Event = .message(
      Envelope(.answer, call: call(1), payload: description))
    let connected = offering + [.described(description), answered, .mediaConnected]
    let states: [(String, [CallClient.Event])] = [
      ("idle", []), ("opening", [.register(user(0), .caller)]),
      ("registering", [.register(user(0), .caller), .opened]), ("caller", asking),
      ("interpreter", answering), ("offline", answering + [.goOffline]),
      ("waiting", asking + [.closed]), ("waiting-offline", answering + [.closed, .goOffline]),
      ("again-offline", answering + [.closed, .goOffline, .opened]),
      ("suspended", answering + [.suspended]), ("requesting", requesting),
      ("cancelled", requesting + [.hangUp]), ("calling", calling), ("incoming", incoming),
      ("offering", offering), ("offer-out", offering + [.described(description)]),
      ("answering", accepting), ("offer-in", accepting + [offered]),
      ("answer-out", accepting + [offered, .described(description)]),
      ("connected", connected), ("in-call", connected + [.remoteVisible]),
      (
        "in-call-offline",
        accepting + [offered, .described(description), .remoteVisible, .goOffline]
      ),
      (
        "error",
        [
          .register(user(0), .caller), .opened,
          .message(Envelope(.fault, payload: .fault(.nameTaken))),
        ]
      ),
    ]
    let lines = clientLines(.init(), states)
    #expect(lines == recorded("client", lines))
  }

  /// Covers: ICC-027, ICC-046.
  @Test func `every event in every state of a client that keeps its call without a connection`() {
    let interpreter =
      answering + [
        .message(Envelope(.callRequest, call: call(1), from: user(0))), .accept,
        .message(Envelope(.offer, call: call(1), payload: description)), .described(description),
        .remoteVisible,
      ]
    let caller = offering + [.described(description), .remoteVisible]
    let states: [(String, [CallClient.Event])] = [
      ("offering", offering), ("offering-cut", offering + [.closed]),
      ("caller", caller), ("caller-cut", caller + [.closed]),
      ("caller-back", caller + [.closed, .opened]), ("interpreter", interpreter),
      ("interpreter-cut", interpreter + [.closed]),
      ("interpreter-back", interpreter + [.closed, .opened]),
      ("interpreter-back-offline", interpreter + [.closed, .goOffline, .opened]),
    ]
    let lines = clientLines(.init(signallingGrace: .seconds(10)), states)
    #expect(lines == recorded("grace", lines))
  }

  /// Covers: ICC-044, ICC-045.
  @Test func `every event in every state of the quality monitor`() {
    let bad = QualityMonitor.Event.sample(
      .init(loss: 0.2, roundTrip: .milliseconds(50), frameRate: 30))
    let fair = QualityMonitor.Event.sample(
      .init(loss: 0.06, roundTrip: .milliseconds(50), frameRate: 30))
    let good = QualityMonitor.Event.sample(
      .init(loss: 0, roundTrip: .milliseconds(50), frameRate: 30))
    let states: [(String, [(Double, QualityMonitor.Event)])] = [
      ("good", []), ("doubtful", [(0, bad)]), ("poor", [(0, bad), (3, bad)]),
      ("mending", [(0, bad), (3, bad), (4, good)]), ("cut", [(0, .interrupted)]),
      ("over", [(0, .interrupted), (4, .timerFired(1))]),
    ]
    let events: [(String, Double, QualityMonitor.Event)] = [
      ("bad", 5, bad), ("fair", 5, fair), ("good", 5, good), ("good-later", 9, good),
      ("nothing", 5, .interrupted), ("something", 5, .resumed), ("timer1", 5, .timerFired(1)),
      ("timer2", 5, .timerFired(2)), ("reset", 5, .reset),
      ("nan", 5, .sample(.init(loss: .nan, roundTrip: .zero, frameRate: 30))),
    ]
    var lines: [String] = []
    for (name, setup) in states {
      for (label, at, event) in events {
        var monitor = QualityMonitor()
        for (time, event) in setup { _ = monitor.tell(event, at: seconds(time)) }
        let said = monitor.tell(event, at: seconds(at)).map { "\($0)" }.joined(separator: ", ")
        let state = "\(monitor.state)".prefix { $0 != "(" }
        lines.append("\(name) \(label) -> \(state)" + (said == "" ? "" : ": \(said)"))
      }
    }
    #expect(lines == recorded("quality", lines))
  }
}
