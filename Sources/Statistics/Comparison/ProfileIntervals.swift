/// The ends of intervals that are looked for by simulation: on either side of a parameter as far
/// away as the squares of the errors, with all other parameters found anew, have grown by no more
/// than noise makes them (D. Venzon, S. Moolgavkar 1988, DOI 10.2307/2347496).
///
/// Slopes say where such an end is if both sides are alike. Where a wait needs hardly more than its
/// least they are not: more of a rate changes nothing there, and less of it much.
struct ProfileIntervals: Sendable {
  /// What is simulated.
  struct Place: Sendable {
    let number: Int
    /// Of the parameter's logarithm.
    let step: Double
    /// Of all logarithms, what the others were moved by; empty: nothing.
    var beside: [Double] = []
  }

  private struct Side: Sendable {
    let number: Int
    /// 1 above, -1 below.
    let sign: Double
    /// Where slopes have the end, where it is looked first, and how far the range goes; of a
    /// logarithm, as all distances.
    let half, first, room: Double
    /// The farthest that is inside and the nearest that is not, with the roots of what the squares
    /// have grown by there.
    var inner = (distance: 0.0, root: 0.0)
    var outer: (distance: Double, root: Double)?
    /// What the others were moved by at the inner one.
    var beside: [Double] = []
    /// Whether a place farther out than an outer one was outside, too.
    var isConfirmed = false

    /// Whether slopes say anything: of what is far away they do not.
    var isSloped: Bool { half <= ProfileIntervals.mostHalf }

    /// A simulation's own noise is not taken for an end where nothing else tells of one.
    func isSure(_ growth: Double) -> Bool {
      guard let outer else { return true }
      return isSloped || isConfirmed || outer.root >= 2 * growth.squareRoot()
        || outer.distance >= room
    }
  }

  /// What the squares grow by inside.
  let growth: Double
  private var sides: [Side] = []
  private var current = 0

  /// The farthest that an end's two places are apart, as a factor of their distances.
  private static let fineness = 1.5
  /// By how much farther the next place is, at least and at most.
  private static let (leastFactor, mostFactor) = (1.3, 2.5)
  /// Beyond where the squares are expected to have grown by enough.
  private static let beyond = 1.2
  /// Below this nothing is a place of its own.
  private static let leastDistance = 0.005
  /// Slopes say nothing of what is farther away than the first; it is begun at the second, then.
  private static let (mostHalf, firstDistance) = (1.0, 0.15)
  /// How much farther a place is that confirms an end.
  private static let confirming = 1.5

  /// - Parameter growth: what the squares grow by inside.
  /// - Precondition: above zero.
  init(growth: Double) {
    precondition(growth > 0, "an interval has a width")
    self.growth = growth
  }

  /// Adds a parameter. A side whose range ends before the first place has no end.
  ///
  /// - Parameters:
  ///   - half: of its interval by slopes.
  ///   - room: how far its range goes.
  mutating func add(_ number: Int, half: Double, room: (below: Double, above: Double)) {
    let nearest = half <= ProfileIntervals.mostHalf ? half : ProfileIntervals.firstDistance
    let first = max(nearest, ProfileIntervals.leastDistance)
    for (room, sign) in [(room.above, 1.0), (room.below, -1)] where room > first {
      sides.append(Side(number: number, sign: sign, half: half, first: first, room: room))
    }
  }

  /// What is to be simulated next, with the others moved in proportion to what was right before;
  /// nil when all ends are known.
  mutating func next() -> Place? {
    while current < sides.count {
      let side = sides[current]
      if let distance = next(of: side) {
        let factor = side.beside.isEmpty ? 0 : distance / side.inner.distance
        return Place(
          number: side.number, step: side.sign * distance, beside: side.beside.map { $0 * factor })
      }
      current += 1
    }
    return nil
  }

  private func next(of side: Side) -> Double? {
    if let outer = side.outer {
      if !side.isSure(growth) {
        return min(side.room, ProfileIntervals.confirming * outer.distance)
      }
      // Nearer than where it is looked first it is not looked again.
      let near = max(side.inner.distance, side.first)
      let isFine = outer.distance <= ProfileIntervals.fineness * near
      return isFine ? nil : (near * outer.distance).squareRoot()
    }
    if side.inner.distance == 0 { return side.first }
    if side.inner.distance >= side.room { return nil }
    let factor = ProfileIntervals.beyond * growth.squareRoot() / max(side.inner.root, 0.1)
    let bounded = min(ProfileIntervals.mostFactor, max(ProfileIntervals.leastFactor, factor))
    return min(side.room, side.inner.distance * bounded)
  }

  /// Takes what the squares have grown by at a place of the parameter that was asked for, on the
  /// same side.
  mutating func take(grownBy squares: Double, at simulated: Place) {
    let place = (distance: abs(simulated.step), root: max(0, squares).squareRoot())
    let isConfirming = sides[current].outer.map { place.distance > $0.distance } ?? false
    if squares <= growth {
      (sides[current].inner, sides[current].beside) = (place, simulated.beside)
      if isConfirming { sides[current].outer = nil }
    } else if isConfirming {
      sides[current].isConfirmed = true
    } else {
      sides[current].outer = place
    }
  }

  /// How far away the end of a parameter's interval is; nil: not inside its range. It is not nearer
  /// than slopes have it, where they say anything.
  func distance(of number: Int, sign: Double) -> Double? {
    let own = sides.first { $0.number == number && $0.sign == sign }
    guard let own, let outer = own.outer else { return nil }
    // Roots of the squares go with the distance.
    let share = (growth.squareRoot() - own.inner.root) / (outer.root - own.inner.root)
    let end = own.inner.distance + share * (outer.distance - own.inner.distance)
    return own.isSloped ? max(own.half, end) : end
  }
}
