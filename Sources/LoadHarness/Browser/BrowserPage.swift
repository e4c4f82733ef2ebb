import NIOCore
import Synchronization

/// How a page is opened.
public struct BrowserPageSettings: Sendable, Equatable {
  /// What the page sees of its window, CSS pixels.
  public var width = 390
  public var height = 844
  /// Device pixels to a CSS pixel.
  public var scale = 1
  /// The function of the page's `window` that takes a string and sends it to us; nil: none.
  public var messageFunction: String?
  /// Whether cookies, storage and HTTP cache are the page's own, and gone with it; otherwise the
  /// browser's pages share them.
  public var hasOwnStorage = false
  /// Whether the browser says what its media players decode with (``BrowserPage/decoders``). It
  /// then tells much more of them than that, so not of a page whose times are looked at closely.
  public var tellsDecoders = false
  /// Files of its own, in place of what its host has there; nil: none.
  public var files: BrowserPageFiles?
  /// Time for its document to be read and its scripts to have run once.
  public var patience = Duration.seconds(30)

  public init() {}
}

/// A page in a ``Chromium``.
public final class BrowserPage: Sendable {
  /// Why a page is no more.
  public enum Ending: String, Sendable, CaseIterable {
    /// By ``BrowserPage/close()`` or ``Chromium/stop()``.
    case closed
    /// The page closed itself, or somebody else did.
    case left
    /// Its process crashed or was killed.
    case crashed
    /// The browser ended, or the connection to it.
    case disconnected
    /// It sent messages faster than they were taken.
    case overrun
  }

  /// What the page sends by ``BrowserPageSettings/messageFunction``, in order; for one reader. Ends
  /// with the page; ``ending`` is known by then.
  public let messages: AsyncStream<String>

  private let link: DevToolsLink
  private let target, session: String
  private let context: String?
  private let record: BrowserPageRecord

  /// Why the page is no more; nil while it is.
  public var ending: Ending? { record.ending }

  /// Errors on its console and exceptions that nothing caught, the first hundred in words.
  public var complaints: [String] { record.first }

  /// Names of the video decoders that its players had, as the browser calls them.
  public var decoders: Set<String> { record.decoders }

  /// How many of them there were.
  public var complaintCount: Int { record.count }

  private struct Target: Decodable { var targetId: String }
  private struct Session: Decodable { var sessionId: String }
  private struct Context: Decodable { var browserContextId: String }
  private struct Navigation: Decodable {
    var loaderId: String?
    var errorText: String?
  }
  private struct Evaluation: Decodable {
    var result: DevToolsObject
    var exceptionDetails: DevToolsException?
  }

  private init(
    on link: DevToolsLink, target: String, session: String, context: String?,
    _ settings: BrowserPageSettings
  ) {
    self.link = link
    self.target = target
    self.session = session
    self.context = context
    let function = settings.messageFunction
    (messages, record) = BrowserPageRecord.make(hearing: function) { [weak link] ending in
      link?.drop(session, BrowserPage.gone(ending))
    }
    let record = record
    let isHeard = link.listen(to: session) { [weak link] event in
      guard case .requestPaused(let id, let url) = event, let files = settings.files else {
        return record.hear(event)
      }
      Task {
        // A page that is gone waits for nothing.
        _ = try? await link?.call(
          "Fetch.fulfillRequest", files.answer(to: url, id: id), session: session)
      }
    }
    if !isHeard { record.end(.disconnected) }
  }

  static func gone(_ ending: Ending) -> HarnessFailure {
    HarnessFailure(.unreachable, "page: expected it to run, got its end: \(ending)")
  }

