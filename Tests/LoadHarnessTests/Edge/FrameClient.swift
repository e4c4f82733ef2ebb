import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

@testable import LoadHarness

/// An HTTP/2 client that sends whatever frames it is told to, over TLS.
final class FrameClient: Sendable {
  private struct State {
    var bytes: [UInt8] = []
  }

  private let channel: any Channel
  private let state: NIOLockedValueBox<State>
  private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private init(_ channel: any Channel, _ state: NIOLockedValueBox<State>) {
    self.channel = channel
    self.state = state
  }

  /// Connects, and sends the preface and an empty SETTINGS.
  ///
  /// - Parameter settings: the payload of that SETTINGS.
  static func connect(port: Int, settings: [UInt8] = []) async throws -> FrameClient {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    configuration.applicationProtocols = ["h2"]
    let context = try NIOSSLContext(configuration: configuration)
    let state = NIOLockedValueBox(State())
    let channel = try await ClientBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
          try pipeline.addHandler(Reader(state))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    let client = FrameClient(channel, state)
    client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
    client.send(frame(4, payload: settings))
    return client
  }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let state: NIOLockedValueBox<State>

    init(_ state: NIOLockedValueBox<State>) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      state.withLockedValue { $0.bytes += Array(bytes.readableBytesView) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }

  /// A frame (RFC 9113 section 4.1).
  static func frame(
    _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []
  ) -> [UInt8] {
    let length = payload.count
    return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
      + word(stream) + payload
  }

  static func word(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  /// One setting.
  static func setting(_ number: UInt16, _ value: UInt32) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 0xFF)] + word(value)
  }

  /// The block of fields of a GET, or of another method, without a table.
  static func fields(_ path: String = "/", post: Bool = false) -> [UInt8] {
    let method: [UInt8] = [post ? 0x83 : 0x82]
    return method + [0x87, 0x01, 1, 0x61, 0x04, UInt8(path.utf8.count)] + Array(path.utf8)
  }

  static func request(_ stream: UInt32, _ path: String = "/", ends: Bool = true) -> [UInt8] {
    frame(1, flags: ends ? 0x5 : 0x4, stream: stream, payload: fields(path, post: !ends))
  }

  func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

  var isOpen: Bool { channel.isActive }

  /// What has come so far.
  var received: [UInt8] { state.withLockedValue { $0.bytes } }

  /// Types of the frames that have come.
  var frames: [(type: UInt8, stream: UInt32)] {
    let bytes = received
    var made: [(UInt8, UInt32)] = []
    var place = 0
    while place + 9 <= bytes.count {
      let length = Int(bytes[place]) << 16 | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2])
      let stream = bytes[(place + 5)..<(place + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      made.append((bytes[place + 3], stream))
      place += 9 + length
    }
    return made
  }

  /// Whether the server closes the connection within the time.
  func isClosed(within seconds: Double) async -> Bool {
    let limit = ContinuousClock.now + .seconds(seconds)
    while channel.isActive && ContinuousClock.now < limit {
      try? await Task.sleep(for: .milliseconds(10))
    }
    return !channel.isActive
  }

  /// Sends again and again until the server closes the connection; how often, nil: it did not.
  func flood(most: Int, _ bytes: (Int) -> [UInt8]) async -> Int? {
    for turn in 0..<most {
      if !channel.isActive { return turn }
      let buffer = ByteBuffer(bytes: bytes(turn))
      if turn % 20 == 19 {
        try? await channel.writeAndFlush(buffer).get()
      } else {
        channel.write(buffer, promise: nil)
      }
    }
    channel.flush()
    return await isClosed(within: 2) ? most : nil
  }

  func close() async { try? await channel.close().get() }
}
