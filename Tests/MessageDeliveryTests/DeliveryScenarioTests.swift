import MediaUnits
import PolicyTesting
import Testing

@testable import MessageDelivery

private func done(
  _ version: UInt64, _ status: DeliveryStatus = .uploaded
) -> RequestOutcome {
  .done(version: version, status: status)
}

private func listing(_ number: UInt64) -> InfoPacket {
  InfoPacket(
    version: 1, hasAllUploads: true,
    downloads: [.init(video: video(number), sender: client(9))])
}

struct `What senders conclude` {
  private func stored(_ missing: MissingRule, registered: Bool) -> SenderMachine {
    var sender = SenderMachine(.init(missing: missing))
    sender.tell(all: [
      .connected(true), .composed(video(1), to: client(2)),
      .answered(Errand(.store, video(1)), attempt: 1, done(0)),
    ])
    if registered {
      sender.tell(all: [.answered(Errand(.register, video(1)), attempt: 2, done(5))])
    }
    return sender
  }

  /// The race of the source: a packet from before the registration leaves the video out.
  @Test func `TBM-031, TBM-032, TBM-040: only the literal rule takes an old packet for a view`() {
    let old = SenderMachine.Event.packet(.init(version: 4, hasAllUploads: true))
    for registered in [false, true] {
      var literal = stored(.viewed, registered: registered)
      #expect(literal.tell(old).contains(.show(video(1), .viewed)))
      for rule in [MissingRule.nothing, .viewedIfNewer] {
        var sender = stored(rule, registered: registered)
        #expect(sender.tell(old).isEmpty)
        #expect(sender.status(of: video(1)) == (registered ? .uploaded : .pending))
      }
    }
  }

  @Test func `TBM-031: with versions a packet from after the registration means a view`() {
    var sender = stored(.viewedIfNewer, registered: true)
    let commands = sender.tell(.packet(.init(version: 5, hasAllUploads: true)))
    #expect(commands == [.show(video(1), .viewed), .save])
    #expect(sender.inTransit == 0)
    #expect(sender.assumedViewed == 1)
  }

  @Test
  func `TBM-021, TBM-029: packets by push and by poll go through the same reducer in any order`() {
    let packets = [
      InfoPacket(version: 6, uploads: [.init(video: video(1), status: .notified)]),
      InfoPacket(
        version: 8, hasAllUploads: true, uploads: [.init(video: video(1), status: .downloaded)]),
      InfoPacket(
        version: 7, hasAllUploads: true, uploads: [.init(video: video(1), status: .uploaded)]),
    ]
    for order in [
      [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 1, 1],
    ] {
      var sender = stored(.viewedIfNewer, registered: true)
      for index in order { sender.tell(all: [.packet(packets[index])]) }
      #expect(sender.status(of: video(1)) == .downloaded)
    }
  }

  @Test func `TBM-023: a client that never sent shows nothing`() {
    var sender = SenderMachine(.init(missing: .viewed))
    #expect(sender.tell(.packet(.init(version: 3, hasAllUploads: true))).isEmpty)
  }

  @Test
  func
    `TBM-024, TBM-034, TBM-055: a new video takes the place of the old one whatever comes later`()
  {
    var sender = stored(.nothing, registered: true)
    let commands = sender.tell(.composed(video(2), to: client(2)))
    #expect(commands.first == .forget(video(1)))
    let packet = InfoPacket(version: 9, uploads: [.init(video: video(1), status: .viewed)])
    #expect(sender.tell(.packet(packet)).isEmpty)
    #expect(sender.status(of: video(2)) == .pending)
    #expect(sender.unknownUploads == 1)
  }

