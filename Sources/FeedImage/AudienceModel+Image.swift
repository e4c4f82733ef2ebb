import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

extension AudienceConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(
      viewsPerDayPerEdge: coder(value?.viewsPerDayPerEdge),
      viewsPerSession: coder(value?.viewsPerSession), window: coder(value?.window),
      drain: coder(value?.drain), sessionLength: coder(value?.sessionLength),
      personas: coder.list(value?.personas), personaChoice: coder(value?.personaChoice),
      backSwipe: coder(value?.backSwipe), burstStart: coder(value?.burstStart),
      burstContinuation: coder(value?.burstContinuation), burstDwell: coder(value?.burstDwell),
      settle: coder(value?.settle), patienceFloor: coder(value?.patienceFloor),
      patience: coder(value?.patience), loopBelow: coder(value?.loopBelow),
      maximumLoops: coder(value?.maximumLoops), scrubHold: coder(value?.scrubHold))
    result.day = coder.optional(value?.day)
    result.crowds = coder.list(value?.crowds)
    result.watchLimit = coder.optional(value?.watchLimit)
    result.exits = coder.optional(value?.exits)
    result.extraColdStarts = coder(value?.extraColdStarts)
    return result
  }
}

extension AudienceScale: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self.whole
    result.factor = coder(value?.factor)
    result.stride = coder(value?.stride)
    result.headTitles = coder(value?.headTitles)
    return result
  }
}

extension CatalogueConfiguration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    let titles = coder(value?.titles)
    let popularity = PopularityImage.image(
      value.map { ($0.probabilities, $0.popularity) }, &coder)
    var result = Self(
      titles: titles, popularity: popularity.choice, probabilities: popularity.probabilities,
      duration: coder(value?.duration),
      minimumDuration: coder(value?.minimumDuration),
      maximumDuration: coder(value?.maximumDuration), ladder: coder(value?.ladder),
      segmentDuration: coder(value?.segmentDuration), titleScale: coder(value?.titleScale),
      segmentVariation: coder(value?.segmentVariation),
      firstSegmentRatio: coder(value?.firstSegmentRatio), peakRatio: coder(value?.peakRatio),
      manifestBytes: coder(value?.manifestBytes), masterBytes: coder(value?.masterBytes),
      initBytes: coder(value?.initBytes), posterBytes: coder(value?.posterBytes),
      playlistBytes: coder(value?.playlistBytes),
      playlistBytesPerSegment: coder(value?.playlistBytesPerSegment),
      cueBytes: coder(value?.cueBytes), spriteBytes: coder(value?.spriteBytes),
      spriteSpan: coder(value?.spriteSpan), cueSpan: coder(value?.cueSpan))
    result.newTitles = coder.optional(value?.newTitles)
    result.republishes = coder.list(value?.republishes)
    result.packaging = coder(value?.packaging)
    result.descriptionBytes = coder(value?.descriptionBytes)
    result.audioRate = coder.optional(value?.audioRate)
    result.audioInitBytes = coder(value?.audioInitBytes)
    result.given = coder.list(value?.given)
    // The media of a live run's own clip are not a scenario's.
    if value?.media != nil { coder.fail() }
    return result
  }
}

extension Crowd: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      from: coder(value?.from), length: coder(value?.length), extra: coder(value?.extra),
      newTitleShare: coder(value?.newTitleShare))
  }
}

extension DwellLaw: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      below: coder(value?.below), completion: coder(value?.completion),
      watchTime: coder(value?.watchTime))
  }
}

extension ExitHazards: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      slowStart: coder(value?.slowStart), perLateSecond: coder(value?.perLateSecond),
      perStalledSecond: coder(value?.perStalledSecond))
  }
}

extension GivenTitle: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var result = Self(
      duration: coder(value?.duration), segmentCount: coder(value?.segmentCount),
      step: coder(value?.step))
    let missing = coder(value?.missing)
    for asset in AssetClass.allCases where missing >> UInt16(asset.rawValue) & 1 == 1 {
      result.lack(asset)
    }
    return result
  }
}

extension NewTitles: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(every: coder(value?.every), share: coder(value?.share), age: coder(value?.age))
  }
}

extension Packaging: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.hls, .dash, .progressive], value)
  }
}

extension Persona: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(dwell: coder.list(value?.dwell), scrubProbability: coder(value?.scrubProbability))
  }
}

extension RateProfile: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    let points = value?.points
    let times = coder.list(points?.map { $0.time })
    let rates = coder.list(points?.map { $0.rate })
    if times.count != rates.count { coder.fail() }
    return Self(zip(times, rates).map { (time: $0, rate: $1) })
  }
}

extension Republish: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(at: coder(value?.at), titles: coder(value?.titles))
  }
}
