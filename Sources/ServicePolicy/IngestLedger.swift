import MediaUnits

/// What an event service counts when posts come twice (SIG-052).
///
/// A device has one batch on its way at a time and numbers them upwards, so its highest number says
/// which batches are repeats. Devices are remembered up to a limit; a forgotten one's repeat would
/// count twice. Batches without a number are always counted.
public struct IngestLedger: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Devices that are remembered. Default 1,048,576 (assumed).
    public var devices: Int

    /// - Precondition: at least 1.
    public init(devices: Int = 1 << 20) {
      precondition(devices >= 1, "at least one device is remembered")
      self.devices = devices
    }
  }

  public enum Event: Sendable, Equatable {
    case arrived(device: UInt64, number: UInt32?, post: UInt32)
  }

  public enum Command: Sendable, Equatable {
    case count(post: UInt32)
    /// Answer as if it had been counted.
    case drop(post: UInt32)
  }

  public let configuration: Configuration
  var places: LookupTable
  var devices: [UInt64] = []
  var numbers: [UInt32] = []
  var oldest = 0

  public private(set) var counted = 0
  public private(set) var dropped = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    places = LookupTable(capacity: min(configuration.devices, 1024))
  }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch event {
    case .arrived(let device, let number, let post):
      if let number, !isNew(number, of: device) {
        dropped += 1
        commands.append(.drop(post: post))
      } else {
        counted += 1
        commands.append(.count(post: post))
      }
    }
  }

  private mutating func isNew(_ number: UInt32, of device: UInt64) -> Bool {
    if let place = places[device] {
      if number <= numbers[Int(place)] { return false }
      numbers[Int(place)] = number
      return true
    }
    if devices.count < configuration.devices {
      places.set(device, to: UInt32(devices.count))
      devices.append(device)
      numbers.append(number)
      return true
    }
    places.remove(devices[oldest])
    places.set(device, to: UInt32(oldest))
    devices[oldest] = device
    numbers[oldest] = number
    oldest = (oldest + 1) % configuration.devices
    return true
  }
}
