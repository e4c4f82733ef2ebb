import MediaUnits
import NIOCore
import Synchronization

/// Fetches small documents from the targets of a run before it, and from nobody else.
final class DocumentFetcher: Sendable {
  /// Why there is no document.
  enum Failure: Error, Sendable, Hashable {
    /// The URI is not of a target; nothing was asked.
    case elsewhere
    /// A status other than 200.
    case status(Int)
    case failed(LiveFailure)
    /// No time was left.
    case late

    /// Whether a server has answered.
    var isOfServer: Bool {
      switch self {
      case .elsewhere, .failed(.unreachable), .failed(.connectTimeout), .failed(.tls),
        .failed(.closedBeforeHead), .failed(.firstByteTimeout), .late:
        false
      case .status, .failed: true
      }
    }

    /// As counters name it.
    var name: String {
      switch self {
      case .elsewhere: "URI of another host"
      case .status(let status): "status \(status)"
      case .failed(let failure): failure.name
      case .late: "no time left to ask"
      }
    }
  }

  /// Largest document (assumed: a media playlist of a day is smaller).
  private static let bound = 8 << 20

  private struct Wait {
    var continuation: CheckedContinuation<Result<[UInt8], Failure>, Never>
    var status = 0
  }

  /// What event loops hear, by token.
  private final class Waits: Sendable {
    let waits = Mutex<[UInt64: Wait]>([:])
    let last = Atomic<UInt64>(0)

    func hear(_ event: LiveEvent) {
      switch event.kind {
      case .headed(let headers):
        waits.withLock { $0[event.token]?.status = headers.status }
      case .ended(_, let body):
        guard let wait = waits.withLock({ $0.removeValue(forKey: event.token) }) else { return }
        let isDocument = wait.status == 200
        wait.continuation.resume(
          returning: isDocument ? .success(body ?? []) : .failure(.status(wait.status)))
      case .failed(let failure):
        guard let wait = waits.withLock({ $0.removeValue(forKey: event.token) }) else { return }
        // One that was cut before its head says nothing of a server.
        let isUnheard = failure == .wholeTimeout && wait.status == 0
        wait.continuation.resume(
          returning: .failure(.failed(isUnheard ? .firstByteTimeout : failure)))
      case .connected, .mark: break
      }
    }
  }

  private let waits = Waits()
  private let client: LiveClient
  private let clock = LiveClock()
  private let deadline: Instant

  /// - Parameter patience: after which no document comes any more.
  init(
    targets: [LiveTarget], transport: LiveClientConfiguration.Transport,
    trust: LiveClientConfiguration.Trust, group: any EventLoopGroup, patience: TimeSpan
  ) throws {
    deadline = clock.now + patience
    var settings = LiveClientConfiguration(targets: targets, clock: clock)
    settings.transport = transport
    settings.trust = trust
    let waits = waits
    client = try LiveClient(configuration: settings, group: group) { waits.hear($0) }
  }

  /// The document at a reference.
  ///
  /// - Parameter lane: whose connections carry it; one request of a lane at a time.
  func document(
    at reference: URIReference, lane: UInt32
  ) async throws(Failure) -> [UInt8] {
    let targets = client.configuration.targets
    guard let target = targets.firstIndex(where: { $0.owns(reference) }) else { throw .elsewhere }
    let left = deadline - clock.now
    if left <= .zero { throw .late }
    let token = waits.last.wrappingAdd(1, ordering: .relaxed).newValue
    var request = LiveRequest(
      token: token, player: lane, path: reference.requestTarget, intendedAt: clock.now)
    request.target = target
    request.keepsBody = true
    request.bound = Self.bound
    request.timeouts.whole = min(request.timeouts.whole, left)
    let message = request
    let result = await withCheckedContinuation { continuation in
      waits.waits.withLock { $0[token] = Wait(continuation: continuation) }
      client.send(message)
    }
    return try result.get()
  }

  func shutDown() async { try? await client.shutDown() }
}
