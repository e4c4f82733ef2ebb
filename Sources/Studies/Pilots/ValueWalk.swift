/// Names a value by all that it is made of, down to the bits of its numbers.
///
/// The walk is generic, so that a field that is added to a type is in the name without anybody's
/// thinking of it. It gives up on what it cannot see through to the end: classes, closures,
/// pointers, lists of existentials, hash tables, types that describe themselves otherwise than they
/// are, and structures whose fields, as they are shown, do not fill their memory. Then there is no
/// name, and nothing is kept. A single existential whose value happens to fill its place is not
/// told from that value; configurations have none, because models may not (`tidy`'s rule
/// `existential`).
public struct ValueWalk {
  private var hash = ContentHash()

  /// The name of a value; nil where the walk has given up.
  ///
  /// - Parameter prefix: what else the name depends on.
  public static func key(of value: Any, _ prefix: [String] = []) -> ContentKey? {
    var walk = ValueWalk()
    for text in prefix { walk.hash.add(text) }
    walk.hash.add(String(reflecting: type(of: value)))
    return walk.add(value) ? walk.hash.key : nil
  }

  /// Adds a value; false where it has given up.
  fileprivate mutating func add(_ value: Any) -> Bool {
    if let value = value as? any Walked { return value.walk(&self) }
    if value is any CustomReflectable { return false }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct, .tuple: return add(fields: mirror, of: value)
    case .enum: return add(case: mirror, of: value)
    default: return false
    }
  }

  /// Adds a part of a value whose type says of what type it is; no existential does.
  fileprivate mutating func add<Part>(_ part: Part, as _: Part.Type) -> Bool {
    let value: Any = part
    return type(of: value) == Part.self && add(value)
  }

  fileprivate mutating func note(_ word: UInt64) { hash.add(word) }
  fileprivate mutating func note(_ bytes: UnsafeRawBufferPointer) { hash.add(bytes) }
  fileprivate mutating func note(_ text: String) { hash.add(text) }

  /// The fields of a structure one after the other, if they are all there.
  private mutating func add(fields mirror: Mirror, of value: Any) -> Bool {
    var end = 0
    for field in mirror.children {
      let (size, alignment) = ValueWalk.layout(of: field.value)
      end = (end + alignment - 1) / alignment * alignment + size
      if !add(field.value) { return false }
    }
    return end == ValueWalk.layout(of: value).size
  }

  private mutating func add(case mirror: Mirror, of value: Any) -> Bool {
    if let (label, payload) = mirror.children.first {
      guard let label, mirror.children.count == 1 else { return false }
      note(2)
      note(label)
      return add(payload)
    }
    if ValueWalk.layout(of: value).size <= 1 {
      note(0)
      note(UInt64(ValueWalk.firstByte(of: value)))
      return true
    }
    // A case without a payload of an enumeration that has payloads: by its name, as the runtime has
    // it. A program without those names gives the type's instead.
    if value is any CustomStringConvertible || value is any CustomDebugStringConvertible
      || value is any TextOutputStreamable
    {
      return false
    }
    let name = String(describing: value)
    if name == String(describing: type(of: value)) || name.contains("(") { return false }
    note(1)
    note(name)
    return true
  }

  private static func layout(of value: Any) -> (size: Int, alignment: Int) {
    func ofType<Value>(_: Value.Type) -> (size: Int, alignment: Int) {
      (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
    }
    return _openExistential(type(of: value), do: ofType)
  }

  private static func firstByte(of value: Any) -> UInt8 {
    func ofType<Value>(_: Value.Type) -> UInt8 {
      guard let value = value as? Value else { preconditionFailure("a value is of its type") }
      return withUnsafeBytes(of: value) { $0.first ?? 0 }
    }
    return _openExistential(type(of: value), do: ofType)
  }
}

/// What the walk knows without looking at its fields.
private protocol Walked {
  func walk(_ walk: inout ValueWalk) -> Bool
}

/// A number all of whose bits count, and no others: an array of them is added as its memory.
private protocol WalkedNumber: Walked, BitwiseCopyable {}

extension WalkedNumber {
  func walk(_ walk: inout ValueWalk) -> Bool {
    withUnsafeBytes(of: self) { bytes in
      var word: UInt64 = 0
      for byte in bytes.reversed() { word = word << 8 | UInt64(byte) }
      walk.note(word)
    }
    return true
  }
}

extension Int: WalkedNumber {}
extension Int8: WalkedNumber {}
extension Int16: WalkedNumber {}
extension Int32: WalkedNumber {}
extension Int64: WalkedNumber {}
extension UInt: WalkedNumber {}
extension UInt8: WalkedNumber {}
extension UInt16: WalkedNumber {}
extension UInt32: WalkedNumber {}
extension UInt64: WalkedNumber {}
extension Float: WalkedNumber {}
extension Double: WalkedNumber {}

extension Bool: Walked {
  fileprivate func walk(_ walk: inout ValueWalk) -> Bool {
    walk.note(self ? 1 : 0)
    return true
  }
}

extension String: Walked {
  fileprivate func walk(_ walk: inout ValueWalk) -> Bool {
    walk.note(self)
    return true
  }
}

extension Optional: Walked {
  fileprivate func walk(_ walk: inout ValueWalk) -> Bool {
    guard let value = self else {
      walk.note(0)
      return true
    }
    walk.note(1)
    return walk.add(value, as: Wrapped.self)
  }
}

extension Array: Walked {
  fileprivate func walk(_ walk: inout ValueWalk) -> Bool {
    if Element.self is any WalkedNumber.Type {
      withUnsafeBytes { walk.note($0) }
      return true
    }
    walk.note(UInt64(count))
    for element in self where !walk.add(element, as: Element.self) { return false }
    return true
  }
}
