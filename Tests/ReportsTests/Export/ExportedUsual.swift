// swift-format-ignore-file
// Settings of FeedPolicy, exactly those of the scenario.
// Made by firstframe export of the scenario exported, policy e1ea5165. Make it again
// rather than change it: each line names the key that it comes from.

import FeedPolicy
import MediaUnits

/// What the app decides, and what its machines are created with.
enum ExportedUsual {
  /// Eight digits over all keys: what a log or an experiment can name.
  static let digest = "e1ea5165"

  // policy.pool.size = 3: Players
  // policy.pool.ahead = 1: Items ahead that get a player
  // policy.pool.behind = 1: Items behind that keep one
  // policy.pool.victim.kind = farthest: Which player gives way to an item that has none: The one
  // whose item is farthest, those outside ahead and behind first
  static let pool = PlayerPool.Configuration(
    size: 3, ahead: 1, behind: 1)

  // policy.prefetch.kind = head: Prefetch: Some seconds of the next item, less of a few after it,
  // and of the one before
  // policy.prefetch.headLength = 6 s: Media of the next item that is prefetched; 0 turns prefetch
  // off
  // policy.prefetch.itemsAhead = 3: Items ahead that are considered
  // policy.prefetch.furtherLength = 2 s: Media of items beyond the next one
  // policy.prefetch.previousLength = 2 s: Media of the previous item
  // policy.prefetch.previousThreshold = 3: Throughput over bit rate from which the previous item is
  // considered
  // policy.prefetch.concurrency = 2: Prefetches at a time
  // policy.prefetch.cover = none: How many times slower than estimated the link may get: what is
  // prefetched is only as long as that asks for; none for the whole length
  // policy.prefetch.pauseBelowBuffer = 4 s: No prefetch starts while less than this is buffered of
  // the current item
  // policy.prefetch.suspendOnStall = false: Whether prefetches in progress stop while the current
  // item stalls
  static let prefetch = PrefetchPolicy.Configuration(
    family: .head,
    headLength: .seconds(6),
    itemsAhead: 3,
    furtherLength: .seconds(2),
    previousLength: .seconds(2),
    previousThreshold: 3.0,
    concurrency: 2,
    pauseBelowBuffer: .seconds(4),
    segmentLength: .seconds(2),
    cover: nil,
    leastWatched: 0.5,
    bufferCover: 3.0,
    viewsPerSession: nil,
    suspendsOnStall: false,
    curves: .lab)

  // The rung that the app loads of what is prefetched; nil: the one that the rules choose.
  // policy.prefetch.rung = none: The rung that is prefetched; none for the one that the rules
  // choose
  static let prefetchRung: RungIndex? = nil

  // policy.startupCap.rate = 600 kbps: Most bit rate until release; none for no cap
  // policy.startupCap.release.kind = played: When the cap is lifted: After media was played
  // policy.startupCap.release.length = 2 s: Media played
  static let startupCap = BitrateCap.Configuration(
    rate: .kilobits(600),
    release: .played(.seconds(2)))

  // policy.abr.kind = throughput: Choice of the rung, segment by segment: By the throughput
  // estimate, as Media3's AdaptiveTrackSelection
  // policy.abr.fraction = 0.7: Usable share of the estimate
  // policy.abr.minimumBufferToSwitchUp = 10 s: Media ahead for a switch up
  // policy.abr.maximumBufferToSwitchDown = 25 s: Media ahead that makes a switch down unnecessary
  static let bitrate = BitrateRule.throughput(
    ThroughputRule(
      fraction: 0.7,
      minimumBufferToSwitchUp: .seconds(10),
      maximumBufferToSwitchDown: .seconds(25),
      achievableShare: 0.75))

  // policy.initialEstimate = 4300 kbps: Throughput estimate before any measurement
  static let initialEstimate = BitRate.kilobits(4300)

  // catalogue.ladder: the declared rates that the rules choose from.
  static let ladder = Ladder([.kilobits(300), .kilobits(600), .kilobits(1100), .kilobits(2500)])

  // policy.player.startThreshold = 1 s: Media buffered for the first frame
  static let startThreshold = TimeSpan.seconds(1)

  // policy.player.resumeThreshold = 2 s: Media buffered after a stall
  static let resumeThreshold = TimeSpan.seconds(2)

  // policy.player.forwardBuffer = 20 s: How far ahead of the playhead an item is loaded
  static let forwardBuffer = TimeSpan.seconds(20)

  // policy.feed.pageSize = 10: Items of a feed page
  static let pageSize: UInt32 = 10
  // policy.feed.pageTrigger = 4: Items left that trigger the next page
  static let pager = CursorPager.Configuration(trigger: 4)
}

// Without a type of FeedPolicy; the app's own code does it:
//   policy.player.kind = default: of the player that was simulated, not of FeedPolicy; export it
//     for the player (--as media3, --as avplayer)
//   policy.player.posters = true: an image loader fetches posters of the items that are prefetched
//   client.gate.kind = none: no gate: a swipe always reaches its item
//   client.placeholder = poster: what covers an item without a frame is the app's view
//   client.proximity = none: players of neighbours load what prefetch asks for and no more
//   client.end.kind = audience: short items loop as the viewer stays: nothing to set
//   client.telemetry = none: no events are sent
//   client.retry.kind = player: the player's own retries
//   client.disk = shared: how the cache on the disk shares its bytes is the app's cache
//   client.storyboard = layout: how a sprite is found: StoryboardIndex reads the text, or by layout
//   client.offline = none: tell PrefetchPolicy connectivityChanged when the network goes and comes,
//     and what the table of keys says of the rest
