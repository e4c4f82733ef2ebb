import Foundation
import MediaUnits
import Testing

@testable import MessageDelivery

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

private func text(_ command: SenderMachine.Command) -> String {
  switch command {
  case .send(let errand, _, _, let attempt): return "send \(text(errand)) #\(attempt)"
  case .setTimer(let errand, let attempt, let at, _):
    return "timer \(text(errand)) #\(attempt) \(text(at))"
  case .show(let video, let status): return "show \(video.low) \(status)"
  case .showFailure(let video): return "failure \(video.low)"
  case .forget(let video): return "forget \(video.low)"
  case .save: return "save"
  }
}

private func text(_ machine: SenderMachine) -> String {
  machine.uploads.map { upload in
    switch upload.stage {
    case .sending(let kind): return "\(upload.video.low):\(kind)"
    case .tracked: return "\(upload.video.low):\(upload.status)"
    }
  }.joined(separator: "+") + "|\(machine.outbox.count)"
}

private func text(_ command: ReceiverMachine.Command) -> String {
  switch command {
  case .send(let errand, _, let status, let attempt):
    return "send \(text(errand))" + (errand.kind == .report ? " \(status)" : "") + " #\(attempt)"
  case .setTimer(let errand, let attempt, let at, _):
    return "timer \(text(errand)) #\(attempt) \(text(at))"
  case .offer(let video, _): return "offer \(video.low)"
  case .gone(let video): return "gone \(video.low)"
  case .save: return "save"
  }
}

private func text(_ machine: ReceiverMachine) -> String {
  machine.items.map { "\($0.video.low):\($0.stage)" }.joined(separator: "+")
    + "|\(machine.outbox.count)"
}

private func text(_ command: PollMachine.Command) -> String {
  switch command {
  case .poll(let number): return "poll \(number)"
  case .setTimer(let number, let at, _): return "timer \(number) \(text(at))"
  }
}

private func text(_ machine: PollMachine) -> String {
  switch machine.state {
  case .offline(let wants): return wants ? "offline+" : "offline"
  case .idle: return "idle"
  case .polling(let number, let again, _): return "polling\(number)" + (again ? "+" : "")
  case .waiting(let failures): return "waiting\(failures)"
  }
}

private func text(_ command: MessageServer.Command) -> String {
  switch command {
  case .answer(_, .done(_, let status)): return "200 \(status)"
  case .answer(_, let outcome): return "\(outcome)"
  case .packet(_, let packet): return "packet \(text(packet))"
  case .push(let client, let packet): return "push c\(client.index) \(text(packet))"
  case .deleteVideo(let video): return "delete \(video.low)"
  case .sweep: return "sweep"
  case .setTimer(let at): return "timer \(text(at))"
  }
}

private func text(_ packet: InfoPacket) -> String {
  let uploads = packet.uploads.map { "\($0.video.low)=\($0.status)" }
  let downloads = packet.downloads.map { "get \($0.video.low)" }
  return "[" + (uploads + downloads).joined(separator: " ") + "]"
}

private func text(_ machine: MessageServer) -> String {
  machine.byName.map { place in
    let entry = machine.slab[Int(place)]
    return "\(entry.video.low):\(entry.status)"
  }.joined(separator: "+")
}

private func ok(_ version: UInt64 = 5, _ status: DeliveryStatus = .uploaded) -> RequestOutcome {
  .done(version: version, status: status)
}

struct `Transition tables` {
  @Test func `TBM-001, TBM-026, TBM-035: every event in every state of a sender`() {
    let sent: [SenderMachine.Event] = [.connected(true), .composed(video(1), to: client(2))]
    let stored = sent + [.answered(Errand(.store, video(1)), attempt: 1, ok(0, .pending))]
    let tracked = stored + [.answered(Errand(.register, video(1)), attempt: 2, ok())]
    let store = Errand(.store, video(1))
    let register = Errand(.register, video(1))
    let lines = table(
      .init(), SenderMachine.self,
      states: [
        ("offline", []), ("idle", [.connected(true)]), ("storing", sent),
        ("waiting", sent + [.answered(store, attempt: 1, .lost)]),
        ("held", sent + [.connected(false)]), ("registering", stored), ("tracked", tracked),
        (
          "viewed",
          tracked + [.packet(.init(version: 9, uploads: [.init(video: video(1), status: .viewed)]))]
        ),
      ],
      events: [
        ("compose", .composed(video(2), to: client(2))),
        ("same", .composed(video(1), to: client(2))),
        ("online", .connected(true)), ("offline", .connected(false)),
        ("stored", .answered(store, attempt: 1, ok(0, .pending))),
        ("stored-late", .answered(store, attempt: 9, ok(0, .pending))),
        ("busy", .answered(store, attempt: 1, .busy(after: .seconds(20)))),
        ("lost", .answered(store, attempt: 1, .lost)),
        ("gone", .answered(store, attempt: 1, .gone)),
        ("refused", .answered(store, attempt: 1, .refused)),
        ("registered", .answered(register, attempt: 2, ok())),
        ("unregistered", .answered(register, attempt: 2, .gone)),
        ("timer", .timerFired(store, attempt: 1)), ("timer2", .timerFired(store, attempt: 2)),
        ("timer3", .timerFired(register, attempt: 2)),
        (
          "downloaded",
          .packet(.init(version: 9, uploads: [.init(video: video(1), status: .downloaded)]))
        ),
        ("missing-old", .packet(.init(version: 4, hasAllUploads: true))),
        ("missing-new", .packet(.init(version: 5, hasAllUploads: true))),
        ("empty", .packet(.init(version: 5))),
      ], state: text, command: text)
    #expect(lines == recorded("sender", lines))
  }

