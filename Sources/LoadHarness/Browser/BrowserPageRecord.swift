import NIOCore
import Synchronization

/// What is known of a page from its events.
final class BrowserPageRecord: Sendable {
  private struct State {
    var ending: BrowserPage.Ending?
    var first: [String] = []
    var count = 0
    var decoders: Set<String> = []
    /// Documents that have been read while one is expected, by their loader; nil: none is.
    var ready: Set<String>?
    var waiter: (loader: String, promise: EventLoopPromise<Void>)?
  }

  private let function: String?
  private let messages: AsyncStream<String>.Continuation
  private let whenEnded: @Sendable (BrowserPage.Ending) -> Void
  private let state = Mutex(State())

  /// Messages that nobody has taken yet (assumed: far more than a reader is behind).
  private static let mostMessages = 100_000
  /// Complaints that are kept in words.
  private static let mostWords = 100

  private init(
    _ function: String?, _ messages: AsyncStream<String>.Continuation,
    _ whenEnded: @escaping @Sendable (BrowserPage.Ending) -> Void
  ) {
    self.function = function
    self.messages = messages
    self.whenEnded = whenEnded
  }

  /// A record, and the messages that it hears by a function's name.
  static func make(
    hearing function: String?, whenEnded: @escaping @Sendable (BrowserPage.Ending) -> Void
  ) -> (AsyncStream<String>, BrowserPageRecord) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingOldest(mostMessages))
    return (stream, BrowserPageRecord(function, continuation, whenEnded))
  }

  var ending: BrowserPage.Ending? { state.withLock { $0.ending } }
  var first: [String] { state.withLock { $0.first } }
  var count: Int { state.withLock { $0.count } }
  var decoders: Set<String> { state.withLock { $0.decoders } }

  func hear(_ event: DevToolsEvent) {
    switch event {
    case .bindingCalled(let name, let payload):
      if name == function, case .dropped = messages.yield(payload) { end(.overrun) }
    case .consoleCalled(let kind, let text):
      if kind == "error" || kind == "assert" { complain("console.\(kind): \(text)") }
    case .exceptionThrown(let text): complain("uncaught: \(text)")
    case .logAdded(let level, let text): if level == "error" { complain(text) }
    case .documentCame(let loader, let name): if name == "DOMContentLoaded" { isReady(loader) }
    case .decoderTold(let name): state.withLock { _ = $0.decoders.insert(name) }
    case .crashed: end(.crashed)
    case .detached: end(.left)
    case .disconnected(let byUs): end(byUs ? .closed : .disconnected)
    case .other, .requestPaused: break
    }
  }

  private func complain(_ text: String) {
    state.withLock { state in
      state.count += 1
      if state.first.count < Self.mostWords { state.first.append(text) }
    }
  }

  /// The page is no more; only the first reason counts.
  func end(_ reason: BrowserPage.Ending) {
    let isFirst = state.withLock { state in
      defer { state.ending = state.ending ?? reason }
      return state.ending == nil
    }
    if !isFirst { return }
    messages.finish()
    whenEnded(reason)
    let waiter = state.withLock { $0.waiter }
    waiter?.promise.fail(BrowserPage.gone(reason))
  }

  // MARK: Documents

  /// From now on documents that have been read are remembered.
  func expectDocument() { state.withLock { $0.ready = [] } }

  /// Keeps a promise when the document of a loader has been read, which it may have been.
  func tell(_ promise: EventLoopPromise<Void>, whenReady loader: String) {
    let ending = state.withLock { state in
      state.waiter = (loader, promise)
      return state.ending
    }
    if let ending { return promise.fail(BrowserPage.gone(ending)) }
    keep()
  }

  private func isReady(_ loader: String) {
    state.withLock { _ = $0.ready?.insert(loader) }
    keep()
  }

  private func keep() {
    let promise = state.withLock { state -> EventLoopPromise<Void>? in
      guard let waiter = state.waiter, state.ready?.contains(waiter.loader) == true
      else { return nil }
      state.ready = nil
      state.waiter = nil
      return waiter.promise
    }
    promise?.succeed()
  }
}
