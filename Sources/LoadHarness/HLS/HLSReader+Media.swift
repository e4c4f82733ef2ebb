import MediaUnits

/// The tags of media playlists (RFC 8216 sections 4.3.2 and 4.3.3).
extension HLSReader {
  mutating func mediaTag(_ name: String, _ value: ArraySlice<UInt8>) {
    switch name {
    case "EXT-X-TARGETDURATION":
      guard isFirst(name) else { return }
      hasTargetDuration = true
      if let seconds = number(name, value, .segmentSeconds) {
        media.targetDuration = .seconds(seconds)
      }
    case "EXT-X-MEDIA-SEQUENCE":
      precedesSegments(name)
      if isFirst(name) { media.mediaSequence = number(name, value, .sequence) ?? 0 }
    case "EXT-X-DISCONTINUITY-SEQUENCE":
      precedesSegments(name)
      if isFirst(name) { media.discontinuitySequence = number(name, value, .sequence) ?? 0 }
    case "EXT-X-ENDLIST": media.isEnded = true
    case "EXT-X-I-FRAMES-ONLY": media.isIFramesOnly = true
    case "EXT-X-SKIP": report(.deltaUpdate, "the whole playlist, not an update of it")
    default:
      guard isFirst(name) else { return }
      media.kind = HLSMedia.Kind(rawValue: String(decoding: value.prefix(16), as: UTF8.self))
      if media.kind == nil { report(.badValue, "EXT-X-PLAYLIST-TYPE: EVENT or VOD") }
    }
  }

  private mutating func precedesSegments(_ name: String) {
    if !media.segments.isEmpty { report(.lateTag, "\(name) before the first segment") }
  }

  private mutating func number(
    _ name: String, _ value: ArraySlice<UInt8>, _ kind: StatedNumber
  ) -> Int64? {
    if let number = HLSNumber.integer(value, limit: kind.most) { return number }
    report(.badValue, "\(name): \(kind.expected)")
    return nil
  }

  mutating func segmentTag(_ name: String, _ value: ArraySlice<UInt8>) {
    switch name {
    case "EXTINF": takeDuration(value)
    case "EXT-X-BYTERANGE":
      next.range = HLSNumber.byteRange(value)
      if next.range == nil { reportRange("EXT-X-BYTERANGE: length[@offset]") }
    case "EXT-X-DISCONTINUITY": next.isDiscontinuity = true
    case "EXT-X-GAP": next.isGap = true
    case "EXT-X-PROGRAM-DATE-TIME":
      next.dateTime = HLSNumber.dateTime(value)
      if next.dateTime == nil { report(.badValue, "EXT-X-PROGRAM-DATE-TIME: an ISO 8601 date") }
    case "EXT-X-MAP": takeMap(value)
    default: takeKey(value)
    }
  }

  private mutating func reportRange(_ form: String) {
    report(.badValue, "\(form), which end by \(StatedNumber.rangeBytes.most)")
  }

  private mutating func takeDuration(_ value: ArraySlice<UInt8>) {
    if let pending = pendingDuration {
      report(.tagWithoutURI, "a URI after EXTINF", at: pending.line)
      pendingDuration = nil
    }
    let comma = value.firstIndex(of: UInt8(ascii: ",")) ?? value.endIndex
    let title = comma < value.endIndex ? value[(comma + 1)...] : []
    var digits = value[value.startIndex..<comma]
    while digits.first == UInt8(ascii: " ") { digits = digits.dropFirst() }
    guard
      let nanoseconds = HLSNumber.decimal(
        digits, places: 9, limit: StatedNumber.segmentSeconds.most)
    else {
      let most = StatedNumber.segmentSeconds.most
      report(.badValue, "EXTINF: seconds up to \(most), then a comma")
      // The URI that follows belongs to it all the same.
      pendingDuration = (.zero, "", line)
      return
    }
    pendingDuration = (
      TimeSpan(nanoseconds: nanoseconds), String(decoding: title, as: UTF8.self), line
    )
  }

