import MediaUnits
import PolicyTesting
import Testing

@testable import MessageDelivery

private func anyStatus(_ random: inout SeededGenerator) -> DeliveryStatus {
  DeliveryStatus(rawValue: UInt8(random.below(6))) ?? .pending
}

private func anyOutcome(_ random: inout SeededGenerator, version: UInt64) -> RequestOutcome {
  switch random.below(8) {
  case 0...3: return .done(version: version, status: anyStatus(&random))
  case 4: return .busy(after: .seconds(Int64(random.below(5))))
  case 5: return .lost
  case 6: return .gone
  default: return .refused
  }
}

private func anyPacket(_ random: inout SeededGenerator, videos: Int) -> InfoPacket {
  var packet = InfoPacket(version: random.next() % 64, hasAllUploads: random.once(in: 2))
  for _ in 0..<random.below(4) {
    packet.uploads.append(
      .init(video: video(UInt64(random.below(videos))), status: anyStatus(&random)))
    packet.downloads.append(
      .init(video: video(UInt64(random.below(videos))), sender: client(UInt32(random.below(3)))))
  }
  return packet
}

struct `Status lattice` {
  @Test func `TBM-002, TBM-003, TBM-064: merging is commutative, associative and idempotent`() {
    for a in DeliveryStatus.allCases {
      #expect(a.joined(with: a) == a)
      for b in DeliveryStatus.allCases {
        #expect(a.joined(with: b) == b.joined(with: a))
        for c in DeliveryStatus.allCases {
          #expect(a.joined(with: b).joined(with: c) == a.joined(with: b.joined(with: c)))
        }
      }
    }
  }

  @Test func `TBM-004: projection to a smaller lattice keeps the order and its own states`() {
    for lattice in StatusLattice.allCases {
      for a in DeliveryStatus.allCases {
        let projected = lattice.projected(a)
        #expect(lattice.contains(projected) && projected <= a)
        #expect(lattice.contains(a) == (projected == a))
        for b in DeliveryStatus.allCases where a <= b {
          #expect(projected <= lattice.projected(b))
        }
      }
    }
  }

  @Test func `TBM-015, TBM-030: a packet of eight and eight is as long as measured`() {
    var packet = InfoPacket()
    for number in 0..<8 {
      packet.uploads.append(.init(video: video(UInt64(number)), status: .uploaded))
      packet.downloads.append(.init(video: video(UInt64(number)), sender: client(1)))
    }
    #expect(packet.bytes(.plain) == 1_700)
    #expect(packet.bytes(.presigned) == 3_804)
    #expect(packet.bytes(.presignedWithToken) == 11_204)
    #expect(packet.bytes(.names) <= InfoPacket.pushLimit)
    #expect(packet.bytes(.presignedWithToken) > InfoPacket.pushLimit)
  }
}

