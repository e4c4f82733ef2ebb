import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

extension CDNConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(
      edges: coder(value?.edges), edgesBehindShield: coder(value?.edgesBehindShield),
      edge: coder(value?.edge), regional: coder.optional(value?.regional),
      shield: coder.optional(value?.shield), shieldRegion: coder.optional(value?.shieldRegion),
      origin: coder(value?.origin), start: coder(value?.start), warmUp: coder(value?.warmUp),
      assetTTL: coder(value?.assetTTL), assetRules: coder.list(value?.assetRules),
      cacheKey: coder(value?.cacheKey), purges: coder.list(value?.purges))
    result.providers = coder.list(value?.providers)
    result.switching = coder(value?.switching)
    return result
  }
}

extension CDNProvider: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      share: coder(value?.share), detour: coder(value?.detour),
      edgeCapacity: coder.optional(value?.edgeCapacity), hasShield: coder(value?.hasShield),
      transferPerGB: coder.optional(value?.transferPerGB), outages: coder.list(value?.outages))
  }
}

extension CacheAdmission: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var atMost: Int64?
    var double: Double?
    switch value {
    case .all?: number = 0
    case .size(let found)?: (number, atMost) = (1, found)
    case .bloom?: number = 2
    case .probability(let found)?: (number, double) = (3, found)
    case .rule?: coder.fail()
    case nil: break
    }
    switch coder.tag(number, below: 4) {
    case 1: return .size(atMost: coder(atMost))
    case 2: return .bloom
    case 3: return .probability(coder(double))
    default: return .all
    }
  }
}

extension CacheKeyRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var values: UInt32?
    switch value {
    case .path?: number = 0
    case .query(let found)?: (number, values) = (1, found)
    case .session?: number = 2
    case nil: break
    }
    switch coder.tag(number, below: 3) {
    case 1: return .query(values: coder(values))
    case 2: return .session
    default: return .path
    }
  }
}

extension CachePurge: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(at: coder(value?.at), classes: nil)
    result.classes = coder(value?.classes)
    return result
  }
}

extension Outage: Imaged where Failure: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    let begin = coder(value?.begin)
    return Self(begin: begin, end: coder(value?.end), kind: coder(value?.kind))
  }
}

extension OriginOutageKind: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .error)
  }
}

extension ProviderOutageKind: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var delay: TimeSpan?
    switch value {
    case .error?: number = 0
    case .timeout?: number = 1
    case .unreachable?: number = 2
    case .slow(let found)?: (number, delay) = (3, found)
    case nil: break
    }
    switch coder.tag(number, below: 4) {
    case 1: return .timeout
    case 2: return .unreachable
    case 3: return .slow(coder(delay))
    default: return .error
    }
  }
}

extension AssetRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      isCacheable: coder(value?.isCacheable), jitter: coder(value?.jitter),
      synchronisedTo: coder(value?.synchronisedTo))
  }
}

extension CacheStart: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.cold, .stationary, .everything], value)
  }
}

extension CacheTierConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      capacity: coder(value?.capacity), eviction: coder(value?.eviction),
      admission: coder(value?.admission), collapsing: coder(value?.collapsing),
      ttl: coder(value?.ttl), inheritsAge: coder(value?.inheritsAge),
      serviceTime: coder(value?.serviceTime), upstream: coder(value?.upstream))
  }
}

extension DeviceCacheRule: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.word(value, else: .shared)
  }
}

extension EvictionKind: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var bits: Int?
    var s3FIFODrain: S3FIFODrain?
    var segments: Int?
    var window: Int?
    switch value {
    case .lru?: number = 0
    case .fifo?: number = 1
    case .clock(let found)?: (number, bits) = (2, found)
    case .sieve?: number = 3
    case .s3FIFO(let found)?: (number, s3FIFODrain) = (4, found)
    case .lfu?: number = 5
    case .arc?: number = 6
    case .twoQ?: number = 7
    case .slru(let found)?: (number, segments) = (8, found)
    case .gdsf?: number = 9
    case .wTinyLFU?: number = 10
    case .wTinyLFUWide?: number = 11
    case .lookahead(let found)?: (number, window) = (12, found)
    case .belady?: number = 13
    case .infinite?: number = 14
    case .foreign?: coder.fail()
    case nil: break
    }
    switch coder.tag(number, below: 15) {
    case 1: return .fifo
    case 2: return .clock(bits: coder(bits))
    case 3: return .sieve
    case 4: return .s3FIFO(coder(s3FIFODrain))
    case 5: return .lfu
    case 6: return .arc
    case 7: return .twoQ
    case 8: return .slru(segments: coder(segments))
    case 9: return .gdsf
    case 10: return .wTinyLFU
    case 11: return .wTinyLFUWide
    case 12: return .lookahead(window: coder(window))
    case 13: return .belady
    case 14: return .infinite
    default: return .lru
    }
  }
}

extension OriginConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      firstByte: coder(value?.firstByte), concurrency: coder.optional(value?.concurrency),
      requestRate: coder.optional(value?.requestRate), slowDownTime: coder(value?.slowDownTime),
      outages: coder.list(value?.outages))
  }
}

extension ProviderSwitching: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      policy: coder(value?.policy), timeout: coder(value?.timeout), steering: coder(value?.steering)
    )
  }
}

extension ProviderSwitching.Steering: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(lifetime: coder(value?.lifetime), delay: coder(value?.delay))
  }
}

extension RegionalConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      count: coder(value?.count), tier: coder(value?.tier),
      isSkippedInOriginRegion: coder(value?.isSkippedInOriginRegion))
  }
}

extension S3FIFODrain: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.libCacheSim, .paper, .filling], value)
  }
}

extension TierTTL: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var cloudFrontProfile: CloudFrontProfile?
    switch value {
    case .rfc9111?: number = 0
    case .cloudFront(let found)?: (number, cloudFrontProfile) = (1, found)
    case .rule?: coder.fail()
    case nil: break
    }
    switch coder.tag(number, below: 2) {
    case 1: return .cloudFront(coder(cloudFrontProfile))
    default: return .rfc9111
    }
  }
}

extension UpstreamConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      roundTrip: coder(value?.roundTrip), floor: coder(value?.floor),
      keepAlive: coder(value?.keepAlive), handshakeRoundTrips: coder(value?.handshakeRoundTrips),
      connectTimeout: coder(value?.connectTimeout), responseTimeout: coder(value?.responseTimeout),
      attempts: coder(value?.attempts))
  }
}
