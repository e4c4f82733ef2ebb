import Models

/// Something to do with a target whose type is known by its name only.
public protocol FuzzVisitor {
  associatedtype Answer
  func visit<Target: FuzzTarget>(_ target: Target) throws -> Answer
}

/// The targets by name.
public enum FuzzCatalogue {
  /// Every name, sound variants first.
  public static var names: [String] {
    MessagingFuzz.Variant.allCases.map { MessagingFuzz($0).name }
      + CallsFuzz.Variant.allCases.map { CallsFuzz($0).name }
  }

  /// Whether every property is expected to hold for the variant.
  public static func isSound(_ name: String) -> Bool {
    MessagingFuzz.Variant.allCases.contains { MessagingFuzz($0).name == name && $0.isSound }
      || CallsFuzz.Variant.allCases.contains { CallsFuzz($0).name == name && $0.isSound }
  }

  /// Shows the visitor the target of that name; nil when there is none.
  public static func visit<Visitor: FuzzVisitor>(
    _ name: String, _ visitor: Visitor
  ) throws -> Visitor.Answer? {
    for variant in MessagingFuzz.Variant.allCases where MessagingFuzz(variant).name == name {
      return try visitor.visit(MessagingFuzz(variant))
    }
    for variant in CallsFuzz.Variant.allCases where CallsFuzz(variant).name == name {
      return try visitor.visit(CallsFuzz(variant))
    }
    return nil
  }

}

/// What a search says of one property.
public struct FuzzVerdict: Sendable, Equatable {
  public var name: String
  public var statement: String
  public var kind: PropertyKind
  /// Seeds that broke it.
  public var broken: Int
  /// Seeds in which it happened, of a `sometimes`.
  public var reached: Int
  /// Whether a `sometimes` should have happened and never did.
  public var isMissing: Bool
}

/// Blocks of a search that were done elsewhere, by their place.
public protocol FuzzBlocks {
  var count: Int { get }
  /// What a block came to (``FuzzBlock``); nil: it is not there.
  func words(_ block: Int) -> [UInt64]?
  /// Notes that a block is missing.
  func want(_ block: Int)
  /// - Throws: when one is missing.
  func check() throws
}

/// A block of seeds, searched: what it came to, as words.
public struct FuzzBlock: FuzzVisitor {
  public let seeds: Range<UInt64>

  public init(_ seeds: Range<UInt64>) { self.seeds = seeds }

  public func visit<Target: FuzzTarget>(_ target: Target) -> [UInt64] {
    Fuzzer(target).search(seeds).words
  }
}

/// A search on several threads, in words.
public struct FuzzSearch: FuzzVisitor {
  /// What came of a search: its words, whether all held and everything happened, and the smallest
  /// failures as files by name.
  public struct Answer: Sendable {
    public var lines: [String]
    public var holds: Bool
    public var files: [(name: String, text: String)]
    public var target: String
    public var seeds: Int
    public var events: UInt64
    public var fingerprint: UInt64
    public var verdicts: [FuzzVerdict] = []
    /// Whether an exhaustive search tried every way.
    public var isComplete = true
  }

  public let seeds: Range<UInt64>
  public let shrinks: Bool
  public let commit: String
  /// The scenario that the target is of; nil for one of the catalogue.
  public let scenario: FuzzOrigin?
  /// Where finished blocks lie; nil: all of them are run.
  public let kept: (any FuzzBlocks)?
  /// Asked between blocks of seeds: whether time is up.
  public let isOver: () -> Bool

  public init(
    seeds: Range<UInt64>, shrinks: Bool, commit: String, scenario: FuzzOrigin? = nil,
    kept: (any FuzzBlocks)? = nil, isOver: @escaping () -> Bool
  ) {
    self.kept = kept
    self.seeds = seeds
    self.shrinks = shrinks
    self.commit = commit
    self.scenario = scenario
    self.isOver = isOver
  }

  /// Seeds that are done between two looks at the clock.
  public static let blockSize: UInt64 = 1_000

  public func visit<Target: FuzzTarget>(_ target: Target) throws -> Answer {
    if let kept { return answer(try FuzzSearch.put(together: kept, target), target) }
    var report = FuzzReport<Target>()
    let fuzzer = Fuzzer(target)
    var next = seeds.lowerBound
    while next < seeds.upperBound && !isOver() {
      let end = min(seeds.upperBound, next + FuzzSearch.blockSize)
      report.add(fuzzer.search(next..<end))
      next = end
    }
    return answer(report, target)
  }

