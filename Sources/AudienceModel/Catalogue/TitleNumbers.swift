import MediaUnits

/// Numbers of titles beyond the catalogue's: new titles, and the versions of titles that were
/// published again. Objects are numbered by them (``ObjectLayout``).
public struct TitleNumbers: Sendable {
  private struct Version: Sendable {
    var at: Instant
    var titles: UInt32
    /// Number of the most popular title in this version.
    var first: UInt32
  }

  /// Number of the first crowd's new title.
  public let firstOfCrowds: UInt32
  /// Number of the oldest of the titles that arrive all the time.
  public let firstArrival: UInt32
  /// Ascending by time.
  private let versions: [Version]
  /// Most numbers there can be.
  public static let limit = Int64(UInt32.max / ObjectLayout.stride)

  /// How many numbers a run takes; it must not be more than ``limit``.
  ///
  /// - Parameters:
  ///   - crowds: flash crowds, each of which brings a title.
  ///   - end: of the run, its warm-up and its drain included.
  public static func count(
    _ catalogue: borrowing CatalogueConfiguration, crowds: Int, until end: TimeSpan
  ) -> Int64 {
    var sum = Int64(catalogue.titles) + Int64(crowds)
    if let arrivals = catalogue.newTitles { sum += arrivals.count(until: end) }
    for part in catalogue.republishes { sum += Int64(part.titles) }
    return sum
  }

  /// - Parameter warmUp: times of republishing count from its end.
  public init(
    _ catalogue: borrowing CatalogueConfiguration, crowds: Int, warmUp: TimeSpan,
    until end: TimeSpan
  ) {
    precondition(
      TitleNumbers.count(catalogue, crowds: crowds, until: end) <= TitleNumbers.limit,
      "titles, new titles and versions have numbers")
    firstOfCrowds = catalogue.titles
    firstArrival = firstOfCrowds + UInt32(crowds)
    var next = firstArrival
    if let arrivals = catalogue.newTitles { next += UInt32(arrivals.count(until: end)) }
    var versions: [Version] = []
    for part in catalogue.republishes {
      let at = Instant.zero + warmUp + part.at
      precondition(versions.last.map { $0.at <= at } ?? true, "versions ascend by time")
      versions.append(Version(at: at, titles: part.titles, first: next))
      next += part.titles
    }
    self.versions = versions
  }

  /// Numbers of so many titles, of which none is new or published again.
  public init(titles: UInt32) {
    firstOfCrowds = titles
    firstArrival = titles
    versions = []
  }

  /// Whether any title is published again.
  public var hasVersions: Bool { !versions.isEmpty }

  /// The number under which a title's objects stand, in the version current at a time. A later
  /// version has a larger number.
  public func number(of title: TitleID, at time: Instant) -> UInt32 {
    var number = title.index
    for version in versions where version.at <= time && title.index < version.titles {
      number = version.first + title.index
    }
    return number
  }

  /// The title of the catalogue that a number stands for, and since when, seconds of the run; nil
  /// for new titles.
  public func base(of number: UInt32) -> (title: UInt32, since: Double?)? {
    if number < firstOfCrowds { return (number, nil) }
    for version in versions where number >= version.first {
      let title = number - version.first
      if title < version.titles { return (title, Double(version.at.nanoseconds) * 1e-9) }
    }
    return nil
  }

  /// When the version of a title with this number was replaced; nil when that is yet to come.
  public func replaced(_ title: TitleID, number: UInt32, by now: Instant) -> Instant? {
    for version in versions
    where version.at <= now && title.index < version.titles
      && version.first + title.index > number
    {
      return version.at
    }
    return nil
  }
}
