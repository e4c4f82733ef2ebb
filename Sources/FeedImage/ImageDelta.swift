/// A change of a list of bytes at one place: some go, and others come in their place.
public struct ImageReplacement: Sendable, Equatable {
  /// Where, counted in the list that is changed.
  public var offset: Int
  /// How many bytes go.
  public var removed: Int
  /// What comes.
  public var inserted: [UInt8]

  public init(offset: Int, removed: Int, inserted: [UInt8]) {
    self.offset = offset
    self.removed = removed
    self.inserted = inserted
  }

  /// The first byte behind those that go.
  public var end: Int { offset + removed }
}

/// What makes one image of another, as few bytes: ascending replacements that do not overlap.
///
/// The mark and the sum in front of an image are not compared: who changes an image makes its sum
/// anew.
public struct ImageDelta: Sendable, Equatable {
  public let replacements: [ImageReplacement]

  /// Bytes in front of an image that are not compared: the mark and the sum.
  public static let front = 12

  /// Nothing changes.
  public static let none = ImageDelta(replacements: [])

  /// So few bytes that are the same between two changes are written again with them: each
  /// replacement has its own place and counts. More would take in what stands beside and does not
  /// change, and two deltas could be put together less often.
  private static let leastKept = 3

  private init(replacements: [ImageReplacement]) { self.replacements = replacements }

  /// Bytes that are inserted in all.
  public var insertedCount: Int { replacements.reduce(0) { $0 + $1.inserted.count } }

  /// What makes `other` of `base`, but for the bytes in ``front``.
  public static func between(_ base: [UInt8], _ other: [UInt8]) -> ImageDelta {
    var matcher = ImageMatcher(base, other)
    let start = min(front, min(base.count, other.count))
    var (baseEnd, otherEnd) = (start, start)
    var replacements: [ImageReplacement] = []
    let end = ImageMatch(base: base.count, other: other.count, count: 0)
    for match in matcher.matches(from: start) + [end] {
      let removed = match.base - baseEnd
      let inserted = other[otherEnd..<match.other]
      if removed > 0 || !inserted.isEmpty {
        if let last = replacements.last, baseEnd - last.end < leastKept {
          let kept = other[otherEnd - (baseEnd - last.end)..<otherEnd]
          replacements[replacements.count - 1].removed = match.base - last.offset
          replacements[replacements.count - 1].inserted += kept + inserted
        } else {
          replacements.append(
            ImageReplacement(offset: baseEnd, removed: removed, inserted: Array(inserted)))
        }
      }
      (baseEnd, otherEnd) = (match.base + match.count, match.other + match.count)
    }
    return ImageDelta(replacements: replacements)
  }

  /// The changed bytes; those in ``front`` are as before.
  ///
  /// - Precondition: `base` is as long as what the delta was made of.
  public func applied(to base: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(base.count + insertedCount)
    var place = 0
    for replacement in replacements {
      result += base[place..<replacement.offset]
      result += replacement.inserted
      place = replacement.end
    }
    return result + base[place...]
  }

  // MARK: Several at once

  /// Whether two deltas of one base can be put together: no byte goes by both, and nothing is
  /// inserted where the other begins or ends, since nobody could say what comes first.
  public static func areApart(_ one: ImageDelta, _ other: ImageDelta) -> Bool {
    let (a, b) = (one.replacements, other.replacements)
    var (i, j) = (0, 0)
    while i < a.count && j < b.count {
      let touches = a[i].removed > 0 && b[j].removed > 0 ? 0 : 1
      if a[i].offset < b[j].offset, a[i].end + touches <= b[j].offset {
        i += 1
      } else if b[j].offset < a[i].offset, b[j].end + touches <= a[i].offset {
        j += 1
      } else {
        return false
      }
    }
    return true
  }

  /// Several deltas of one base as one; nil where two of them are not apart.
  public static func merged(_ deltas: [ImageDelta]) -> ImageDelta? {
    var result: [ImageReplacement] = []
    for delta in deltas {
      if !areApart(ImageDelta(replacements: result), delta) { return nil }
      result += delta.replacements
      result.sort { $0.offset < $1.offset }
    }
    return ImageDelta(replacements: result)
  }
}
