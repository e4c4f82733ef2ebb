import FeedPolicy
import MediaUnits

extension BitrateCap.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(rate: coder.optional(value?.rate), release: coder(value?.release))
  }
}

extension BitrateRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var rungIndex: RungIndex?
    var throughputRule: ThroughputRule?
    var bolaRule: BolaRule?
    switch value {
    case .fixed(let found)?: (number, rungIndex) = (0, found)
    case .throughput(let found)?: (number, throughputRule) = (1, found)
    case .bola(let found)?: (number, bolaRule) = (2, found)
    case nil: break
    }
    switch coder.tag(number, below: 3) {
    case 1: return .throughput(coder(throughputRule))
    case 2: return .bola(coder(bolaRule))
    default: return .fixed(coder(rungIndex))
    }
  }
}

extension BolaRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(minimumBuffer: coder(value?.minimumBuffer), target: coder(value?.target))
  }
}

extension DecelerationLaw: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var perMillisecond: Double?
    var friction: Double?
    switch value {
    case .exponential(let found)?: (number, perMillisecond) = (0, found)
    case .spline(let found)?: (number, friction) = (1, found)
    case nil: break
    }
    switch coder.tag(number, below: 2) {
    case 1: return .spline(friction: coder(friction))
    default: return .exponential(perMillisecond: coder(perMillisecond))
    }
  }
}

extension EWMAEstimator.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(fast: coder(value?.fast), slow: coder(value?.slow), minimumTime: coder(value?.minimumTime))
  }
}

extension ExplorationMixer: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(coder(value?.configuration))
  }
}

extension ExplorationMixer.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(share: coder(value?.share), least: coder(value?.least), largest: coder(value?.largest))
  }
}

extension FeedGeometry: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      screenWidth: coder(value?.screenWidth), screenHeight: coder(value?.screenHeight),
      gap: coder(value?.gap))
  }
}

extension FeedPager.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      firstPage: coder(value?.firstPage), laterPages: coder(value?.laterPages),
      trigger: coder(value?.trigger), retryDelay: coder(value?.retryDelay),
      longestDelay: coder(value?.longestDelay))
  }
}

extension FrameShape: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    let height = coder(value?.height)
    let width = coder(value?.width)
    if let shape = Self(height: height, width: width) { return shape }
    coder.fail()
    guard let square = Self(height: 1, width: 1) else {
      preconditionFailure("one by one is a shape")
    }
    return square
  }
}

extension Ladder: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(coder.list(value?.rates))
  }
}

extension PlayRules: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      widgetOrder: coder(value?.widgetOrder), cardOrder: coder(value?.cardOrder),
      shortLimit: coder(value?.shortLimit), carouselLimit: coder(value?.carouselLimit),
      centreMargin: coder(value?.centreMargin))
  }
}

extension PauseStack.Reason: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .scrub)
  }
}

extension PlayRules.CardOrder: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .leftmost)
  }
}

extension PlayRules.WidgetOrder: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .longestWaiting)
  }
}

extension PlaySequence: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      reading: coder(value?.reading), shortPreview: coder.optional(value?.shortPreview),
      carouselPreview: coder.optional(value?.carouselPreview))
  }
}

extension PlaySequence.Reading: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .once)
  }
}

extension PlaybackEnd: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var timeSpan: TimeSpan?
    switch value {
    case .loop?: number = 0
    case .once?: number = 1
    case .preview(let found)?: (number, timeSpan) = (2, found)
    case nil: break
    }
    switch coder.tag(number, below: 3) {
    case 1: return .once
    case 2: return .preview(coder(timeSpan))
    default: return .loop
    }
  }
}

extension PlayerPool.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(size: coder(value?.size), ahead: coder(value?.ahead), behind: coder(value?.behind))
  }
}

extension PrefetchFamily: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(
      of: [
        .head, .firstSegments, .playerKnob, .staged, .connection, .playlists, .dashlet, .pdas,
        .hazard,
      ], value)
  }
}

extension PrefetchPolicy.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      family: coder(value?.family), headLength: coder(value?.headLength),
      itemsAhead: coder(value?.itemsAhead), furtherLength: coder(value?.furtherLength),
      previousLength: coder(value?.previousLength),
      previousThreshold: coder(value?.previousThreshold), concurrency: coder(value?.concurrency),
      pauseBelowBuffer: coder(value?.pauseBelowBuffer), segmentLength: coder(value?.segmentLength),
      cover: coder.optional(value?.cover), leastWatched: coder(value?.leastWatched),
      bufferCover: coder(value?.bufferCover),
      viewsPerSession: coder.optional(value?.viewsPerSession),
      suspendsOnStall: coder(value?.suspendsOnStall), curves: coder(value?.curves))
  }
}

extension ProviderSwitch.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      providers: coder(value?.providers), first: coder(value?.first), rule: coder(value?.rule),
      failureLimit: coder(value?.failureLimit), penalty: coder(value?.penalty),
      gain: coder(value?.gain), hold: coder(value?.hold),
      hedgeAfter: coder.optional(value?.hedgeAfter), probeEvery: coder(value?.probeEvery),
      limit: coder(value?.limit))
  }
}

extension ProviderSwitch.Rule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .fixed)
  }
}

extension ProximityPolicy: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(coder(value?.configuration))
  }
}

extension ProximityPolicy.Adaptation: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var from: Double?
    var full: Double?
    switch value {
    case .none?: number = 0
    case .throughput(let found0, let found1)?: (number, from, full) = (1, found0, found1)
    case nil: break
    }
    switch coder.tag(number, below: 2) {
    case 1: return .throughput(from: coder(from), full: coder(full))
    default: return .none
    }
  }
}

