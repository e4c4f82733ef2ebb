extension Law {
  /// The law as one line of text, such as `lognormal(median 50, sigma 0.5)`; equal laws read alike.
  ///
  /// An empirical law shows its size and ends instead of its list.
  public func describe() -> String {
    switch kind {
    case .constant(let value): "constant(\(format(value)))"
    case .uniform(let min, let max): text("uniform", ("min", min), ("max", max))
    case .exponential(let mean): text("exponential", ("mean", mean))
    case .lognormal(let median, let sigma):
      text("lognormal", ("median", median), ("sigma", sigma))
    case .normal(let mean, let deviation):
      text("normal", ("mean", mean), ("standard deviation", deviation))
    case .weibull(let shape, let scale): text("weibull", ("shape", shape), ("scale", scale))
    case .gamma(let shape, let scale): text("gamma", ("shape", shape), ("scale", scale))
    case .boundedPareto(let law):
      text("bounded pareto", ("alpha", law.alpha), ("min", law.minimum), ("max", law.maximum))
    case .beta(let law):
      text("beta", ("a", law.a), ("b", law.b), ("min", law.minimum), ("max", law.maximum))
    case .triangular(let law):
      text("triangular", ("min", law.minimum), ("mode", law.mode), ("max", law.maximum))
    case .empirical(let law):
      "empirical(\(law.values.count) points, min \(format(lowest)), max \(format(highest)))"
    case .mixture(let law):
      "mixture("
        + law.components.indices.map {
          "\(format(law.weights[$0])) of \(law.components[$0].describe())"
        }.joined(separator: ", ") + ")"
    case .truncated(let law):
      "truncated(\(law.inner.describe()), min \(format(law.minimum)), max \(format(law.maximum)))"
    case .clipped(let law):
      "clipped(\(law.inner.describe()), min \(format(law.minimum)), max \(format(law.maximum)))"
    }
  }

  private func text(_ name: String, _ parameters: (String, Double)...) -> String {
    "\(name)(\(parameters.map { "\($0.0) \(format($0.1))" }.joined(separator: ", ")))"
  }
}
