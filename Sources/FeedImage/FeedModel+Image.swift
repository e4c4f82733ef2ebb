import AudienceModel
import CacheModel
import FeedModel
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

extension ClientConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self()
    result.gate = coder.optional(value?.gate)
    result.snapRetry = coder.optional(value?.snapRetry)
    result.placeholder = coder(value?.placeholder)
    result.proximity = coder.optional(value?.proximity)
    result.end = coder.optional(value?.end)
    result.loopGap = coder.optional(value?.loopGap)
    result.pauses = coder.list(value?.pauses)
    result.crashShare = coder(value?.crashShare)
    result.telemetry = coder.optional(value?.telemetry)
    result.ranker = coder.optional(value?.ranker)
    result.exploration = coder.optional(value?.exploration)
    result.explorationFrom = coder(value?.explorationFrom)
    result.segmentErrorShare = coder(value?.segmentErrorShare)
    result.retry = coder.optional(value?.retry)
    if value?.retryDecider != nil || value?.gateDecider != nil { coder.fail() }
    result.tapDelay = coder.optional(value?.tapDelay)
    result.diskRule = coder(value?.diskRule)
    result.readsStoryboards = coder(value?.readsStoryboards)
    result.offline = coder.optional(value?.offline)
    return result
  }
}

extension ClientConfiguration.Placeholder: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .poster)
  }
}

extension DecoderStress: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      players: coder(value?.players), transfers: coder(value?.transfers), swipe: coder(value?.swipe)
    )
  }
}

extension DeviceClass: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(
      playerCreation: coder(value?.playerCreation), decoderSetup: coder(value?.decoderSetup),
      decoderReuse: coder(value?.decoderReuse), firstDecode: coder(value?.firstDecode),
      decoderLimit: coder(value?.decoderLimit), diskCache: coder(value?.diskCache),
      diskRead: coder(value?.diskRead))
    result.playerMemory = coder(value?.playerMemory)
    result.presentation = coder.optional(value?.presentation)
    result.mainThread = coder.optional(value?.mainThread)
    result.stress = coder.optional(value?.stress)
    result.appLaunch = coder.optional(value?.appLaunch)
    result.sourcePreparation = coder.optional(value?.sourcePreparation)
    return result
  }
}

extension FeedConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    // First, since other laws are told by it.
    let normal = coder(value?.normal)
    var result = Self(
      catalogue: coder(value?.catalogue), networks: coder.list(value?.networks),
      networkChoice: coder(value?.networkChoice), transport: coder(value?.transport),
      devices: coder.list(value?.devices), deviceChoice: coder(value?.deviceChoice),
      cdn: coder(value?.cdn), audience: coder(value?.audience), policy: coder(value?.policy),
      feedLatency: coder(value?.feedLatency), feedBytesPerItem: coder(value?.feedBytesPerItem),
      normal: normal)
    result.client = coder(value?.client)
    result.windows = coder.list(value?.windows)
    result.scale = coder(value?.scale)
    result.surface = coder.optional(value?.surface)
    return result
  }
}

extension MainThreadCosts: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self()
    result.retarget = coder(value?.retarget)
    result.attach = coder(value?.attach)
    result.detach = coder(value?.detach)
    result.cell = coder(value?.cell)
    result.bind = coder(value?.bind)
    result.message = coder(value?.message)
    return result
  }
}

extension MainThreadWork: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(create: coder(value?.create), retarget: coder(value?.retarget))
  }
}

extension MeasureWindow: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(from: coder(value?.from), to: coder(value?.to))
  }
}

extension OfflineBehaviour: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      suspendsPrefetch: coder(value?.suspendsPrefetch), endsAtHole: coder(value?.endsAtHole),
      horizon: coder(value?.horizon))
  }
}

extension PauseBehaviour: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      reason: coder(value?.reason), share: coder(value?.share), length: coder(value?.length),
      holdsLoading: coder(value?.holdsLoading), killShare: coder(value?.killShare),
      sentShare: coder(value?.sentShare))
  }
}

