import LoadHarness
import MediaUnits
import MessageDelivery
import Models
import Testing

struct `Messages over real HTTP` {
  private func options(_ change: (inout LiveMessageOptions) -> Void) -> LiveMessageOptions {
    var options = LiveMessageOptions()
    options.pairs = 10
    options.duration = .seconds(4)
    options.sendEvery = .seconds(2)
    options.lookAfter = .milliseconds(200)
    change(&options)
    return options
  }

  /// Covers: TBM-026, TBM-029, TBM-037, TBM-038.
  @Test func `pushes bring every video and every view, once and truly`() async throws {
    var configuration = MessagingConfiguration.recommended
    configuration.poll.trackedInterval = .seconds(2)
    let outcome = try await LiveMessages.run(
      configuration,
      options {
        $0.pushLoss = 0; $0.duration = .seconds(3)
      })
    #expect(outcome.isSound && outcome.videos >= 10, "\(outcome.findings)")
    #expect(outcome.viewLags.count == outcome.videos)
    // Nothing is left to wait for once the last view is shown.
    #expect(outcome.drained < 2)
    #expect(outcome.counts.pushes > outcome.videos && outcome.counts.lostPushes == 0)
  }

  /// A recipient with nothing in transit hears of a lost push by its idle poll, ten minutes later,
  /// or when its user opens the app: the run does not wait for the first, and says so.
  /// Covers: TBM-007, TBM-010, TBM-045.
  @Test func `without pushes and polls whoever waits opens the app, and nothing is lost`()
    async throws
  {
    var configuration = MessagingConfiguration.recommended
    configuration.poll.trackedInterval = .milliseconds(500)
    let outcome = try await LiveMessages.run(
      configuration,
      options {
        $0.pushLoss = 1; $0.duration = .seconds(1); $0.sendEvery = .seconds(1)
        $0.drain = .seconds(2)
      })
    #expect(outcome.isSound && outcome.videos == 10, "\(outcome.findings)")
    #expect(outcome.deliveredAtOpening == 10 && outcome.deliveries.isEmpty)
    #expect(outcome.viewsSeenAtOpening == 0 && outcome.viewLags.count == 10)
    #expect(
      outcome.findings.count == 1 && outcome.findings[0].hasPrefix("10 videos came only when"))
    #expect(outcome.drained > 2 && outcome.drained < 8)
  }

  /// Covers: TBM-010, TBM-034.
  @Test func `a protocol that relies on pushes alone is found out`() async throws {
    let outcome = try await LiveMessages.run(
      .pushOnly,
      options {
        $0.pushLoss = 1; $0.duration = .seconds(2); $0.sendEvery = .seconds(1)
        $0.drain = .milliseconds(300)
      })
    #expect(!outcome.isSound && outcome.undelivered == 10 && outcome.replaced == 10)
  }

  /// Without pushes a view is seen at the next poll: half an interval later in the mean.
  /// Covers: TBM-008, TBM-013.
  @Test func `without pushes news come by the poll's timer`() async throws {
    var configuration = MessagingConfiguration.recommended
    configuration.poll.trackedInterval = .seconds(1)
    configuration.poll.idleInterval = .seconds(1)
    configuration.poll.jitter = 0
    let outcome = try await LiveMessages.run(
      configuration,
      options {
        // A video is delivered, looked at and seen as viewed within two polls and 0.2 s. The next
        // of its pair takes its place, so it comes later than that, also where polls are late.
        $0.pushLoss = 1; $0.pairs = 20; $0.sendEvery = .seconds(3); $0.duration = .seconds(6)
      })
    #expect(outcome.isSound && outcome.counts.lostPushes == outcome.counts.pushes)
    let lags = outcome.viewLags
    #expect(lags.count >= outcome.videos * 9 / 10)
    let mean = lags.reduce(0, +) / Double(max(1, lags.count))
    // Four standard errors of an even law of one second, and a machine that may be busy.
    let error = 1 / (12 * Double(lags.count)).squareRoot()
    #expect(mean > 0.5 - 4 * error - 0.1 && mean < 0.5 + 4 * error + 0.4, "\(mean)")
  }
}
