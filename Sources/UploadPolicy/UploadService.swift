import MediaUnits

/// The service that hands out uploads and closes them, once for each key (SIG-014).
///
/// Creating what exists answers with the same upload; completing what is complete answers again and
/// does nothing. Leaves out: the parts, which the object store has.
public struct UploadService: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Whether the video's key makes repeats harmless. Default true; false is a negative control.
    public var isIdempotent: Bool

    public init(isIdempotent: Bool = true) { self.isIdempotent = isIdempotent }
  }

  public enum Event: Sendable, Equatable {
    case create(UploadKey, request: UInt32)
    case complete(upload: UInt32, request: UInt32)
  }

  public enum Command: Sendable, Equatable {
    case created(request: UInt32, upload: UInt32)
    /// The store is to put the parts together; it tells the event bus.
    case assemble(UploadKey, upload: UInt32)
    case completed(request: UInt32)
    /// 404.
    case refuse(request: UInt32)
  }

  struct Entry: Sendable, Equatable {
    var key: UploadKey
    var isComplete = false
  }

  public let configuration: Configuration
  var entries: [Entry] = []
  var places = LookupTable()
  /// Repeats that changed nothing.
  public private(set) var repeats = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch event {
    case .create(let key, let request):
      if configuration.isIdempotent, let place = place(of: key) {
        repeats += 1
        commands.append(.created(request: request, upload: place))
        return
      }
      let upload = UInt32(entries.count)
      places.set(UploadService.hash(key), to: upload)
      entries.append(Entry(key: key))
      commands.append(.created(request: request, upload: upload))
    case .complete(let upload, let request):
      guard upload < UInt32(entries.count) else {
        commands.append(.refuse(request: request))
        return
      }
      if entries[Int(upload)].isComplete {
        repeats += 1
        if !configuration.isIdempotent {
          commands.append(.assemble(entries[Int(upload)].key, upload: upload))
        }
      } else {
        entries[Int(upload)].isComplete = true
        commands.append(.assemble(entries[Int(upload)].key, upload: upload))
      }
      commands.append(.completed(request: request))
    }
  }

  private func place(of key: UploadKey) -> UInt32? {
    guard let place = places[UploadService.hash(key)], entries[Int(place)].key == key else {
      return nil
    }
    return place
  }

  /// Versions of one video have keys of their own; two videos share one once in 2^64.
  static func hash(_ key: UploadKey) -> UInt64 {
    key.video.rawValue &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(key.version) &* 0xD6E8_FEB8_6659_FD93
  }
}

/// Starts one execution for each upload, however often the bus tells of it (SIG-014, SIG-016).
public struct ExecutionLedger: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Whether the execution is named after the upload, so that a second one cannot begin. Default
    /// true; false is a negative control.
    public var isNamed: Bool

    public init(isNamed: Bool = true) { self.isNamed = isNamed }
  }

  public enum Event: Sendable, Equatable {
    /// The bus says that an object is there.
    case stored(UploadKey)
  }

  public enum Command: Sendable, Equatable {
    case execute(UploadKey)
  }

  public let configuration: Configuration
  var known = LookupTable()
  /// Events that told of an execution that exists.
  public private(set) var duplicates = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch event {
    case .stored(let key):
      let hash = UploadService.hash(key)
      if known[hash] != nil {
        duplicates += 1
        if configuration.isNamed { return }
      }
      known.set(hash, to: 1)
      commands.append(.execute(key))
    }
  }
}
