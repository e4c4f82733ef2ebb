// swift-format-ignore-file
// Settings of FeedPolicy, exactly those of the scenario.
// Made by firstframe export of the scenario exported, policy a7a59b9c. Make it again
// rather than change it: each line names the key that it comes from.

import FeedPolicy
import MediaUnits

/// What the app decides, and what its machines are created with.
enum ExportedOwn {
  /// Eight digits over all keys: what a log or an experiment can name.
  static let digest = "a7a59b9c"

  // policy.pool.size = 5: Players
  // policy.pool.ahead = 3: Items ahead that get a player
  // policy.pool.behind = 1: Items behind that keep one
  // policy.pool.victim.kind = farthest: Which player gives way to an item that has none: The one
  // whose item is farthest, those outside ahead and behind first
  static let pool = PlayerPool.Configuration(
    size: 5, ahead: 3, behind: 1)

  // policy.prefetch.kind = hazard: Prefetch: First segments first, then by hazard, as deep as the
  // throughput asks for
  // policy.prefetch.headLength = 9 s: Media of the next item that is prefetched; 0 turns prefetch
  // off
  // policy.prefetch.itemsAhead = 8: Items ahead that are considered
  // policy.prefetch.concurrency = 4: Prefetches at a time
  // policy.prefetch.cover = 3: How many times slower than estimated the link may get: what is
  // prefetched is only as long as that asks for; none for the whole length
  // policy.prefetch.leastWatched = 0.4: Least share of viewers who get to what is fetched
  // policy.prefetch.bufferCover = 3: Segments of the current item that are held ahead on a link
  // twice as fast as the bit rate, fewer on a faster one
  // policy.prefetch.pauseBelowBuffer = 4 s: No prefetch starts while less than this is buffered of
  // the current item
  // policy.prefetch.suspendOnStall = true: Whether prefetches in progress stop while the current
  // item stalls
  static let prefetch = PrefetchPolicy.Configuration(
    family: .hazard,
    headLength: .seconds(9),
    itemsAhead: 8,
    furtherLength: .seconds(2),
    previousLength: .seconds(2),
    previousThreshold: 3.0,
    concurrency: 4,
    pauseBelowBuffer: .seconds(4),
    segmentLength: .seconds(2),
    cover: 3.0,
    leastWatched: 0.4,
    bufferCover: 3.0,
    viewsPerSession: 73.0,
    suspendsOnStall: true,
    curves: swipeCurves)

