import Foundation

/// Tries each seeded fault in a package of its own: applies it, builds, runs the test it names, and
/// takes it back.
///
/// The package, `.build/mutants`, holds copies of the modules the faults are in, of `MediaUnits`
/// and of their tests, with the settings of `Package.swift`. It is built in debug and stays between
/// runs: a fault inside a function leaves the module's interface as it was, so the tests need not
/// be compiled again. Only a file that differs is copied.
///
/// Faults of the protocols bring the worlds and searches of `Models` and `Studies` with them,
/// because a search is what must find most of them.
///
/// A fault is *caught* when the test it names fails, traps or does not end in time. One that does
/// not build, or whose test does not run, is an error of the list.
public struct MutantRunner {
  /// How a fault fared.
  public enum Outcome: Equatable, Sendable {
    case caught(String)
    case survived
    case broken(String)
  }

  private let root: String
  private let folder: String
  private let mutants: [Mutant]
  private let modules: [String]
  private let isSearched: Bool
  private var cases: [TestCase] = []
  private let files = FileManager.default

  /// Seconds of a test beyond which it counts as endless: three times what all tests took without a
  /// fault, within these bounds.
  private var patience = Self.longest
  private static let (shortest, longest) = (15, 180)
  /// Kilobytes of memory that a test may ask for: an endless loop may allocate.
  private static let memory = 12_000_000

  /// - Parameter root: the root of the repository.
  public init(root: String, mutants: [Mutant]) {
    self.root = root
    folder = root + "/.build/mutants"
    self.mutants = mutants
    var modules: Set<String> = []
    for mutant in mutants {
      let parts = mutant.file.split(separator: "/")
      if parts.count > 2 && parts[0] == "Sources" { modules.insert(String(parts[1])) }
    }
    modules.remove("MediaUnits")
    isSearched = !modules.isDisjoint(with: Self.protocols)
    if isSearched { modules.formUnion(Self.protocols) }
    self.modules = modules.sorted()
  }

  /// Modules whose faults a search of schedules may have to find, and what a search needs of the
  /// modules above them.
  private static let protocols: Set<String> = ["CallSignalling", "MessageDelivery"]
  private static let searchFolders = [
    "Sources/SimulationKernel", "Sources/ModelBasics", "Sources/MessagingModel",
    "Sources/CallsModel", "Sources/Studies/Fuzz",
  ]
  /// What a search sees of the module that gathers all rooms of the models.
  private static let models = """
    @_exported import CallsModel
    @_exported import MessagingModel
    @_exported import ModelBasics

    """
  /// What tests of policies share.
  private static let support = "Tests/PolicyTesting"
  private static let searchTests = "Tests/StudiesTests/Fuzz"

  /// Runs all and prints the table as it grows.
  /// - Returns: whether every fault was caught.
  /// - Throws: the error of Foundation for a file that cannot be copied.
  public mutating func run(_ output: (String) -> Void) throws -> Bool {
    try prepare()
    output("mutants: the tests without a fault")
    let (built, log) = build()
    if !built {
      output("mutants: error: expected the unchanged sources to build, got\n\(tail(log))")
      return false
    }
    let begin = Date()
    // The others need not pass: they may take minutes without optimisation.
    let filters = Set(mutants.compactMap { $0.subjects(among: cases).first.map(Self.filter) })
    let (code, first) = test(filters.sorted().joined(separator: "|"))
    let needed = 3 * Int(Date().timeIntervalSince(begin))
    if code != 0 {
      output("mutants: error: expected the unchanged tests to pass, got\n\(tail(first))")
      return false
    }
    patience = min(max(Self.shortest, needed), Self.longest)
    output(row("mutant", "fault", "caught by", "seconds"))
    var caught = 0
    for mutant in mutants {
      let start = Date()
      let outcome = try outcome(of: mutant)
      let seconds = String(format: "%.1f", Date().timeIntervalSince(start))
      switch outcome {
      case .caught(let how):
        caught += 1
        output(row(mutant.name, mutant.fault, how, seconds))
      case .survived: output(row(mutant.name, mutant.fault, "SURVIVED \(mutant.test)", seconds))
      case .broken(let why):
        output(
          row(mutant.name, mutant.fault, "ERROR \(mutant.list):\(mutant.line): \(why)", seconds))
      }
    }
    output("mutants: \(caught) of \(mutants.count) caught")
    return caught == mutants.count
  }

