import Glibc

/// A point-to-point network device whose packets this process reads and writes.
///
/// Source: Linux, Documentation/networking/tuntap.rst. Without `IFF_VNET_HDR` the kernel hands over
/// whole IP packets, checksums computed and none larger than the MTU.
struct TunDevice: Sendable {
  let descriptor: Int32
  let name: String

  // <linux/if_tun.h>: macros that are not imported.
  private static let setInterface: UInt = 0x4004_54CA
  private static let tun: UInt16 = 0x0001
  private static let noPacketInformation: UInt16 = 0x1000

  /// Makes a device in the present network namespace.
  ///
  /// - Parameter name: at most 15 bytes.
  init(name: String) throws(HarnessFailure) {
    precondition(name.utf8.count <= 15, "a device name of at most 15 bytes, not \(name)")
    let descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 {
      throw HarnessFailure(
        .missing,
        "/dev/net/tun: expected to open, got \(errorText()); run as root on a kernel with TUN")
    }
    // struct ifreq: 16 bytes of name, then the flags; 40 bytes in all.
    var request = [UInt8](repeating: 0, count: 40)
    for (place, byte) in name.utf8.enumerated() { request[place] = byte }
    let flags = TunDevice.tun | TunDevice.noPacketInformation
    request[16] = UInt8(flags & 255)
    request[17] = UInt8(flags >> 8)
    if ioctl(descriptor, TunDevice.setInterface, &request) < 0 {
      let reason = errorText()
      close(descriptor)
      throw HarnessFailure(
        .missing, "\(name): expected a tun device, got \(reason); CAP_NET_ADMIN is needed")
    }
    self.descriptor = descriptor
    self.name = name
  }

  /// Takes the device away.
  func remove() { close(descriptor) }
}
