/// The files of a package with a prefetch policy, as `init --policy-package` writes them.
///
/// Words between two pairs of underscores are replaced: ``PolicyPackageFiles`` knows them.
enum PolicyPackageTemplate {
  /// `Package.swift`.
  static let manifest = #"""
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "__NAME__",
      platforms: [.macOS(.v15), .iOS(.v18)],
      products: [
        // What the app takes. It needs no more of FirstFrame than MediaUnits and FeedPolicy.
        .library(name: "__POLICYMODULE__", targets: ["__POLICYMODULE__"])
      ],
      dependencies: [
        __DEPENDENCY__
      ],
      targets: [
        .target(
          name: "__POLICYMODULE__",
          dependencies: [
            .product(name: "MediaUnits", package: "__IDENTITY__"),
            .product(name: "FeedPolicy", package: "__IDENTITY__"),
          ]),
        // The simulator with the policy. It is linked with the GNU Scientific Library, so that whoever
        // passes the program on does so under GPL-3; the library above is not concerned.
        .executableTarget(
          name: "__NAME__",
          dependencies: [
            "__POLICYMODULE__", .product(name: "FirstFrameKit", package: "__IDENTITY__"),__LIVEPRODUCT__
          ]),
        .testTarget(
          name: "__POLICYMODULE__Tests",
          dependencies: [
            "__POLICYMODULE__", .product(name: "FirstFrameKit", package: "__IDENTITY__"),
          ]),
      ]
    )

    """#

  /// The program.
  static let program = #"""
    import FirstFrameKit__LIVEMODULE__
    import __POLICYMODULE__

    /// FirstFrame with this package's policy among the kinds of policy.prefetch.
    @main
    enum Main {
      static func main() {
        FirstFrameTool(name: "__NAME__", prefetch: [prefetch]__LIVEVERBS__).main()
      }

      /// The policy as scenarios know it: its word, its keys with units and ranges, and what they mean.
      /// The defaults are the configuration's own.
      static var prefetch: PrefetchPackage {
        PrefetchPackage(
          "__WORD__",
          // Another version is another run: change it when the policy decides otherwise.
          version: "1.0", "Some seconds of the next item, less of those after it",
          machine: __TYPE__.self, defaults: __TYPE__.Configuration(),
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

    """#

  /// The policy.
  static let policy = #"""
    import FeedPolicy
    import MediaUnits

    /// What is fetched before the viewer gets there: some seconds of the next item, less of those after
    /// it, and of the one before where the link is fast.
    ///
    /// This file is for the app as much as for the simulator: it needs MediaUnits and FeedPolicy alone,
    /// takes `now`, has no clock and no random numbers, and whatever comes late, twice or in another
    /// order is handled. Change what it decides: the tests say when it breaks a rule of the host's.
    public struct __TYPE__: PolicyMachine {
      /// What a scenario may set.
      public struct Configuration: Sendable, Equatable {
        /// Media of the next item; zero turns prefetch off.
        public var headLength = TimeSpan.seconds(6)
        /// Media of the items after it.
        public var furtherLength = TimeSpan.seconds(2)
        /// Media of the item before the current one.
        public var previousLength = TimeSpan.seconds(2)
        /// Throughput over bit rate from which the item before is fetched.
        public var previousThreshold = 3.0
        /// Nothing begins while less than this is buffered of the current item.
        public var pauseBelowBuffer = TimeSpan.seconds(4)
        /// Items ahead that are fetched.
        public var itemsAhead = 3
        /// Fetches at a time.
        public var concurrency = 2

        /// The defaults.
        public init() {}
      }

      public typealias Event = PrefetchPolicy.Event
      public typealias Command = PrefetchPolicy.Command

      private enum State { case idle, fetching, failed }

      /// What is known of one item.
      private struct Record {
        var item: UInt32
        var held = PrefetchDepth(.nothing)
        var wanted = PrefetchDepth(.nothing)
        var state = State.idle
      }

      /// Something that is wanted, the most urgent first.
      private struct Wish {
        var item: UInt32
        var depth: PrefetchDepth
        var priority: PrefetchPolicy.Priority
        /// Waits for the next item.
        var comesLast = false
      }

      private let configuration: Configuration
      private var records: [Record] = []
      private var current: UInt32?
      private var last: UInt32 = 0
      private var ahead = TimeSpan.zero
      private var isComplete = false
      private var throughput = BitRate(bitsPerSecond: 0)
      private var bitrate = BitRate(bitsPerSecond: 0)
      private var isOnline = true
      private var isHeld = false
      private var active = 0
      /// What is wanted, and whether that is still so.
      private var plan: [Wish] = []
      private var isPlanned = false
      /// Whether all of it that may begin has begun.
      private var isSettled = false

      public init(_ configuration: Configuration) { self.configuration = configuration }

      public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
        switch event {
        case .feedExtended, .bufferChanged, .throughputChanged: break
        default: isSettled = false
        }
        switch event {
        case .feedMoved(let item, let end):
          last = max(last, end.index, item.index)
          move(to: item.index, into: &commands)
        case .feedExtended(let end):
          isPlanned = isPlanned && end.index <= last
          last = max(last, end.index)
        case .bufferChanged(let ahead, let isComplete):
          self.ahead = ahead
          self.isComplete = isComplete
        case .throughputChanged(let throughput, let bitrate):
          isPlanned = isPlanned && throughput == self.throughput && bitrate == self.bitrate
          self.throughput = throughput
          self.bitrate = bitrate
        case .targetReached(let item, let length): hold(item.index, .media(length))
        case .stageReached(let item, let stage): hold(item.index, PrefetchDepth(stage))
        case .itemFailed(let item): fail(item.index)
        case .withdrawn(let item): withdraw(item.index, into: &commands)
        case .connectivityChanged(let isOnline):
          self.isOnline = isOnline
          if !isOnline { suspendAll(into: &commands) }
        case .hostHeld(let isHeld): self.isHeld = isHeld
        // Told to policies that ask for it (readsHazard, readsStalls).
        case .durationKnown, .positionChanged, .stallChanged: return
        }
        makePlan()
        start(into: &commands)
      }

      // MARK: Events

      private mutating func move(to item: UInt32, into commands: inout [Command]) {
        if item != current {
          ahead = .zero
          isComplete = false
        }
        current = item
        isPlanned = false
        makePlan()
        for place in records.indices {
          switch records[place].state {
          case .idle: break
          case .failed: records[place].state = .idle
          case .fetching:
            let other = records[place].item
            if other != item && plan.contains(where: { $0.item == other }) { continue }
            records[place].state = .idle
            active -= 1
            // The player goes on with the item that is current now.
            if other != item { commands.append(.cancel(ItemID(other))) }
          }
        }
      }

      private mutating func hold(_ item: UInt32, _ depth: PrefetchDepth) {
        guard let place = place(of: item) ?? add(item) else { return }
        records[place].held = max(records[place].held, depth)
        if records[place].state == .fetching && depth >= records[place].wanted {
          records[place].state = .idle
          active -= 1
        }
      }

      private mutating func fail(_ item: UInt32) {
        guard let place = place(of: item), records[place].state == .fetching else { return }
        records[place].state = .failed
        active -= 1
      }

      private mutating func withdraw(_ item: UInt32, into commands: inout [Command]) {
        if item == current { return }
        guard let place = place(of: item) ?? add(item), records[place].state != .failed else { return }
        if records[place].state == .fetching {
          active -= 1
          commands.append(.cancel(ItemID(item)))
        }
        records[place].state = .failed
      }

      private mutating func suspendAll(into commands: inout [Command]) {
        for place in records.indices where records[place].state == .fetching {
          records[place].state = .idle
          active -= 1
          commands.append(.suspend(ItemID(records[place].item)))
        }
      }

      // MARK: What is wanted, and what begins

      private mutating func makePlan() {
        if isPlanned { return }
        isPlanned = true
        isSettled = false
        plan.removeAll(keepingCapacity: true)
        guard let current, configuration.headLength > .zero else { return }
        let reach = min(UInt32(configuration.itemsAhead), last - current)
        for offset in 0..<reach {
          let length = offset == 0 ? configuration.headLength : configuration.furtherLength
          if length <= .zero { continue }
          plan.append(
            Wish(
              item: current + 1 + offset, depth: .media(length),
              priority: offset == 0 ? .next : .further))
        }
        let isFast =
          bitrate.bitsPerSecond > 0
          && Double(throughput.bitsPerSecond)
            >= Double(bitrate.bitsPerSecond) * configuration.previousThreshold
        if current > 0 && isFast && configuration.previousLength > .zero {
          plan.append(
            Wish(
              item: current - 1, depth: .media(configuration.previousLength), priority: .previous,
              comesLast: reach > 0))
        }
      }

      private mutating func start(into commands: inout [Command]) {
        if !isOnline || isHeld || isSettled { return }
        if !isComplete && ahead < configuration.pauseBelowBuffer { return }
        isSettled = true
        for wish in plan {
          if wish.comesLast, let next = plan.first, isComing(next) { continue }
          let known = place(of: wish.item)
          var isRunning = false
          if let known {
            let record = records[known]
            if record.held >= wish.depth || record.state == .failed { continue }
            isRunning = record.state == .fetching
            if isRunning && record.wanted >= wish.depth { continue }
          }
          if !isRunning && active >= configuration.concurrency { return }
          guard let place = known ?? add(wish.item) else { return }
          if !isRunning { active += 1 }
          records[place].state = .fetching
          records[place].wanted = wish.depth
          commands.append(.start(ItemID(wish.item), length: wish.depth.length, wish.priority))
        }
      }

      /// Whether a fetch is in progress or still to come.
      private func isComing(_ wish: Wish) -> Bool {
        guard let place = place(of: wish.item) else { return true }
        return records[place].state != .failed && records[place].held < wish.depth
      }

      // MARK: Records

      private func place(of item: UInt32) -> Int? { records.firstIndex { $0.item == item } }

      /// A new record, in the place of the idle one that is farthest when there are too many.
      private mutating func add(_ item: UInt32) -> Int? {
        if records.count < 2 * (configuration.itemsAhead + 2) + 8 {
          records.append(Record(item: item))
          return records.count - 1
        }
        let centre = Int64(current ?? 0)
        func distance(_ other: UInt32) -> Int64 { abs(Int64(other) - centre) }
        var farthest: Int?
        var most = distance(item)
        for place in records.indices where records[place].state != .fetching {
          if distance(records[place].item) > most {
            farthest = place
            most = distance(records[place].item)
          }
        }
        if let farthest { records[farthest] = Record(item: item) }
        return farthest
      }
    }

    """#

  /// Its tests.
  static let tests = #"""
    import FirstFrameKit
    import __POLICYMODULE__
    import Testing

    @Suite struct __TYPE__Tests {
      /// 10,000 sessions at random, half of them with events that come late, twice or in another order.
      @Test func `the policy keeps the rules of its host`() {
        let configuration = __TYPE__.Configuration()
        let conformance = PrefetchConformance(itemsAhead: configuration.itemsAhead)
        let findings = conformance.findings(of: __TYPE__.self, configuration)
        #expect(findings.isEmpty, "\(findings.map(\.description).joined(separator: "\n"))")
      }

      @Test func `the next item is fetched once the current one has enough`() {
        var policy = __TYPE__(__TYPE__.Configuration())
        var commands: [PrefetchPolicy.Command] = []
        policy.handle(.feedMoved(current: ItemID(0), last: ItemID(9)), at: .zero, into: &commands)
        #expect(commands.isEmpty)
        policy.handle(
          .bufferChanged(ahead: .seconds(5), isComplete: false), at: .zero, into: &commands)
        #expect(
          commands == [
            .start(ItemID(1), length: .seconds(6), .next),
            .start(ItemID(2), length: .seconds(2), .further),
          ])
      }
    }

    """#

  /// A scenario with it.
  static let scenario = #"""
    # The policy of this package in a short-video feed on Wi-Fi and LTE, and what must hold.
    # Beside the shipped one, on the same random numbers:
    #   swift run -c release __NAME__ compare scenarios/__NAME__.yaml --with 'policy.prefetch={kind: head}'
    version: 1
    name: __NAME__
    description: Does a feed with our own prefetch start fast enough?

    replications: 64

    network:
      access:
        - {kind: wifi-good, weight: 0.6}
        - {kind: lte, weight: 0.4}

    audience:
      viewsPerDayPerEdge: 2000000
      window: 10 min

    policy:
      pool: {size: 3}
      prefetch:
        kind: __WORD__
        headLength: 6 s
        itemsAhead: 3

    budgets:
      # From the settle of a swipe; views that were ready; stalls; bytes that nobody watched.
      - {metric: ttff_swipe_ms.p75, limit: "< 100 ms"}
      - {metric: ready_ratio, limit: ">= 90 %"}
      - {metric: rebuffer_ratio, limit: "< 1 %"}
      - {metric: wasted_ratio, limit: "< 70 %", level: soft}

    # The cut that --short makes, for quick tries and tests.
    short: {window: 60 s, replications: 4}

    """#

  /// What a CI server runs.
  static let gate = #"""
    #!/bin/sh
    # What CI runs: the policy's tests, then its scenario. Ends with 0 when every hard budget holds, 10
    # when one does not, 12 or 13 when that cannot be told.
    set -eu
    cd "$(dirname "$0")"
    swift build -c release --product __NAME__
    swift test
    .build/release/__NAME__ validate scenarios/__NAME__.yaml
    .build/release/__NAME__ run scenarios/__NAME__.yaml "$@"

    """#

  /// What stands where.
  static let readme = #"""
    # __NAME__

    A prefetch policy of ours (`Sources/__POLICYMODULE__`), and FirstFrame built with it (`Sources/__NAME__`).

    ```sh
    swift build
    swift test                                         # the rules of the host, 10,000 sessions
    swift run __NAME__ run scenarios/__NAME__.yaml --short
    ./gate                                             # what CI runs, in release__LIVECOMMAND__
    ```

    Every command of FirstFrame is there: `swift run __NAME__ --help`. The policy's parameters are keys of
    scenarios: `swift run __NAME__ keys 'policy.prefetch.*'`. A debug build simulates slowly; take `-c release`
    for anything but tests.

    __PLACE__

    """#

  /// What git need not keep.
  static let ignored = ".build/\nPackage.resolved\nresults/\n.firstframe/\n"
}
