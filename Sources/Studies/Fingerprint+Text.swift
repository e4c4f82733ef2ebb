import SimulationKernel

extension Fingerprint {
  /// Sixteen hexadecimal digits, as results and reports have them.
  public var digits: String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// Adds a replication of a run, or another part that counts by its number: two parts that are
  /// exchanged show.
  public mutating func add(part: Int, _ own: Fingerprint) {
    add(time: Int64(bitPattern: own.value), phase: 0, target: UInt32(part), source: 0, tag: 0)
  }
}
