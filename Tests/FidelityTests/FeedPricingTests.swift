import Models
import Scenario
import Testing

@testable import FidelityKit

/// Responses that begin at different times on one connection: what a feed makes of them beside the
/// validated model, which runs the connection's rounds and deals its bytes.
@Suite struct FeedPricingTests {
  private static func cases(_ count: Int, loss: Double = 0) -> [TransferCase] {
    StaggeredResponses.cases(
      StaggeredResponses.Setting(name: "", loss: loss, count: count),
      seed: StaggeredResponses.heldOutSeed)
  }

  private static func errors(_ sharing: LinkSharing, _ cases: [TransferCase]) -> ErrorSummary {
    ErrorSummary(StaggeredResponses.errors(sharing, cases))
  }

  @Test func `in turns a feed is nearer to the model of rounds than by weights`() {
    let cases = Self.cases(400)
    let turns = Self.errors(.turns, cases)
    let weights = Self.errors(.weights, cases)
    #expect(turns.median < 0.1 * weights.median && turns.p90 < 0.3 * weights.p90)
    #expect(turns.median < 0.01 && turns.p90 < 0.2 && turns.bias.magnitude < 0.03)
  }

  @Test func `with losses, too`() {
    let cases = Self.cases(400, loss: 0.005)
    let turns = Self.errors(.turns, cases)
    let weights = Self.errors(.weights, cases)
    #expect(turns.median < 0.2 * weights.median && turns.p90 < 0.4 * weights.p90)
    #expect(turns.median < 0.03 && turns.bias.magnitude < 0.03)
  }

  @Test func `over HTTP-1 documents are nearer to the chunk tier in one queue than by weights`() {
    let cases = QueuedConnections.cases(200, seed: StaggeredResponses.heldOutSeed)
    let queue = QueuedConnections.errors(.queue, cases)
    let weights = QueuedConnections.errors(.weights, cases)
    let (documents, before) = (ErrorSummary(queue.documents), ErrorSummary(weights.documents))
    #expect(documents.p90 < 0.6 * before.p90, "\(documents) \(before)")
    #expect(documents.bias.magnitude < 0.5 * before.bias.magnitude, "\(documents) \(before)")
    #expect(ErrorSummary(queue.media).p90 < ErrorSummary(weights.media).p90)
  }

  @Test func `alone on its connection a response takes as long either way`() {
    for loss in [0, 0.02] {
      for input in Self.cases(100, loss: loss) {
        var alone = input
        alone.flows = [input.flows[0]]
        let turns = FeedPricing.run(alone, sharing: .turns)[0].duration
        let weights = FeedPricing.run(alone, sharing: .weights)[0].duration
        #expect((turns - weights).magnitude < 2_000, "\(alone)")
      }
    }
  }

  @Test func `all bytes of a connection take as long in turns as one after the other`() {
    // On a window that fills the pipe there are no pauses: the last byte is that of the sum.
    for input in Self.cases(100) {
      var full = input
      full.initialWindow = 1_000
      let ends = FeedPricing.run(full, sharing: .turns)
      var bytes = 0.0
      var first = Int64.max
      var isBusy = true
      var busyUntil = 0.0
      for (flow, end) in zip(full.flows, ends) {
        let packets = Double((flow.bytes + 1447) / 1448 + 1)
        let begin = Double(flow.start + end.firstByte)
        if begin < Double(first) { first = Int64(begin) }
        if bytes > 0 && begin > busyUntil { isBusy = false }
        bytes += Double(flow.bytes + 242) + packets * 54
        busyUntil = Double(first) + bytes * 8e9 / full.uplinkRate
      }
      if !isBusy { continue }
      let last = zip(full.flows, ends).map { $0.start + $1.duration }.max()!
      #expect(abs(Double(last) - busyUntil) < 1_000, "\(full)")
    }
  }
}
