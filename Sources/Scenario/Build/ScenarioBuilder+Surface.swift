import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// A mixed feed.
extension ScenarioBuilder {
  mutating func surface() -> SurfaceConfiguration? {
    guard let part = tree.optional("surface") else { return nil }
    guard let shape = FrameShape(height: 1, width: 1) else {
      preconditionFailure("a square is a shape")
    }
    return ScenarioTable.surface.filled(
      SurfaceConfiguration(
        visibility: .init(), gate: .init(), layout: .init(), pager: .init(), habits: blankHabits,
        screens: [FeedGeometry(screenWidth: 1, screenHeight: 1)], screenChoice: choice([1]),
        shape: shape, edgeHits: 0, reuse: .none, isScripted: false, bridgeDelay: .zero,
        costs: MainThreadCosts(), lowEnd: []), from: part, by: &self)
  }

  private var blankHabits: ScrollHabits {
    ScrollHabits(
      flingSpeed: .unread, dragSpeed: .unread, dragTime: .unread, drags: 0, back: 0, burst: 0,
      burstTime: .unread, glances: 0, glance: .unread, trembles: 0, trembleTime: .unread,
      trembleSpread: 0, sideways: 0, leaves: 0, leaveTime: .unread, taps: 0, android: 0,
      uikit: .uikitNormal)
  }
}
