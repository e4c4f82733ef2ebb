/// Which program is the edge of a live run.
public enum EdgeServerKind: String, Sendable, CaseIterable {
  /// nginx `proxy_cache`.
  case nginx
  /// Varnish Cache.
  case varnish
  /// The simulator's own edge: `firstframe-live edge`.
  case firstframe

  /// The program that must be there; nil for our own.
  public var program: String? {
    switch self {
    case .nginx: "nginx"
    case .varnish: "varnishd"
    case .firstframe: nil
    }
  }

  /// How to get it on Debian.
  public var installation: String {
    switch self {
    case .nginx: "apt-get install nginx-light"
    case .varnish: "apt-get install varnish"
    case .firstframe: "swift build -c release --product firstframe-live"
    }
  }

  /// Where the program is: PATH and the folders of system programs; nil when it is missing.
  public var path: String? {
    guard let program else { return "/proc/self/exe" }
    return ProgramPath.find(program)
  }
}
