import AudienceModel
import CacheModel
import MediaUnits

extension DemandClock {
  /// The clock of a scenario's whole audience.
  init(_ configuration: borrowing FeedConfiguration) {
    let warmUp = configuration.cdn.warmUp.seconds
    let window = configuration.audience.window.seconds
    let day = configuration.audience.day
    let crowds = configuration.audience.crowds
    self.init(
      span: warmUp + window + configuration.audience.drain.seconds,
      sessionLength: configuration.audience.sessionLength
    ) { time in
      let measured = time - warmUp
      if measured >= window { return 0 }
      var rate = day?.rate(at: measured) ?? 1
      for crowd in crowds { rate += crowd.extra.rate(at: measured) }
      return rate
    }
  }
}