  // Of the scenario's personas (audience.personas): viewers left after 0, 1, 2 … s.
  static let swipeCurves = SwipeCurves([
    SwipeCurves.Curve(
      below: .seconds(10),
      survival: [
        1.0, 0.9743220476100796, 0.9133375255483377, 0.8359682149560491, 0.7588733383282255,
        0.6933539030487229, 0.6442721455898482, 0.6113068584829545, 0.5912534086195901,
        0.580130449207079, 0.574478456878325, 0.5718381182335395, 0.5707010705136577,
        0.5702486863794674, 0.5700821052230081, 0.5700252474332091, 0.5700072354783022,
        0.5700019336446075, 0.5700004821518191, 0.5700001122307049, 0.5700000243988688,
        0.5700000049562716, 0.5700000009411401, 0.5700000001671259, 0.5700000000277646,
        0.5700000000043167, 0.5700000000006283, 0.5700000000000857, 0.5700000000000109,
        0.5700000000000013, 0.5700000000000001, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57,
        0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57,
        0.57, 0.57, 0.57, 0.57, 0.57, 0.57, 0.57
      ]),
    SwipeCurves.Curve(
      below: .seconds(20),
      survival: [
        1.0, 0.9715957341922052, 0.9228389895049538, 0.8660135166942178, 0.8071225868611666,
        0.7499834326467247, 0.6970007471245483, 0.6495473393639356, 0.6082333694860202,
        0.5731225678884871, 0.5439093769499403, 0.5200609648647712, 0.5009267060994776,
        0.4858184422727029, 0.4740656934816293, 0.46505044285646463, 0.4582261054419305,
        0.4531249180271404, 0.4493573891552432, 0.44660675563969254, 0.4446207001650564,
        0.44320195704573684, 0.44219890371782694, 0.44149681542018226, 0.4410101459779107,
        0.4406759759315801, 0.4404486237047898, 0.44029532864253684, 0.4401928705624089,
        0.4401249753997634, 0.44008035989172223, 0.4400512820614309, 0.44003248294229047,
        0.4400204248544067, 0.4400127504054496, 0.4400079030735621, 0.4400048642813705,
        0.4400029732662339, 0.44000180501772523, 0.4400010884293305, 0.4400006519692969,
        0.4400003879697397, 0.4400002293753371, 0.4400001347432046, 0.4400000786520928,
        0.44000004562341993, 0.4400000263008261, 0.44000001506897884, 0.44000000858141886,
        0.44000000485760626, 0.4400000027333781, 0.44000000152903274, 0.440000000850351,
        0.4400000004701843, 0.44000000025849356, 0.4400000001413077, 0.4400000000768136,
        0.440000000041523, 0.44000000002232226, 0.44000000001193457, 0.4400000000063462
      ]),
    SwipeCurves.Curve(
      below: .seconds(40),
      survival: [
        1.0, 0.970233162753324, 0.9289692474047377, 0.8839548040052492, 0.8378718996642411,
        0.7922342757756775, 0.747991328213328, 0.7057529786986486, 0.6659021498156159,
        0.6286614148362362, 0.5941369570288862, 0.5623496382535134, 0.5332579508939345,
        0.5067754463300043, 0.48278418113025146, 0.461145169508761, 0.44170651835054375,
        0.42430973279929013, 0.40879455979898455, 0.39500265533161366, 0.38278030296179366,
        0.37198036804809576, 0.36246363859353914, 0.3540996771669642, 0.3467672867542456,
        0.34035467558112037, 0.33475939107466607, 0.3298880806301343, 0.32565612630998253,
        0.3219871917081723, 0.3188127117170714, 0.31607134963443445, 0.31370844077482923,
        0.3116754373592906, 0.30992936582432534, 0.30843230470808475, 0.30715088884261454,
        0.30605584362337757, 0.30512155156792276, 0.30432565215106505, 0.3036486749589442,
        0.30307370549094026, 0.3025860824153616, 0.30217312471670815, 0.30182388692901835,
        0.3015289405058261, 0.3012801793111536, 0.3010706472098599, 0.3008943857747661,
        0.3007463002001339, 0.30062204160643724, 0.3005179040320106, 0.3004307345267928,
        0.3003578548871125, 0.30029699369450336, 0.3002462274430734, 0.3002039296569251,
        0.30016872701010716, 0.3001394615656325, 0.3001151583466939, 0.3000949975421063
      ]),
    SwipeCurves.Curve(
      below: .seconds(80),
      survival: [
        1.0, 0.9688932469714044, 0.9339488165514644, 0.8985132925561047, 0.8634476425933826,
        0.8291713549370414, 0.7959207301619847, 0.7638350712663069, 0.7329952778119615,
        0.7034442524925384, 0.6751989306681183, 0.6482579355309891, 0.6226067307560298,
        0.5982212382118689, 0.5750704610714485, 0.5531184333083498, 0.5323256961784567,
        0.5126504324842126, 0.4940493470332493, 0.47647835492949353, 0.4598931218342057,
        0.44424948854714263, 0.4295038041057886, 0.41561318582784323, 0.40253572054709386,
        0.39023061821536076, 0.3786583267356295, 0.36778061513418225, 0.35756063082241996,
        0.34796293563762926, 0.3389535245122093, 0.33049982994961036, 0.32257071494362366,
        0.3151364565369728, 0.3081687218538809, 0.3016405381431115, 0.29552625812041283,
        0.28980152169265083, 0.2844432149726285, 0.27942942734768544, 0.2747394072418903,
        0.27035351710716526, 0.2662531880899325, 0.26242087474431663, 0.25884001009853463,
        0.2554949613261283, 0.25237098622675025, 0.24945419068111074, 0.24673148721044424,
        0.24419055474162799, 0.24181979965416994, 0.2396083181640848, 0.2375458600816783,
        0.23562279396502586, 0.23383007367808512, 0.232159206351599, 0.23060222173594713,
        0.2291516429276478, 0.22780045844509006, 0.22654209562410477, 0.2253703953000068
      ]),
    SwipeCurves.Curve(
      below: .max,
      survival: [
        1.0, 0.9710974129635125, 0.9443188040572491, 0.9188212619316145, 0.8943988189848412,
        0.8709380418240671, 0.8483613283516437, 0.8266093597943744, 0.8056337048257097,
        0.7853931087741873, 0.7658514038781088, 0.7469762301968681, 0.7287382013794226,
        0.7111103324917283, 0.6940676311393925, 0.6775867951084749, 0.6616459821881393,
        0.6462246305140671, 0.6313033152693374, 0.6168636321922902, 0.6028881012764051,
        0.5893600859712104, 0.5762637244873647, 0.5635838706997623, 0.5513060427682951,
        0.5394163780437606, 0.5279015931523366, 0.5167489483928649, 0.5059462157616381,
        0.4954816500563194, 0.4853439626157755, 0.4755222973342347, 0.46600620865219156,
        0.4567856412771568, 0.44785091142781486, 0.4391926894277427, 0.4308019835012834,
        0.42267012464578757, 0.4147887524722267, 0.4071498019209232, 0.3997454907714323,
        0.39256830787590885, 0.38561100205399057, 0.37886657159458237, 0.372328254316213,
        0.36598951814299985, 0.3598440521578834, 0.35388575809878553, 0.34810874226680694,
        0.3425073078186026, 0.3370759474177093, 0.33180933622192055, 0.32670232518584374,
        0.3217499346595849, 0.31694734826610177, 0.31228990704120124, 0.3077731038214211,
        0.30339257786618573, 0.29914410970164207, 0.295023616174511, 0.29102714570511884
      ]),
  ])

