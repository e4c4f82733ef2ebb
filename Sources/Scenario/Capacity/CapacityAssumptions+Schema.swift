extension CapacityAssumptions {
  private static let longest: Int64 = 8_640_000_000_000_000
  private static let counts = RealRange(0, 1e6)

  private static func pool(
    service: String, from source: String, limit: String, limitFrom: String, lateShare: String,
    perInstance: String, more: [Field] = []
  ) -> ObjectShape {
    ObjectShape(
      [
        Field(
          "service", .law(.time), default: .text(service), "Time that a server works on a request",
          source: source),
        Field(
          "limit", .time(1...longest), default: .text(limit),
          "What a request may take, its wait included", source: limitFrom),
        Field(
          "lateShare", .ratio, default: .text(lateShare), "Share that may take longer",
          source: limitFrom),
        Field(
          "perInstance", .integer(1...1_000_000), default: .text(perInstance),
          "Requests that one instance works on at a time"),
      ] + more)
  }

  /// The keys of a file of assumptions.
  public static let schema = Schema(
    title: "FirstFrame capacity assumptions",
    summary: "What a capacity plan takes for granted beside the scenario",
    [
      Field(
        "version", .integer(1...1), default: .required, "Version of the format",
        source: "this program"),
      Field(
        "sessionsPerUserDay", .real(counts), default: "8", "Sessions of a user a day",
        source: "parameters.md section 6.3"),
      Field(
        "peakToMean", .real(RealRange(1, 100)), default: "1.8", "Busiest hour over the mean hour",
        source: "parameters.md section 14"),
      Field(
        "burst", .real(RealRange(1, 100)), default: "1.25",
        "Busiest minutes over the busiest hour"),
      Field(
        "targetHitRatio", .ratio, default: "0.97", "Hit ratio to find an edge's bytes for",
        source: "SIG-005"),
      Field(
        "originRequestsPerSecond", .real(RealRange(1, 1e9)), default: "5500",
        "Requests that the origin answers", source: "parameters.md section 8, one S3 prefix"),
      Field(
        "ranker",
        .object(
          pool(
            service: "{kind: lognormal, median: 9 ms, sigma: 0.35}",
            from: "parameters.md section 13", limit: "30 ms", limitFrom: "SIG-008",
            lateShare: "0.01", perInstance: "16",
            more: [
              Field(
                "slowShare", .ratio, default: "0.003",
                "Share of calls that take eight times as long",
                source: "parameters.md section 13")
            ])), default: "{}", "The ranker: a call for each page of the feed"),
      Field(
        "api",
        .object(
          pool(
            service: "{kind: lognormal, median: 18 ms, sigma: 0.4}",
            from: "assumed; its parts in parameters.md section 13 take 13 ms", limit: "80 ms",
            limitFrom: "assumed", lateShare: "0.01", perInstance: "64")), default: "{}",
        "The feed API: a request for each page"),
      Field(
        "ingest",
        .object(
          pool(
            service: "{kind: uniform, min: 3 ms, max: 8 ms}", from: "parameters.md section 13",
            limit: "50 ms", limitFrom: "assumed", lateShare: "0.01", perInstance: "64",
            more: [
              Field(
                "postsPerView", .optional(.real(counts)), default: "none",
                "Posts of events for each view; none: as the scenario's apps post, and where it "
                  + "has no client.telemetry postsPerMinute"),
              Field(
                "postsPerMinute", .real(counts), default: "9",
                "Posts of events in a minute of use",
                source: "parameters.md section 13: 6 to 12"),
            ])), default: "{}", "The ingest of events"),
      Field(
        "transcoder",
        .object(
          pool(
            service: "{kind: lognormal, median: 16 s, sigma: 0.35}",
            from: "parameters.md section 12: 9 s and 0.45 of a clip of 15.5 s", limit: "60 s",
            limitFrom: "assumed", lateShare: "0.05", perInstance: "1",
            more: [
              Field(
                "uploadsPerUserDay", .real(counts), default: "0",
                "Uploads of a user a day; a feed has none by itself"),
              Field(
                "length", .time(1...longest), default: "15.5 s", "Length of an upload",
                source: "parameters.md section 6.1"),
            ])), default: "{}", "The transcoder's job slots"),
      Field(
        "calls",
        .object(
          ObjectShape([
            Field(
              "perUserDay", .real(counts), default: "0",
              "Calls of a user a day; a feed has none by itself"),
            Field(
              "length", .time(1...longest), default: "5 min", "Mean length of a call"),
            Field(
              "relayShare", .ratio, default: "0.22", "Share of calls that TURN relays",
              source: "parameters.md section 11"),
            Field(
              "blocking", .ratio, default: "0.01", "Share of calls that may find no port"),
            Field(
              "rate", .bitRate(1...1_000_000_000_000), default: "4 Mbps",
              "What a relayed call sends through TURN, both ways",
              source: "parameters.md section 11: 720p30 at 2 Mbps each way"),
            Field(
              "perInstance", .integer(1...1_000_000), default: "250", "Relayed calls an instance"),
          ])), default: "{}", "Calls and their relay"),
    ])
}