  private func row(_ name: String, _ fault: String, _ caught: String, _ seconds: String) -> String {
    let time = String(repeating: " ", count: max(0, 7 - seconds.count)) + seconds
    return "\(time)  \(name.padding(to: 48))  \(fault.padding(to: 22))  \(caught)"
  }

  private func outcome(of mutant: Mutant) throws -> Outcome {
    let place = "\(folder)/\(mutant.file)"
    let source = try String(contentsOfFile: place, encoding: .utf8)
    if let problem = mutant.problem(in: source, cases: cases) { return .broken(problem) }
    guard let changed = mutant.applied(to: source) else { return .broken("the text is gone") }
    let subject = mutant.subjects(among: cases)[0]
    try changed.write(toFile: place, atomically: true, encoding: .utf8)
    defer { try? source.write(toFile: place, atomically: true, encoding: .utf8) }
    let (built, log) = build()
    if !built { return .broken("it does not build\n\(tail(log))") }
    let (code, output) = test(Self.filter(for: subject))
    return Self.outcome(of: code, output, subject.name)
  }

  /// What an exit code and the output of the test process say.
  static func outcome(of code: Int32, _ output: String, _ test: String) -> Outcome {
    if code == 124 || code == 137 { return .caught("\(test) (did not end)") }
    if output.contains("with 0 tests") { return .broken("the test did not run") }
    if code == 0 { return .survived }
    if output.contains("✘ Test \"\(test)\"") { return .caught(test) }
    if output.contains("Fatal error") || code > 128 { return .caught("\(test) (by a trap)") }
    return .broken("exit code \(code) without a failure of the test")
  }

  /// A regular expression that the identifier of this test alone matches.
  static func filter(for test: TestCase) -> String {
    func quoted(_ text: String) -> String {
      var result = ""
      for character in text {
        if "\\^$.|?*+()[]{}".contains(character) { result += "\\" }
        result.append(character)
      }
      return result
    }
    let target = test.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    let names = test.suite.split(separator: "/").map(String.init) + [test.name]
    return "^" + quoted(target) + "\\." + names.map { "`?\(quoted($0))`?" }.joined(separator: "/")
      + "\\("
  }

  // MARK: the package

  private mutating func prepare() throws {
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write(Data(manifest.utf8), to: "\(folder)/Package.swift")
    try mirror("Sources/MediaUnits")
    try mirror(Self.support)
    for name in try files.contentsOfDirectory(atPath: "\(root)/Tests").sorted() {
      // Data of tests lie beside them.
      let isData = try !content("\(root)/Tests/\(name)").contains { $0.hasSuffix(".swift") }
      if isData && "Tests/\(name)/" != MutantList.folder { try mirror("Tests/\(name)") }
    }
    for module in modules {
      try mirror("Sources/\(module)")
      try index("Tests/\(module)Tests")
    }
    if isSearched {
      for folder in Self.searchFolders { try mirror(folder) }
      try files.createDirectory(
        atPath: "\(folder)/Sources/Models", withIntermediateDirectories: true)
      try write(Data(Self.models.utf8), to: "\(folder)/Sources/Models/Models.swift")
      try index(Self.searchTests)
    }
  }

  /// Copies a folder of tests and notes its tests.
  private mutating func index(_ folder: String) throws {
    try mirror(folder)
    for path in try content("\(root)/\(folder)") where path.hasSuffix(".swift") {
      let name = "\(folder)/\(path)"
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(name)")))
      cases += TestIndex(path: name, Lexer.lex(bytes)).cases
    }
  }

  private var manifest: String {
    var targets = [
      "    .target(name: \"MediaUnits\", swiftSettings: strict),", "    .target(",
      "      name: \"PolicyTesting\", dependencies: [\"MediaUnits\"], path: \"\(Self.support)\",",
      "      swiftSettings: strict),",
    ]
    for module in modules {
      targets += [
        "    .target(",
        "      name: \"\(module)\", dependencies: [\"MediaUnits\"], swiftSettings: strict),",
        "    .testTarget(",
        "      name: \"\(module)Tests\",",
        "      dependencies: [\"\(module)\", \"MediaUnits\", \"PolicyTesting\"],",
        "      swiftSettings: strict),",
      ]
    }
    if isSearched { targets.append(Self.searchTargets) }
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let strict: [SwiftSetting] = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .treatAllWarnings(as: .error),
      ]

