import Foundation
import Scenario
import Statistics

/// What telemetry and logs say that an audience took, each with what it is counted of; and what
/// they cannot tell, and why.
public struct ObservedAudience: Sendable {
  /// In the order of a report.
  public enum Quantity: String, Sendable, CaseIterable {
    case usersPerDay, sessionsPerDay, viewsPerDay, sessionsPerUserDay, viewsPerSession,
      secondsPerView
    /// The busiest hour over the mean one, and the busiest five minutes over that hour, of views.
    case peakToMean, burst
    /// Viewers at a time: means over the busiest hour and the busiest five minutes.
    case viewersInHour, viewersAtPeak
    /// In the busiest five minutes, each of its own.
    case peakViews, edgeRate, fillRate, originRate, edgeRequests, fillRequests, originRequests
    case bytesPerView, requestsPerView, hitRatio, byteHitRatio, nextHitRatio

    /// Whether it is as large as the audience.
    public var growsWithAudience: Bool {
      switch self {
      case .usersPerDay, .sessionsPerDay, .viewsPerDay, .viewersInHour, .viewersAtPeak, .peakViews,
        .edgeRate, .fillRate, .originRate, .edgeRequests, .fillRequests, .originRequests:
        true
      case .sessionsPerUserDay, .viewsPerSession, .secondsPerView, .peakToMean, .burst,
        .bytesPerView, .requestsPerView, .hitRatio, .byteHitRatio, .nextHitRatio:
        false
      }
    }

    /// Whether requests say it.
    var isOfRequests: Bool {
      switch self {
      case .edgeRate, .fillRate, .originRate, .edgeRequests, .fillRequests, .originRequests: true
      default: false
      }
    }

    /// Whether it lies in 0...1.
    public var isShare: Bool {
      self == .hitRatio || self == .byteHitRatio || self == .nextHitRatio
    }
  }

  /// What was counted.
  public enum Unit: String, Sendable { case days, sessions, views, requests }

  /// A number that the files say. Rates are a second, bits or requests; bytes are bytes.
  public struct Figure: Sendable, Equatable {
    public var quantity: Quantity
    public var value: Double
    /// 95 %; nil of what was counted and is no estimate, and of too few for one.
    public var interval: Interval?
    public var n: Int64
    public var unit: Unit
    /// When the busiest time began, seconds since 1970.
    public var begin: Double?
    /// Whether a plan for these views has something to be held against it.
    public var isComparable = true
  }

  /// What the files cannot tell.
  public struct Untold: Sendable, Equatable {
    public var quantities: [Quantity]
    public var reason: String
  }

  /// When views began and requests came: whole blocks, seconds since 1970; nil without any.
  public internal(set) var views: Range<Double>?
  public internal(set) var requests: Range<Double>?
  /// Whole days with views: 24 hours each, from the full hour of the first view.
  public internal(set) var days = 0
  public internal(set) var figures: [Figure] = []
  public internal(set) var untold: [Untold] = []
  /// What is to be known of it, in sentences without a full stop.
  public internal(set) var notes: [String] = []
  /// Eight digits over what was read.
  public var digest: String

  /// - Parameter hasNextTier: whether a cache stands between edges and origin.
  public init(_ load: ObservedLoad, hasNextTier: Bool) {
    digest = load.digest
    notes = load.notes
    var reading = LoadReading(load)
    reading.readDays()
    reading.readViews()
    reading.readRequests(hasNextTier: hasNextTier)
    (views, requests, days) = (reading.viewTime, reading.requestTime, reading.days.count)
    let order = Quantity.allCases
    figures = order.compactMap { quantity in
      reading.figures.first { $0.quantity == quantity }
    }
    untold = reading.untold
    notes += reading.notes
  }

  public subscript(quantity: Quantity) -> Figure? { figures.first { $0.quantity == quantity } }

  /// What it says of a plan's assumptions, as keys and values of these.
  public var settings: [(key: String, value: String)] {
    let keys: [(Quantity, String, ClosedRange<Double>)] = [
      (.sessionsPerUserDay, "sessionsPerUserDay", 0...1e6), (.peakToMean, "peakToMean", 1...100),
      (.burst, "burst", 1...100),
    ]
    return keys.compactMap { quantity, key, range in
      guard let value = self[quantity]?.value, range.contains(value) else { return nil }
      return (key, "\(value)")
    }
  }

  /// Users a day by whom a plan has these sessions, or else these views; nil where no whole day
  /// says how many.
  public func users(
    sessionsPerUserDay: Double, viewsPerSession: Double
  ) -> Double? {
    if sessionsPerUserDay <= 0 { return nil }
    if let sessions = self[.sessionsPerDay]?.value { return sessions / sessionsPerUserDay }
    guard let views = self[.viewsPerDay]?.value, viewsPerSession > 0 else { return nil }
    return views / viewsPerSession / sessionsPerUserDay
  }
}