  // The rung that the app loads of what is prefetched; nil: the one that the rules choose.
  // policy.prefetch.rung = 1: The rung that is prefetched; none for the one that the rules choose
  static let prefetchRung: RungIndex? = RungIndex(1)

  // policy.startupCap.rate = 900 kbps: Most bit rate until release; none for no cap
  // policy.startupCap.release.kind = segments: When the cap is lifted: After segments were loaded
  // policy.startupCap.release.count = 3: Segments
  static let startupCap = BitrateCap.Configuration(
    rate: .kilobits(900),
    release: .segments(3))

  // policy.abr.kind = bola: Choice of the rung, segment by segment: By the buffer, as BOLA
  // policy.abr.minimumBuffer = 6 s: Buffer at the lowest rung
  // policy.abr.target = 14500 ms: Buffer aimed at
  static let bitrate = BitrateRule.bola(
    BolaRule(minimumBuffer: .seconds(6), target: .milliseconds(14500)))

  // policy.initialEstimate = 2500 kbps: Throughput estimate before any measurement
  static let initialEstimate = BitRate.kilobits(2500)

  // catalogue.ladder: the declared rates that the rules choose from.
  static let ladder = Ladder([.kilobits(350), .kilobits(900), .init(bitsPerSecond: 1800001)])

  // policy.player.startThreshold = 1500 ms: Media buffered for the first frame
  static let startThreshold = TimeSpan.milliseconds(1500)

  // policy.player.resumeThreshold = 4 s: Media buffered after a stall
  static let resumeThreshold = TimeSpan.seconds(4)

  // policy.player.forwardBuffer = 24 s: How far ahead of the playhead an item is loaded
  static let forwardBuffer = TimeSpan.seconds(24)

  // policy.feed.pageSize = 20: Items of a feed page
  static let pageSize: UInt32 = 20
  // policy.feed.pageTrigger = 6: Items left that trigger the next page
  static let pager = CursorPager.Configuration(trigger: 6)

