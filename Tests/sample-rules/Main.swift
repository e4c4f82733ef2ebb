import FirstFrameKit
import SampleRules

/// FirstFrame with rules of somebody else's for caps, retries and caches, and machines for messages
/// and calls.
@main
enum Main {
  static func main() {
    FirstFrameTool(
      name: "sample-rules", victim: [victim], release: [release], gate: [gate], retry: [retry],
      admission: [admission], lifetime: [lifetime], eviction: [eviction],
      polls: [polls, restlessPolls], quality: [quality, restlessQuality]
    ).main()
  }

  private static var victim: VictimPackage {
    VictimPackage(
      "own", version: "1", "The farthest, or the nearest", defaults: SampleVictim(),
      parameters: [.flag("nearest", \.takesNearest, "Whether the nearest goes")]
    ) { $0.victim(of: $1) }
  }

  private static var release: ReleasePackage {
    ReleasePackage(
      "own", version: "1", "After media was played", defaults: SampleRelease(),
      parameters: [.time("length", \.length, "Media played")]
    ) { $0.isReleased(for: $1) }
  }

  private static var gate: GatePackage {
    GatePackage(
      "own", version: "1", "Items with a frame, or after some tries", defaults: SampleGate(),
      parameters: [.count("attempts", \.attempts, in: 0...100, "Snaps before it is let through")]
    ) { $0.lets($1) }
  }

  private static var retry: RetryPackage {
    RetryPackage(
      "own", version: "1", "Waits that double", defaults: SampleRetry(),
      parameters: [.count("retries", \.retries, in: 0...100, "Times")]
    ) { $0.answer(to: $1) }
  }

  private static var admission: AdmissionPackage {
    AdmissionPackage(
      "own", version: "1", "Objects that were missed before, and small ones",
      defaults: SampleAdmission(),
      parameters: [.count("small", \.small, in: 0...1_000_000, "Bytes below which all enter")]
    ) { $0.admits($1) }
  }

  private static var lifetime: LifetimePackage {
    LifetimePackage(
      "own", version: "1", "As the origin says, and at least so long", defaults: SampleLifetime(),
      parameters: [.time("least", \.least, "Least lifetime")]
    ) { $0.lifetime(of: $1) }
  }

  private static var eviction: EvictionPackage {
    EvictionPackage(
      "own", version: "1", "What was used least recently", machine: SampleEviction.self,
      defaults: SampleEviction.Configuration(),
      parameters: [
        .flag("renewedByUse", \.isRenewedByUse, "Whether a use puts an object behind the others")
      ])
  }

  private static var polls: PollPackage {
    PollPackage(
      "own", version: "1", "As the shipped machine, and as often as this says",
      machine: SamplePolls.self, defaults: SamplePolls.Configuration(),
      parameters: [.time("every", \.trackedInterval, "Wait while something is in transit")])
  }

  private static var restlessPolls: PollPackage {
    PollPackage(
      "restless", version: "1", "Wakes itself over and over", machine: RestlessPolls.self,
      defaults: RestlessPolls.Configuration(), parameters: [])
  }

  private static var quality: QualityPackage {
    QualityPackage(
      "own", version: "1", "As the shipped monitor, and as soon as this says",
      machine: SampleQuality.self, defaults: SampleQuality.Configuration(),
      parameters: [.time("badFor", \.badFor, "How long a call has to be bad")])
  }

  private static var restlessQuality: QualityPackage {
    QualityPackage(
      "restless", version: "1", "Warns a hundred times a second", machine: RestlessQuality.self,
      defaults: RestlessQuality.Configuration(), parameters: [])
  }
}