  @Test func `TBM-020, TBM-039, TBM-050, TBM-059: every event in every state of a receiver`() {
    let listing = InfoPacket(
      version: 1, hasAllUploads: true, downloads: [.init(video: video(1), sender: client(2))])
    let download = Errand(.download, video(1))
    let report = Errand(.report, video(1))
    let loading: [ReceiverMachine.Event] = [.connected(true), .packet(listing)]
    let downloaded = loading + [.answered(download, attempt: 1, ok())]
    let viewed = downloaded + [.viewed(video(1))]
    let lines = table(
      .init(), ReceiverMachine.self,
      states: [
        ("offline", []), ("listed", [.packet(listing)]), ("loading", loading),
        ("retrying", loading + [.answered(download, attempt: 1, .lost)]),
        ("downloaded", downloaded),
        ("reported", downloaded + [.answered(report, attempt: 2, ok(2, .downloaded))]),
        ("viewed", viewed), ("finished", viewed + [.answered(report, attempt: 2, ok(3, .viewed))]),
      ],
      events: [
        ("online", .connected(true)), ("offline", .connected(false)), ("listed", .packet(listing)),
        ("empty", .packet(.init(version: 1))), ("view", .viewed(video(1))),
        ("got", .answered(download, attempt: 1, ok())),
        ("lost", .answered(download, attempt: 1, .lost)),
        ("gone", .answered(download, attempt: 1, .gone)),
        ("refused", .answered(download, attempt: 1, .refused)),
        ("heard-downloaded", .answered(report, attempt: 2, ok(2, .downloaded))),
        ("heard-viewed", .answered(report, attempt: 2, ok(3, .viewed))),
        ("unheard", .answered(report, attempt: 2, .busy(after: .zero))),
        ("untracked", .answered(report, attempt: 2, .gone)),
        ("timer1", .timerFired(download, attempt: 1)),
        ("timer2", .timerFired(report, attempt: 2)),
      ], state: text, command: text)
    #expect(lines == recorded("receiver", lines))
  }

  @Test func `TBM-011, TBM-013, TBM-043, TBM-044: every event in every state of a poller`() {
    let idle: [PollMachine.Event] = [.opened, .connected(true), .answered(poll: 1, remaining: 0)]
    let lines = table(
      .init(), PollMachine.self,
      states: [
        ("offline", []), ("wanted", [.opened]), ("polling", [.opened, .connected(true)]),
        ("again", [.opened, .connected(true), .pushed]), ("idle", idle),
        ("waiting", [.opened, .connected(true), .failed(poll: 1)]), ("left", idle + [.left]),
      ],
      events: [
        ("open", .opened), ("leave", .left), ("online", .connected(true)),
        ("offline", .connected(false)), ("push", .pushed),
        ("downloaded", .downloaded(isLast: true)), ("track", .tracks(true)),
        ("untrack", .tracks(false)), ("answer", .answered(poll: 1, remaining: 0)),
        ("rest", .answered(poll: 1, remaining: 2)),
        ("old-answer", .answered(poll: 0, remaining: 0)), ("fail", .failed(poll: 1)),
        ("timer1", .timerFired(1)), ("timer2", .timerFired(2)),
      ], state: text, command: text)
    #expect(lines == recorded("poller", lines))
  }

  @Test func `TBM-036, TBM-053, TBM-054, TBM-060: every request in every state of a server`() {
    func request(
      _ kind: RequestKind, _ who: UInt32, _ name: UInt64 = 1, peer: UInt32 = 2, order: UInt64 = 1,
      _ status: DeliveryStatus = .pending
    ) -> MessageServer.Event {
      .request(
        ServerRequest(
          kind, client: client(who), video: video(name), peer: client(peer), order: order,
          status: status), token: 1)
    }
    let stored = StoredVideo(
      video: video(1), sender: client(1), recipient: client(2), order: 1, since: .zero)
    let uploaded = [request(.register, 1)]
    let viewed = uploaded + [request(.report, 2, peer: 1, .viewed)]
    let lines = table(
      .init(strayAge: .zero), MessageServer.self,
      states: [
        ("empty", []), ("announced", [request(.intent, 1)]), ("uploaded", uploaded),
        ("downloaded", uploaded + [request(.report, 2, peer: 1, .downloaded)]),
        ("viewed", viewed), ("replaced", viewed + [request(.register, 1, 2, order: 2)]),
        ("deleted", viewed + [request(.delete, 1)]),
      ],
      events: [
        ("intent", request(.intent, 1)), ("register", request(.register, 1)),
        ("foreign-register", request(.register, 3)), ("next", request(.register, 1, 2, order: 2)),
        ("submit", request(.submit, 1)), ("got", request(.report, 2, peer: 1, .downloaded)),
        ("seen", request(.report, 2, peer: 1, .viewed)),
        ("foreign-seen", request(.report, 3, peer: 1, .viewed)),
        ("poll1", request(.poll, 1)), ("poll2", request(.poll, 2)), ("poll9", request(.poll, 9)),
        ("acknowledge", request(.acknowledge, 1)), ("delete1", request(.delete, 1)),
        ("delete2", request(.delete, 2)), ("store", request(.store, 1)),
        ("stored", .stored(stored)), ("swept", .swept([stored])), ("started", .started),
        ("timer", .timerFired), ("nobody", request(.register, .max)),
      ], state: text, command: text)
    #expect(lines == recorded("server", lines))
  }
}
