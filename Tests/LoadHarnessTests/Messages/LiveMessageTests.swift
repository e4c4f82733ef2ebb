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
    #expect(outcome.isSound && outcome.videos >= 10)
    #expect(outcome.viewLags.count == outcome.videos)
    #expect(outcome.counts.pushes > outcome.videos && outcome.counts.lostPushes == 0)
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
        $0.pushLoss = 1; $0.pairs = 20
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
