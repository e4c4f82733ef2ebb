/// Which way a metric is better.
public enum Goal: Sendable, Equatable {
  case minimise
  case maximise

  /// 1 when smaller is better, -1 when larger is: times a value, smaller is always better.
  public var sign: Double { self == .minimise ? 1 : -1 }
}