  @Test
  func `TBM-006, TBM-048: nothing is sent offline and nothing is shown as sent before the answer`()
  {
    var sender = SenderMachine(.init())
    let composed = sender.tell(.composed(video(1), to: client(2)))
    #expect(composed == [.show(video(1), .pending), .save])
    let online = sender.tell(.connected(true))
    #expect(
      online.first
        == .send(Errand(.store, video(1)), to: client(2), order: 1, attempt: 1))
    let store = sender.tell(.answered(Errand(.store, video(1)), attempt: 1, done(0)))
    #expect(!store.contains(.show(video(1), .uploaded)))
    let register = Errand(.register, video(1))
    var attempt: UInt32 = 2
    for second in [1, 2, 4, 8] as [Int64] {
      let lost = sender.tell(.answered(register, attempt: attempt, .lost))
      attempt += 1
      #expect(
        lost == [
          .setTimer(
            register, attempt: attempt, at: seconds(second),
            jitter: .milliseconds(second * 500))
        ])
      sender.tell(all: [.timerFired(register, attempt: attempt)])
      attempt += 1
    }
    #expect(
      sender.tell(.answered(register, attempt: attempt, done(5))).first
        == .show(video(1), .uploaded))
  }

  /// Covers: TBM-035, TBM-051.
  @Test func `a restart goes on with what was saved`() {
    let sender = stored(.viewedIfNewer, registered: false)
    var again = sender.restarted
    let commands = again.tell(.connected(true))
    #expect(
      commands.first
        == .send(Errand(.register, video(1)), to: client(2), order: 1, attempt: 3))
  }

  /// Covers: TBM-026, TBM-027, TBM-028.
  @Test func `the sequences of an upload ask for different things in different order`() {
    let expected: [(UploadSequence, [RequestKind])] = [
      (.direct, [.store, .register]), (.announced, [.intent, .store, .register]),
      (.mediated, [.intent, .store]), (.proxied, [.submit]),
    ]
    for (sequence, kinds) in expected {
      var sender = SenderMachine(.init(sequence: sequence))
      sender.tell(all: [.connected(true)])
      var commands = sender.tell(.composed(video(1), to: client(2)))
      var asked: [RequestKind] = []
      while case .send(let errand, _, _, let attempt)? = commands.first(where: {
        if case .send = $0 { true } else { false }
      }) {
        asked.append(errand.kind)
        commands = sender.tell(.answered(errand, attempt: attempt, done(1, .pending)))
      }
      #expect(asked == kinds)
      #expect(sender.status(of: video(1)) == .uploaded)
    }
  }

  @Test func `TBM-058: with cleanup by the sender the next upload deletes the last one`() {
    var sender = SenderMachine(.init(deletesPrevious: true))
    sender.tell(all: [.connected(true)])
    for number in 1...2 as ClosedRange<UInt64> {
      sender.tell(all: [.composed(video(number), to: client(2))])
      sender.tell(all: [
        .answered(Errand(.store, video(number)), attempt: sender.outbox.lastAttempt, done(0))
      ])
      let commands = sender.tell(
        .answered(Errand(.register, video(number)), attempt: sender.outbox.lastAttempt, done(9)))
      let deletes = commands.contains {
        if case .send(let errand, _, _, _) = $0 {
          errand == Errand(.delete, video(1))
        } else {
          false
        }
      }
      #expect(deletes == (number == 2))
    }
  }
}

struct `What recipients tell` {
  private func downloaded() -> ReceiverMachine {
    var receiver = ReceiverMachine(.init())
    receiver.tell(all: [
      .connected(true), .packet(listing(1)),
      .answered(Errand(.download, video(1)), attempt: 1, done(0)),
      .answered(Errand(.report, video(1)), attempt: 2, done(2, .downloaded)),
    ])
    return receiver
  }

  @Test func `TBM-020: a video listed twice is downloaded once, without names twice`() {
    for knows in [true, false] {
      var receiver = ReceiverMachine(.init(knowsNames: knows))
      receiver.tell(all: [.connected(true), .packet(listing(1)), .packet(listing(1))])
      #expect(receiver.downloads == (knows ? 1 : 2))
    }
  }

  /// Covers: TBM-050, TBM-051, TBM-052.
  @Test
  func `a view that the server has not heard of is told again after a restart if it was kept`() {
    for keeps in [true, false] {
      var receiver = ReceiverMachine(.init(keepsReports: keeps))
      receiver.tell(all: [
        .connected(true), .packet(listing(1)),
        .answered(Errand(.download, video(1)), attempt: 1, done(0)), .viewed(video(1)),
      ])
      var again = receiver.restarted
      let commands = again.tell(.connected(true))
      let tells = commands.contains {
        if case .send(let errand, _, .viewed, _) = $0 { errand.kind == .report } else { false }
      }
      #expect(tells == keeps)
    }
  }

  @Test func `TBM-052: a full synchronisation tells again what was heard`() {
    var receiver = downloaded()
    receiver = ReceiverMachine(.init(reportsAllAtStart: true))
    receiver.tell(all: [
      .connected(true), .packet(listing(1)),
      .answered(Errand(.download, video(1)), attempt: 1, done(0)),
      .answered(Errand(.report, video(1)), attempt: 2, done(2, .downloaded)),
    ])
    var again = receiver.restarted
    #expect(again.tell(.connected(true)).count == 2)
  }

  @Test func `TBM-039: a server that lists a downloaded video is told again`() {
    var receiver = downloaded()
    let commands = receiver.tell(.packet(listing(1)))
    #expect(
      commands.first
        == .send(Errand(.report, video(1)), from: client(9), status: .downloaded, attempt: 3))
  }

  @Test func `TBM-059, TBM-061: a video that is gone is dropped once and not asked for again`() {
    var receiver = ReceiverMachine(.init())
    receiver.tell(all: [.connected(true), .packet(listing(1))])
    let gone = receiver.tell(.answered(Errand(.download, video(1)), attempt: 1, .gone))
    #expect(gone == [.gone(video(1)), .save])
    #expect(receiver.tell(.packet(listing(1))).isEmpty)
    #expect(receiver.pendingRequests == 0)
  }
}

