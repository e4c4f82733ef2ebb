import Foundation
import Glibc
import Models
import Synchronization

/// How a ``UserLink`` works.
public struct UserLinkSettings: Sendable, Equatable {
  /// Key of the losses.
  public var seed: UInt64 = 1
  /// Packets on their way at once, in all links together; 1,536 bytes each. Assumed: 30 ms of
  /// 10 Gbit/s, and a thousand queues of 60 packets.
  public var slots = 65_536
  /// The link of addresses that were given none.
  public var fallback = LinkProfile.open

  public init() {}
}

/// Carries the packets of a ``NamespacePair`` from one namespace to the other as the links of its
/// clients would: queue, rate, losses, delay (network.md sections 0.3 and 8).
///
/// One thread reads both devices, asks ``LinkEngine`` what becomes of each packet and hands packets
/// over when they are due. Nothing is allocated for a packet.
public final class UserLink: Sendable {
  private let namespaces: NamespacePair
  private let engine: Mutex<LinkEngine>
  private let buffer: PacketBuffer
  private let isStopped = Atomic<Bool>(false)
  private let wakeUp: Int32
  private let ended = DispatchSemaphore(value: 0)
  private let isReaped = Mutex(false)

  /// Starts carrying packets.
  public init(
    _ namespaces: NamespacePair, settings: UserLinkSettings = UserLinkSettings()
  ) throws(HarnessFailure) {
    self.namespaces = namespaces
    engine = Mutex(
      LinkEngine(
        hosts: namespaces.settings.clients.count, slots: settings.slots, seed: settings.seed,
        fallback: settings.fallback))
    buffer = PacketBuffer(
      slots: settings.slots, stride: (namespaces.settings.packetSize + 63) / 64 * 64)
    wakeUp = LinuxCalls.eventDescriptor(0, O_NONBLOCK | O_CLOEXEC)
    if wakeUp < 0 {
      throw HarnessFailure(.system, "eventfd: expected a descriptor, got \(errorText())")
    }
    let thread = Thread { [self] in
      ThreadPriority.raise()
      carry()
      ended.signal()
    }
    thread.name = "firstframe-link"
    thread.start()
    namespaces.attach { [weak self] in _ = self?.stop() }
  }

  /// Gives an address of the client block its link, from now on; packets that wait for the old link
  /// wait for the new one. From any thread, at any time.
  public func assign(_ address: IPv4Address, _ profile: LinkProfile) {
    guard let host = namespaces.settings.clients.host(of: address.bits) else {
      preconditionFailure("\(address) is not in \(namespaces.settings.clients)")
    }
    engine.withLock { $0.assign(host, profile, at: UserLink.clock()) }
    wake()
  }

  /// What all links have carried so far.
  public func counters() -> LinkCounters { engine.withLock { $0.total() } }

  /// What the link of one address has carried so far; nil when it has none yet.
  public func counters(of address: IPv4Address) -> (down: LaneCounters, up: LaneCounters)? {
    guard let host = namespaces.settings.clients.host(of: address.bits) else { return nil }
    return engine.withLock { $0.counters(of: host) }
  }

  /// Stops; packets on their way are gone.
  ///
  /// - Returns: the final counters, with what the kernel dropped before the link could read it.
  @discardableResult
  public func stop() -> LinkCounters {
    let isFirst = isReaped.withLock { isReaped in
      defer { isReaped = true }
      return !isReaped
    }
    if isFirst {
      isStopped.store(true, ordering: .releasing)
      wake()
      ended.wait()
      close(wakeUp)
    }
    var result = counters()
    result.unread = namespaces.unreadPackets()
    return result
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  // MARK: The thread

  /// Nanoseconds of CLOCK_MONOTONIC.
  @inline(__always)
  private static func clock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func carry() {
    var polls = [
      pollfd(fd: namespaces.edgeDevice.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: namespaces.clientDevice.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
    ]
    while !isStopped.load(ordering: .acquiring) {
      let due = engine.withLock { engine in
        if polls[0].revents != 0 { read(polls[0].fd, .down, &engine) }
        if polls[1].revents != 0 { read(polls[1].fd, .up, &engine) }
        handOver(&engine)
        return engine.nextDue
      }
      if polls[2].revents != 0 {
        var count: UInt64 = 0
        _ = Glibc.read(wakeUp, &count, 8)
      }
      UserLink.wait(&polls, until: due)
    }
  }

  /// Until a packet or a command comes, or a packet is due.
  private static func wait(_ polls: inout [pollfd], until due: Int64) {
    // At least every second, so that a clock that was set does no harm.
    let span = due == .max ? 1_000_000_000 : min(1_000_000_000, max(0, due - clock()))
    var timeout = timespec(
      tv_sec: Int(span / 1_000_000_000), tv_nsec: Int(span % 1_000_000_000))
    let answer = LinuxCalls.poll(&polls, UInt(polls.count), &timeout, nil)
    if answer < 0 { for index in polls.indices { polls[index].revents = 0 } }
  }

  /// Packets read from one device before due ones are handed over.
  private static let batch = 64

  private func read(_ device: Int32, _ direction: LinkDirection, _ engine: inout LinkEngine) {
    for _ in 0..<UserLink.batch {
      guard let slot = engine.takeSlot() else {
        // The packet must leave the device or the loop would spin.
        if Glibc.read(device, buffer.spare, buffer.stride) <= 0 { return }
        engine.counters.noRoom += 1
        continue
      }
      let bytes = buffer.bytes(of: slot)
      let length = Glibc.read(device, bytes, buffer.stride)
      if length <= 0 {
        engine.free(slot)
        return
      }
      guard let host = host(of: bytes, length, direction) else {
        engine.free(slot)
        engine.counters.foreign += 1
        continue
      }
      engine.offer(
        slot: slot, length: length, host: host, direction, at: UserLink.clock())
    }
  }

  /// The client that a packet belongs to: its destination on the way down, its source on the way up
  /// (RFC 791 section 3.1).
  @inline(__always)
  private func host(
    of bytes: UnsafeMutableRawPointer, _ length: Int, _ direction: LinkDirection
  ) -> Int? {
    guard length >= 20, bytes.load(as: UInt8.self) >> 4 == 4 else { return nil }
    let place = direction == .down ? 16 : 12
    let address = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    return namespaces.settings.clients.host(of: address)
  }

  private func handOver(_ engine: inout LinkEngine) {
    while engine.nextDue != .max {
      let now = UserLink.clock()
      guard let packet = engine.take(at: now) else { return }
      let device =
        packet.direction == .down ? namespaces.clientDevice : namespaces.edgeDevice
      let written = write(device.descriptor, buffer.bytes(of: packet.slot), packet.length)
      if written != packet.length { engine.counters.refused += 1 }
      engine.free(packet.slot)
      engine.counters.slip.record(now - packet.due)
    }
  }
}

/// The bytes of the packets that are on their way; touched by the link's thread alone.
private final class PacketBuffer: @unchecked Sendable {
  let stride: Int
  private let base: UnsafeMutableRawPointer
  /// Where a packet goes for which there is no slot.
  let spare: UnsafeMutableRawPointer

  init(slots: Int, stride: Int) {
    self.stride = stride
    base = .allocate(byteCount: (slots + 1) * stride, alignment: 64)
    spare = base + slots * stride
  }

  deinit { base.deallocate() }

  @inline(__always)
  func bytes(of slot: Int32) -> UnsafeMutableRawPointer { base + Int(slot) * stride }
}
