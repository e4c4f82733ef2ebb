import CachePolicy
import Foundation
import HTTPTypes
import Hummingbird
import MediaUnits
import NIOCore
import Scenario
import Telemetry

/// A request's connection, for faults.
struct StandinContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

extension HTTPField.Name {
  static let cmsdStatic = HTTPField.Name("CMSD-Static")!
}

/// Answers the requests of a stand-in.
struct StandinResponder: HTTPResponder {
  typealias Context = StandinContext

  let state: StandinState
  static let largestPost = 1 << 20

  func respond(to request: Request, context: StandinContext) async throws -> Response {
    let path = request.uri.path
    guard let resource = MediaLayout.resource(at: path) else {
      return try await administer(path, request)
    }
    let number = state.number()
    switch resource {
    case .events: return try await takeEvents(request)
    case .feed, .manifest, .item: break
    }
    guard request.method == .get || request.method == .head else {
      return plain(.methodNotAllowed, fields: [.allow: "GET, HEAD"])
    }
    guard let asset = resource.assetClass else { return plain(.notFound) }
    state.count(asset) { $0.requests += 1 }
    let faults = state.faults(of: number, asset)
    if !faults.isEmpty { state.note { $0.faults += 1 } }
    for case .latency(let span) in faults { try await context.channel.pause(span) }
    for case .status(let code) in faults {
      state.count(asset) { $0.errors += 1 }
      return plain(.init(code: code), fields: [.cacheControl: "no-store"])
    }
    if faults.contains(.redirectLoop) {
      return plain(.found, fields: [.location: path, .cacheControl: "no-store"])
    }
    if case .feed = resource { return try await feed(request, number, faults, context) }
    try await context.channel.pause(state.originWait(number))
    return object(resource, request, number, asset, faults, context)
  }

  // MARK: Objects

  private func object(
    _ resource: MediaLayout.Resource, _ request: Request, _ number: UInt64, _ asset: AssetClass,
    _ faults: [StandinFault.Kind], _ context: StandinContext
  ) -> Response {
    let isGzipped = asset == .vtt && takesGzip(request.headers[.acceptEncoding])
    guard
      let object = state.catalogue.object(
        resource, current: { state.version($0) }, isGzipped: isGzipped)
    else {
      state.note { $0.unknown += 1 }
      return plain(.notFound)
    }
    if object.isOversized { state.note { $0.oversized += 1 } }
    var title: UInt32 = 0
    if case .manifest(let number) = resource { title = number }
    if case .item(_, let number, _) = resource { title = number }
    let modified = state.modified(title, version: object.version)
    var fields: HTTPFields = [
      .contentType: object.type,
      .cacheControl: state.control(asset, number).headerValue(),
      .eTag: object.tag,
      .lastModified: EdgeFields.text(HTTPDate.text(modified)),
      .acceptRanges: "bytes",
    ]
    if asset == .vtt { fields[.vary] = "Accept-Encoding" }
    if object.isCompressed { fields[.contentEncoding] = "gzip" }
    if state.options.tellsServerData {
      fields[.cmsdStatic] = CMSDWriter.text(state.catalogue.serverData(resource))
    }
    let answer = StandinAnswer(
      asset: asset, body: object.body, fields: fields, faults: faults, state: state,
      channel: context.channel)
    return answer.response(to: request, tag: object.tag, modified: modified)
  }

  /// Whether `Accept-Encoding` lists gzip with a weight above 0 (RFC 9110 section 12.5.3).
  private func takesGzip(_ field: String?) -> Bool {
    (field ?? "").lowercased().split(separator: ",").contains { member in
      let parts = member.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let name = parts.first, name == "gzip" || name == "*" else { return false }
      return !parts.dropFirst().contains { $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0 }
    }
  }

  // MARK: The feed

