import FeedModel
import SimulationKernel

// What a page's script calls. An instance of the module has one configuration; it is
// single-threaded, as every WebAssembly instance without shared memory is. Natively nobody but
// tests calls this.

/// The configuration, and the memory through which numbers go in and out.
// tidy:allow unchecked-sendable because an instance of the module has one thread
nonisolated(unsafe)  // tidy:allow global-var because calls from C have no self
  private var slot = ImageSlot()

private struct ImageSlot {
  var input: [UInt8] = []
  var configuration: FeedConfiguration?
  var output: [Double] = []
}

/// Makes room for an image of so many bytes; where it is to be written.
@_cdecl("image_room")
public func imageRoom(_ count: Int32) -> UnsafeMutableRawPointer? {
  slot.input = [UInt8](repeating: 0, count: Int(max(count, 1)))
  return slot.input.withUnsafeMutableBytes { $0.baseAddress }
}

/// Reads the image that was written; 1 when it is one, 0 else.
@_cdecl("image_open")
public func imageOpen() -> Int32 {
  slot.configuration = FeedImage.read(slot.input)
  slot.input = []
  return slot.configuration == nil ? 0 : 1
}

/// Runs one replication; how many numbers it has left, 0 when there is no configuration, -1 when it
/// ran into a limit.
///
/// The numbers: the fingerprint's high and low half, events, views.
@_cdecl("image_run")
public func imageRun(_ seedHigh: UInt32, _ seedLow: UInt32, _ replication: UInt32) -> Int32 {
  guard let configuration = slot.configuration else { return 0 }
  do throws(SimulationError) {
    let result = try FeedReplica.run(
      configuration, seed: UInt64(seedHigh) << 32 | UInt64(seedLow),
      replication: UInt16(truncatingIfNeeded: replication) % FeedRun.mostReplications)
    let fingerprint = result.fingerprint.value
    slot.output = [
      Double(fingerprint >> 32), Double(fingerprint & 0xFFFF_FFFF),
      Double(result.summary.events), Double(result.measures.views.count),
    ]
    return Int32(slot.output.count)
  } catch {
    return -1
  }
}

/// Copies the numbers to where there is room for all of them.
@_cdecl("image_numbers")
public func imageNumbers(_ room: UnsafeMutablePointer<Double>) {
  for place in slot.output.indices { room[place] = slot.output[place] }
}
