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
    if isKept { chunks.append(bytes) }
    for reader in readers { reader.take(bytes) }
    reconsider()
  }

  func finish(isWhole: Bool) {
    guard state == .coming else { return }
    state = isWhole ? .whole : .lost
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