  // client.gate.kind = gate: Whether a swipe may reach an item that has no frame yet: A swipe to an
  // item without a frame is snapped back
  // client.gate.attempts = none: Snaps at one item after which the next swipe passes; none: never
  // client.gate.timeout = 1 s: Time after the first snap after which the next swipe passes; none:
  // never
  // client.gate.escape = skip: Where a swipe that passes goes
  static let gate = ReadinessGate.Configuration(
    rule: .gate, attempts: .max,
    timeout: .seconds(1), escape: .skip,
    recordLimit: 16)

  // client.proximity.activeBuffer = none: Media loaded ahead of the playhead; none:
  // policy.player.forwardBuffer
  // client.proximity.near.buffer = 3 s: Media that is loaded
  // client.proximity.near.peak = none: Most bit rate
  // client.proximity.far.buffer = 1 s: Media that is loaded
  // client.proximity.far.peak = 400 kbps: Most bit rate
  // client.proximity.nearDistance = 1: Items on each side that are near
  // client.proximity.adaptation.kind = throughput: Whether neighbours follow the network: Less for
  // neighbours when the throughput is scarce
  // client.proximity.adaptation.from = 1.3: Throughput over the current bit rate up to which they
  // get nothing
  // client.proximity.adaptation.full = 2.5: Throughput over the current bit rate from which they
  // get all of it
  static let proximity = ProximityPolicy.Configuration(
    active: ProximitySetting(forwardBuffer: .max, peakBitRate: nil),
    near: ProximitySetting(forwardBuffer: .seconds(3), peakBitRate: nil),
    far: ProximitySetting(forwardBuffer: .seconds(1), peakBitRate: .kilobits(400)),
    nearDistance: 1,
    adaptation: .throughput(from: 1.3, full: 2.5))

  // client.end.kind = preview: What follows an item's end: Only the first part is played
  // client.end.length = 2500 ms: The part
  static let end = PlaybackEnd.preview(.milliseconds(2500))

  // client.retry.kind = backoff: What follows an error: Asked again after waits that double, with
  // jitter
  // client.retry.first = 1 s: First wait
  // client.retry.longest = 4 s: Longest wait
  // client.retry.jitter = 0.25: Most jitter over the wait
  // client.retry.retries = 5: Times
  // client.retry.asksAfterwards = true: Whether the viewer is asked then
  static let retry = RetryPolicy(
      kind: .backoff, firstWait: .seconds(1), longestWait: .seconds(4),
      jitter: 0.25, maximumRetries: 5, asksAfterwards: true)

  // client.telemetry.flush.kind = window: When a batch is due: So long after the first event
  // client.telemetry.flush.length = 1 s: How long
  // client.telemetry.delivery = retry: What becomes of a batch that fails
  // client.telemetry.queueLimit = 99: Events that wait at most
  // client.telemetry.batchLimit = 50: Events of a batch at most
  // client.telemetry.retries = 3: Times that a batch is sent again
  static let telemetry = TelemetryBatcher.Configuration(
    rule: .window(.seconds(1)),
    delivery: .retry,
    queueLimit: 99, batchLimit: 50,
    retry: RetryPolicy(
      kind: .backoff, firstWait: .seconds(1), longestWait: .seconds(4),
      jitter: 0.5, maximumRetries: 3, asksAfterwards: false))
}

// Without a type of FeedPolicy; the app's own code does it:
//   policy.player.kind = avplayer: of the player that was simulated, not of FeedPolicy; export it
//     for the player (--as media3, --as avplayer)
//   policy.player.plenty = 1.3: of the player that was simulated, not of FeedPolicy; export it for
//     the player (--as media3, --as avplayer)
//   policy.player.posters = true: an image loader fetches posters of the items that are prefetched
//   client.placeholder = poster: what covers an item without a frame is the app's view
//   client.disk = categories: how the cache on the disk shares its bytes is the app's cache
//   client.storyboard = layout: how a sprite is found: StoryboardIndex reads the text, or by layout
//   client.offline.suspendsPrefetch = true: tell PrefetchPolicy connectivityChanged when the
//     network goes and comes, and what the table of keys says of the rest
//   client.offline.endsAtHole = true: tell PrefetchPolicy connectivityChanged when the network goes
//     and comes, and what the table of keys says of the rest