  private mutating func takeMap(_ value: ArraySlice<UInt8>) {
    guard let list = attributes(value),
      let uri = quoted(list, "URI", of: "EXT-X-MAP", isRequired: true)
    else { return }
    var section = HLSMedia.InitSection(uri: uri)
    if let text = quoted(list, "BYTERANGE", of: "EXT-X-MAP") {
      guard let range = HLSNumber.byteRange(Array(text.utf8)[...]) else {
        reportRange("EXT-X-MAP: BYTERANGE=\"length[@offset]\"")
        return
      }
      section.byteRange = HLSByteRange(offset: range.offset ?? 0, length: range.length)
    }
    if media.initSections.last != section { media.initSections.append(section) }
    currentMap = media.initSections.count - 1
  }

  private mutating func takeKey(_ value: ArraySlice<UInt8>) {
    guard let list = attributes(value) else { return }
    guard let method = list["METHOD"] else {
      report(.missingAttribute, "EXT-X-KEY: METHOD")
      return
    }
    let name = String(decoding: method.value, as: UTF8.self)
    if name == "NONE" {
      currentKey = nil
      return
    }
    guard let uri = quoted(list, "URI", of: "EXT-X-KEY", isRequired: true) else { return }
    var key = HLSMedia.Key(method: name, uri: uri)
    if let vector = list["IV"] {
      guard vector.value.starts(with: "0x".utf8) || vector.value.starts(with: "0X".utf8),
        vector.value.count <= 34, vector.value.count > 2,
        vector.value.dropFirst(2).allSatisfy(HLSReader.isHexadecimal)
      else {
        report(.badValue, "EXT-X-KEY: IV=0x and up to 32 hexadecimal digits")
        return
      }
      key.initializationVector = String(decoding: vector.value.dropFirst(2), as: UTF8.self)
    }
    if let format = quoted(list, "KEYFORMAT", of: "EXT-X-KEY") { key.keyFormat = format }
    if media.keys.last != key { media.keys.append(key) }
    currentKey = media.keys.count - 1
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  mutating func finishSegment(
    _ pending: (duration: TimeSpan, title: String, line: Int), uri: String
  ) {
    if media.segments.count >= limits.segments {
      report(.overLimit, "at most \(limits.segments) segments")
      isStopped = true
      return
    }
    var segment = HLSMedia.Segment(uri: uri, duration: pending.duration)
    segment.title = pending.title
    segment.isDiscontinuity = next.isDiscontinuity
    segment.isGap = next.isGap
    segment.dateTime = next.dateTime
    segment.initSection = currentMap
    segment.key = currentKey
    if let range = next.range { segment.byteRange = placed(range, uri: uri) }
    next = Next()
    if hasTargetDuration && media.targetDuration > .zero,
      (pending.duration.nanoseconds + 500_000_000) / 1_000_000_000
        > media.targetDuration.nanoseconds / 1_000_000_000
    {
      report(.longSegment, "EXTINF up to the target duration", at: pending.line)
    }
    media.segments.append(segment)
  }

  /// A range without an offset goes on where the segment before ended, in the same resource.
  private mutating func placed(
    _ range: (length: Int64, offset: Int64?), uri: String
  ) -> HLSByteRange? {
    if let offset = range.offset { return HLSByteRange(offset: offset, length: range.length) }
    guard let last = media.segments.last, last.uri == uri, let before = last.byteRange,
      StatedNumber.rangeBytes.admits(before.offset + before.length + range.length)
    else {
      report(.badValue, "EXT-X-BYTERANGE without @offset: after a range of the same resource")
      return nil
    }
    return HLSByteRange(offset: before.offset + before.length, length: range.length)
  }

  mutating func finishMedia() {
    if !hasTargetDuration { report(.missingTag, "EXT-X-TARGETDURATION") }
    media.version = version
    media.hasIndependentSegments = hasIndependentSegments
    media.startOffset = startOffset
  }
}