extension ProximityPolicy.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      active: coder(value?.active), near: coder(value?.near), far: coder(value?.far),
      nearDistance: coder(value?.nearDistance), adaptation: coder(value?.adaptation))
  }
}

extension ProximitySetting: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      forwardBuffer: coder(value?.forwardBuffer), peakBitRate: coder.optional(value?.peakBitRate))
  }
}

extension RankerFallback.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(deadline: coder(value?.deadline), limit: coder(value?.limit))
  }
}

extension ReadinessGate.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      rule: coder(value?.rule), attempts: coder(value?.attempts), timeout: coder(value?.timeout),
      escape: coder(value?.escape), recordLimit: coder(value?.recordLimit))
  }
}

extension ReadinessGate.Escape: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .letThrough)
  }
}

extension ReadinessGate.Rule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .off)
  }
}

extension ReleaseRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var timeSpan: TimeSpan?
    var int: Int?
    var spread: Double?
    switch value {
    case .firstFrame?: number = 0
    case .played(let found)?: (number, timeSpan) = (1, found)
    case .buffer(let found)?: (number, timeSpan) = (2, found)
    case .segments(let found)?: (number, int) = (3, found)
    case .stableThroughput(let found)?: (number, spread) = (4, found)
    case nil: break
    }
    switch coder.tag(number, below: 5) {
    case 1: return .played(coder(timeSpan))
    case 2: return .buffer(coder(timeSpan))
    case 3: return .segments(coder(int))
    case 4: return .stableThroughput(spread: coder(spread))
    default: return .firstFrame
    }
  }
}

extension RetryPolicy: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      kind: coder(value?.kind), firstWait: coder(value?.firstWait),
      longestWait: coder(value?.longestWait), jitter: coder(value?.jitter),
      maximumRetries: coder(value?.maximumRetries), asksAfterwards: coder(value?.asksAfterwards))
  }
}

extension RetryPolicy.Kind: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .none)
  }
}

extension ScrollGate.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(rule: coder(value?.rule))
  }
}

extension ScrollGate.Rule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var timeSpan: TimeSpan?
    var double: Double?
    switch value {
    case .none?: number = 0
    case .debounce(let found)?: (number, timeSpan) = (1, found)
    case .velocity(let found)?: (number, double) = (2, found)
    case .predictedRest(let found)?: (number, double) = (3, found)
    case nil: break
    }
    switch coder.tag(number, below: 4) {
    case 1: return .debounce(coder(timeSpan))
    case 2: return .velocity(coder(double))
    case 3: return .predictedRest(coder(double))
    default: return .none
    }
  }
}

extension SwipeCurves: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(coder.list(value?.curves))
  }
}

extension SwipeCurves.Curve: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(below: coder(value?.below), survival: coder.list(value?.survival))
  }
}

extension TelemetryBatcher.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      rule: coder(value?.rule), delivery: coder(value?.delivery),
      queueLimit: coder(value?.queueLimit), batchLimit: coder(value?.batchLimit),
      retry: coder(value?.retry))
  }
}

extension TelemetryBatcher.Delivery: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.drop, .retry, .retryWithNumbers], value)
  }
}

extension TelemetryBatcher.FlushRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var quiet: TimeSpan?
    var timeSpan: TimeSpan?
    var longest: TimeSpan?
    var count: Int?
    switch value {
    case .trailing(let found)?: (number, quiet) = (0, found)
    case .window(let found)?: (number, timeSpan) = (1, found)
    case .bounded(let found0, let found1, let found2)?:
      (number, quiet, longest, count) = (2, found0, found1, found2)
    case nil: break
    }
    switch coder.tag(number, below: 3) {
    case 1: return .window(coder(timeSpan))
    case 2: return .bounded(quiet: coder(quiet), longest: coder(longest), count: coder(count))
    default: return .trailing(quiet: coder(quiet))
    }
  }
}

extension ThroughputRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      fraction: coder(value?.fraction),
      minimumBufferToSwitchUp: coder(value?.minimumBufferToSwitchUp),
      maximumBufferToSwitchDown: coder(value?.maximumBufferToSwitchDown),
      achievableShare: coder(value?.achievableShare))
  }
}

extension VisibilityMachine.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      model: coder(value?.model), short: coder(value?.short), carousel: coder(value?.carousel),
      prefetchRange: coder(value?.prefetchRange), prefetchCount: coder(value?.prefetchCount),
      rules: coder(value?.rules), sequence: coder(value?.sequence),
      isLowEnd: coder(value?.isLowEnd), flapWindow: coder(value?.flapWindow),
      cardLimit: coder(value?.cardLimit))
  }
}

extension VisibilityMachine.Model: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var timeSpan: TimeSpan?
    switch value {
    case .thresholds?: number = 0
    case .predictedRest?: number = 1
    case .projectedDwell(let found)?: (number, timeSpan) = (2, found)
    case nil: break
    }
    switch coder.tag(number, below: 3) {
    case 1: return .predictedRest
    case 2: return .projectedDwell(coder(timeSpan))
    default: return .thresholds
    }
  }
}

extension VisibilityThresholds: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      mount: coder(value?.mount), enter: coder(value?.enter), leave: coder(value?.leave),
      release: coder(value?.release), dwell: coder(value?.dwell))
  }
}

extension WidgetFeed.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      carouselEvery: coder(value?.carouselEvery), carouselCards: coder(value?.carouselCards),
      merchShare: coder(value?.merchShare), countsMerch: coder(value?.countsMerch))
  }
}
