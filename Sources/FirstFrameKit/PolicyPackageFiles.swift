import Foundation
import Reports
import Scenario

/// The files of a package with a prefetch policy and of FirstFrame built with it.
struct PolicyPackageFiles {
  /// Why there can be no such package.
  struct Fault: Error {
    var keyPath: String
    var expected: String
    var got: String
  }

  /// Names that are somebody else's: programs of this repository, and what no module may be called.
  private static let taken: Set<String> = ["main", "tidy"]

  private let name: String
  private let dependency: String
  private let identity: String
  private let place: String
  private let hasLive: Bool

  /// - Parameters:
  ///   - folder: where the package will be.
  ///   - url: where FirstFrame comes from; nil: from the clone that this program was built in.
  ///   - hasLive: whether the program has live runs, which bring sockets along.
  /// - Throws: ``Fault``.
  init(name: String, in folder: String, from url: String?, hasLive: Bool) throws(Fault) {
    self.hasLive = hasLive
    let isPlain =
      name.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
      } && name.utf8.count <= 64
    if !isPlain {
      throw Fault(
        keyPath: "--policy-package",
        expected: "a name of small letters, digits and - that begins with a letter",
        got: Excerpt.oneLine(name, limit: 60))
    }
    if ScenarioPolicies.shipped(.prefetch).words.contains(name)
      || PolicyPackageFiles.taken.contains(name)
      || name.hasPrefix("firstframe")
    {
      throw Fault(
        keyPath: "--policy-package",
        expected: "a name that is no kind of policy.prefetch and no program of FirstFrame",
        got: name)
    }
    self.name = name
    if let url {
      let last = url.split(separator: "/").last.map(String.init) ?? ""
      let identity = last.hasSuffix(".git") ? String(last.dropLast(4)) : last
      let isAddress = ["https://", "ssh://", "git@", "file://"].contains { url.hasPrefix($0) }
      if !isAddress || identity.isEmpty || url.contains(where: { $0 == "\"" || $0.isWhitespace }) {
        throw Fault(
          keyPath: "--from", expected: "the address of a git repository",
          got: Excerpt.oneLine(url, limit: 60))
      }
      dependency = ".package(url: \"\(url)\", from: \"\(ProgramVersion.number)\")"
      self.identity = identity
      place = "FirstFrame comes from \(url), version \(ProgramVersion.number) or later."
    } else {
      guard let clone = PolicyPackageFiles.clone else {
        throw Fault(
          keyPath: "--from",
          expected: "the address of FirstFrame's repository, as this program is in no clone of it",
          got: "none")
      }
      let path = PolicyPackageFiles.way(from: folder, to: clone)
      dependency = ".package(name: \"FirstFrame\", path: \"\(path)\")"
      identity = "FirstFrame"
      place = "FirstFrame comes from the clone at `\(path)` (`Package.swift`)."
    }
  }

  /// What the library with the policy is called.
  private var module: String { title + "Policies" }
  private var title: String {
    name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Paths below the package's folder with their text; the gate is a program.
  var files: [(path: String, text: String, isProgram: Bool)] {
    [
      ("Package.swift", filled(PolicyPackageTemplate.manifest), false),
      ("Sources/\(name)/Main.swift", filled(PolicyPackageTemplate.program), false),
      (
        "Sources/\(module)/\(title)Prefetch.swift", filled(PolicyPackageTemplate.policy), false
      ),
      (
        "Tests/\(module)Tests/\(title)PrefetchTests.swift", filled(PolicyPackageTemplate.tests),
        false
      ),
      ("scenarios/\(name).yaml", filled(PolicyPackageTemplate.scenario), false),
      ("gate", filled(PolicyPackageTemplate.gate), true),
      ("README.md", filled(PolicyPackageTemplate.readme), false),
      (".gitignore", PolicyPackageTemplate.ignored, false),
    ]
  }

  private func filled(_ text: String) -> String {
    var filled = text
    let live =
      hasLive
      ? (
        product:
          "\n        .product(name: \"FirstFrameLiveKit\", package: \"\(identity)\"),",
        module: "\nimport FirstFrameLiveKit", verbs: ", live: .verbs",
        command: "\nswift run -c release \(name) live run scenarios/\(name).yaml --edge nginx"
      ) : (product: "", module: "", verbs: "", command: "")
    for (word, value) in [
      ("__LIVEPRODUCT__", live.product), ("__LIVEMODULE__", live.module),
      ("__LIVEVERBS__", live.verbs), ("__LIVECOMMAND__", live.command),
      ("__POLICYMODULE__", module), ("__TYPE__", title + "Prefetch"), ("__NAME__", name),
      ("__WORD__", name), ("__DEPENDENCY__", dependency), ("__IDENTITY__", identity),
      ("__PLACE__", place),
    ] {
      filled = filled.replacingOccurrences(of: word, with: value)
    }
    return filled
  }

  /// Writes them into a folder that is not there yet: all of them, or none.
  ///
  /// - Throws: ``RunFolder/WriteError``.
  func write(to folder: String) throws(RunFolder.WriteError) {
    let draft = "\(folder).\(getpid()).part"
    func fail(_ path: String) -> RunFolder.WriteError {
      let code = errno
      try? FileManager.default.removeItem(atPath: draft)
      return RunFolder.WriteError(
        path: path, expected: "a new folder that can be written", got: Console.errorText(code))
    }
    var status = stat()
    if lstat(folder, &status) == 0 {
      errno = EEXIST
      throw fail(folder)
    }
    for (path, text, isProgram) in files {
      let file = "\(draft)/\(path)"
      do throws(RunFolder.WriteError) {
        try RunFolder.writeFile(text, to: file)
      } catch {
        try? FileManager.default.removeItem(atPath: draft)
        throw RunFolder.WriteError(path: folder, expected: error.expected, got: error.got)
      }
      if isProgram { chmod(file, 0o755) }
    }
    // Somebody may have removed it meanwhile, with what was written before.
    for file in files where access("\(draft)/\(file.path)", F_OK) != 0 { throw fail(folder) }
    if rename(draft, folder) != 0 { throw fail(folder) }
  }

  // MARK: Where FirstFrame is

  /// The clone in whose `.build` this program is; nil outside of one.
  private static var clone: String? {
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { return nil }
    var parts = own.split(separator: "/").map(String.init)
    while !parts.isEmpty {
      parts.removeLast()
      let folder = "/" + parts.joined(separator: "/")
      if parts.last != ".build", FileManager.default.fileExists(atPath: folder + "/Package.swift"),
        FileManager.default.fileExists(atPath: folder + "/Sources/FirstFrameKit")
      {
        return folder
      }
    }
    return nil
  }

  /// A relative path from one folder to another.
  private static func way(from folder: String, to other: String) -> String {
    let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().resolvingSymlinksInPath()
    let here =
      parent.pathComponents.filter { $0 != "/" } + [URL(fileURLWithPath: folder).lastPathComponent]
    let there = URL(fileURLWithPath: other).resolvingSymlinksInPath().pathComponents
      .filter { $0 != "/" }
    let shared = zip(here, there).prefix { $0 == $1 }.count
    let ways =
      Array(repeating: "..", count: here.count - shared) + there.dropFirst(shared)
    return ways.isEmpty ? "." : ways.joined(separator: "/")
  }
}
