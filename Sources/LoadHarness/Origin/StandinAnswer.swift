import CachePolicy
import Foundation
import HTTPTypes
import Hummingbird
import MediaUnits
import NIOCore

/// One answer of a stand-in: conditions, range, and the faults that concern the body.
struct StandinAnswer: Sendable {
  /// The connection was to end here.
  struct BrokenOff: Error {}

  let asset: AssetClass
  let body: StandinCatalogue.Body
  let fields: HTTPFields
  let faults: [StandinFault.Kind]
  let state: StandinState
  let channel: any Channel
  /// Bytes that are made and written at once.
  private static let chunk: Int64 = 65_536
  /// An endless body ends after so many bytes all the same, so that nobody's disk fills.
  private static let endless: Int64 = 1 << 34

  func response(to request: Request, tag: String?, modified: Int64?) -> Response {
    let conditions = conditions(request.headers)
    if let tag, conditions.isMet(tag: Array(tag.utf8), lastModified: modified) {
      state.count(asset) { $0.notModified += 1 }
      var kept = fields
      kept[.contentType] = nil
      kept[.contentEncoding] = nil
      return Response(status: .notModified, headers: kept)
    }
    if faults.contains(.malformed) { return malformed() }
    let length = body.length
    if let range = request.headers[.range], request.method == .get,
      isRangeGood(request.headers, tag, modified)
    {
      switch EdgeFields.withBytes(range, { ByteRange.parse($0, length: length) }) {
      case .whole: break
      case .unsatisfiable:
        state.count(asset) { $0.errors += 1 }
        return Response(
          status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(length)"])
      case .part(let part):
        state.count(asset) { $0.partial += 1 }
        var fields = fields
        fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
        return answer(.partialContent, fields, part)
      }
    }
    if request.method == .head {
      var fields = fields
      fields[.contentLength] = String(length)
      return Response(status: .ok, headers: fields)
    }
    return answer(.ok, fields, 0..<length)
  }

  private func conditions(_ headers: HTTPFields) -> ClientConditions {
    ClientConditions(
      noneMatch: headers[.ifNoneMatch].map { Array($0.utf8) },
      modifiedSince: headers[.ifModifiedSince].flatMap {
        HTTPDate.parse(Array($0.utf8), receivedAt: 0)
      })
  }

  private func isRangeGood(_ headers: HTTPFields, _ tag: String?, _ modified: Int64?) -> Bool {
    guard let condition = headers[.ifRange] else { return true }
    if let tag, condition == tag { return true }
    return modified != nil && HTTPDate.parse(Array(condition.utf8), receivedAt: 0) == modified
  }

  /// Not what was asked for, but of a good status: a playlist without its first line, JSON without
  /// its end, media without their header.
  private func malformed() -> Response {
    let text = "#EXT-X-STREAM-INF:BANDWIDTH=,CODECS=\"\n#EXTINF:abc,\n{\"video_id\":\n\u{0}\n"
    var fields = fields
    fields[.contentEncoding] = nil
    state.count(asset) { $0.bytes += Int64(text.utf8.count) }
    return Response(
      status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  private func answer(
    _ status: HTTPResponse.Status, _ fields: HTTPFields, _ part: Range<Int64>
  ) -> Response {
    if faults.contains(.endless) { return endless(fields) }
    let isPlain = !faults.contains { kind in
      switch kind {
      case .reset, .slow, .wrongLength: true
      default: false
      }
    }
    let count = Int64(part.count)
    if isPlain && count <= StandinAnswer.chunk {
      state.count(asset) { $0.bytes += count }
      return Response(status: status, headers: fields, body: .init(byteBuffer: bytes(part)))
    }
    var fields = fields
    let stated = faults.contains(.wrongLength) ? count + 4_096 : count
    fields[.contentLength] = String(stated)
    let end = faults.contains(.reset) ? part.lowerBound + count / 2 : part.upperBound
    return Response(
      status: status, headers: fields,
      body: ResponseBody(contentLength: Int(stated)) { writer in
        try await self.write(part.lowerBound..<end, to: &writer)
        if end < part.upperBound || stated != count {
          self.state.count(self.asset) { $0.errors += 1 }
          if end < part.upperBound { await self.reset() }
          throw BrokenOff()
        }
        try await writer.finish(nil)
      })
  }

  private func endless(_ fields: HTTPFields) -> Response {
    Response(
      status: .ok, headers: fields,
      body: ResponseBody { writer in
        var sent: Int64 = 0
        while sent < StandinAnswer.endless {
          try await self.write(0..<max(1, min(self.body.length, StandinAnswer.chunk)), to: &writer)
          sent += StandinAnswer.chunk
        }
        throw BrokenOff()
      })
  }

  private func write(_ part: Range<Int64>, to writer: inout any ResponseBodyWriter) async throws {
    var step = StandinAnswer.chunk
    var pause: Int64 = 0
    for case .slow(let rate) in faults {
      // A twentieth of a second at a time.
      step = max(1, min(step, rate.bitsPerSecond / 160))
      pause = step * 8_000_000_000 / max(1, rate.bitsPerSecond)
    }
    var place = part.lowerBound
    while place < part.upperBound {
      let next = min(place + step, part.upperBound)
      try await writer.write(bytes(place..<next))
      state.count(asset) { $0.bytes += next - place }
      place = next
      if pause > 0 && place < part.upperBound { try await channel.pause(.nanoseconds(pause)) }
    }
  }

  /// Ends the connection so that the client sees a reset: without the usual farewell.
  private func reset() async {
    let socket = channel as? any SocketOptionProvider
    try? await socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    try? await channel.close().get()
  }

  private func bytes(_ part: Range<Int64>) -> ByteBuffer {
    switch body {
    case .bytes(let bytes):
      return ByteBuffer(bytes: bytes[Int(part.lowerBound)..<Int(part.upperBound)])
    case .content(let content):
      var buffer = ByteBufferAllocator().buffer(capacity: part.count)
      buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: part.count) { space in
        content.fill(
          UnsafeMutableRawBufferPointer(rebasing: space[..<part.count]), from: part.lowerBound)
        return part.count
      }
      return buffer
    }
  }
}
