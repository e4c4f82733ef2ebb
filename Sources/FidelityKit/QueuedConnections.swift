import Models

/// Responses over several connections of HTTP/1.1 at one time: what a feed makes of them beside the
/// chunk tier, whose connections share one queue as the kernel's do (docs/decisions/0052).
///
/// The chunk tier is no measurement; ``SharedBottleneckFamily`` holds it against the kernel's rows.
enum QueuedConnections {
  /// Documents of a feed: playlists, manifests, initialisation segments.
  static let longestDocument: Int64 = 3_000

  static func families() -> [Family] {
    [
      family("queued", seed: StaggeredResponses.seed),
      family("queued held out", seed: StaggeredResponses.heldOutSeed),
    ]
  }

  private static func family(_ name: String, seed: UInt64) -> Family {
    Family(name, []) { _ in
      let cases = cases(400, seed: seed)
      let errors = errors(.queue, cases)
      let weights = self.errors(.weights, cases)
      let documents = ErrorSummary(errors.documents)
      let media = ErrorSummary(errors.media)
      return FamilyReport(
        name, "two to six responses over HTTP/1.1 of a feed, beside the chunk tier",
        [
          FidelityLine("documents", errors.documents), FidelityLine("media", errors.media),
          FidelityLine("documents, weights", weights.documents),
          FidelityLine("media, weights", weights.media),
        ],
        gates: [
          FidelityGate("documents, p90", documents.p90, atMost: 0.2),
          FidelityGate("documents, bias", documents.bias.magnitude, atMost: 0.04),
          FidelityGate("media, median", media.median, atMost: 0.03),
          FidelityGate("media, bias", media.bias.magnitude, atMost: 0.04),
        ])
    }
  }

  /// Two to six responses of a feed's sizes, the first after nothing and the others within some
  /// hundred milliseconds.
  static func cases(_ count: Int, seed: UInt64) -> [TransferCase] {
    var draws = CaseDraws(seed: seed)
    return (0..<count).map { number in
      var start = 0.0
      let flows = (0..<2 + Int(draws.uniform() * 5)).map { index in
        if index > 0 { start += draws.one(of: [0, 0.01, 0.1, 0.3]) * draws.uniform() }
        return TransferFlow(
          start: Int64(start * 1e9),
          bytes: draws.one(of: [800, 1_700, 3_000, 30_000, 100_000, 300_000]),
          responseHeaderBytes: 242)
      }
      let rate = draws.one(of: [3e6, 8e6, 20e6, 50e6])
      return TransferCase(
        downlink: RateTrace(constant: rate), uplinkRate: rate,
        roundTrip: draws.one(of: [20_000_000, 60_000_000, 150_000_000]), flows: flows,
        seed: UInt64(number))
    }
  }

  /// Errors of times from the request, of documents and of longer responses.
  static func errors(
    _ sharing: LinkSharing, _ cases: [TransferCase]
  ) -> (documents: [Double], media: [Double]) {
    var (documents, media): ([Double], [Double]) = ([], [])
    for input in cases {
      let own = FeedPricing.priced(input, sharing: sharing)
      // Over the connections that the feed took.
      var truth = input
      for (flow, place) in own.connections.enumerated() { truth.flows[flow].connection = place }
      let timings = TransferModel.run(truth, tier: .chunks).timings
      for (flow, (ours, theirs)) in zip(own.timings, timings).enumerated() {
        let error = Sample.error(
          Sample.milliseconds(ours.duration), Sample.milliseconds(theirs.duration))
        if input.flows[flow].bytes <= longestDocument {
          documents.append(error)
        } else {
          media.append(error)
        }
      }
    }
    return (documents, media)
  }
}
