/// What a server tells a client, by push or in answer to a poll: the same shape both ways (TBM-029,
/// TBM-030).
public struct InfoPacket: Sendable, Equatable {
  /// The status of one video that the client has sent.
  public struct Upload: Sendable, Equatable {
    public var video: VideoID
    public var status: DeliveryStatus

    public init(video: VideoID, status: DeliveryStatus) {
      self.video = video
      self.status = status
    }
  }

  /// One video that waits for the client.
  public struct Download: Sendable, Equatable {
    public var video: VideoID
    public var sender: ClientID

    public init(video: VideoID, sender: ClientID) {
      self.video = video
      self.sender = sender
    }
  }

  /// The number of changes that the server's table had seen when the packet was computed.
  public var version: UInt64
  /// Whether ``uploads`` holds all that the server tracks for the client; only then can a video be
  /// missing.
  public var hasAllUploads: Bool
  /// Videos that wait beyond those in ``downloads``.
  public var remaining: Int
  public var uploads: [Upload]
  public var downloads: [Download]

  public init(
    version: UInt64 = 0, hasAllUploads: Bool = false, remaining: Int = 0, uploads: [Upload] = [],
    downloads: [Download] = []
  ) {
    self.version = version
    self.hasAllUploads = hasAllUploads
    self.remaining = remaining
    self.uploads = uploads
    self.downloads = downloads
  }

  /// Whether the packet says nothing, as a push that only wakes the client.
  public var isEmpty: Bool { !hasAllUploads && uploads.isEmpty && downloads.isEmpty }

  /// Bytes of the packet as JSON. Source: parameters section 9, 8 uploads and 8 downloads are
  /// 1.7 kB with plain addresses, 3.8 kB presigned, 11.2 kB presigned with a session token.
  public func bytes(_ addresses: AddressKind) -> Int {
    60 + uploads.count * 72 + downloads.count * addresses.bytesPerDownload
  }

  /// The largest payload of a push, bytes (parameters section 9: APNs and FCM).
  public static let pushLimit = 4096
}

/// How a packet names what is to be downloaded (TBM-015).
public enum AddressKind: UInt8, Sendable, Equatable, CaseIterable {
  /// The video's name only; the client knows where the store is.
  case names
  case plain
  case presigned
  case presignedWithToken

  /// Bytes of one download in JSON, from the sizes of ``InfoPacket/bytes(_:)``; names alone are an
  /// address of 45 bytes less (assumed).
  public var bytesPerDownload: Int {
    switch self {
    case .names: return 88
    case .plain: return 133
    case .presigned: return 396
    case .presignedWithToken: return 1_321
    }
  }
}
