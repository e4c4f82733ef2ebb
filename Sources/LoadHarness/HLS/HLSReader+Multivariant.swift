/// The tags of multivariant playlists (RFC 8216 section 4.3.4).
extension HLSReader {
  mutating func multivariantTag(_ name: String, _ value: ArraySlice<UInt8>) {
    switch name {
    case "EXT-X-STREAM-INF": takeVariant(value)
    case "EXT-X-MEDIA": takeRendition(value)
    // Trick play, session data and steering are nothing a feed's player fetches.
    default: ignoredTags += 1
    }
  }

  private mutating func takeVariant(_ value: ArraySlice<UInt8>) {
    let tag = "EXT-X-STREAM-INF"
    if let pending = pendingVariant {
      report(.tagWithoutURI, "a URI after \(tag)", at: pending.line)
    }
    var variant = HLSVariant(uri: "", bandwidth: 0)
    // Whatever is wrong with it, the URI that follows belongs to it.
    defer { pendingVariant = (variant, line) }
    guard let list = attributes(value) else { return }
    if let bandwidth = list["BANDWIDTH"] {
      if let rate = HLSNumber.integer(bandwidth.value, limit: StatedNumber.bitRate.most), rate > 0 {
        variant.bandwidth = rate
      } else {
        report(.badValue, "\(tag): BANDWIDTH in bits per second")
      }
    } else {
      report(.missingAttribute, "\(tag): BANDWIDTH")
    }
    if let average = list["AVERAGE-BANDWIDTH"] {
      variant.averageBandwidth = HLSNumber.integer(average.value, limit: StatedNumber.bitRate.most)
      if variant.averageBandwidth == nil {
        report(.badValue, "\(tag): AVERAGE-BANDWIDTH in bits per second")
      }
    }
    if let resolution = list["RESOLUTION"] { takeResolution(resolution.value, &variant) }
    if let rate = list["FRAME-RATE"] {
      variant.milliFrameRate = HLSNumber.decimal(rate.value, places: 3, limit: 10_000)
      if variant.milliFrameRate == nil { report(.badValue, "\(tag): FRAME-RATE, a number") }
    }
    variant.codecs = quoted(list, "CODECS", of: tag)
    variant.audioGroup = quoted(list, "AUDIO", of: tag)
    variant.videoGroup = quoted(list, "VIDEO", of: tag)
    variant.subtitleGroup = quoted(list, "SUBTITLES", of: tag)
  }

  private mutating func takeResolution(_ text: ArraySlice<UInt8>, _ variant: inout HLSVariant) {
    let parts = text.split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
    let most = StatedNumber.pictureSide.most
    guard parts.count == 2, let width = HLSNumber.integer(parts[0], limit: most),
      let height = HLSNumber.integer(parts[1], limit: most)
    else {
      report(.badValue, "EXT-X-STREAM-INF: RESOLUTION=widthxheight")
      return
    }
    variant.width = Int(width)
    variant.height = Int(height)
  }

  private mutating func takeRendition(_ value: ArraySlice<UInt8>) {
    let tag = "EXT-X-MEDIA"
    guard let list = attributes(value) else { return }
    guard let type = list["TYPE"] else {
      report(.missingAttribute, "\(tag): TYPE")
      return
    }
    guard let kind = HLSRendition.Kind(rawValue: String(decoding: type.value, as: UTF8.self)) else {
      report(.badValue, "\(tag): TYPE=AUDIO, VIDEO, SUBTITLES or CLOSED-CAPTIONS")
      return
    }
    guard let group = quoted(list, "GROUP-ID", of: tag, isRequired: true),
      let name = quoted(list, "NAME", of: tag, isRequired: true)
    else { return }
    var rendition = HLSRendition(kind: kind, group: group, name: name)
    rendition.uri = quoted(list, "URI", of: tag)
    rendition.language = quoted(list, "LANGUAGE", of: tag)
    rendition.isDefault = isYes(list, "DEFAULT")
    rendition.isAutoselected = isYes(list, "AUTOSELECT")
    if isFull { return }
    multivariant.renditions.append(rendition)
  }

  private func isYes(_ list: HLSAttributes, _ name: StaticString) -> Bool {
    list[name]?.value.elementsEqual("YES".utf8) ?? false
  }

  private var streamCount: Int { multivariant.variants.count + multivariant.renditions.count }

  private var isFull: Bool {
    mutating get {
      if streamCount < limits.streams { return false }
      report(.overLimit, "at most \(limits.streams) variants and renditions")
      isStopped = true
      return true
    }
  }

  mutating func finishVariant(_ pending: (variant: HLSVariant, line: Int), uri: String) {
    if isFull { return }
    var variant = pending.variant
    variant.uri = uri
    multivariant.variants.append(variant)
    variantLines.append(pending.line)
  }

  mutating func finishMultivariant() {
    let isWithoutVariants = multivariant.variants.isEmpty
    if isWithoutVariants && problems.allSatisfy(\.code.isWarning) {
      report(.missingTag, "EXT-X-STREAM-INF")
    }
    for (variant, line) in zip(multivariant.variants, variantLines) {
      checkGroup(variant.audioGroup, .audio, line)
      checkGroup(variant.videoGroup, .video, line)
      checkGroup(variant.subtitleGroup, .subtitles, line)
    }
    multivariant.version = version
    multivariant.hasIndependentSegments = hasIndependentSegments
    multivariant.variables = variables
  }

  private mutating func checkGroup(_ group: String?, _ kind: HLSRendition.Kind, _ line: Int) {
    guard let group else { return }
    if !multivariant.renditions.contains(where: { $0.kind == kind && $0.group == group }) {
      report(.unknownGroup, "\(kind.rawValue): an EXT-X-MEDIA of the group", at: line)
    }
  }
}
