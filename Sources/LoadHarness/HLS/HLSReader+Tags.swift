import MediaUnits

/// Which tag does what; the tags of both kinds of playlist.
extension HLSReader {
  mutating func tag(_ name: String, _ value: ArraySlice<UInt8>) {
    switch name {
    case "EXTM3U": if line > 1 { report(.repeatedTag, "EXTM3U once") }
    case "EXT-X-VERSION": if isFirst(name) { takeVersion(value) }
    case "EXT-X-INDEPENDENT-SEGMENTS": hasIndependentSegments = true
    case "EXT-X-START": if isFirst(name) { takeStart(value) }
    case "EXT-X-DEFINE": takeDefinition(value)
    case "EXT-X-STREAM-INF", "EXT-X-MEDIA", "EXT-X-I-FRAME-STREAM-INF", "EXT-X-SESSION-DATA",
      "EXT-X-SESSION-KEY", "EXT-X-CONTENT-STEERING":
      if belongs(to: .multivariant) { multivariantTag(name, value) }
    case "EXTINF", "EXT-X-BYTERANGE", "EXT-X-DISCONTINUITY", "EXT-X-KEY", "EXT-X-MAP",
      "EXT-X-PROGRAM-DATE-TIME", "EXT-X-GAP":
      if belongs(to: .media) { segmentTag(name, value) }
    case "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE",
      "EXT-X-ENDLIST", "EXT-X-PLAYLIST-TYPE", "EXT-X-I-FRAMES-ONLY", "EXT-X-SKIP":
      if belongs(to: .media) { mediaTag(name, value) }
    case "EXT-X-PART", "EXT-X-PART-INF", "EXT-X-SERVER-CONTROL", "EXT-X-PRELOAD-HINT",
      "EXT-X-RENDITION-REPORT", "EXT-X-BITRATE", "EXT-X-DATERANGE":
      if belongs(to: .media) { ignoredTags += 1 }
    default: ignoredTags += 1
    }
  }

  private mutating func takeVersion(_ value: ArraySlice<UInt8>) {
    guard let number = HLSNumber.integer(value, limit: 1 << 31), number >= 1 else {
      report(.badValue, "EXT-X-VERSION: a whole number from 1")
      return
    }
    if number > HLSReader.highestVersion {
      report(
        .unsupportedVersion, "EXT-X-VERSION up to \(HLSReader.highestVersion), got \(number)")
    }
    version = Int(number)
  }

  private mutating func takeStart(_ value: ArraySlice<UInt8>) {
    guard let attributes = attributes(value) else { return }
    guard let offset = attributes["TIME-OFFSET"] else {
      report(.missingAttribute, "EXT-X-START: TIME-OFFSET")
      return
    }
    guard
      let nanoseconds = HLSNumber.decimal(
        offset.value, places: 9, limit: 1_000_000_000, isSigned: true)
    else {
      report(.badValue, "EXT-X-START: TIME-OFFSET in seconds")
      return
    }
    startOffset = TimeSpan(nanoseconds: nanoseconds)
  }

  /// Cuts a tag's attributes, or says what is wrong with them.
  mutating func attributes(_ value: ArraySlice<UInt8>) -> HLSAttributes? {
    var reason = ""
    if let list = HLSAttributes(value, limit: limits.attributes, reason: &reason) { return list }
    report(.badAttributes, reason)
    return nil
  }

  /// A quoted attribute with its variables put in; nil when absent or bad.
  mutating func quoted(
    _ attributes: HLSAttributes, _ name: StaticString, of tag: String, isRequired: Bool = false
  ) -> String? {
    guard let attribute = attributes[name] else {
      if isRequired { report(.missingAttribute, "\(tag): \(name)") }
      return nil
    }
    guard attribute.isQuoted else {
      report(.badValue, "\(tag): \(name) in quotation marks")
      return nil
    }
    return substituted(attribute.value)
  }

  // MARK: variables

  /// `EXT-X-DEFINE` (RFC 8216bis section 4.4.2.3).
  private mutating func takeDefinition(_ value: ArraySlice<UInt8>) {
    guard let list = attributes(value) else { return }
    if variables.count >= limits.variables {
      report(.overLimit, "at most \(limits.variables) variables")
      return
    }
    let tag = "EXT-X-DEFINE"
    var definition: HLSVariable?
    if list["NAME"] != nil {
      guard let name = quoted(list, "NAME", of: tag),
        let text = quoted(list, "VALUE", of: tag, isRequired: true)
      else { return }
      definition = HLSVariable(name: name, value: text)
    } else if list["IMPORT"] != nil {
      guard let name = quoted(list, "IMPORT", of: tag) else { return }
      definition = imports.first { $0.name == name }
    } else if list["QUERYPARAM"] != nil {
      guard let name = quoted(list, "QUERYPARAM", of: tag) else { return }
      definition = queryParameter(name)
    } else {
      report(.missingAttribute, "\(tag): NAME, IMPORT or QUERYPARAM")
      return
    }
    guard let definition else {
      report(.undefinedVariable, "\(tag): nothing to take the value from")
      return
    }
    let isName = definition.name.utf8.allSatisfy(HLSReader.isVariableByte)
    if definition.name.isEmpty || !isName {
      report(.badValue, "\(tag): a name of letters, digits, '-' and '_'")
    } else if variables.contains(where: { $0.name == definition.name }) {
      report(.badValue, "\(tag): a name that is not yet defined")
    } else {
      variables.append(definition)
    }
  }

  private func queryParameter(_ name: String) -> HLSVariable? {
    guard let query else { return nil }
    for part in query.split(separator: "&") where part.hasPrefix(name + "=") {
      return HLSVariable(name: name, value: String(part.dropFirst(name.count + 1)))
    }
    return nil
  }

  private static func isVariableByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// A text with `{$name}` replaced (RFC 8216bis section 4.3). Values are not looked into again.
  mutating func substituted(_ text: ArraySlice<UInt8>) -> String? {
    guard text.contains(UInt8(ascii: "{")), !text.isEmpty else {
      return String(decoding: text, as: UTF8.self)
    }
    var output: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "{"), rest.first == UInt8(ascii: "$"),
        let end = rest.firstIndex(of: UInt8(ascii: "}")), end - rest.startIndex > 1,
        rest[(rest.startIndex + 1)..<end].allSatisfy(HLSReader.isVariableByte)
      else {
        output.append(byte)
        continue
      }
      let name = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      guard let variable = variables.first(where: { $0.name == name }) else {
        report(.undefinedVariable, "the variable '\(name.prefix(40))' is not defined")
        return nil
      }
      output.append(contentsOf: variable.value.utf8)
      if output.count > limits.lineBytes {
        report(.overLimit, "variables that make a text of at most \(limits.lineBytes) bytes")
        return nil
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
