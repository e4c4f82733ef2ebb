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
    default: return nil
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

  /// The law of `factor` times the value.
  func scaled(by factor: Double) -> LawSpec? {
    moved { $0 * factor }
  }

  private func moved(_ move: (Double) -> Double) -> LawSpec? {
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
        guard let law = part.law.moved(move) else { return nil }
        all.append(LawSpec.Part(weight: part.weight, law: law))
      }
      return .mixture(all)
    case .clipped(let inner, let least, let most):
      return inner.moved(move).map { .clipped($0, min: least.map(move), max: most.map(move)) }
    default: return nil
    }
  }
}
