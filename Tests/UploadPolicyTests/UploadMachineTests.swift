import MediaUnits
import PolicyTesting
import Testing
import UploadPolicy

@Suite struct UploadMachineTests {
  private static let small = UploadMachine.Configuration(
    partSize: ByteCount(100), parallelism: 2, backoff: Backoff(jitter: 0))

  private static func requests(_ commands: [UploadMachine.Command]) -> [UploadMachine.Request] {
    commands.compactMap { if case .send(_, let request) = $0 { request } else { nil } }
  }

  @Test func `SIG-012: authorise, create, parts, complete`() {
    var upload = UploadMachine(Self.small)
    #expect(Self.requests(upload.tell(.started(ByteCount(250)))) == [.authorise])
    #expect(Self.requests(upload.tell(.done(request: 1))) == [.create])
    #expect(
      Self.requests(upload.tell(.done(request: 2))) == [
        .part(0, from: .zero, length: ByteCount(100)),
        .part(1, from: ByteCount(100), length: ByteCount(100)),
      ])
    #expect(
      Self.requests(upload.tell(.done(request: 4))) == [
        .part(2, from: ByteCount(200), length: ByteCount(50))
      ])
    #expect(Self.requests(upload.tell(.done(request: 3))) == [])
    #expect(Self.requests(upload.tell(.done(request: 5))) == [.complete])
    #expect(upload.tell(.done(request: 6)) == [.save, .finish])
    #expect(upload.sentBytes == ByteCount(250))
  }

  @Test func `SIG-013: after a loss only what was on its way is sent again`() {
    var upload = UploadMachine(Self.small)
    _ = upload.tell(.started(ByteCount(1_000)))
    for request in 1...6 as ClosedRange<UInt32> { _ = upload.tell(.done(request: request)) }
    #expect(upload.doneParts == 4)
    let kept = upload
    _ = upload.tell(.connected(false))
    #expect(upload.tell(.done(request: 7)) == [], "an answer of before is too late")
    let resumed = Self.requests(upload.tell(.connected(true), at: at(60_000)))
    #expect(
      resumed == [
        .part(4, from: ByteCount(400), length: ByteCount(100)),
        .part(5, from: ByteCount(500), length: ByteCount(100)),
      ])
    #expect(upload.sentBytes == ByteCount(800))
    // A process that ended goes on from the copy on disk.
    var again = kept
    #expect(Self.requests(again.tell(.connected(true), at: at(90_000))) == resumed)
  }

  @Test func `a token that expires is renewed without losing a part`() {
    var upload = UploadMachine(Self.small)
    _ = upload.tell(.started(ByteCount(300)))
    for request in 1...3 as ClosedRange<UInt32> { _ = upload.tell(.done(request: request)) }
    _ = upload.tell(.expired(request: 4))
    #expect(upload.stage == .authorising)
    #expect(Self.requests(upload.tell(.timerFired(.retry(1)), at: at(1_000))) == [.authorise])
    let parts = Self.requests(upload.tell(.done(request: 6), at: at(1_100)))
    #expect(parts.count == 2 && upload.doneParts == 1)
  }

  @Test func `failures in a row end it, one success begins the count anew`() {
    var upload = UploadMachine(
      UploadMachine.Configuration(partSize: ByteCount(100), parallelism: 1, patience: 3))
    _ = upload.tell(.started(ByteCount(100)))
    _ = upload.tell(.failed(request: 1))
    _ = upload.tell(.timerFired(.retry(1)))
    _ = upload.tell(.failed(request: 2))
    _ = upload.tell(.timerFired(.retry(2)))
    _ = upload.tell(.done(request: 3))
    _ = upload.tell(.failed(request: 4))
    _ = upload.tell(.timerFired(.retry(3)))
    _ = upload.tell(.timerFired(.answer(request: 5)))
    _ = upload.tell(.timerFired(.retry(4)))
    #expect(upload.tell(.failed(request: 6)).last == .giveUp)
    #expect(upload.isOver)
  }

  @Test func `a wait of before and a time-out of what is done change nothing`() {
    var upload = UploadMachine(Self.small)
    _ = upload.tell(.started(ByteCount(300)))
    _ = upload.tell(.failed(request: 1))
    _ = upload.tell(.timerFired(.retry(1)), at: at(1_000))
    _ = upload.tell(.failed(request: 2), at: at(1_100))
    #expect(upload.tell(.timerFired(.retry(1)), at: at(1_200)) == [])
    #expect(Self.requests(upload.tell(.timerFired(.retry(2)), at: at(3_100))) == [.authorise])
    #expect(Self.requests(upload.tell(.done(request: 3), at: at(3_200))) == [.create])
    #expect(upload.tell(.timerFired(.answer(request: 3)), at: at(13_100)) == [])
    #expect(upload.ignored == 2 && upload.stage == .creating)
  }

  /// Covers: SIG-013.
  @Test func `an upload ends, sends every part, and each outage costs at most its parallelism`() {
    var steps = 0
    for seed in 0..<2_000 as Range<UInt64> {
      var random = SeededGenerator(seed)
      let configuration = UploadMachine.Configuration(
        partSize: ByteCount(100), parallelism: 1 + random.below(4), patience: 1_000)
      var upload = UploadMachine(configuration)
      let size = ByteCount(Int64(1 + random.below(3_000)))
      var out: [UInt32] = []
      var waits: [UploadMachine.TimerID] = []
      var losses: Int64 = 0
      var isOnline = true
      var finished = 0
      var stored = [Bool](repeating: false, count: Int((size.bytes - 1) / 100) + 1)
      var requested: [UInt32: Int] = [:]
      func perform(_ commands: [UploadMachine.Command]) {
        for command in commands {
          switch command {
          case .send(let number, let request):
            #expect(isOnline)
            out.append(number)
            if case .part(let index, _, _) = request { requested[number] = Int(index) }
          case .stop(let number): out.removeAll { $0 == number }
          case .setTimer(let timer, _, _): if case .retry = timer { waits.append(timer) }
          case .finish: finished += 1
          case .giveUp: Issue.record("gave up")
          case .save: break
          }
          #expect(out.count <= configuration.parallelism)
        }
      }
      perform(upload.tell(.started(size)))
      var time: Int64 = 0
      while !upload.isOver && steps < 10_000_000 {
        steps += 1
        time += 1
        switch random.below(12) {
        case 0:
          isOnline = false
          losses += Int64(out.count)
          perform(upload.tell(.connected(false), at: at(time)))
        case 1, 2:
          if isOnline { losses += Int64(out.count) }
          isOnline = true
          perform(upload.tell(.connected(true), at: at(time)))
        case 3 where !out.isEmpty:
          losses += 1
          perform(upload.tell(.failed(request: out.removeFirst()), at: at(time)))
        case 4:
          perform(upload.tell(.done(request: UInt32(random.below(50)) + 100_000), at: at(time)))
        case 5 where !waits.isEmpty:
          perform(upload.tell(.timerFired(waits.removeLast()), at: at(time)))
        default:
          if out.isEmpty { continue }
          let number = out.remove(at: random.below(out.count))
          if let part = requested[number] {
            #expect(!stored[part], "a part that was confirmed is not sent again")
            stored[part] = true
          }
          perform(upload.tell(.done(request: number), at: at(time)))
        }
      }
      #expect(finished == 1 && stored.allSatisfy { $0 })
      #expect(upload.sentBytes.bytes - size.bytes <= losses * 100)
    }
    #expect(steps >= 100_000)
  }
}

