import Models
import Studies

/// Objects of `result.json` that hold counts only.
extension RunRecord {
  static let originCounts = CountTable<FeedMeasures>([
    .count("requests", "requests that arrived") { $0.origin.total.requests },
    .count("bytes", "bytes sent") { $0.origin.total.bytes },
    .count("notModified", "answers 304") { $0.origin.total.notModified },
    .count("errors", "answers 503 in an outage") { $0.origin.total.errors },
    .count("slowDowns", "answers 503 Slow Down") { $0.origin.total.slowDowns },
    .count("unanswered", "requests that were never answered") { $0.origin.total.unanswered },
    .count("unreachable", "connections that did not open") { $0.origin.total.unreachable },
    .count("queued", "requests that found all places taken") { $0.origin.queued },
    .count("largestRate", "most requests in one second of a replication") {
      $0.origin.largestRate
    },
    .count("largestPerLifetime", "most requests for one object within one lifetime of it") {
      $0.origin.largestPerLifetime
    },
    .count("shieldCrossings", "requests that reached the shield from other regions") {
      $0.counts.shieldCrossings
    },
    .count("clientErrors", "errors that viewers got") { $0.counts.clientErrors },
    .count("nameFailures", "of those, because the server's name did not resolve") {
      $0.counts.nameFailures
    },
    .count("clientStale", "of the errors, answered from a stale copy on the device") {
      $0.counts.clientStale
    },
    .count("clientRetries", "of the errors, asked again") { $0.counts.clientRetries },
  ])

  static let republishCounts = CountTable<RepublishMeasures>([
    .count("views", "views of republished titles that began afterwards with a manifest") {
      $0.views
    },
    .count("oldViews", "of those, views that played an older version") { $0.oldViews },
    .count("manifests", "manifests of such titles answered by edges and disk caches afterwards") {
      $0.manifests
    },
    .count("staleManifests", "of those, manifests that named an older version") {
      $0.staleManifests
    },
    .count("stalenessNanoseconds", "time from the new version to such an answer, summed") {
      $0.staleness
    },
    .count("largestStalenessNanoseconds", "the largest such time") { $0.largestStaleness },
  ])

  static let counterCounts = CountTable<FeedMeasures>([
    .count("sessionsCut", "sessions that still ran at the end") { $0.counts.sessionsCut },
    .count("peakSessions", "most sessions at once in a replication") { Int64($0.peakSessions) },
    .count("feedPages", "feed pages fetched") { $0.counts.feedPages },
    .count("requests", "requests of the clients") { $0.counts.requests },
    .count("cancelledRequests", "requests that were given up") { $0.counts.cancelledRequests },
    .count("connectionsOpened", "connections to edges and the feed API") {
      $0.counts.connectionsOpened
    },
    .count("handOvers", "changes of the access network") { $0.counts.handOvers },
    .count("repeatedRequests", "requests sent anew because their connection was gone") {
      $0.counts.repeatedRequests
    },
    .count("deliveredBytes", "bytes delivered to clients, all classes") {
      $0.counts.deliveredBytes
    },
    .count("originRequests", "requests that reached the origin") { $0.counts.originRequests },
    .count("originBytes", "bytes that the origin sent") { $0.counts.originBytes },
    .count("playerCreates", "players created") { $0.counts.playerCreates },
    .count("playerRetargets", "players given another item") { $0.counts.playerRetargets },
    .count("staleReadiness", "readiness that came for an item no longer wanted") {
      $0.counts.staleReadiness
    },
    .count("decodersRefused", "decoders that the device could not give") {
      $0.counts.decodersRefused
    },
    .count("prefetchStarts", "prefetches begun") { $0.counts.prefetchStarts },
    .count("prefetchCancels", "prefetches given up") { $0.counts.prefetchCancels },
    .count("prefetchReached", "prefetches that got all they were to fetch") {
      $0.counts.prefetchReached
    },
    .count("scrubs", "long presses") { $0.counts.scrubs },
    .count("scrubLookups", "storyboard frames looked up") { $0.counts.scrubLookups },
    .count("spriteHits", "look-ups answered from the sprite cache") { $0.counts.spriteHits },
  ])

  /// Of a mixed feed; zeros for other feeds.
  static let surfaceCounts = CountTable<SurfaceMeasures>([
    .count("sessionNanoseconds", "time of the sessions") { $0.sessionTime },
    .count("movingNanoseconds", "of it, time in which a list moved") { $0.movingTime },
    .count("gestures", "flings, drags and pushes sideways") { $0.gestures },
    .count("settles", "flings that came to rest by themselves") { $0.settles },
    .count("settleNanoseconds", "time that they took, summed") { $0.settleTime },
    .count("plays", "cards told to play") { $0.plays },
    .count("pauses", "cards told to pause") { $0.pauses },
    .count("turns", "plays that came to their end or their preview's") { $0.turns },
    .count("playNanoseconds", "time that cards played, summed") { $0.playTime },
    .count("stallNanoseconds", "time that cards stalled after their start, summed") {
      $0.stallTime
    },
    .count("handOvers", "plays that took over from a card on its way out") { $0.handOvers },
    .count("flaps", "plays within a second after a pause that nobody asked for") { $0.flaps },
    .count("mostPlaying", "most cards of one viewer that played at once") { $0.mostPlaying },
    .count("starvedPlays", "plays that found no player") { $0.starvedPlays },
    .count("mounts", "cards given a player") { $0.mounts },
    .count("unmounts", "cards whose player was taken") { $0.unmounts },
    .count("flingMounts", "mounts above two viewports per second") { $0.flingMounts },
    .count("binds", "cells bound to a widget") { $0.binds },
    .count("cellCreates", "of those, cells created for it") { $0.cellCreates },
    .count("messages", "messages over the bridge") { $0.messages },
    .count("frameMessages", "messages if every frame's sights were sent") { $0.frameMessages },
    .count("crossingMessages", "messages if threshold crossings were sent") {
      $0.crossingMessages
    },
    .count("mainThreadMicroseconds", "work of the main thread") { $0.mainThread },
    .count("starvations", "times that a viewer came to the end of the known feed") {
      $0.starvations
    },
  ])
}
