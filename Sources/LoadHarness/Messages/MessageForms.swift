import MessageDelivery

/// A packet as JSON, the same by push and in answer to a poll (TBM-029).
struct PacketForm: Codable, Sendable {
  struct Upload: Codable, Sendable {
    var video: String
    var status: UInt8
  }

  struct Download: Codable, Sendable {
    var video: String
    var sender: UInt32
  }

  var version: UInt64
  var all: Bool
  var remaining: Int
  var uploads: [Upload]
  var downloads: [Download]

  init(_ packet: InfoPacket) {
    version = packet.version
    all = packet.hasAllUploads
    remaining = packet.remaining
    uploads = packet.uploads.map {
      Upload(video: VideoText.text($0.video), status: $0.status.rawValue)
    }
    downloads = packet.downloads.map {
      Download(video: VideoText.text($0.video), sender: $0.sender.index)
    }
  }

  /// nil when a name or a status is none.
  var packet: InfoPacket? {
    var packet = InfoPacket(version: version, hasAllUploads: all, remaining: remaining)
    for upload in uploads {
      guard let video = VideoText.video(upload.video),
        let status = DeliveryStatus(rawValue: upload.status)
      else { return nil }
      packet.uploads.append(.init(video: video, status: status))
    }
    for download in downloads {
      guard let video = VideoText.video(download.video) else { return nil }
      packet.downloads.append(.init(video: video, sender: ClientID(download.sender)))
    }
    return packet
  }
}

/// The answer to a request that is no poll.
struct AnswerForm: Codable, Sendable {
  var version: UInt64
  var status: UInt8
}

/// Names of videos in paths and bodies: two hexadecimal numbers.
enum VideoText {
  static func text(_ video: VideoID) -> String {
    String(video.high, radix: 16) + "-" + String(video.low, radix: 16)
  }

  static func video(_ text: some StringProtocol) -> VideoID? {
    let parts = text.split(separator: "-")
    guard parts.count == 2, let high = UInt64(parts[0], radix: 16),
      let low = UInt64(parts[1], radix: 16)
    else { return nil }
    return VideoID(high: high, low: low)
  }
}

/// The service's paths.
enum MessagePath {
  static let kinds: [(name: String, kind: RequestKind)] = [
    ("intent", .intent), ("store", .store), ("register", .register), ("submit", .submit),
    ("download", .download), ("report", .report), ("acknowledge", .acknowledge),
    ("delete", .delete), ("poll", .poll),
  ]

  /// `/v1/messages/KIND?client=…`
  static func text(_ request: ServerRequest) -> String {
    let name = kinds.first { $0.kind == request.kind }?.name ?? ""
    return "/v1/messages/\(name)?client=\(request.client.index)&peer=\(request.peer.index)"
      + "&video=\(VideoText.text(request.video))&order=\(request.order)"
      + "&status=\(request.status.rawValue)"
  }

  /// The same back; nil for another path.
  static func request(_ path: String, _ query: (String) -> String?) -> ServerRequest? {
    guard let name = path.split(separator: "/").last,
      path == "/v1/messages/\(name)",
      let kind = kinds.first(where: { $0.name == name })?.kind,
      let client = query("client").flatMap({ UInt32($0) })
    else { return nil }
    return ServerRequest(
      kind, client: ClientID(client),
      video: query("video").flatMap { VideoText.video($0) } ?? VideoID(high: 0, low: 0),
      peer: ClientID(query("peer").flatMap { UInt32($0) } ?? 0),
      order: query("order").flatMap { UInt64($0) } ?? 0,
      status: query("status").flatMap { UInt8($0) }.flatMap { DeliveryStatus(rawValue: $0) }
        ?? .pending)
  }
}
