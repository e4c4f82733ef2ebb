/// The mappings that ship: formats by name, each with the document that its columns are from.
///
/// A column that the document has and nothing is made of is listed as ignored; one that it does not
/// have is refused by name, because its meaning would be a guess.
public enum BuiltInMapping: String, CaseIterable, Sendable {
  case events
  case mux
  case conviva
  case media3
  case avplayer
  case cloudfront
  case cloudfrontRealtime = "cloudfront-realtime"
  case common
  case jsonLog = "json-log"

  public var mapping: ColumnMapping {
    switch self {
    case .events: PlayerMappings.events
    case .mux: PlayerMappings.mux
    case .conviva: PlayerMappings.conviva
    case .media3: PlayerMappings.media3
    case .avplayer: PlayerMappings.avplayer
    case .cloudfront: LogMappings.cloudfront
    case .cloudfrontRealtime: LogMappings.cloudfrontRealtime
    case .common: LogMappings.common
    case .jsonLog: LogMappings.jsonLog
    }
  }

  /// One line for a list of formats.
  public var summary: String { "\(rawValue): \(mapping.source)" }
}

extension String {
  /// The words of a list that is written as one text.
  var words: [String] {
    split { $0 == " " || $0 == "\n" }.map { String($0) }
  }
}
