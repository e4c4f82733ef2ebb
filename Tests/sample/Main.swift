import FirstFrameKit
import FirstFrameLiveKit
import SamplePolicies

/// FirstFrame with this package's policy among the kinds of policy.prefetch.
@main
enum Main {
  static func main() {
    FirstFrameTool(name: "sample", prefetch: [prefetch], live: .verbs).main()
  }

  /// The policy as scenarios know it: its word, its keys with units and ranges, and what they mean.
  /// The defaults are the configuration's own.
  static var prefetch: PrefetchPackage {
    PrefetchPackage(
      "sample",
      // Another version is another run: change it when the policy decides otherwise.
      version: "1.0", "Some seconds of the next item, less of those after it",
      machine: SamplePrefetch.self, defaults: SamplePrefetch.Configuration(),
      parameters: [
        .time("headLength", \.headLength, "Media of the next item; 0 s turns prefetch off"),
        .time("furtherLength", \.furtherLength, "Media of the items after it"),
        .time("previousLength", \.previousLength, "Media of the item before the current one"),
        .number(
          "previousThreshold", \.previousThreshold, in: 0...1000,
          "Throughput over bit rate from which the item before is fetched"),
        .time(
          "pauseBelowBuffer", \.pauseBelowBuffer,
          "Nothing begins while less than this is buffered of the current item"),
        .count("itemsAhead", \.itemsAhead, in: 0...10, "Items ahead that are fetched"),
        .count("concurrency", \.concurrency, in: 0...10, "Fetches at a time"),
      ],
      itemsAhead: { $0.itemsAhead })
  }
}
