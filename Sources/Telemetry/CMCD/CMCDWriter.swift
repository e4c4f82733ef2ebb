/// Writes Common Media Client Data, version 1 (CTA-5004) or 2 (CTA-5004-A), of one request: as the
/// parameter of a query or as the four headers.
///
/// Keys, forms, units, rounding and headers are those of ``CMCDKey``, which the reader has, too.
/// What the standard asks to leave out is left out: a flag that is off, a playback rate of one, and
/// version 1's own number. A number that its key cannot have is left out as well.
///
/// ```swift
/// var writer = CMCDWriter(version: 1)
/// writer.add(.br, number: 3_200_000)
/// writer.add(.ot, token: "v")
/// request.path += "?" + writer.query      // CMCD=br%3D3200%2Cot%3Dv
/// ```
public struct CMCDWriter: Sendable {
  public let version: Int
  private var parts: [(key: CMCDKey, text: String)] = []
  private var objectType: String?

  /// - Precondition: version 1 or 2.
  public init(version: Int) {
    precondition(1...2 ~= version, "version 1 or 2 of CMCD, got \(version)")
    self.version = version
    if version > 1 { parts.append((.v, String(version))) }
  }

  // MARK: Keys

  /// A number in bits per second, seconds, or what the key counts.
  public mutating func add(_ key: CMCDKey, number value: Double) {
    let written = key.written(of: value)
    guard has(key), value >= 0, written < 1e15 else { return }
    switch key.form {
    case .whole: put(key, String(Int64(written)))
    case .decimal: if written != 1 { put(key, CMCDWriter.decimal(written)) }
    default: preconditionFailure("\(key.name) is no number")
    }
  }

  /// A flag.
  public mutating func add(_ key: CMCDKey, isOn: Bool) {
    guard case .flag = key.form else { preconditionFailure("\(key.name) is no flag") }
    if isOn && has(key) { put(key, "") }
  }

  /// One of the key's words.
  public mutating func add(_ key: CMCDKey, token: String) {
    guard case .token(let words) = key.form,
      words.description.split(separator: " ").contains(Substring(token))
    else { preconditionFailure("\(key.name) has no word \(token)") }
    if !has(key) { return }
    if key == .ot { objectType = token }
    put(key, token)
  }

  /// A text; what is longer than the standard allows is cut.
  public mutating func add(_ key: CMCDKey, text: String) {
    guard case .string = key.form else { preconditionFailure("\(key.name) is no text") }
    if has(key) { put(key, CMCDWriter.quoted(text, longest: CMCDKey.longestText)) }
  }

  /// Where the next object is, relative to this one, and the part of it (`0-499`) where only a part
  /// is asked for.
  public mutating func add(next path: String?, part: String?) {
    if version == 1 {
      if let path { put(.nor, CMCDWriter.quoted(CMCDWriter.encoded(path))) }
      if let part { put(.nrr, CMCDWriter.quoted(part)) }
    } else if path != nil || part != nil {
      let range = part.map { ";r=" + CMCDWriter.quoted($0) } ?? ""
      put(.nor, "(" + CMCDWriter.quoted(path ?? "") + range + ")")
    }
  }

  private func has(_ key: CMCDKey) -> Bool { Int(key.version) <= version }

  /// Keys stand in the order of the alphabet, which is that of their cases.
  private mutating func put(_ key: CMCDKey, _ text: String) {
    let place = parts.firstIndex { $0.key.rawValue >= key.rawValue } ?? parts.count
    if place < parts.count && parts[place].key == key { parts.remove(at: place) }
    parts.insert((key, text), at: place)
  }

  // MARK: Texts

  /// Whether there is nothing to write.
  public var isEmpty: Bool { parts.isEmpty }

  /// `CMCD=` and the keys, percent-encoded.
  public var query: String { "CMCD=" + CMCDWriter.encoded(text { _ in true }) }

  /// The headers that have keys, in the order of the standard.
  public var headers: [(name: String, value: String)] {
    CMCDKey.Header.allCases.compactMap { header in
      let value = text { $0.header == header }
      return value.isEmpty ? nil : (header.name, value)
    }
  }

  private func text(_ isMeant: (CMCDKey) -> Bool) -> String {
    parts.filter { isMeant($0.key) }.map { key, text in
      if text.isEmpty { return key.name }
      if version == 1 || !key.isListed { return "\(key.name)=\(text)" }
      let type = objectType.map { ["a", "av", "v"].contains($0) ? ";" + $0 : "" } ?? ""
      return "\(key.name)=(\(text)\(type))"
    }.joined(separator: ",")
  }

  /// Two decimals at most.
  private static func decimal(_ value: Double) -> String {
    let hundredths = Int64((value * 100).rounded())
    if hundredths % 100 == 0 { return String(hundredths / 100) }
    let rest = hundredths % 100
    if rest % 10 == 0 { return "\(hundredths / 100).\(rest / 10)" }
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A string of RFC 8941 section 3.3.3, which has printable ASCII only: anything else is
  /// percent-encoded.
  private static func quoted(_ text: String, longest: Int = .max) -> String {
    var output: [UInt8] = [0x22]
    var count = 0
    for byte in text.utf8 {
      let isPlain = byte >= 0x20 && byte < 0x7F
      let width = isPlain ? 1 : 3
      if count + width > longest { break }
      count += width
      if !isPlain {
        append(byte, to: &output)
      } else {
        if byte == 0x22 || byte == 0x5C { output.append(0x5C) }
        output.append(byte)
      }
    }
    output.append(0x22)
    return String(decoding: output, as: UTF8.self)
  }

  /// Every byte that is not unreserved (RFC 3986 section 2.3) as `%XX`.
  private static func encoded(_ text: String) -> String {
    var output: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: output.append(byte)
      default: append(byte, to: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func append(_ byte: UInt8, to output: inout [UInt8]) {
    let digits: StaticString = "0123456789ABCDEF"
    output += [
      0x25, digits.utf8Start[Int(byte >> 4)], digits.utf8Start[Int(byte & 15)],
    ]
  }
}
