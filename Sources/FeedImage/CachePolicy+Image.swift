import CachePolicy
import MediaUnits

extension AssetTTL: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(coder(value?.configuration))
  }
}

extension AssetTTL.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      feed: coder(value?.feed), mediaManifest: coder(value?.mediaManifest),
      masterPlaylist: coder(value?.masterPlaylist), mediaPlaylist: coder(value?.mediaPlaylist),
      initSegment: coder(value?.initSegment), segment: coder(value?.segment),
      poster: coder(value?.poster), vtt: coder(value?.vtt), sprite: coder(value?.sprite))
  }
}

extension CacheDirectives: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      sharedMaxAge: coder.optional(value?.sharedMaxAge), maxAge: coder.optional(value?.maxAge),
      staleWhileRevalidate: coder(value?.staleWhileRevalidate),
      staleIfError: coder(value?.staleIfError), options: coder(value?.options))
  }
}

extension CacheDirectives.Options: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(rawValue: coder(value?.rawValue))
  }
}

extension CacheFreshness.StaleOnFailure: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.never, .whenUnreachable, .withinWindow, .always, .whenCutOff], value)
  }
}

extension CloudFrontProfile: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      minimumTTL: coder(value?.minimumTTL), defaultTTL: coder(value?.defaultTTL),
      maximumTTL: coder(value?.maximumTTL),
      errorCachingMinimumTTL: coder(value?.errorCachingMinimumTTL))
  }
}

extension CollapsingMachine.Configuration: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(
      mode: coder(value?.mode), revalidation: coder(value?.revalidation),
      staleOnFailure: coder(value?.staleOnFailure), hitForMiss: coder(value?.hitForMiss),
      releasedPerAnswer: coder(value?.releasedPerAnswer))
  }
}

extension CollapsingMachine.Lock: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    Self(timeout: coder(value?.timeout), age: coder(value?.age), poll: coder(value?.poll))
  }
}

extension CollapsingMachine.Mode: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    var number: Int?
    var lock: CollapsingMachine.Lock?
    switch value {
    case .none?: number = 0
    case .absentOnly(let found)?: (number, lock) = (1, found)
    case .full?: number = 2
    case nil: break
    }
    switch coder.tag(number, below: 3) {
    case 1: return .absentOnly(coder(lock))
    case 2: return .full
    default: return .none
    }
  }
}

extension CollapsingMachine.Revalidation: Imaged {
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    coder.one(of: [.foreground, .background], value)
  }
}