  /// Opens a page in a window of its own, since one in the background is not drawn, and goes to an
  /// address.
  static func open(
    _ url: String, _ settings: BrowserPageSettings, on link: DevToolsLink
  ) async throws(HarnessFailure) -> BrowserPage {
    var parameters: [String: DevToolsValue] = ["url": "about:blank", "newWindow": true]
    var context: String?
    if settings.hasOwnStorage {
      let own = try await link.call(
        "Target.createBrowserContext", ["disposeOnDetach": true], as: Context.self
      ).browserContextId
      parameters["browserContextId"] = .text(own)
      context = own
    }
    let target: String
    let session: String
    do throws(HarnessFailure) {
      target = try await link.call("Target.createTarget", parameters, as: Target.self).targetId
      session = try await link.call(
        "Target.attachToTarget", ["targetId": .text(target), "flatten": true], as: Session.self
      ).sessionId
    } catch {
      // What is in it goes with it.
      await dispose(context, of: link)
      throw error
    }
    let page = BrowserPage(
      on: link, target: target, session: session, context: context, settings)
    do throws(HarnessFailure) {
      try await page.prepare(settings)
      try await page.go(to: url, patience: settings.patience)
    } catch {
      await page.close()
      throw error
    }
    return page
  }

  private func prepare(_ settings: BrowserPageSettings) async throws(HarnessFailure) {
    for method in ["Page.enable", "Runtime.enable", "Inspector.enable", "Log.enable"] {
      try await call(method)
    }
    if settings.tellsDecoders { try await call("Media.enable") }
    try await call("Page.setLifecycleEventsEnabled", ["enabled": true])
    try await call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(settings.width), "height": .number(settings.height),
        "deviceScaleFactor": .number(settings.scale), "mobile": false,
      ])
    // As if each page's window were the one in front.
    try await call("Emulation.setFocusEmulationEnabled", ["enabled": true])
    if let files = settings.files {
      try await call(
        "Fetch.enable", ["patterns": .list([.map(["urlPattern": .text(files.pattern)])])])
    }
    if let name = settings.messageFunction {
      try await call("Runtime.addBinding", ["name": .text(name)])
    }
  }

  /// Calls a method of the page's session whose result nobody needs.
  func call(
    _ method: String, _ parameters: [String: DevToolsValue] = [:]
  ) async throws(HarnessFailure) {
    _ = try await link.call(method, parameters, session: session)
  }

  /// Goes to an address and waits until the document has been read and its scripts have run once.
  private func go(to url: String, patience: Duration) async throws(HarnessFailure) {
    record.expectDocument()
    let answer = try await link.call(
      "Page.navigate", ["url": .text(url)], session: session, patience: patience,
      as: Navigation.self)
    if let text = answer.errorText {
      throw HarnessFailure(.unreachable, "page: expected to open \(url), got \(text)")
    }
    // None in the same document.
    guard let loader = answer.loaderId else { return }
    let promise = link.makePromise()
    record.tell(promise, whenReady: loader)
    try await link.wait(for: promise, patience, "the document of \(url)")
  }

  /// What an expression of the page's comes to, as JSON; `null` for what JSON does not have.
  ///
  /// - Parameters:
  ///   - awaitsPromise: waits for a promise and gives what it comes to.
  ///   - patience: a page that has not answered by then fails the call, and goes on.
  /// - Throws: ``HarnessFailure`` with the page's exception (`.script`), or when the page is no
  ///   more or does not answer (`.unreachable`).
  public func evaluate(
    _ expression: String, awaitsPromise: Bool = false, patience: Duration = .seconds(30)
  ) async throws(HarnessFailure) -> String {
    if let ending { throw BrowserPage.gone(ending) }
    let value = "(\n\(expression)\n)"
    let text =
      awaitsPromise
      ? "(async () => JSON.stringify(await \(value)))()" : "JSON.stringify\(value)"
    let answer = try await link.call(
      "Runtime.evaluate",
      ["expression": .text(text), "awaitPromise": .flag(awaitsPromise), "returnByValue": true],
      session: session, patience: patience, as: Evaluation.self)
    if let exception = answer.exceptionDetails {
      throw HarnessFailure(.script, "page: \(exception.words)")
    }
    return answer.result.value ?? "null"
  }

  /// Closes the page and what is its own.
  public func close() async {
    record.end(.closed)
    _ = try? await link.call("Target.closeTarget", ["targetId": .text(target)])
    await BrowserPage.dispose(context, of: link)
  }

  private static func dispose(_ context: String?, of link: DevToolsLink) async {
    guard let context else { return }
    _ = try? await link.call(
      "Target.disposeBrowserContext", ["browserContextId": .text(context)])
  }
}
