import MediaUnits
import MessageDelivery
import Models
import Testing

@testable import LoadHarness

struct `What a live run of messages owes` {
  private let video = VideoID(high: 1, low: 1)

  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  @Test func `a video is owed until its view is shown`() async {
    let ledger = LiveMessageLedger()
    await ledger.composed(video, from: 0, to: 1, at: at(1))
    #expect(await ledger.owed == 1)
    await ledger.offered(video, at: at(2))
    await ledger.viewed(video, at: at(3))
    #expect(await ledger.owed == 1)
    #expect(await ledger.result().unseenViews == 1)
    await ledger.shown(video, .viewed, at: at(5))
    #expect(await ledger.owed == 0)
    #expect(await ledger.waiting.isEmpty)
    let outcome = await ledger.result()
    #expect(outcome.isSound && outcome.deliveries == [1] && outcome.viewLags == [2])
  }

  @Test func `a video that another replaced is not owed, and counts as lost only if it never came`()
    async
  {
    let ledger = LiveMessageLedger()
    let (old, seen) = (video, VideoID(high: 1, low: 2))
    for name in [old, seen] { await ledger.composed(name, from: 0, to: 1, at: at(1)) }
    await ledger.offered(seen, at: at(2))
    for name in [old, seen] { await ledger.replaced(name) }
    let outcome = await ledger.result()
    #expect(await ledger.owed == 0)
    #expect(outcome.isSound && outcome.replaced == 1 && outcome.undelivered == 0)
    #expect(outcome.findings.count == 1)
  }

  @Test func `what comes after an opening counts, and its time does not`() async {
    let ledger = LiveMessageLedger()
    await ledger.composed(video, from: 0, to: 1, at: at(1))
    await ledger.opened([1], unexplained: 0, at: at(10))
    await ledger.offered(video, at: at(11))
    await ledger.viewed(video, at: at(12))
    await ledger.shown(video, .viewed, at: at(13))
    let outcome = await ledger.result()
    #expect(outcome.isSound && outcome.deliveredAtOpening == 1 && outcome.deliveries.isEmpty)
    // The sender did not open: its view came as it comes.
    #expect(outcome.viewLags == [1])
  }

  @Test func `a view that nobody made and a video that comes twice are faults`() async {
    let ledger = LiveMessageLedger()
    await ledger.composed(video, from: 0, to: 1, at: at(1))
    await ledger.shown(video, .viewed, at: at(2))
    #expect(await ledger.result().falseViews == 1)
    await ledger.offered(video, at: at(3))
    await ledger.offered(video, at: at(4))
    #expect(await ledger.result().offeredTwice == 1)
  }

  /// Covers: TBM-013, TBM-045.
  @Test func `news are late when neither a push nor a timer brought them in time`() {
    var configuration = MessagingConfiguration.recommended
    configuration.poll.trackedInterval = .seconds(2)
    configuration.poll.idleInterval = .seconds(60)
    configuration.poll.jitter = 0.5
    let promise = LiveMessagePromise(configuration, lookAfter: .seconds(1))
    func isKept(_ waited: Int64, delivered: Bool = false, lost: Bool = false) -> Bool {
      promise.isKept(
        at: at(100 + waited), since: at(100), isDelivered: delivered,
        lostAt: lost ? at(100) : at(99), coalescedAt: at(101))
    }
    // 2 s and half of it, and 5 s for the requests; and a second until the user looks.
    #expect(promise.drain == .seconds(9))
    #expect(isKept(5) && !isKept(6))
    #expect(isKept(95, lost: true) && !isKept(96, lost: true))
    #expect(isKept(8, delivered: true, lost: true) && !isKept(9, delivered: true, lost: true))
    configuration.poll.idleInterval = .zero
    configuration.poll.onPush = .nothing
    configuration.server.payload = .empty
    let nothing = LiveMessagePromise(configuration, lookAfter: .zero)
    #expect(
      nothing.isKept(
        at: at(10_000), since: at(0), isDelivered: false, lostAt: nil, coalescedAt: nil))
  }
}
