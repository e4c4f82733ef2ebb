import MediaUnits
import NetworkModels
import SimulationKernel

extension CellConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      capacity: coder(value?.capacity), count: coder(value?.count), bias: coder(value?.bias),
      queue: coder.optional(value?.queue))
  }
}

extension CongestionControl: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.cubic, .newReno, .bbr], value)
  }
}

extension HTTPVersion: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.http1, .http2, .http3], value)
  }
}

extension Handshake: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(
      of: [.none, .tcp, .tls12, .tls13, .tls13Resumed, .tls13Early, .quic, .quicZeroRTT], value)
  }
}

extension LinkSharing: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.weights, .turns, .queue], value)
  }
}

extension NameFailure: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      unanswered: coder(value?.unanswered), refused: coder(value?.refused),
      timeout: coder(value?.timeout), tries: coder(value?.tries))
  }
}

extension NetworkModel: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.firstFrame, .pensieve, .sabre, .mm22], value)
  }
}

extension NetworkProfile: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(
      sessionRate: coder(value?.sessionRate), rateFactor: coder(value?.rateFactor),
      roundTrip: coder(value?.roundTrip), queueLimit: coder(value?.queueLimit),
      lossRate: coder(value?.lossRate), uplinkRate: coder(value?.uplinkRate),
      nameLookup: coder(value?.nameLookup), promotion: coder(value?.promotion),
      radioIdle: coder(value?.radioIdle))
    result.traces = coder.list(value?.traces)
    result.startsAnywhere = coder(value?.startsAnywhere)
    result.cell = coder.optional(value?.cell)
    result.timeline = coder.optional(value?.timeline)
    result.lossBurst = coder(value?.lossBurst)
    result.process = coder(value?.process)
    result.nameFailure = coder.optional(value?.nameFailure)
    return result
  }
}

extension RateBias: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(exponent: coder(value?.exponent))
  }
}

extension RateProcess: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self()
    result.sigma = coder(value?.sigma)
    result.correlation = coder(value?.correlation)
    result.outageStart = coder(value?.outageStart)
    result.outageEnd = coder(value?.outageEnd)
    result.outageRate = coder(value?.outageRate)
    return result
  }
}

extension RateTrace: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(starts: coder.list(value?.starts), rates: coder.list(value?.rates), end: coder(value?.end))
  }
}

extension RateTrace.End: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var period: Int64?
    var at: Int64?
    switch value {
    case .hold?: number = 0
    case .loop(let found)?: (number, period) = (1, found)
    case .silence(let found)?: (number, at) = (2, found)
    case nil: break
    }
    switch coder.tag(number, below: 3) {
    case 1: return .loop(period: coder(period))
    case 2: return .silence(at: coder(at))
    default: return .hold
    }
  }
}

extension TransportConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(
      model: coder(value?.model), http: coder(value?.http), congestion: coder(value?.congestion),
      handshake: coder(value?.handshake), resumedHandshake: coder(value?.resumedHandshake),
      resumption: coder(value?.resumption), connectionsPerHost: coder(value?.connectionsPerHost),
      initialWindow: coder(value?.initialWindow),
      receiveWindow: coder.optional(value?.receiveWindow), segmentSize: coder(value?.segmentSize),
      overhead: coder(value?.overhead), slowStartAfterIdle: coder(value?.slowStartAfterIdle),
      idleClose: coder(value?.idleClose), requestBytes: coder(value?.requestBytes),
      responseHeaderBytes: coder(value?.responseHeaderBytes),
      prefetchWeight: coder(value?.prefetchWeight), sharing: coder(value?.sharing))
    result.detours = coder.list(value?.detours)
    return result
  }
}

extension LinkTimeline: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(coder.list(value?.events))
  }
}

extension LinkEvent: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(at: coder(value?.at), coder(value?.kind))
  }
}

extension LinkEvent.Kind: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var length: Int64?
    var keeps: Bool?
    var rate: Double?
    switch value {
    case .handOver(let outage, let found)?: (number, length, keeps) = (0, outage, found)
    case .tunnel(let found)?: (number, length) = (1, found)
    case .offline?: number = 2
    case .step(let found)?: (number, rate) = (3, found)
    case .trace?: number = 4
    case nil: break
    }
    switch coder.tag(number, below: 5) {
    case 0: return .handOver(outage: coder(length), keepsConnections: coder(keeps))
    case 1: return .tunnel(length: coder(length))
    case 2: return .offline
    case 3: return .step(rate: coder(rate))
    default: return .trace
    }
  }
}

extension AliasTable: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    let columns = value?.columns
    let thresholds = coder.list(columns?.thresholds)
    return Self(thresholds: thresholds, aliases: coder.list(columns?.aliases))
  }
}
