import FeedPolicy
import ForeignPolicies
import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

@testable import Studies

/// Prefetch policies that are not the program's, in the place of the shipped one.
@Suite struct ForeignPolicyTests {
  /// Some hundred views.
  static func scenario(_ changes: [String]) throws -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: test\n", file: "test.yaml",
      overrides: ([
        "audience.window=1 min", "audience.drain=20 s", "audience.viewsPerDayPerEdge=6000000",
        "catalogue.titles=500",
      ] + changes).map { Override(set: $0) })
  }

  static func run(_ configuration: FeedConfiguration, seed: UInt64 = 1) throws -> FeedRunResult {
    let plan = try FeedRun.plan(configuration, seed: seed)
    return try FeedRun.run(configuration, plan: plan, seed: seed, replication: 0)
  }

  static func expectSame(_ a: FeedRunResult, _ b: FeedRunResult) {
    #expect(a.measures.views.count > 100)
    #expect(a.fingerprint == b.fingerprint)
    #expect(a.measures.views.map(\.ttff) == b.measures.views.map(\.ttff))
    let (left, right) = (a.measures.counts, b.measures.counts)
    #expect(left.prefetchStarts == right.prefetchStarts && left.prefetchStarts > 100)
    #expect(left.prefetchCancels == right.prefetchCancels)
    #expect(left.prefetchReached == right.prefetchReached)
    #expect(left.deliveredBytes == right.deliveredBytes)
  }

  @Test(arguments: PrefetchFamily.allCases)
  func `the shipped machine asked as a foreign one gives the same run`(
    _ family: PrefetchFamily
  ) throws {
    let study = try ForeignPolicyTests.scenario(["policy.prefetch={kind: \(family.row.word)}"])
    var foreign = study.configuration
    let machine = MachineDeciders<PrefetchPolicy>(
      foreign.policy.prefetch, readsHazard: family.readsHazard,
      readsStalls: foreign.policy.prefetch.suspendsOnStall)
    foreign.policy.prefetchDeciders = machine
    let (built, asked) = (
      try ForeignPolicyTests.run(study.configuration), try ForeignPolicyTests.run(foreign)
    )
    #expect(machine.failure == nil)
    ForeignPolicyTests.expectSame(built, asked)
  }

  /// Commands that no host could do.
  private struct Wild: PolicyMachine {
    let command: PrefetchPolicy.Command
    init(_ configuration: PrefetchPolicy.Command) { command = configuration }
    mutating func handle(
      _ event: PrefetchPolicy.Event, at now: Instant, into commands: inout [PrefetchPolicy.Command]
    ) {
      if case .feedMoved = event { commands.append(command) }
    }
  }

  private static let wild: [(PrefetchPolicy.Command, String)] = [
    (.start(ItemID(99), length: .seconds(2), .next), "itemsAhead"),
    (.start(ItemID(0), length: .seconds(2), .next), "no fetch of the current item"),
    (.start(ItemID(1), length: .zero, .next), "a length above 0"),
    (.start(ItemID(1), length: .max, .next), "at most a day"),
    (.warm(ItemID(1), .media, .next), "connection, playlists or init"),
    (.cancel(ItemID(1)), "only fetches in progress"),
    (.suspend(ItemID(2)), "only fetches in progress"),
    (.limitBuffer(.seconds(-1)), "a length above 0"),
  ]

  @Test(arguments: ForeignPolicyTests.wild)
  func `a command that cannot be done voids the run and is named`(
    _ command: PrefetchPolicy.Command, _ said: String
  ) throws {
    var configuration = try ForeignPolicyTests.scenario([]).configuration
    let machine = MachineDeciders<Wild>(command)
    configuration.policy.prefetchDeciders = machine
    let error = #expect(throws: SimulationError.self) { try ForeignPolicyTests.run(configuration) }
    #expect(error?.code == .policyFailed)
    #expect(machine.failure?.contains(said) == true, "\(machine.failure ?? "nothing")")
    #expect(machine.failure?.contains("moved") == true)
  }
}

/// Prefetch policies that are processes.
@Suite(.serialized) struct ExternalPolicyTests {
  private static let examples = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios/policies").path

  private static func isThere(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }

  private static func command(
    _ words: [String], timeout: TimeSpan = .seconds(5), share: Double = 0.1
  ) -> ExternalPolicy.Command {
    ExternalPolicy.Command(
      words: words, folder: examples, timeout: timeout, share: share,
      task: .prefetch(itemsAhead: 3), key: "policy.prefetch")
  }

