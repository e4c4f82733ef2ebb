import FeedPolicy
import MediaUnits
import SimulationKernel

/// How viewers move a mixed feed.
///
/// Included: drags, flings by the platform's deceleration law, flings that interrupt each other,
/// fingers that rest on the glass and tremble, Carousels pushed sideways, tabs that are left. Left
/// out: bouncing, snapping, the keyboard, accessibility gestures. Defaults are those of
/// parameters.md section 15 where it has any.
public struct ScrollHabits: Sendable {
  /// Speed of a released fling and of a drag, points per second.
  public var flingSpeed, dragSpeed: QuantileTable
  /// How long a drag lasts, seconds.
  public var dragTime: QuantileTable
  /// Share of vertical gestures that are drags, and that go back.
  public var drags, back: Double
  /// Probability that a fling is followed by another before it has come to rest, and the time until
  /// then, seconds.
  public var burst: Double
  public var burstTime: QuantileTable
  /// Probability that the viewer only glances at what he stopped at, and for how long, seconds;
  /// also how long he looks at what does not play.
  public var glances: Double
  public var glance: QuantileTable
  /// Probability that the finger stays on the glass at rest, for how long, seconds, and the spread
  /// of its trembling, points.
  public var trembles: Double
  public var trembleTime: QuantileTable
  public var trembleSpread: Double
  /// Probability that a Carousel at rest is pushed sideways.
  public var sideways: Double
  /// Probability that the tab is left after a rest, and for how long, seconds.
  public var leaves: Double
  public var leaveTime: QuantileTable
  /// Probability that a viewer whose device does not autoplay taps what he stopped at.
  public var taps: Double
  /// Share of viewers with Android's law; the others have UIKit's with this rate.
  public var android: Double
  public var uikit: DecelerationLaw

  public init(
    flingSpeed: QuantileTable, dragSpeed: QuantileTable, dragTime: QuantileTable, drags: Double,
    back: Double, burst: Double, burstTime: QuantileTable, glances: Double, glance: QuantileTable,
    trembles: Double, trembleTime: QuantileTable, trembleSpread: Double, sideways: Double,
    leaves: Double, leaveTime: QuantileTable, taps: Double, android: Double,
    uikit: DecelerationLaw
  ) {
    self.flingSpeed = flingSpeed
    self.dragSpeed = dragSpeed
    self.dragTime = dragTime
    self.drags = drags
    self.back = back
    self.burst = burst
    self.burstTime = burstTime
    self.glances = glances
    self.glance = glance
    self.trembles = trembles
    self.trembleTime = trembleTime
    self.trembleSpread = trembleSpread
    self.sideways = sideways
    self.leaves = leaves
    self.leaveTime = leaveTime
    self.taps = taps
    self.android = android
    self.uikit = uikit
  }
}

/// Where players come from (VF-018).
public enum PlayerReuse: UInt8, Sendable, Equatable {
  /// Each mount creates a player.
  case none = 0
  /// Players are kept and given to another card, surface and all.
  case players
  /// Players are kept, and surfaces stay with their cells.
  case surfaces
}

/// Milliseconds of the main thread for one piece of work on a fast device; a slower device takes as
/// many times longer as creating its players does. Source: parameters.md section 3 for players
/// (creation is the device class's law), the rest assumed.
public struct MainThreadCosts: Sendable, Equatable {
  /// Another item into a player, a surface attached, a player taken away.
  public var retarget = 12.0
  public var attach = 5.0
  public var detach = 2.0
  /// A cell created, and one bound to a widget.
  public var cell = 6.0
  public var bind = 2.0
  /// One message between the native side and the script.
  public var message = 0.05

  public init() {}
}

/// What a mixed feed adds to a ``FeedConfiguration``.
public struct SurfaceConfiguration: Sendable {
  public var visibility: VisibilityMachine.Configuration
  public var gate: ScrollGate.Configuration
  public var layout: WidgetFeed.Configuration
  public var pager: FeedPager.Configuration
  public var habits: ScrollHabits
  /// Screens and their shares; points or density-independent pixels.
  public var screens: [FeedGeometry]
  public var screenChoice: AliasTable
  public var shape: FrameShape
  /// Probability that the edge answers an object that it keeps.
  public var edgeHits: Double
  public var reuse: PlayerReuse
  /// Whether visibility is decided by the script: every frame's sights go over the bridge, and
  /// commands come back after ``bridgeDelay`` (VF-019). Otherwise threshold crossings are told.
  public var isScripted: Bool
  public var bridgeDelay: TimeSpan
  public var costs: MainThreadCosts
  /// By index of the device class: whether it is a low-end device (VF-028).
  public var lowEnd: [Bool]

  public init(
    visibility: VisibilityMachine.Configuration, gate: ScrollGate.Configuration,
    layout: WidgetFeed.Configuration, pager: FeedPager.Configuration, habits: ScrollHabits,
    screens: [FeedGeometry], screenChoice: AliasTable, shape: FrameShape, edgeHits: Double,
    reuse: PlayerReuse, isScripted: Bool, bridgeDelay: TimeSpan, costs: MainThreadCosts,
    lowEnd: [Bool]
  ) {
    precondition(screens.count == screenChoice.count, "each screen has a share")
    self.visibility = visibility
    self.gate = gate
    self.layout = layout
    self.pager = pager
    self.habits = habits
    self.screens = screens
    self.screenChoice = screenChoice
    self.shape = shape
    self.edgeHits = edgeHits
    self.reuse = reuse
    self.isScripted = isScripted
    self.bridgeDelay = bridgeDelay
    self.costs = costs
    self.lowEnd = lowEnd
  }
}
