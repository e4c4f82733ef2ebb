import MediaUnits

/// The requests of an upload, in order (TBM-026 to TBM-028, OQ-06).
public enum UploadSequence: UInt8, Sendable, Equatable, CaseIterable {
  /// Put the video into the store, then tell the server: two calls.
  case direct
  /// Announce it, put it into the store, tell the server: three calls. The server knows of the
  /// video before it is there.
  case announced
  /// Announce it and put it into the store; the store tells the server.
  case mediated
  /// Give it to the server, which is busy with it meanwhile: one call.
  case proxied

  /// The first request.
  public var first: RequestKind {
    switch self {
    case .direct: return .store
    case .announced, .mediated: return .intent
    case .proxied: return .submit
    }
  }

  /// The request that follows one; nil after the last.
  public func next(after kind: RequestKind) -> RequestKind? {
    switch (self, kind) {
    case (.announced, .intent), (.mediated, .intent): return .store
    case (.direct, .store), (.announced, .store): return .register
    default: return nil
    }
  }
}

/// What a sender concludes when a packet with all uploads leaves one out (TBM-031, TBM-040, OQ-05).
public enum MissingRule: UInt8, Sendable, Equatable, CaseIterable {
  /// The video was viewed. The literal rule: a packet from before the registration says so falsely
  /// (TBM-032).
  case viewed
  /// Nothing: the server says explicitly that a video was viewed, by a tombstone or because it
  /// keeps the video until another takes its place.
  case nothing
  /// The video was viewed, if the packet is at least as new as the registration. True where a video
  /// is forgotten for its view or its replacement only: with ``CleanupRule/after(_:)`` one that was
  /// forgotten for its age is taken for viewed, and ``nothing`` is right.
  case viewedIfNewer
}

/// When a server forgets a video (TBM-033, TBM-058 to TBM-062, OQ-04).
public enum CleanupRule: Sendable, Equatable {
  /// As soon as it is viewed.
  case onView
  /// When the sender has said that it knows of the view: until then a tombstone stays.
  case onAcknowledgement
  /// When another video from the same sender to the same recipient is registered.
  case onReplacement
  /// When the sender asks for it, after its next upload.
  case bySender
  /// When the recipient asks for it, after the view.
  case byRecipient
  /// So long after the registration.
  case after(TimeSpan)
}

/// What a push carries (TBM-014, OQ-01).
public enum PushPayload: UInt8, Sendable, Equatable, CaseIterable {
  /// The video that changed.
  case trigger
  /// All videos that wait for the client, and the upload that changed.
  case pending
  /// All that a poll would say.
  case full
  /// Nothing: the client polls.
  case empty
}

/// Whose status a report is about (TBM-055).
public enum StatusIdentity: UInt8, Sendable, Equatable {
  /// Of the video that it names.
  case video
  /// Of whatever the sender has sent to the recipient last. A known fault: kept to show it.
  case pair
}