  /// The report of blocks that were done elsewhere.
  private static func put<Target: FuzzTarget>(
    together kept: any FuzzBlocks, _ target: Target
  ) throws -> FuzzReport<Target> {
    var report = FuzzReport<Target>()
    for block in 0..<kept.count {
      if let part = kept.words(block).flatMap({ FuzzReport($0, of: target) }) {
        report.add(part)
      } else {
        kept.want(block)
      }
    }
    try kept.check()
    return report
  }

  func answer<Target: FuzzTarget>(
    _ report: FuzzReport<Target>, _ target: Target, needsEverything: Bool = true
  ) -> Answer {
    let unreached = needsEverything ? report.unreached(by: target) : []
    var answer = Answer(
      lines: [], holds: report.broken.isEmpty && unreached.isEmpty, files: [], target: target.name,
      seeds: report.seeds, events: report.events, fingerprint: report.fingerprint)
    answer.lines.append(
      "\(target.name): \(report.seeds) seeds, \(report.events) events, "
        + "fingerprint \(String(report.fingerprint, radix: 16))")
    for property in Target.Property.allCases {
      let place = Int(property.rawValue)
      answer.verdicts.append(
        FuzzVerdict(
          name: property.title, statement: "\(property.statement)", kind: property.kind,
          broken: report.failing[place], reached: report.counts[place],
          isMissing: unreached.contains(property)))
      switch property.kind {
      case .always, .eventually:
        let count = report.failing[place]
        let verdict = count == 0 ? "held" : "BROKEN by \(count) seeds"
        answer.lines.append("  \(property.kind) \(property.title): \(verdict)")
      case .sometimes:
        let count = report.counts[place]
        let isMissing = count == 0 && needsEverything && target.canReach(property)
        answer.lines.append(
          "  \(property.kind) \(property.title): "
            + (isMissing
              ? "NEVER"
              : count > 0
                ? "\(count) seeds" : target.canReach(property) ? "not here" : "cannot"))
      }
    }
    for property in report.broken {
      var failures = report.failures(of: property)
      if shrinks {
        var shrinker = Shrinker(target)
        failures = shrinker.shrink(failures).map { [$0] } ?? []
      }
      guard let first = failures.first else { continue }
      let name = scenario?.name ?? target.name.split(separator: "/").joined(separator: "-")
      let file = "\(name)-\(property.title).txt"
      answer.files.append(
        (file, FuzzFile.text(first, of: target, commit: commit, scenario: scenario)))
      answer.lines.append(
        "  \(file): \(first.schedule.steps.count) steps, \(property.statement)")
    }
    return answer
  }
}

/// A kept failure run again, or made smaller first.
public struct FuzzReplay: FuzzVisitor {
  public struct Answer: Sendable {
    /// When the property broke; nothing when it holds by now.
    public var brokenAt: String?
    public var text: String
    public var steps: Int
    public var mermaid: String
    public var svg: String
  }

  public let text: String
  public let shrinks: Bool
  public let commit: String
  private let scenario: FuzzOrigin?

  /// - Parameter scenario: the scenario that the file's target is of.
  public init(text: String, shrinks: Bool, commit: String, scenario: FuzzOrigin? = nil) {
    self.text = text
    self.scenario = scenario
    self.shrinks = shrinks
    self.commit = commit
  }

  public func visit<Target: FuzzTarget>(_ target: Target) throws -> Answer {
    let read = try FuzzFile.read(text, of: target)
    let run = target.run(read.schedule, records: false)
    let violation = run.probes.violations.first { $0.property == read.property }
    var failure = FuzzFailure<Target>(
      property: read.property, at: violation?.at ?? .zero, schedule: read.schedule)
    if shrinks, violation != nil {
      var shrinker = Shrinker(target)
      failure = shrinker.shrink(failure)
    }
    let diagram = SequenceDiagram(failure, of: target)
    return Answer(
      brokenAt: violation.map { _ in "\(failure.at.seconds) s" },
      text: FuzzFile.text(failure, of: target, commit: commit, scenario: scenario),
      steps: failure.schedule.steps.count, mermaid: diagram.mermaid,
      svg: diagram.svg)
  }
}
