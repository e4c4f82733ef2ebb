/// What tells the stored responses of one address apart: the fields that `Vary` names.
///
/// Values are compared after a normalisation that keeps their meaning: lines are joined, blanks
/// around commas left out, and the members of `Accept`, `Accept-Encoding` and `Accept-Language`
/// compared in any case and order, since order says nothing there (RFC 9110 section 12.5).
///
/// Source: RFC 9111 section 4.1.
public struct VariantFields: Sendable, Equatable {
  /// Names in lower case, in the order of `Vary`, each once.
  public private(set) var names: [[UInt8]] = []
  /// Whether `*` is among them: no request matches.
  public private(set) var isEverything = false

  public init() {}

  /// Reads one `Vary` line.
  public mutating func add(_ value: UnsafeBufferPointer<UInt8>) {
    var text = FieldText(value)
    while let member = text.takeMember() {
      let name = value[member.name].map(FieldText.lowered)
      if name.count == 1 && name[0] == UInt8(ascii: "*") {
        isEverything = true
      } else if !name.isEmpty && !names.contains(name) {
        names.append(name)
      }
    }
  }

  /// The comparable form of a field's value.
  ///
  /// - Parameters:
  ///   - name: in lower case.
  ///   - lines: the value of each line of that name in a request, in order; empty when it has none.
  /// - Returns: nil when the request has no such field, which is a value of its own.
  public static func comparable(name: [UInt8], lines: [[UInt8]]) -> [UInt8]? {
    if lines.isEmpty { return nil }
    var members: [[UInt8]] = []
    for line in lines { line.withUnsafeBufferPointer { split($0, into: &members) } }
    if isUnordered(name) {
      for index in members.indices {
        members[index] = members[index].compactMap { $0 == 0x20 ? nil : FieldText.lowered($0) }
      }
      members.sort { $0.lexicographicallyPrecedes($1) }
    }
    var result: [UInt8] = []
    for member in members {
      if !result.isEmpty { result.append(UInt8(ascii: ",")) }
      result.append(contentsOf: member)
    }
    return result
  }

  private static func isUnordered(_ name: [UInt8]) -> Bool {
    name.withUnsafeBufferPointer { name in
      let whole = 0..<name.count
      return FieldText.isEqual(name, whole, "accept-encoding")
        || FieldText.isEqual(name, whole, "accept-language")
        || FieldText.isEqual(name, whole, "accept")
    }
  }

  /// The members of a list without the blanks around them; commas in quotes do not end one.
  private static func split(
    _ line: UnsafeBufferPointer<UInt8>, into members: inout [[UInt8]]
  ) {
    var text = FieldText(line)
    while true {
      text.skipBlanks()
      if text.isAtEnd { return }
      if text.take(UInt8(ascii: ",")) { continue }
      let start = text.position
      var end = start
      while let byte = text.next, byte != UInt8(ascii: ",") {
        if byte == UInt8(ascii: "\""), text.takeQuoted() != nil {
          end = text.position
          continue
        }
        text.position += 1
        if byte != 0x20 && byte != 0x09 { end = text.position }
      }
      members.append(Array(line[start..<end]))
    }
  }
}