struct `What the server keeps` {
  private func ask(
    _ server: inout MessageServer, _ kind: RequestKind, _ who: UInt32, _ name: UInt64,
    peer: UInt32, _ status: DeliveryStatus = .pending
  ) -> [MessageServer.Command] {
    server.tell(
      .request(
        ServerRequest(
          kind, client: client(who), video: video(name), peer: client(peer), order: name,
          status: status), token: 1))
  }

  private func pushes(_ commands: [MessageServer.Command]) -> [ClientID] {
    commands.compactMap { if case .push(let client, _) = $0 { client } else { nil } }
  }

  @Test func `TBM-037, TBM-038: one push for each registration and one for each change`() {
    var server = MessageServer(.init())
    #expect(pushes(ask(&server, .register, 1, 1, peer: 2)) == [client(2)])
    #expect(pushes(ask(&server, .register, 1, 1, peer: 2)).isEmpty)
    #expect(pushes(ask(&server, .report, 2, 1, peer: 1, .downloaded)) == [client(1)])
    #expect(pushes(ask(&server, .report, 2, 1, peer: 1, .downloaded)).isEmpty)
    #expect(pushes(ask(&server, .report, 2, 1, peer: 1, .viewed)) == [client(1)])
  }

  @Test func `TBM-055: with one status for each pair a view of the old video marks the new one`() {
    for identity in [StatusIdentity.video, .pair] {
      var server = MessageServer(.init(identity: identity))
      _ = ask(&server, .register, 1, 1, peer: 2)
      _ = ask(&server, .register, 1, 2, peer: 2)
      _ = ask(&server, .report, 2, 1, peer: 1, .viewed)
      #expect((server.status(of: video(2)) == .viewed) == (identity == .pair))
    }
  }

  @Test func `TBM-033, TBM-058, TBM-062: each rule of cleanup forgets at its own moment`() {
    let rules: [(CleanupRule, [Bool])] = [
      (.onView, [true, false, false]), (.onAcknowledgement, [true, true, false]),
      (.onReplacement, [true, true, true]), (.after(.seconds(50)), [true, true, true]),
    ]
    for (rule, tracked) in rules {
      var server = MessageServer(.init(cleanup: rule))
      var seen: [Bool] = []
      _ = ask(&server, .register, 1, 1, peer: 2)
      seen.append(server.status(of: video(1)) != nil)
      _ = ask(&server, .report, 2, 1, peer: 1, .viewed)
      seen.append(server.status(of: video(1)) != nil)
      _ = ask(&server, .acknowledge, 1, 1, peer: 2)
      seen.append(server.status(of: video(1)) != nil)
      #expect(seen == tracked)
      let commands = server.tell(.timerFired, at: seconds(60))
      if case .after = rule { #expect(commands.first == .deleteVideo(video(1))) }
    }
  }

  @Test func `TBM-049: a sweep registers what nobody has, not too early and only once`() {
    var server = MessageServer(.init(strayAge: .minutes(10)))
    let stored = StoredVideo(
      video: video(1), sender: client(1), recipient: client(2), order: 1, since: .zero)
    #expect(server.tell(.swept([stored]), at: seconds(599)).isEmpty)
    #expect(pushes(server.tell(.swept([stored]), at: seconds(600))) == [client(2)])
    #expect(server.tell(.swept([stored]), at: seconds(601)).isEmpty)
    #expect(server.strays == 1)
  }

  /// Covers: TBM-014, TBM-015, TBM-019.
  @Test func `payloads carry what they are to carry and never more than a push can`() {
    for payload in PushPayload.allCases {
      var server = MessageServer(
        .init(payload: payload, addresses: .presignedWithToken, replaces: false))
      var last: InfoPacket?
      for number in 1...8 as ClosedRange<UInt64> {
        for case .push(_, let packet) in ask(&server, .register, 1, number, peer: 2) {
          last = packet
          #expect(packet.bytes(.presignedWithToken) <= InfoPacket.pushLimit)
        }
      }
      #expect(last?.isEmpty == (payload != .trigger))
      #expect((server.oversized > 0) == (payload == .full || payload == .pending))
    }
    var server = MessageServer(.init(downloadsPerPacket: 1, replaces: false))
    for number in 1...3 as ClosedRange<UInt64> { _ = ask(&server, .register, 1, number, peer: 2) }
    #expect(server.packet(for: client(2)).downloads.count == 1)
    #expect(server.packet(for: client(2)).remaining == 2)
  }

  /// Covers: TBM-018, TBM-025, TBM-057.
  @Test func `a poll needs the client's name only and says nothing of others`() {
    var server = MessageServer(.init())
    _ = ask(&server, .register, 1, 1, peer: 2)
    _ = ask(&server, .register, 3, 2, peer: 4)
    let packet = server.packet(for: client(1))
    #expect(packet.uploads.map(\.video) == [video(1)])
    #expect(packet.downloads.isEmpty)
  }
}
