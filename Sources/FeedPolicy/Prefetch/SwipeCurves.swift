import MediaUnits

/// How long viewers stay with an item, by the item's length: a survival curve for each bucket.
///
/// Values stand at whole seconds and are interpolated between them; beyond the last one the curve
/// is flat. A viewer who is still there at the item's end leaves then. Leaves out: loops, scrubs,
/// the single viewer's habits.
public struct SwipeCurves: Sendable, Equatable {
  /// The curve for items shorter than `below`.
  public struct Curve: Sendable, Equatable {
    /// Items shorter than this, and not shorter than the curve before, use it.
    public var below: TimeSpan
    /// Probability of still watching after 0, 1, 2 … s; begins with 1 and never rises.
    public var survival: [Double]

    /// - Precondition: the values begin with 1, lie within 0 … 1 and never rise.
    public init(below: TimeSpan, survival: [Double]) {
      precondition(!survival.isEmpty && survival[0] == 1, "a survival curve begins with 1")
      for index in 1..<survival.count {
        precondition(
          survival[index] >= 0 && survival[index] <= survival[index - 1],
          "a survival curve never rises and stays within 0 … 1")
      }
      self.below = below
      self.survival = survival
    }
  }

  /// Completion and swipe time of one bucket: S(t) = c + (1 - c)·exp(-(t/λ)^k).
  public struct Fit: Sendable, Equatable {
    public var below: TimeSpan
    /// Share that watches to the end, and shape and scale (seconds) of the others' swipe time.
    public var completion, shape, scale: Double

    public init(below: TimeSpan, completion: Double, shape: Double, scale: Double) {
      self.below = below
      self.completion = completion
      self.shape = shape
      self.scale = scale
    }
  }

  /// Ascending by length; the last one serves all longer items.
  public var curves: [Curve]

  /// - Precondition: at least one curve, ascending by length.
  public init(_ curves: [Curve]) {
    precondition(!curves.isEmpty, "at least one survival curve")
    for index in 1..<curves.count {
      precondition(curves[index - 1].below < curves[index].below, "curves ascend by length")
    }
    self.curves = curves
  }

  /// Seconds that a tabulated curve covers.
  public static let seconds = 60

  /// Curves of a mixture of audiences with the same buckets.
  ///
  /// - Parameter audiences: fits by bucket, and the audience's share; the shares sum to 1.
  public init(mixing audiences: [(share: Double, fits: [Fit])]) {
    var curves: [Curve] = []
    for bucket in 0..<audiences[0].fits.count {
      var values: [Double] = []
      for second in 0...SwipeCurves.seconds {
        var sum = 0.0
        for audience in audiences { sum += audience.share * audience.fits[bucket].at(second) }
        let bound = values.last ?? 1
        values.append(second == 0 ? 1 : (sum < bound ? sum : bound))
      }
      curves.append(Curve(below: audiences[0].fits[bucket].below, survival: values))
    }
    self.init(curves)
  }

  /// Lab users of the Dashlet study (`parameters.md` section 6.2).
  public static let labFits = [
    Fit(below: .seconds(10), completion: 0.39, shape: 2.24, scale: 4.0),
    Fit(below: .seconds(20), completion: 0.28, shape: 1.89, scale: 6.5),
    Fit(below: .seconds(40), completion: 0.08, shape: 1.35, scale: 9.8),
    Fit(below: .seconds(80), completion: 0.06, shape: 1.07, scale: 14.7),
    Fit(below: .max, completion: 0.02, shape: 0.77, scale: 19.9),
  ]

  /// Curves of the lab users.
  public static let lab = SwipeCurves(mixing: [(1, labFits)])

  /// The curve for an item of this length.
  func index(for duration: TimeSpan) -> Int {
    var index = 0
    while index < curves.count - 1 && duration >= curves[index].below { index += 1 }
    return index
  }

  /// Probability of still watching at a position, of the viewers who began; 0 from the end on.
  public func survival(at position: TimeSpan, of duration: TimeSpan) -> Double {
    if position <= .zero { return 1 }
    if position >= duration { return 0 }
    return value(at: position.seconds, curve: index(for: duration))
  }

  /// The same without the item's end.
  func value(at seconds: Double, curve: Int) -> Double {
    let last = curves[curve].survival.count - 1
    if seconds >= Double(last) { return curves[curve].survival[last] }
    let whole = Int(seconds)
    let before = curves[curve].survival[whole]
    return before + (curves[curve].survival[whole + 1] - before) * (seconds - Double(whole))
  }
}

extension SwipeCurves.Fit {
  func at(_ second: Int) -> Double {
    if second == 0 { return 1 }
    let power = PortableMath.power(Double(second) / scale, shape)
    return completion + (1 - completion) * PortableMath.exp(-power)
  }
}
