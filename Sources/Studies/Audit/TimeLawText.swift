import Scenario

/// Laws of times as YAML for a setting.
enum TimeLawText {
  /// The law; nil for one that cannot be written in a line, such as that of a file.
  static func text(_ law: LawSpec) -> String? {
    switch law {
    case .constant(let value): return time(value)
    case .uniform(let least, let most):
      return "{kind: uniform, min: \(time(least)), max: \(time(most))}"
    case .exponential(let mean): return "{kind: exponential, mean: \(time(mean))}"
    case .lognormal(let median, let sigma):
      return "{kind: lognormal, median: \(time(median)), sigma: \(sigma)}"
    case .triangular(let least, let mode, let most):
      return "{kind: triangular, min: \(time(least)), mode: \(time(mode)), max: \(time(most))}"
    case .normal(let mean, let sd):
      return "{kind: normal, mean: \(time(mean)), sd: \(time(sd))}"
    case .weibull(let shape, let scale):
      return "{kind: weibull, shape: \(shape), scale: \(time(scale))}"
    case .gamma(let shape, let scale):
      return "{kind: gamma, shape: \(shape), scale: \(time(scale))}"
    case .pareto(let alpha, let least, let most):
      let bound = most.isFinite ? ", max: \(time(most))" : ""
      return "{kind: pareto, alpha: \(alpha), min: \(time(least))\(bound)}"
    case .beta(let a, let b, let least, let most):
      return "{kind: beta, a: \(a), b: \(b), min: \(time(least)), max: \(time(most))}"
    case .empirical(let values):
      return "{kind: empirical, values: [\(values.map(time).joined(separator: ", "))]}"
    case .mixture(let parts):
      var texts: [String] = []
      for part in parts {
        guard let inner = text(part.law) else { return nil }
        texts.append("{weight: \(part.weight), law: \(inner)}")
      }
      return "{kind: mixture, parts: [\(texts.joined(separator: ", "))]}"
    case .clipped(let inner, let least, let most):
      // A constant has no place for a clip.
      if case .constant = inner { return text(inner) }
      guard let whole = text(inner) else { return nil }
      let bounds = [least.map { "min: \(time($0))" }, most.map { "max: \(time($0))" }]
        .compactMap(\.self).joined(separator: ", ")
      return "\(whole.dropLast()), clip: {\(bounds)}}"
    case .empiricalFile: return nil
    }
  }

  private static func time(_ seconds: Double) -> String {
    "\(Int64((seconds * 1e9).rounded())) ns"
  }
}

extension LawSpec {
  /// The law with `seconds` added: of a lognormal one the median is moved, of an exponential one
  /// the mean. Nil for a law that has no such place.
  func shifted(by seconds: Double) -> LawSpec? {
    moved { $0 + seconds }
  }

  /// The law of `factor` times the value; nil for that of a file.
  func scaled(by factor: Double) -> LawSpec? {
    moved {
      $0 * factor
    } elsewhere: { law in
      switch law {
      case .normal(let mean, let sd): .normal(mean: mean * factor, sd: sd * factor)
      case .weibull(let shape, let scale): .weibull(shape: shape, scale: scale * factor)
      case .gamma(let shape, let scale): .gamma(shape: shape, scale: scale * factor)
      case .pareto(let alpha, let least, let most):
        .pareto(alpha: alpha, min: least * factor, max: most * factor)
      case .beta(let a, let b, let least, let most):
        .beta(a: a, b: b, min: least * factor, max: most * factor)
      case .empirical(let values): .empirical(values.map { $0 * factor })
      default: nil
      }
    }
  }

  /// - Parameter elsewhere: laws that have no one place to be moved at.
  private func moved(
    _ move: (Double) -> Double, elsewhere: (LawSpec) -> LawSpec? = { _ in nil }
  ) -> LawSpec? {
    switch self {
    case .constant(let value): return .constant(move(value))
    case .uniform(let least, let most): return .uniform(min: move(least), max: move(most))
    case .exponential(let mean): return .exponential(mean: move(mean))
    case .lognormal(let median, let sigma):
      return .lognormal(median: move(median), sigma: sigma)
    case .triangular(let least, let mode, let most):
      return .triangular(min: move(least), mode: move(mode), max: move(most))
    case .mixture(let parts):
      var all: [LawSpec.Part] = []
      for part in parts {
        guard let law = part.law.moved(move, elsewhere: elsewhere) else { return nil }
        all.append(LawSpec.Part(weight: part.weight, law: law))
      }
      return .mixture(all)
    case .clipped(let inner, let least, let most):
      return inner.moved(move, elsewhere: elsewhere).map {
        .clipped($0, min: least.map(move), max: most.map(move))
      }
    default: return elsewhere(self)
    }
  }
}
