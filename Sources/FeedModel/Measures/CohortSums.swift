import MediaUnits
import ModelBasics

/// Sums over the views of one cohort: a network and a device class. Times are in nanoseconds.
public struct CohortSums: Counters {
  public var views: Int64 = 0
  /// Views with a first frame.
  public var started: Int64 = 0
  /// Views whose frame waited for them.
  public var ready: Int64 = 0
  /// Views that were left without one; those that the end of the run cut are in neither.
  public var notStarted: Int64 = 0
  public var played: Int64 = 0
  public var stalled: Int64 = 0
  /// To the first frame, of the started views.
  public var startup: Int64 = 0
  public var stalls: Int64 = 0
  public var viewsWithStall: Int64 = 0
  /// To the first frame or to the end of the view, and in stalls.
  public var waited: Int64 = 0
  /// Of ``startup``, the parts.
  public var parts = StartupParts()

  public init() {}

  /// Counts a view.
  public mutating func count(_ view: ViewRecord) {
    views += 1
    if view.flags.contains(.ready) { ready += 1 }
    if view.hasStarted {
      started += 1
      startup += view.ttff.nanoseconds
      parts.add(view.parts)
    } else if !view.flags.contains(.cut) {
      // A view that the end of the run cut was not left.
      notStarted += 1
    }
    played += view.played.nanoseconds
    stalled += view.stalled.nanoseconds
    stalls += Int64(view.stalls)
    if view.stalls > 0 { viewsWithStall += 1 }
    waited += view.ttff.nanoseconds + view.stalled.nanoseconds
  }
}