  /// The examples whose program is here; `.ci/policies.py` names those that it misses.
  private static let programs = [
    ["python3", "head_of_next.py"], ["node", "head_of_next.js"],
    ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "HeadOfNext.java"],
  ].filter { $0[0] == "python3" || isThere($0[0]) }

  @Test(arguments: ExternalPolicyTests.programs)
  func `the examples decide as the shipped family does, command by command`(
    _ words: [String]
  ) throws {
    ExternalPolicy.admit()
    let study = try ForeignPolicyTests.scenario(["network.access=[{kind: lte}]"])
    let plan = try FeedRun.plan(study.configuration, seed: 3)
    let built = try FeedRun.run(study.configuration, plan: plan, seed: 3, replication: 0)
    var configuration = study.configuration
    let policy = try ExternalPolicy.open(ExternalPolicyTests.command(words))
    configuration.policy.prefetchDeciders = policy
    let asked = try FeedRun.run(configuration, plan: plan, seed: 3, replication: 0)
    #expect(policy.failure == nil)
    #expect(policy.identity?.name.hasPrefix("head-of-next-") == true)
    ForeignPolicyTests.expectSame(built, asked)
  }

  /// A Python program that answers the greeting, and then does `then` with each message, which
  /// stands in `message`, and the end of the answer in `say`.
  private static func script(_ then: String) -> [String] {
    let text = """
      import json, os, random, sys, time
      def say(message):
          body = message if isinstance(message, str) else json.dumps(message)
          sys.stdout.write(f"{len(body)} {body}\\n")
          sys.stdout.flush()
      for line in sys.stdin:
          message = json.loads(line.partition(" ")[2])
          if "hello" in message:
              say({"name": "wild", "version": "1", "digest": "0" * 64})
              continue
          if "close" in message:
              continue
          answer = {"viewer": message["viewer"], "sequence": message["sequence"],
                    "commands": [[] for _ in message["told"]]}
      """
    return [
      "python3", "-c",
      text + "\n" + then.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"),
    ]
  }

  @Test(arguments: [
    ("sys.exit(3)", "got its end (exit code 3)"),
    ("print('what is that', file=sys.stderr); sys.exit(4)", "it last said \"what is that\""),
    ("os.kill(os.getpid(), 9)", "got its end (signal 9)"),
    ("print('hello world', flush=True)", "begins with its length in bytes and a blank"),
    ("say('{nonsense')", "expected JSON as the answer"),
    ("answer['sequence'] += 1; say(answer)", "expected the answer to message 0 of viewer 0"),
    ("answer['viewer'] += 7; say(answer)", "got one to message 0 of viewer 7"),
    (
      "body = json.dumps(answer)\nsys.stdout.write(f'{len(body)} {body}\\n' * 2)\n"
        + "sys.stdout.flush()", "expected one answer"
    ),
    ("answer['commands'].append([]); say(answer)", "a list of commands for each of 1 events"),
    ("answer['commands'] = [[{'do': 'dance'}]]; say(answer)", "start, warm, cancel"),
    ("answer['commands'] = [[{'do': 'start', 'item': 1}]]; say(answer)", "item, length, priority"),
    ("answer['extra'] = 1; say(answer)", "got \"extra\""),
    ("time.sleep(60)", "an answer within 300 ms"),
    ("if os.fork(): os._exit(0)\ntime.sleep(60)", "its end (exit code 0)"),
    (
      "sys.stdout.write('1000000000 ')\nfor _ in range(1000): sys.stdout.write('x' * 1000000)",
      "an answer of at most 1048576 bytes, got one of 1000000000"
    ),
    ("sys.stdout.write('12 {'); sys.stdout.flush(); time.sleep(60)", "an answer within 300 ms"),
  ])
  func `what is no answer is named with the event, and in time`(
    _ then: String, _ said: String
  ) throws {
    ExternalPolicy.admit()
    let policy = try ExternalPolicy.open(
      ExternalPolicyTests.command(
        ExternalPolicyTests.script(then), timeout: .milliseconds(300), share: 0))
    let decider = policy.decider(replication: 2, session: 7)
    var commands: [PrefetchPolicy.Command] = []
    var ends: [Int] = []
    let begin = ContinuousClock.now
    let told = PrefetchTold(.feedMoved(current: ItemID(0), last: ItemID(9)), at: .zero)
    decider.decide([told], into: &commands, ends: &ends)
    if !policy.hasFailed {
      // What follows an answer is seen at the next question.
      Thread.sleep(forTimeInterval: 0.1)
      decider.decide([told], into: &commands, ends: &ends)
    }
    #expect(ContinuousClock.now - begin < .seconds(5))
    #expect(policy.hasFailed)
    let failure = try #require(policy.failure)
    #expect(failure.contains(said), "\(failure)")
    #expect(failure.contains("session 7 of replication 2"), "\(failure)")
    #expect(failure.contains("\"event\":\"moved\""), "\(failure)")
    #expect(!failure.contains("\n"))
    // Nobody is asked any more.
    commands = []
    ends = []
    decider.decide([told, told], into: &commands, ends: &ends)
    #expect(commands.isEmpty && ends == [0, 0])
  }

  @Test(arguments: [
    (["firstframe-no-such-program"], "a program that starts", "no such file or directory"),
    (["false"], "an answer to the greeting", "its end (exit code 1)"),
    (["echo", "hello"], "begins with its length", "hello"),
    (["echo", "2 {}"], "a name of 1 to 64", "none"),
  ])
  func `what does not answer the greeting as a policy is refused`(
    _ words: [String], _ expected: String, _ got: String
  ) {
    ExternalPolicy.admit()
    let error = #expect(throws: PolicyRejected.self) {
      try ExternalPolicy.open(ExternalPolicyTests.command(words))
    }
    #expect(error?.expected.contains(expected) == true, "\(String(describing: error))")
    #expect(error?.got.contains(got) == true, "\(String(describing: error))")
    #expect(error?.isMissing == (words[0] == "firstframe-no-such-program"))
  }

  @Test(arguments: [
    "random.randint(1, 10**9)",
    // What other viewers have done before.
    "globals().setdefault('seen', []).append(0) or len(seen)",
    // The number of the viewer.
    "1 + message['viewer']",
  ])
  func `a policy that answers otherwise the second time is named`(_ length: String) throws {
    ExternalPolicy.admit()
    let then =
      "answer['commands'][0] = [{'do': 'start', 'item': 1, 'priority': 0, 'length': \(length)}]\n"
      + "say(answer)"
    let policy = try ExternalPolicy.open(
      ExternalPolicyTests.command(ExternalPolicyTests.script(then), share: 0.5))
    let told = PrefetchTold(.feedMoved(current: ItemID(0), last: ItemID(9)), at: .zero)
    // Half of them are played again, and the second one of two first, so that what counts viewers
    // comes to something else.
    for session in 1...12 as ClosedRange<UInt32> {
      let open = [
        policy.decider(replication: 0, session: 90 + session),
        policy.decider(replication: 0, session: session),
      ]
      for decider in open.reversed() {
        var commands: [PrefetchPolicy.Command] = []
        var ends: [Int] = []
        decider.decide([told], into: &commands, ends: &ends)
        decider.close([])
      }
    }
    let failure = try #require(policy.failure)
    #expect(failure.contains("the same answer when the session is played again"), "\(failure)")
  }

  @Test func `events on hold are told with the next one`() throws {
    ExternalPolicy.admit()
    let policy = try ExternalPolicy.open(
      ExternalPolicyTests.command(
        ExternalPolicyTests.script(
          "answer['hold'] = ['buffer']\n"
            + "answer['commands'][-1] = [{'do': 'limit', 'length': len(message['told'])}]\n"
            + "say(answer)"), share: 1))
    let decider = policy.decider(replication: 0, session: 0)
    var commands: [PrefetchPolicy.Command] = []
    var ends: [Int] = []
    let moved = PrefetchTold(.feedMoved(current: ItemID(0), last: ItemID(9)), at: .zero)
    let buffer = PrefetchTold(.bufferChanged(ahead: .seconds(1), isComplete: false), at: .zero)
    decider.decide([moved], into: &commands, ends: &ends)
    decider.decide([buffer, buffer], into: &commands, ends: &ends)
    #expect(commands.count == 1 && ends == [1, 1, 1])
    decider.decide([moved], into: &commands, ends: &ends)
    #expect(ends == [1, 1, 1, 2])
    #expect(commands.last == .limitBuffer(.nanoseconds(3)))
    decider.close([])
    #expect(policy.failure == nil)
  }
}