      let package = Package(
        name: "Mutants",
        platforms: [.macOS(.v15)],
        targets: [
      \(targets.joined(separator: "\n"))
        ]
      )

      """
  }

  private static let searchTargets = """
        .target(
          name: "SimulationKernel", dependencies: ["MediaUnits"], swiftSettings: strict),
        .target(
          name: "ModelBasics", dependencies: ["MediaUnits", "SimulationKernel"],
          swiftSettings: strict),
        .target(
          name: "MessagingModel",
          dependencies: ["MediaUnits", "MessageDelivery", "SimulationKernel", "ModelBasics"],
          swiftSettings: strict),
        .target(
          name: "CallsModel",
          dependencies: [
            "MediaUnits", "CallSignalling", "SimulationKernel", "ModelBasics", "MessagingModel",
          ], swiftSettings: strict),
        .target(
          name: "Models", dependencies: ["ModelBasics", "MessagingModel", "CallsModel"],
          swiftSettings: strict),
        .target(
          name: "Studies",
          dependencies: [
            "MediaUnits", "MessageDelivery", "CallSignalling", "SimulationKernel", "Models",
          ], swiftSettings: strict),
        .testTarget(
          name: "StudiesTests",
          dependencies: [
            "MediaUnits", "MessageDelivery", "CallSignalling", "SimulationKernel", "Models",
            "Studies",
          ], swiftSettings: strict),
    """

  /// Paths of all files below a folder.
  private func content(_ folder: String) throws -> [String] {
    try files.subpathsOfDirectory(atPath: folder).sorted().filter {
      var isFolder: ObjCBool = false
      return files.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  /// Makes a folder of the package the same as that of the repository.
  private func mirror(_ path: String) throws {
    let target = "\(folder)/\(path)"
    try files.createDirectory(atPath: target, withIntermediateDirectories: true)
    let names = try content("\(root)/\(path)")
    for name in try content(target) where !names.contains(name) {
      try files.removeItem(atPath: "\(target)/\(name)")
    }
    for name in names {
      let parent = ("\(target)/\(name)" as NSString).deletingLastPathComponent
      try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)/\(name)"))
      try write(bytes, to: "\(target)/\(name)")
    }
  }

  private func write(_ bytes: Data, to path: String) throws {
    if files.contents(atPath: path) == bytes { return }
    try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  // MARK: processes

  private func build() -> (isBuilt: Bool, log: String) {
    let (code, log) = execute(
      "exec swift build --build-tests -j 2 --package-path \"$1\"", [folder])
    return (code == 0, log)
  }

  /// All tests when the filter is empty. The test process itself, not `swift test`, so that a time
  /// limit ends it; without the runtime's backtraces, which take minutes for some traps.
  private func test(_ filter: String) -> (code: Int32, log: String) {
    execute(
      "ulimit -v \(Self.memory); exec timeout --kill-after=5 \(patience) "
        + "\"$1\" --testing-library swift-testing ${2:+--filter \"$2\"}",
      ["\(folder)/.build/debug/MutantsPackageTests.xctest", filter])
  }

  private func execute(_ script: String, _ arguments: [String]) -> (code: Int32, log: String) {
    let log = "\(folder)/log"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exec >\"$0\" 2>&1; \(script)", log] + arguments
    var environment = ProcessInfo.processInfo.environment
    environment["NO_COLOR"] = "1"
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    do {
      try process.run()
    } catch {
      return (127, error.localizedDescription)
    }
    process.waitUntilExit()
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    let code = process.terminationStatus
    // A test that traps takes `timeout` with it.
    return (process.terminationReason == .uncaughtSignal ? 128 + code : code, text)
  }

  private func tail(_ log: String) -> String {
    let lines = log.split(separator: "\n")
    let errors = lines.filter { $0.contains("error:") || $0.contains("✘") }
    return (errors.isEmpty ? lines.suffix(12) : errors.prefix(12)).joined(separator: "\n")
  }
}