  private func feed(
    _ request: Request, _ number: UInt64, _ faults: [StandinFault.Kind], _ context: StandinContext
  ) async throws -> Response {
    let query = request.uri.queryParameters
    let asked = query["limit"].map { UInt32($0) }
    if let asked, asked.map({ !(1...FeedPages.largestLimit).contains($0) }) ?? true {
      return plain(.badRequest)
    }
    var place: FeedPages.Place
    if let cursor = query["cursor"], !cursor.isEmpty {
      guard let found = FeedPages.place(cursor) else { return plain(.badRequest) }
      place = found
    } else {
      let session = query["session"].flatMap { UInt32($0) } ?? state.newSession()
      let size = min(state.configuration.policy.pageSize, FeedPages.largestLimit)
      place = FeedPages.Place(session: session, page: 0, limit: (asked ?? nil) ?? size)
    }
    let page = state.pages.page(place)
    state.note { stats in
      if page.source == .ranker { stats.rankedPages += 1 } else { stats.trendingPages += 1 }
    }
    if state.options.waitsAsService { try await context.channel.pause(page.latency) }
    let text = state.pages.text(
      page, base: state.options.base, bytesPerItem: state.configuration.feedBytesPerItem)
    let fields: HTTPFields = [
      .contentType: "application/json",
      .cacheControl: state.control(.feed, number).headerValue(),
    ]
    let answer = StandinAnswer(
      asset: .feed, body: .bytes(text), fields: fields, faults: faults, state: state,
      channel: context.channel)
    return answer.response(to: request, tag: nil, modified: nil)
  }

  private func takeEvents(_ request: Request) async throws -> Response {
    guard request.method == .post else {
      return plain(.methodNotAllowed, fields: [.allow: "POST"])
    }
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: StandinResponder.largestPost)
    } catch is NIOTooManyBytesError {
      state.refuseEvents()
      return plain(.contentTooLarge)
    }
    guard let result = state.takeEvents(Data(body.readableBytesView)) else {
      return plain(.badRequest)
    }
    return json(
      "{\"accepted\":\(result.accepted),\"duplicates\":\(result.duplicates)}\n")
  }

  // MARK: Health, statistics, faults

  private func administer(
    _ path: String, _ request: Request
  ) async throws -> Response {
    switch (request.method, path) {
    case (.get, "/healthz"), (.head, "/healthz"): return plain(.ok)
    case (.get, "/stats"): return json(state.stats.json)
    case (_, "/faults"), (.post, "/republish"):
      guard state.options.token?.isIn(request.headers[.authorization]) == true else {
        return plain(.unauthorized, fields: [.wwwAuthenticate: "Bearer"])
      }
      return path == "/faults" ? try await faults(request) : try await republish(request)
    default:
      if let file = state.options.page?.file(at: path) { return page(file, request) }
      state.note { $0.unknown += 1 }
      return plain(.notFound)
    }
  }

  /// A file of the player's page, which no cache keeps.
  private func page(_ file: StandinPage.File, _ request: Request) -> Response {
    guard request.method == .get || request.method == .head else {
      return plain(.methodNotAllowed, fields: [.allow: "GET, HEAD"])
    }
    let fields: HTTPFields = [
      .contentType: file.type, .cacheControl: "no-store",
      .contentLength: String(file.bytes.count),
    ]
    if request.method == .head { return Response(status: .ok, headers: fields) }
    return Response(
      status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }

  private struct FaultList: Codable { var faults: [String] }

  /// POST replaces the list, DELETE empties it.
  private func faults(_ request: Request) async throws -> Response {
    if request.method == .delete {
      state.faults = []
      return plain(.ok)
    }
    guard request.method == .post else {
      return plain(.methodNotAllowed, fields: [.allow: "POST, DELETE"])
    }
    let body = try await request.body.collect(upTo: 65_536)
    guard
      let list = try? JSONReader.decode(
        FaultList.self, from: Data(body.readableBytesView), within: .message),
      list.faults.count <= StandinState.mostChanges
    else {
      return plain(
        .badRequest, "expected {\"faults\":[\"latency:segment:200ms:0.1\"]}, got something else\n")
    }
    do {
      state.faults = try list.faults.map { text throws(StandinFault.Malformed) in
        try StandinFault(parsing: text)
      }
    } catch {
      return plain(.badRequest, "\(error)\n")
    }
    return plain(.ok)
  }

  private func republish(_ request: Request) async throws -> Response {
    let most = UInt32(clamping: max(1, state.configuration.catalogue.titles))
    guard let titles = request.uri.queryParameters["titles"].flatMap({ UInt32($0) }),
      (1...most).contains(titles)
    else { return plain(.badRequest, "expected /republish?titles=N, N from 1 to \(most)\n") }
    if state.republish(titles) { return plain(.ok) }
    return plain(
      .conflict, "expected at most \(StandinState.mostChanges) republications, got more\n")
  }

  private func plain(
    _ status: HTTPResponse.Status, _ text: String? = nil, fields: HTTPFields = [:]
  ) -> Response {
    var fields = fields
    fields[.contentType] = "text/plain"
    let text = text ?? "\(status.code) \(status.reasonPhrase)\n"
    return Response(
      status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  private func json(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
