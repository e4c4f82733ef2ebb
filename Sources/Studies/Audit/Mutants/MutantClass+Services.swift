extension MutantClass {
  /// Of the services behind a feed.
  static let services: [MutantClass] = [
    slower(
      "ranker-slow", "The ranker takes twice as long", factor: 2, at: ["services.ranker.service"]),
    halved("ranker-half", "Half the ranker's servers", at: ["services.ranker.servers"]),
    fixed(
      "deadline-off", "Pages wait a second for the ranker", ["services.ranker.deadline": "1 s"]),
    slower(
      "api-slow", "The feed's API takes twice as long", factor: 2, at: ["services.api.service"]),
    halved("api-half", "Half the API's servers", at: ["services.api.servers"]),
    later(30, at: "services.load.roundTrip"),
    later(100, at: "services.load.roundTrip"),
    fixed(
      "page-late", "The next page is asked for at the last item",
      ["services.load.trigger": "0"]),
    fixed(
      "cursor-offset", "Pages go on at an offset, not at a key",
      ["services.content.cursor": "offset"]),
    fixed(
      "expired-kept", "Items past their life stay in pages",
      ["services.content.filtersExpired": "false"]),
    fixed(
      "cache-off", "No entry of the cache lives longer than a second",
      ["services.store.lifetime": "1 s", "services.store.warmShare": "0"]),
    fixed(
      "shard-of-one", "One partition of each table",
      ["services.store.shards": "1", "services.store.titleShards": "1"]),
    fixed(
      "retries-off", "Neither reads nor writes nor calls of the ranker are tried again",
      [
        "services.store.readRetries": "1", "services.store.writeRetries": "0",
        "services.ranker.retries": "0",
      ]),
    fixed(
      "telemetry-unflushed", "Events wait an hour for their batch",
      ["services.events.flush": "{kind: window, length: 1 h}"]),
    fixed(
      "telemetry-dropped", "A batch that fails is thrown away",
      ["services.events.delivery": "drop"]),
    fixed(
      "telemetry-repeated", "Batches are sent again without numbers",
      ["services.events.delivery": "retry"]),
    halved("ingest-half", "Half the ingest's servers", at: ["services.events.servers"]),
    fixed("limits-off", "No limit on a client's requests", ["services.access.limit": "none"]),
  ]
}
