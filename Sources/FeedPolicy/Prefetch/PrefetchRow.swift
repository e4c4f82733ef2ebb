/// What everything that names a family reads of it: scenario keys, reports, sweeps. It stands in
/// the family's own file.
///
/// Texts are static and the row is made when it is asked for, so that an app that asks for none
/// carries none.
public struct PrefetchRow: Sendable {
  /// The word behind `kind`.
  public let word: StaticString
  /// What it is, one line without a full stop.
  public let summary: StaticString
  /// What of ``PrefetchPolicy/Configuration`` can be set for it, and what it is otherwise.
  public let settings: [PrefetchSetting]
  /// What of the configuration is not set but follows from the family and the pool of players; it
  /// comes after the settings.
  public let fix:
    @Sendable (inout PrefetchPolicy.Configuration, _ pool: PlayerPool.Configuration) -> Void

  init(
    _ word: StaticString, _ summary: StaticString, _ settings: [PrefetchSetting] = [],
    fix:
      @escaping @Sendable (inout PrefetchPolicy.Configuration, PlayerPool.Configuration) -> Void = {
        _, _ in
      }
  ) {
    self.word = word
    self.summary = summary
    self.settings = settings
    self.fix = fix
  }
}

/// A setting that a family has.
public struct PrefetchSetting: Sendable {
  /// Which one. What it measures, and what it does to the configuration, is known by it.
  public enum Key: UInt8, Sendable, CaseIterable {
    /// ``PrefetchPolicy/Configuration/headLength``.
    case headLength
    /// ``PrefetchPolicy/Configuration/itemsAhead``.
    case itemsAhead
    /// ``PrefetchPolicy/Configuration/furtherLength``.
    case furtherLength
    /// ``PrefetchPolicy/Configuration/previousLength``.
    case previousLength
    /// ``PrefetchPolicy/Configuration/previousThreshold``.
    case previousThreshold
    /// ``PrefetchPolicy/Configuration/concurrency``.
    case concurrency
    /// ``PrefetchPolicy/Configuration/cover``.
    case cover
    /// ``PrefetchPolicy/Configuration/leastWatched``.
    case leastWatched
    /// ``PrefetchPolicy/Configuration/bufferCover``.
    case bufferCover
    /// ``PrefetchPolicy/Configuration/pauseBelowBuffer``.
    case pauseBelowBuffer
    /// ``PrefetchPolicy/Configuration/suspendsOnStall``.
    case suspendOnStall
    /// The rung that the host loads of what is prefetched.
    case rung
    /// The rung that the host loads of neighbours.
    case neighbourRung
    /// ``PrefetchPolicy/Configuration/furtherLength``, in segments.
    case segments
    /// ``PrefetchPolicy/Configuration/headLength`` of the next item's player.
    case near
    /// ``PrefetchPolicy/Configuration/furtherLength`` of the players beyond it.
    case far
    /// ``PrefetchPolicy/Configuration/previousLength`` of the player behind.
    case behind
  }

  /// Which setting.
  public let key: Key
  /// What it is where nobody says, as a scenario writes it: `6 s`.
  public let preset: StaticString
  /// Where that comes from, or `assumed`.
  public let source: StaticString

  init(_ key: Key, _ preset: StaticString, _ source: StaticString) {
    self.key = key
    self.preset = preset
    self.source = source
  }

  /// What families of media have in common.
  static var common: [PrefetchSetting] {
    [
      PrefetchSetting(.pauseBelowBuffer, "4 s", "assumed"),
      PrefetchSetting(.suspendOnStall, "false", "VF-026"),
      PrefetchSetting(.rung, "none", "VF-026"),
    ]
  }
}
