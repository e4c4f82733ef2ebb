import MediaUnits
import NIOCore
import NIOHTTP2

/// What every HTTP/2 connection of a client is held to, beyond what SwiftNIO sees to: it counts the
/// frames that ask for nothing, gives a frame and a block of fields a time to be whole in, and
/// closes a connection that has no stream for some time or whose streams all stand still.
///
/// It reads the frames' heads as they come, before the connection's own reader, and keeps no bytes.
final class EdgeStreams: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let limits: EdgeLimits
  private var context: ChannelHandlerContext?
  private var timer: Scheduled<Void>?
  private var streams: [ObjectIdentifier: EdgeClientHandler] = [:]
  private var hadStream = false
  /// When there was a stream last.
  private var emptySince = NIODeadline.now()
  /// When bytes of an answer were taken last.
  private(set) var movedAt = NIODeadline.now()

  // Where the reader of frames is.
  private var prefaceLeft = 24
  private var head: [UInt8] = []
  private var payloadLeft = 0
  private var frameBegan: NIODeadline?
  private var blockBegan: NIODeadline?

  private var sentBytes = 0
  private var updates = 0
  private var idleFrames = 0
  private var countingSince = NIODeadline.now()

  init(_ limits: EdgeLimits) {
    self.limits = limits
    head.reserveCapacity(9)
  }

  /// The settings that a connection is told, and SwiftNIO's bounds.
  static func connection(_ limits: EdgeLimits) -> NIOHTTP2Handler.ConnectionConfiguration {
    var made = NIOHTTP2Handler.ConnectionConfiguration()
    made.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: limits.largestHead),
    ]
    made.controlFrameRateLimit.maximumCount = limits.idleFrames
    return made
  }

  static func stream(_ limits: EdgeLimits) -> NIOHTTP2Handler.StreamConfiguration {
    var made = NIOHTTP2Handler.StreamConfiguration()
    made.streamResetFrameRateLimit.maximumCount = limits.idleFrames
    made.streamErrorRateLimit.maximumCount = limits.idleFrames
    return made
  }

  // MARK: Streams

  func began(_ stream: EdgeClientHandler) {
    hadStream = true
    streams[ObjectIdentifier(stream)] = stream
  }

  func ended(_ stream: EdgeClientHandler) {
    streams[ObjectIdentifier(stream)] = nil
    if streams.isEmpty { emptySince = .now() }
  }

  func moved() { movedAt = .now() }

  // MARK: The channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    watch()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    timer?.cancel()
    timer = nil
    context = nil
    streams.removeAll()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .byteBuffer(let bytes) = unwrapOutboundIn(data) { sentBytes += bytes.readableBytes }
    context.write(data, promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !unwrapInboundIn(data).readableBytesView.withContiguousStorage(scan) {
      context.close(promise: nil)
      return
    }
    context.fireChannelRead(data)
  }

  /// Reads the heads of frames; false when the connection is to be closed.
  private func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = 0
    while place < bytes.count {
      if prefaceLeft > 0 || payloadLeft > 0 {
        let passed = min(bytes.count - place, prefaceLeft > 0 ? prefaceLeft : payloadLeft)
        place += passed
        if prefaceLeft > 0 {
          prefaceLeft -= passed
        } else {
          payloadLeft -= passed
          if payloadLeft == 0 { frameBegan = nil }
        }
        continue
      }
      if head.isEmpty { frameBegan = .now() }
      head.append(bytes[place])
      place += 1
      if head.count < 9 { continue }
      payloadLeft = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      if payloadLeft == 0 { frameBegan = nil }
      let isGood = note(type: head[3], flags: head[4])
      head.removeAll(keepingCapacity: true)
      if !isGood { return false }
    }
    return true
  }

  /// A frame begins (RFC 9113 section 6).
  private func note(type: UInt8, flags: UInt8) -> Bool {
    let endsBlock = flags & 0x4 != 0
    switch type {
    case 0: return true
    case 1:
      blockBegan = endsBlock ? nil : .now()
      return true
    case 8:
      updates += 1
      return updates <= limits.windowUpdates + sentBytes / 256
    case 9:
      if endsBlock { blockBegan = nil }
      return true
    default:
      let now = NIODeadline.now()
      if now - countingSince > .seconds(30) {
        countingSince = now
        idleFrames = 0
      }
      idleFrames += 1
      return idleFrames <= limits.idleFrames
    }
  }

  // MARK: The clock

  private func watch() {
    guard let context else { return }
    let spans = [limits.headTimeout, limits.bodyTimeout, limits.leastIdle, limits.sendTimeout]
    let least = spans.map(\.nanoseconds).min() ?? 0
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: .nanoseconds(max(least / 8, 10_000_000))) {
      bound.value.look()
    }
  }

  private func look() {
    guard let context else { return }
    let now = NIODeadline.now()
    let idle = hadStream ? limits.leastIdle : limits.headTimeout
    let isLate =
      streams.isEmpty && isOver(emptySince, idle, now)
      || isOver(frameBegan, limits.bodyTimeout, now)
      || isOver(blockBegan, limits.headTimeout, now)
    if isLate { return context.close(promise: nil) }
    for stream in streams.values where isOver(stream.standsSince, limits.sendTimeout, now) {
      // Where others move only this one is held up.
      if isOver(movedAt, limits.sendTimeout, now) { return context.close(promise: nil) }
      stream.letGo()
    }
    watch()
  }

  private func isOver(_ since: NIODeadline?, _ span: TimeSpan, _ now: NIODeadline) -> Bool {
    since.map { $0 + .nanoseconds(span.nanoseconds) <= now } ?? false
  }
}

extension ByteBufferView {
  fileprivate func withContiguousStorage(
    _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    withUnsafeBytes { body($0.bindMemory(to: UInt8.self)) }
  }
}
