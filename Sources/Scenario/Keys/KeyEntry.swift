/// One key of a world's table, as a reader looks it up.
///
/// Keys that several kinds have in common, with one meaning, form and default, are one entry.
public struct KeyEntry: Hashable, Sendable {
  /// The key path: `[]` stands for any place of a list, `*` for a name that the file chooses.
  public var path: String
  /// The words of the nearest `kind` above that have this key; empty where no kind is above, or
  /// where all its words have it.
  public var kinds: [String]
  /// What it means, one line without a full stop.
  public var meaning: String
  /// What its values measure, such as `time` or `ratio`; `mapping` where keys stand below it.
  public var unit: String
  /// What may stand there, in the words of a message.
  public var form: String
  /// The words that may stand there, each with its meaning where the table has one.
  public var words: [Word]
  /// What stands there where the file says nothing, as in YAML; nil where the file must say.
  public var preset: String?
  /// Where the default comes from, or `assumed`.
  public var source: String

  /// Whether the path, the meaning, the unit or a word has the text, in small or capital letters.
  /// With a `*` the text is a pattern of the whole path, in which `*` stands for anything.
  public func matches(_ pattern: String) -> Bool {
    let wanted = pattern.lowercased()
    if wanted.contains("*") {
      return KeyEntry.isMatch(Array(path.lowercased().utf8), Array(wanted.utf8))
    }
    let texts = [path, meaning, unit] + kinds + words.flatMap { [$0.spelling, $0.summary] }
    return texts.contains { $0.lowercased().contains(wanted) }
  }

  /// Whether a text is of a pattern: one pass, going back to the last `*` only.
  private static func isMatch(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    let star = UInt8(ascii: "*")
    var (place, next) = (0, 0)
    var (lastStar, resume) = (-1, 0)
    while place < text.count {
      if next < pattern.count, pattern[next] == star {
        (lastStar, resume) = (next, place)
        next += 1
      } else if next < pattern.count, pattern[next] == text[place] {
        (place, next) = (place + 1, next + 1)
      } else if lastStar >= 0 {
        resume += 1
        (place, next) = (resume, lastStar + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == star }
  }
}

/// The keys of one world.
public struct WorldKeys: Sendable {
  /// The word of the key `world`; `feed` for the feed, whose files have no such key.
  public var world: String
  /// What the world simulates, one line without a full stop.
  public var summary: String
  /// The keys in the order of the table.
  public var keys: [KeyEntry]

  /// The name of the world whose files have no key `world`.
  public static let feed = "feed"

  /// The names of all worlds, the feed first.
  public static var names: [String] { [feed] + World.kinds.map(\.name) }

  /// The keys of every world, the feed first.
  public static var all: [WorldKeys] { names.compactMap { named($0) } }

  /// The table of keys of a world; nil for a name that none has.
  public static func schema(named name: String) -> Schema? {
    name == feed
      ? ScenarioTable.schema : WorldKind.named(name).map { WorldTable.schema(of: $0) }
  }

  /// The keys of every world, those left out that another world has as the feed has them.
  public static var distinct: [WorldKeys] {
    let all = all
    let common = Set(all[0].keys)
    return all.map { world in
      var own = world
      if own.world != feed { own.keys.removeAll { common.contains($0) } }
      return own
    }
  }

  /// The keys of one world; nil for a name that none has.
  public static func named(_ name: String) -> WorldKeys? {
    schema(named: name).map {
      WorldKeys(world: name, summary: $0.summary, keys: $0.keys())
    }
  }
}
