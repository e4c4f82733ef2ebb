/// Connections by number: whose each one is, and whether the server believes in it. Numbers never
/// repeat.
struct CallLines {
  private var owners: [UInt32] = []
  private var isOpen: [Bool] = []

  /// A client asks for a connection; the server knows nothing of it yet.
  mutating func dial(_ client: UInt32) -> UInt32 {
    owners.append(client)
    isOpen.append(false)
    return UInt32(owners.count - 1)
  }

  func owner(of line: UInt32) -> UInt32 { owners[Int(line)] }

  func isOpen(_ line: UInt32) -> Bool { isOpen[Int(line)] }

  mutating func open(_ line: UInt32) { isOpen[Int(line)] = true }

  /// The server gives a connection up; false if it did not believe in it.
  mutating func close(_ line: UInt32) -> Bool {
    defer { isOpen[Int(line)] = false }
    return isOpen[Int(line)]
  }

  /// The server gives all of them up.
  ///
  /// - Returns: those that it believed in, the oldest first.
  mutating func closeAll() -> [UInt32] {
    var closed: [UInt32] = []
    for line in 0..<UInt32(isOpen.count) where close(line) { closed.append(line) }
    return closed
  }
}
