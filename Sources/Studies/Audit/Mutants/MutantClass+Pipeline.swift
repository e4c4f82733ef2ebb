extension MutantClass {
  /// Of uploads and their way to the feed.
  static let pipeline: [MutantClass] = [
    farther(30), farther(100),
    fixed("loss-2", "Two packets in a hundred are lost", ["pipeline.uploads.loss": "0.02"]),
    fixed(
      "resumes-off", "An upload begins again after every failure",
      ["pipeline.client.resumes": "false"]),
    fixed(
      "parallel-off", "One part at a time", ["pipeline.client.parallelism": "1"]),
    fixed(
      "idempotent-off", "A repeated request is another upload",
      ["pipeline.client.idempotent": "false"]),
    fixed(
      "names-off", "A repeated event starts another execution",
      ["pipeline.bus.namedExecutions": "false"]),
    fixed(
      "tokens-off", "A repeated submission starts another job",
      ["pipeline.orchestration.tokens": "false"]),
    fixed(
      "retries-off", "What fails once has failed",
      ["pipeline.orchestration.retries": "0", "pipeline.client.patience": "1"]),
    slower(
      "transcode-slow", "Transcoding takes twice as long", factor: 2,
      at: ["pipeline.stages.transcode.fixed", "pipeline.stages.transcode.perSecond"]),
    halved(
      "transcode-half", "Half the servers that transcode",
      at: ["pipeline.stages.transcode.servers"]),
    slower(
      "moderate-slow", "Moderation takes twice as long", factor: 2,
      at: ["pipeline.stages.moderate.fixed", "pipeline.stages.moderate.perSecond"]),
    halved(
      "moderate-half", "Half the servers that moderate",
      at: ["pipeline.stages.moderate.servers"]),
    fixed(
      "cache-first", "The cache is told before row and manifest are there",
      ["pipeline.publish.order": "cache-row-manifest"]),
    fixed(
      "old-deleted", "Old versions are deleted at once",
      ["pipeline.publish.deletesOld": "true"]),
    slower(
      "index-slow", "The index is ten times as late", factor: 10,
      at: ["pipeline.publish.indexLag"]),
  ]

  private static func farther(_ milliseconds: Int64) -> MutantClass {
    MutantClass(
      "round-trip-\(milliseconds)", "Every round trip takes \(milliseconds) ms longer"
    ) { tree in
      .settings(
        ["pipeline.uploads.nearRoundTrip", "pipeline.uploads.farRoundTrip"].map {
          .init(key: $0, value: "\(tree.time($0) + milliseconds * 1_000_000) ns")
        })
    }
  }
}
