extension World {
  /// The key that says how much comes to it; nil for a world whose load is no rate of its own.
  public var loadKey: String? {
    switch self {
    case .services: "services.load.sessionsPerSecond"
    case .pipeline: "pipeline.uploads.perSecond"
    case .messages, .calls: nil
    }
  }

  /// The same world with its load multiplied, nothing else changed; nil without a ``loadKey``.
  public func loaded(by factor: Double) -> World? {
    switch self {
    case .services(var plan):
      plan.configuration.audience.sessions = plan.configuration.audience.sessions.scaled(by: factor)
      return .services(plan)
    case .pipeline(var plan):
      plan.configuration.uploader.uploads = plan.configuration.uploader.uploads.scaled(by: factor)
      return .pipeline(plan)
    case .messages, .calls: return nil
    }
  }
}
