import NIOCore

/// Who gets the bytes of a body as they come.
protocol EdgeBodyReader: AnyObject {
  /// More bytes, in order.
  func take(_ bytes: ByteBuffer)
  /// No more bytes follow; false: because they were lost on the way.
  func finish(isWhole: Bool)
  /// Whether more bytes are welcome now.
  var isReady: Bool { get }
}

/// The bytes of one answer: on their way, whole, or lost. Read by several at once.
///
/// One that is kept can be joined at any time; one that is not has only those readers that were
/// there before its first byte, and waits for the slowest of them.
final class EdgeBody {
  enum State {
    /// Can become: whole, lost.
    case coming
    case whole
    case lost
  }

  private(set) var state = State.coming
  private(set) var count: Int64 = 0
  /// Whether bytes stay here for those who come later.
  private(set) var isKept: Bool
  private var chunks: [ByteBuffer] = []
  private var readers: [any EdgeBodyReader] = []
  /// Called once when the body is whole or lost.
  var whenDone: (() -> Void)?
  /// Called when readers want no more bytes for now, and when they do again.
  var whenPaused: ((_ isPaused: Bool) -> Void)?
  /// Called when nobody reads a body that is not kept.
  var whenLeft: (() -> Void)?
  private var isPaused = false

  init(isKept: Bool) { self.isKept = isKept }

  /// A body that is there from the beginning.
  convenience init(whole bytes: ByteBuffer) {
    self.init(isKept: true)
    if bytes.readableBytes > 0 { append(bytes) }
    finish(isWhole: true)
  }

  /// Lets a reader have all bytes from the first.
  func join(_ reader: any EdgeBodyReader) {
    for chunk in chunks { reader.take(chunk) }
    switch state {
    case .coming: readers.append(reader)
    case .whole: reader.finish(isWhole: true)
    case .lost: reader.finish(isWhole: false)
    }
  }

  func leave(_ reader: any EdgeBodyReader) {
    readers.removeAll { $0 === reader }
    if readers.isEmpty && !isKept && state == .coming { whenLeft?() }
    reconsider()
  }

  func append(_ bytes: ByteBuffer) {
    guard state == .coming else { return }
    count += Int64(bytes.readableBytes)
    if isKept { keep(bytes) }
    for reader in readers { reader.take(bytes) }
    reconsider()
  }

  /// Bytes that what is kept takes in memory.
  private(set) var memory: Int64 = 0

  /// Copies bytes: they are a part of a larger buffer, which would stay with them. A buffer has a
  /// power of two of bytes, so that they may go into several, each full or nearly so.
  private func keep(_ bytes: ByteBuffer) {
    var rest = bytes
    let spare = bytes.readableBytes / EdgeBody.spareShare
    while rest.readableBytes > 0 {
      let size = EdgeBody.piece(of: rest.readableBytes, spare: spare)
      guard var part = rest.readSlice(length: min(size, rest.readableBytes)) else { return }
      var copy = ByteBufferAllocator().buffer(capacity: size)
      copy.writeBuffer(&part)
      memory += EdgeWeight.buffer(size)
      chunks.append(copy)
    }
  }

  /// Puts what came in many small parts into as few buffers as it would fill at once: by that it
  /// was weighed when its head came.
  private func compact() {
    if memory <= EdgeBody.memory(of: count) / 20 * 21 { return }
    let parts = chunks
    (chunks, memory) = ([], 0)
    var block = ByteBuffer()
    for part in parts {
      var rest = part
      while rest.readableBytes > 0 {
        let room = EdgeBody.block - block.readableBytes
        if var more = rest.readSlice(length: min(room, rest.readableBytes)) {
          block.writeBuffer(&more)
        }
        if block.readableBytes == EdgeBody.block {
          keep(block)
          block.clear()
        }
      }
    }
    keep(block)
  }

  /// What comes from a socket comes in blocks of at most this size.
  private static let block = 65_536

  /// Of what is kept, the share of buffers that may be empty: each buffer is a write of its own in
  /// an answer.
  private static let spareShare = 8

  /// Bytes of the next buffer for so many: the power of two that they fill but for what may be
  /// empty, else the largest that they fill.
  private static func piece(of bytes: Int, spare: Int) -> Int {
    let above = 1 << (Int.bitWidth - (bytes - 1).leadingZeroBitCount)
    return bytes <= 256 || above - bytes <= spare ? max(16, above) : above / 2
  }

  /// Bytes that a body of known length will take when it is whole: as of one that comes at once.
  static func memory(of length: Int64) -> Int64 {
    var rest = Int(clamping: min(length, 1 << 40))
    var sum: Int64 = 0
    if rest > block {
      sum = Int64(rest / block) * EdgeWeight.buffer(block)
      rest %= block
    }
    let spare = rest / spareShare
    while rest > 0 {
      let size = piece(of: rest, spare: spare)
      sum += EdgeWeight.buffer(size)
      rest -= min(size, rest)
    }
    return sum
  }

  func finish(isWhole: Bool) {
    guard state == .coming else { return }
    state = isWhole ? .whole : .lost
    if isWhole && isKept { compact() }
    let present = readers
    readers.removeAll()
    for reader in present { reader.finish(isWhole: isWhole) }
    let done = whenDone
    whenDone = nil
    whenPaused = nil
    whenLeft = nil
    done?()
  }

  /// Keeps no bytes from now on; those who read go on.
  func stopKeeping() {
    isKept = false
    if state == .coming { chunks.removeAll() }
    if state == .coming && readers.isEmpty { whenLeft?() }
  }

  /// A reader's readiness has changed.
  func reconsider() {
    let holds = !isKept && readers.contains { !$0.isReady }
    if holds == isPaused { return }
    isPaused = holds
    whenPaused?(holds)
  }
}
