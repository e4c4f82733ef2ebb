/// Writes Common Media Server Data (CTA-5006), as ``CMSDReader`` reads it. Whole numbers are
/// rounded; what is not known is left out.
public enum CMSDWriter {
  /// `CMSD-Static` of an object, keys in the order of the alphabet.
  public static func text(_ object: CMSDObject) -> String {
    var parts: [(key: CMSDKey, value: String)] = []
    func add(_ key: CMSDKey, _ value: String?) {
      if let value { parts.append((key, value)) }
    }
    add(.at, whole(object.availableAt, of: 1_000))
    add(.br, whole(object.bitrate, of: 1 / 1_000))
    add(.d, whole(object.duration, of: 1_000))
    add(.ht, whole(object.heldTime, of: 1_000))
    add(.n, object.name.map(quoted))
    add(.nor, object.next.map(quoted))
    add(.nrr, object.nextRange.map(quoted))
    add(.ot, object.objectType)
    add(.sf, object.format)
    add(.st, object.streamType)
    if object.isForStartup { add(.su, "") }
    // The first version is not named.
    if object.version > 1 { add(.v, String(object.version)) }
    return parts.map { $0.value.isEmpty ? $0.key.name : "\($0.key.name)=\($0.value)" }
      .joined(separator: ",")
  }

  /// A server's member of `CMSD-Dynamic`.
  public static func text(_ hop: CMSDHop) -> String {
    var text = quoted(hop.name)
    func add(_ key: CMSDKey, _ value: String?) {
      if let value { text += ";\(key.name)=\(value)" }
    }
    if hop.isUnderDuress { text += ";" + CMSDKey.du.name }
    add(.etp, whole(hop.throughput, of: 1 / 1_000))
    add(.mb, whole(hop.suggestedBitrate, of: 1 / 1_000))
    add(.rd, whole(hop.responseDelay, of: 1_000))
    add(.rtt, whole(hop.roundTrip, of: 1_000))
    return text
  }

  /// A number in the header's unit; nil for one that no header can have.
  private static func whole(_ value: Double?, of scale: Double) -> String? {
    guard let value, value >= 0, value * scale < 1e15 else { return nil }
    return String(Int64((value * scale).rounded()))
  }

  /// A string of RFC 8941 section 3.3.3; bytes that it cannot have are left out.
  private static func quoted(_ text: String) -> String {
    var output: [UInt8] = [0x22]
    for byte in text.utf8 where 0x20..<0x7F ~= byte {
      if byte == 0x22 || byte == 0x5C { output.append(0x5C) }
      output.append(byte)
    }
    output.append(0x22)
    return String(decoding: output, as: UTF8.self)
  }
}