struct `Delivery machines under any order of events` {
  /// Covers: TBM-002, TBM-035, TBM-063.
  @Test(arguments: UploadSequence.allCases)
  func `a sender shows statuses that only rise and keeps its list and outbox in step`(
    _ sequence: UploadSequence
  ) {
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededGenerator(seed)
      let rule = MissingRule.allCases[random.below(3)]
      var machine = SenderMachine(
        .init(
          sequence: sequence, missing: rule, acknowledges: random.once(in: 2),
          deletesPrevious: random.once(in: 2), replaces: random.once(in: 2)))
      var shown = [DeliveryStatus?](repeating: nil, count: 48)
      var composed = 0
      for step in 0..<2_500 {
        let now = seconds(Int64(step))
        let errand = Errand(
          RequestKind.allCases[random.below(9)], video(UInt64(random.below(48))))
        let event: SenderMachine.Event
        switch random.below(10) {
        case 0 where composed < 48:
          event = .composed(video(UInt64(composed)), to: client(UInt32(random.below(3))))
          composed += 1
        case 1: event = .connected(random.once(in: 2))
        case 2: event = .packet(anyPacket(&random, videos: 48))
        case 3: event = .timerFired(errand, attempt: UInt32(random.below(60)))
        case 4...6 where !machine.outbox.entries.isEmpty:
          let entry = machine.outbox.entries[random.below(machine.outbox.entries.count)]
          event =
            random.once(in: 4)
            ? .timerFired(entry.errand, attempt: entry.attempt)
            : .answered(
              entry.errand, attempt: entry.attempt,
              anyOutcome(&random, version: UInt64(step % 64)))
        default:
          event = .answered(
            errand, attempt: UInt32(random.below(60)),
            anyOutcome(&random, version: UInt64(step % 64)))
        }
        for command in machine.tell(event, at: now) {
          if case .show(let video, let status) = command {
            let place = Int(video.low)
            #expect(shown[place].map { $0 < status } ?? true)
            shown[place] = status
          }
        }
        if random.once(in: 200) { machine = machine.restarted }
        checkSender(machine)
      }
      #expect(composed == 48)
    }
  }

  private func checkSender(_ machine: SenderMachine) {
    for upload in machine.uploads {
      let errands = machine.outbox.entries.filter {
        $0.errand.video == upload.video && $0.errand.kind != .acknowledge
          && $0.errand.kind != .delete
      }
      switch upload.stage {
      case .sending(let kind): #expect(errands.map(\.errand.kind) == [kind])
      case .tracked: #expect(errands.isEmpty && upload.status != .viewed)
      }
      if machine.configuration.replaces {
        #expect(machine.uploads.filter { $0.recipient == upload.recipient }.count == 1)
      }
    }
    for entry in machine.outbox.entries {
      #expect((entry.phase == .held) == !machine.outbox.isOnline)
      let needsUpload = entry.errand.kind != .acknowledge && entry.errand.kind != .delete
      #expect(!needsUpload || machine.place(of: entry.errand.video) != nil)
    }
  }

  /// Covers: TBM-020, TBM-035, TBM-050, TBM-061.
  @Test(arguments: StatusLattice.allCases)
  func `a receiver gets each video once and keeps it until the server knows of the view`(
    _ lattice: StatusLattice
  ) {
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededGenerator(seed &+ 1_000)
      var machine = ReceiverMachine(
        .init(
          lattice: lattice, reportsAllAtStart: random.once(in: 2),
          deletesViewed: random.once(in: 2)))
      var begun = [Int](repeating: 0, count: 48)
      var viewed = [Bool](repeating: false, count: 48)
      for step in 0..<2_500 {
        let errand = Errand(
          RequestKind.allCases[random.below(9)], video(UInt64(random.below(48))))
        let event: ReceiverMachine.Event
        switch random.below(10) {
        case 0: event = .viewed(video(UInt64(random.below(48))))
        case 1: event = .connected(random.once(in: 2))
        case 2: event = .packet(anyPacket(&random, videos: 48))
        case 3: event = .timerFired(errand, attempt: UInt32(random.below(60)))
        case 4...7 where !machine.outbox.entries.isEmpty:
          let entry = machine.outbox.entries[random.below(machine.outbox.entries.count)]
          event = .answered(
            entry.errand, attempt: entry.attempt, anyOutcome(&random, version: 0))
        default:
          event = .answered(
            errand, attempt: UInt32(random.below(60)), anyOutcome(&random, version: 0))
        }
        let before = machine.items
        for command in machine.tell(event, at: seconds(Int64(step))) {
          if case .offer(let video, _) = command { begun[Int(video.low)] += 1 }
        }
        if case .viewed(let video) = event,
          before.contains(where: { $0.video == video && $0.stage == .downloaded })
        {
          viewed[Int(video.low)] = true
        }
        if random.once(in: 200) { machine = machine.restarted }
        for item in machine.items {
          #expect(!machine.finished.contains(item.video))
          #expect(item.stage != .viewed || item.heard < .viewed)
          if item.stage == .viewed {
            #expect(machine.outbox.contains(Errand(.report, item.video)))
          }
          #expect((item.stage == .loading) == machine.outbox.contains(.init(.download, item.video)))
        }
      }
      #expect(begun.allSatisfy { $0 <= 1 })
      #expect(viewed.contains(true))
    }
  }

  /// Covers: TBM-013, TBM-043.
  @Test func `a poller has one poll out and while connected always a timer or nothing to wait for`()
  {
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededGenerator(seed &+ 2_000)
      var machine = PollMachine(
        .init(
          pollsAtStart: random.once(in: 2), onPush: PollMachine.PushRule.allCases[random.below(4)],
          pollsAfterDownload: random.once(in: 2), backgroundFactor: 4))
      var armed: UInt32 = 0
      var out: UInt32?
      for step in 0..<2_500 {
        let number =
          random.once(in: 2) ? machine.number : UInt32(random.below(Int(machine.number) + 2))
        let event: PollMachine.Event
        switch random.below(10) {
        case 0: event = .opened
        case 1: event = .left
        case 2: event = .connected(random.once(in: 3) ? false : true)
        case 3: event = .pushed
        case 4: event = .downloaded(isLast: random.once(in: 2))
        case 5: event = .tracks(random.once(in: 2))
        case 6: event = .answered(poll: number, remaining: random.below(2))
        case 7: event = .failed(poll: number)
        default:
          event = .timerFired(
            random.once(in: 2) ? machine.timer : UInt32(random.below(Int(machine.timer) + 2)))
        }
        for command in machine.tell(event, at: seconds(Int64(step))) {
          switch command {
          case .poll(let number): out = number
          case .setTimer(let timer, let at, _):
            armed = timer
            #expect(at > seconds(Int64(step)))
          }
        }
        switch machine.state {
        case .polling(let number, _, _): #expect(out == number && armed == machine.timer)
        case .waiting: #expect(armed == machine.timer)
        case .idle, .offline: break
        }
      }
      #expect(machine.polls > 100)
    }
  }

  /// Covers: TBM-034, TBM-036, TBM-037, TBM-038, TBM-053, TBM-054, TBM-060.
  @Test(arguments: [true, false])
  func `a server answers each request once, raises statuses only and never brings a video back`(
    _ replaces: Bool
  ) {
    let rules: [CleanupRule] = [
      .onView, .onAcknowledgement, .onReplacement, .bySender, .byRecipient, .after(.seconds(200)),
    ]
    for seed in 0..<48 as Range<UInt64> {
      var random = SeededGenerator(seed &+ 3_000)
      var server = MessageServer(
        .init(
          cleanup: rules[Int(seed) % rules.count],
          payload: PushPayload.allCases[random.below(4)], replaces: replaces, strayAge: .zero))
      var known = [DeliveryStatus?](repeating: nil, count: 40)
      var wasOver = [Bool](repeating: false, count: 40)
      for step in 0..<2_500 {
        let name = random.below(40)
        // A video has one sender, one recipient and one place in the sender's count.
        let sender = client(UInt32(name % 3))
        let recipient = client(UInt32((name / 3) % 3))
        let kind = RequestKind.allCases[random.below(9)]
        // Names are secret between the two, so nobody else can upload under one.
        let isUpload = kind == .intent || kind == .register || kind == .submit
        let asker = random.once(in: 6) && !isUpload ? client(UInt32(random.below(5))) : sender
        let isReport = kind == .report
        var event = MessageServer.Event.request(
          ServerRequest(
            kind, client: isReport && asker == sender ? recipient : asker,
            video: video(UInt64(name)), peer: isReport ? sender : recipient,
            order: UInt64(name + 1), status: anyStatus(&random)), token: UInt32(step))
        let stored = StoredVideo(
          video: video(UInt64(name)), sender: sender, recipient: recipient,
          order: UInt64(name + 1), since: seconds(Int64(step)))
        switch random.below(12) {
        case 0: event = .stored(stored)
        case 1: event = .swept([stored])
        case 2: event = .timerFired
        default: break
        }
        let version = server.version
        let commands = server.tell(event, at: seconds(Int64(step)))
        check(commands, of: event, token: UInt32(step))
        checkTable(server)
        #expect(server.version >= version)
        for number in 0..<40 {
          let status = server.status(of: video(UInt64(number)))
          if let status {
            #expect(!wasOver[number], "a video came back")
            #expect(known[number].map { $0 <= status } ?? true)
            known[number] = status
          } else if known[number] != nil {
            wasOver[number] = true
          }
        }
      }
      #expect(server.droppedUploads > 0)
    }
  }

  private func check(
    _ commands: [MessageServer.Command], of event: MessageServer.Event, token: UInt32
  ) {
    var answers = 0
    for command in commands {
      switch command {
      case .answer(let own, _), .packet(let own, _):
        answers += 1
        #expect(own == token)
      default: break
      }
    }
    if case .request = event { #expect(answers == 1) } else { #expect(answers == 0) }
  }

  private func checkTable(_ server: MessageServer) {
    var tracked = 0
    for (sender, row) in server.rows.enumerated() {
      for place in row.outgoing {
        #expect(Int(server.slab[Int(place)].sender.index) == sender)
        tracked += 1
      }
      if server.configuration.replaces {
        let packet = server.packet(for: client(UInt32(sender)))
        #expect(packet.uploads.count == row.outgoing.count)
        for recipient in 0..<3 {
          let live = row.outgoing.filter {
            server.slab[Int($0)].recipient == client(UInt32(recipient))
              && server.slab[Int($0)].status > .pending
          }
          #expect(live.count <= 1)
        }
      }
    }
    #expect(tracked == server.count)
    let names = server.byName.map { server.slab[Int($0)].video }
    #expect(zip(names, names.dropFirst()).allSatisfy { $0 < $1 })
  }
}
