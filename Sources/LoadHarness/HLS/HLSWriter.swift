import MediaUnits

extension HLSPlaylist {
  /// The text of a playlist. Reading it gives the playlist back when its texts have no quotation
  /// mark, line end or control character, its titles no blank at an end, and its ranges follow
  /// RFC 8216.
  public func write() -> [UInt8] {
    switch self {
    case .multivariant(let playlist): HLSWriter.text(playlist)
    case .media(let playlist): HLSWriter.text(playlist)
    }
  }
}

private enum HLSWriter {
  static func text(_ playlist: HLSMultivariant) -> [UInt8] {
    var text = "#EXTM3U\n#EXT-X-VERSION:\(playlist.version)\n"
    if playlist.hasIndependentSegments { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
    for variable in playlist.variables {
      text += "#EXT-X-DEFINE:NAME=\"\(variable.name)\",VALUE=\"\(variable.value)\"\n"
    }
    for rendition in playlist.renditions {
      text += "#EXT-X-MEDIA:TYPE=\(rendition.kind.rawValue),GROUP-ID=\"\(rendition.group)\""
      text += ",NAME=\"\(rendition.name)\""
      if let language = rendition.language { text += ",LANGUAGE=\"\(language)\"" }
      if rendition.isDefault { text += ",DEFAULT=YES" }
      if rendition.isAutoselected { text += ",AUTOSELECT=YES" }
      if let uri = rendition.uri { text += ",URI=\"\(uri)\"" }
      text += "\n"
    }
    for variant in playlist.variants { append(variant, to: &text) }
    return Array(text.utf8)
  }

  private static func append(_ variant: HLSVariant, to text: inout String) {
    text += "#EXT-X-STREAM-INF:BANDWIDTH=\(variant.bandwidth)"
    if let average = variant.averageBandwidth { text += ",AVERAGE-BANDWIDTH=\(average)" }
    if let codecs = variant.codecs { text += ",CODECS=\"\(codecs)\"" }
    if let width = variant.width, let height = variant.height {
      text += ",RESOLUTION=\(width)x\(height)"
    }
    if let rate = variant.milliFrameRate {
      text += ",FRAME-RATE=\(decimal(rate, places: 3))"
    }
    if let group = variant.audioGroup { text += ",AUDIO=\"\(group)\"" }
    if let group = variant.videoGroup { text += ",VIDEO=\"\(group)\"" }
    if let group = variant.subtitleGroup { text += ",SUBTITLES=\"\(group)\"" }
    text += "\n\(variant.uri)\n"
  }

  static func text(_ playlist: HLSMedia) -> [UInt8] {
    var text = "#EXTM3U\n#EXT-X-VERSION:\(playlist.version)\n"
    text += "#EXT-X-TARGETDURATION:\(playlist.targetDuration.nanoseconds / 1_000_000_000)\n"
    text += "#EXT-X-MEDIA-SEQUENCE:\(playlist.mediaSequence)\n"
    if playlist.discontinuitySequence != 0 {
      text += "#EXT-X-DISCONTINUITY-SEQUENCE:\(playlist.discontinuitySequence)\n"
    }
    if let kind = playlist.kind { text += "#EXT-X-PLAYLIST-TYPE:\(kind.rawValue)\n" }
    if playlist.hasIndependentSegments { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
    if playlist.isIFramesOnly { text += "#EXT-X-I-FRAMES-ONLY\n" }
    if let offset = playlist.startOffset {
      text += "#EXT-X-START:TIME-OFFSET=\(decimal(offset.nanoseconds, places: 9))\n"
    }
    var (map, key): (Int?, Int?) = (nil, nil)
    for segment in playlist.segments {
      if segment.key != key {
        key = segment.key
        append(key.map { playlist.keys[$0] }, to: &text)
      }
      if let section = segment.initSection, section != map {
        map = section
        append(playlist.initSections[section], to: &text)
      }
      append(segment, to: &text)
    }
    if playlist.isEnded { text += "#EXT-X-ENDLIST\n" }
    return Array(text.utf8)
  }

  private static func append(_ key: HLSMedia.Key?, to text: inout String) {
    guard let key else {
      text += "#EXT-X-KEY:METHOD=NONE\n"
      return
    }
    text += "#EXT-X-KEY:METHOD=\(key.method),URI=\"\(key.uri)\""
    if let vector = key.initializationVector { text += ",IV=0x\(vector)" }
    if key.keyFormat != "identity" { text += ",KEYFORMAT=\"\(key.keyFormat)\"" }
    text += "\n"
  }

  private static func append(_ section: HLSMedia.InitSection, to text: inout String) {
    text += "#EXT-X-MAP:URI=\"\(section.uri)\""
    if let range = section.byteRange { text += ",BYTERANGE=\"\(range.length)@\(range.offset)\"" }
    text += "\n"
  }

  private static func append(_ segment: HLSMedia.Segment, to text: inout String) {
    if segment.isDiscontinuity { text += "#EXT-X-DISCONTINUITY\n" }
    if segment.isGap { text += "#EXT-X-GAP\n" }
    if let dateTime = segment.dateTime {
      text += "#EXT-X-PROGRAM-DATE-TIME:\(HLSNumber.dateText(dateTime))\n"
    }
    if let range = segment.byteRange {
      text += "#EXT-X-BYTERANGE:\(range.length)@\(range.offset)\n"
    }
    text += "#EXTINF:\(decimal(segment.duration.nanoseconds, places: 9)),\(segment.title)\n"
    text += "\(segment.uri)\n"
  }

  /// A number in units of 10^-`places`, without zeros at its end.
  private static func decimal(_ value: Int64, places: Int) -> String {
    var digits = Array(String(value.magnitude).utf8)
    while digits.count <= places { digits.insert(UInt8(ascii: "0"), at: 0) }
    let whole = String(decoding: digits.dropLast(places), as: UTF8.self)
    var fraction = digits.suffix(places)
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    let sign = value < 0 ? "-" : ""
    if fraction.isEmpty { return sign + whole }
    return sign + whole + "." + String(decoding: fraction, as: UTF8.self)
  }
}

extension HLSNumber {
  /// ``dateTime(_:)`` the other way: `YYYY-MM-DDThh:mm:ss.fffZ`, for years 1 to 9999.
  static func dateText(_ milliseconds: Int64) -> String {
    func split(_ value: Int64, _ unit: Int64) -> (Int64, Int64) {
      let part = ((value % unit) + unit) % unit
      return ((value - part) / unit, part)
    }
    let (seconds, fraction) = split(milliseconds, 1_000)
    let (minutes, second) = split(seconds, 60)
    let (hours, minute) = split(minutes, 60)
    let (days, hour) = split(hours, 24)
    let (era, dayOfEra) = split(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func padded(_ value: Int64, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
      + "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2)).\(padded(fraction, 3))Z"
  }
}