@Suite struct UploadServiceTests {
  private static let key = UploadKey(VideoKey(5))

  @Test func `SIG-014: a repeated create is the same upload, a repeated complete does nothing`() {
    var service = UploadService()
    #expect(
      service.tell(.create(Self.key, request: 1)) == [.created(request: 1, upload: 0)])
    #expect(
      service.tell(.create(Self.key, request: 2)) == [.created(request: 2, upload: 0)])
    #expect(
      service.tell(.complete(upload: 0, request: 3)) == [
        .assemble(Self.key, upload: 0), .completed(request: 3),
      ])
    #expect(service.tell(.complete(upload: 0, request: 4)) == [.completed(request: 4)])
    #expect(service.tell(.complete(upload: 9, request: 5)) == [.refuse(request: 5)])
    #expect(service.repeats == 2)
  }

  @Test func `SIG-069: another version of a video is another upload`() {
    var service = UploadService()
    _ = service.tell(.create(Self.key, request: 1))
    let next = UploadKey(VideoKey(5), version: 2)
    #expect(service.tell(.create(next, request: 2)) == [.created(request: 2, upload: 1)])
  }

  @Test func `without the key a repeat is a second upload`() {
    var service = UploadService(UploadService.Configuration(isIdempotent: false))
    _ = service.tell(.create(Self.key, request: 1))
    #expect(service.tell(.create(Self.key, request: 2)) == [.created(request: 2, upload: 1)])
  }

  /// Covers: SIG-014, SIG-016.
  @Test func `an object that is told of many times is executed once`() {
    var ledger = ExecutionLedger()
    var random = SeededGenerator(3)
    var executed: [UploadKey] = []
    for _ in 0..<100_000 {
      let key = UploadKey(
        VideoKey(UInt64(random.below(300))), version: UInt32(1 + random.below(2)))
      for case .execute(let key) in ledger.tell(.stored(key)) { executed.append(key) }
    }
    #expect(executed.count == 600 && Set(executed).count == 600)
    #expect(ledger.duplicates == 99_400)
  }
}