extension PlayerModel: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self()
    result.minimumBuffer = coder.optional(value?.minimumBuffer)
    result.topBuffer = coder.optional(value?.topBuffer)
    result.keepUp = coder.optional(value?.keepUp)
    result.estimator = coder(value?.estimator)
    result.isSetUpAnew = coder(value?.isSetUpAnew)
    result.takesParts = coder(value?.takesParts)
    return result
  }
}

extension PlayerModel.Estimator: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var configuration: EWMAEstimator.Configuration?
    switch value {
    case .median?: number = 0
    case .means(let found)?: (number, configuration) = (1, found)
    case nil: break
    }
    switch coder.tag(number, below: 2) {
    case 1: return .means(coder(configuration))
    default: return .median
    }
  }
}

extension PlayerModel.KeepUp: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(plenty: coder(value?.plenty), shorter: coder(value?.shorter), longer: coder(value?.longer))
  }
}

extension PlayerReuse: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .none)
  }
}

extension PolicyConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(
      pool: coder(value?.pool), prefetch: coder(value?.prefetch),
      startupCap: coder(value?.startupCap), bitrate: coder(value?.bitrate),
      initialEstimate: coder(value?.initialEstimate), startThreshold: coder(value?.startThreshold),
      resumeThreshold: coder(value?.resumeThreshold), forwardBuffer: coder(value?.forwardBuffer),
      pageSize: coder(value?.pageSize), pageTrigger: coder(value?.pageTrigger),
      fetchesPosters: coder(value?.fetchesPosters))
    result.player = coder(value?.player)
    result.prefetchRung = coder.optional(value?.prefetchRung)
    // Somebody else's machines have no image.
    if value?.prefetchDeciders != nil || value?.bitrateDecider != nil
      || value?.releaseDecider != nil || value?.victimDecider != nil
    {
      coder.fail()
    }
    return result
  }
}

extension Presentation: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      attach: coder(value?.attach), refresh: coder(value?.refresh),
      composition: coder(value?.composition))
  }
}

extension RankerConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      fallback: coder(value?.fallback), isAtClient: coder(value?.isAtClient),
      latency: coder(value?.latency), slowShare: coder(value?.slowShare),
      slowFactor: coder(value?.slowFactor), overhead: coder(value?.overhead))
  }
}

extension ScrollHabits: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      flingSpeed: coder(value?.flingSpeed), dragSpeed: coder(value?.dragSpeed),
      dragTime: coder(value?.dragTime), drags: coder(value?.drags), back: coder(value?.back),
      burst: coder(value?.burst), burstTime: coder(value?.burstTime),
      glances: coder(value?.glances), glance: coder(value?.glance),
      trembles: coder(value?.trembles), trembleTime: coder(value?.trembleTime),
      trembleSpread: coder(value?.trembleSpread), sideways: coder(value?.sideways),
      leaves: coder(value?.leaves), leaveTime: coder(value?.leaveTime), taps: coder(value?.taps),
      android: coder(value?.android), uikit: coder(value?.uikit))
  }
}

extension SurfaceConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      visibility: coder(value?.visibility), gate: coder(value?.gate), layout: coder(value?.layout),
      pager: coder(value?.pager), habits: coder(value?.habits), screens: coder.list(value?.screens),
      screenChoice: coder(value?.screenChoice), shape: coder(value?.shape),
      edgeHits: coder(value?.edgeHits), reuse: coder(value?.reuse),
      isScripted: coder(value?.isScripted), bridgeDelay: coder(value?.bridgeDelay),
      costs: coder(value?.costs), lowEnd: coder.list(value?.lowEnd))
  }
}

extension TelemetryConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      batcher: coder(value?.batcher), envelopeBytes: coder(value?.envelopeBytes),
      eventBytes: coder(value?.eventBytes), latency: coder(value?.latency),
      failureShare: coder(value?.failureShare))
  }
}
