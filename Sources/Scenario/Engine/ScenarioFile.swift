/// A scenario that has been read, merged with what it extends, overridden, checked and completed.
public struct ScenarioFile: Sendable {
  /// The most files one scenario may be built of, by `extends`.
  public static let deepestExtends = 16

  /// The path as given.
  public let path: String
  /// Every file that was read, the scenario first, then what it extends.
  public let files: [String]
  /// The values.
  public let tree: ResolvedTree
  /// ``resolvedText`` where somebody has put it together from parts.
  private let knownText: String?

  init(path: String, files: [String], tree: ResolvedTree, text: String? = nil) {
    self.path = path
    self.files = files
    self.tree = tree
    knownText = text
  }

  /// Reads a scenario file.
  ///
  /// `overrides` are applied in order after the file and everything it extends; a mapping given
  /// there replaces the one in the file. Setting another `kind` drops the keys the new kind does
  /// not have.
  /// - Throws: ``ScenarioRejected`` with every problem of all files and overrides in one pass.
  public static func load(
    _ path: String, schema: Schema, overrides: [Override] = []
  ) throws(ScenarioRejected) -> ScenarioFile {
    var loader = Loader(schema)
    let top = loader.readFile(path)
    return try finish(loader, top, path, overrides)
  }

  /// The same for text that stands in a file called `file`, which itself is not read; `extends` and
  /// relative paths start from its directory.
  public static func parse(
    _ text: String, file: String, schema: Schema, overrides: [Override] = []
  ) throws(ScenarioRejected) -> ScenarioFile {
    try parse(Array(text.utf8), file: file, schema: schema, overrides: overrides)
  }

  /// The same for bytes.
  public static func parse(
    _ bytes: [UInt8], file: String, schema: Schema, overrides: [Override] = []
  ) throws(ScenarioRejected) -> ScenarioFile {
    var loader = Loader(schema)
    let top = loader.readBytes(bytes, file)
    return try finish(loader, top, file, overrides)
  }

  /// What of a file is the same whatever is set on top of it.
  ///
  /// - Returns: nil where it has problems.
  static func written(_ path: String, text: String?, schema: Schema) -> (
    top: Node, files: [String]
  )? {
    var loader = Loader(schema)
    let top = text.map { loader.readBytes(Array($0.utf8), path) } ?? loader.readFile(path)
    guard let top, loader.problems.isEmpty, loader.isComplete else { return nil }
    return (top, loader.files)
  }

  private static func finish(
    _ loader: Loader, _ top: Node?, _ path: String, _ overrides: [Override]
  ) throws(ScenarioRejected) -> ScenarioFile {
    var problems = loader.problems
    var writer = OverrideWriter(loader.schema)
    let base = top ?? Node(.mapping([]), origin: .file(path, line: 1, column: 1))
    let merged = overrides.reduce(base) { writer.apply($1, to: $0) }
    problems.add(writer.problems)
    var resolver = Resolver(loader.schema, top: merged)
    resolver.reportsMissing = loader.isComplete
    // Without a tree there is nothing to check but the overrides.
    let isWorthwhile = top != nil || !overrides.isEmpty
    let root = isWorthwhile ? resolver.resolve() : nil
    problems.add(resolver.problems)
    guard problems.isEmpty, let root else { throw ScenarioRejected(problems) }
    return ScenarioFile(path: path, files: loader.files, tree: ResolvedTree(root))
  }

  /// All keys that say what is run, in table order with canonical units, without `extends`. Equal
  /// trees have equal text, whatever was written how and where.
  public var resolvedText: String { knownText ?? CanonicalText.file(tree.root) }

  /// The keys that say only what is shown (``Field/isShownOnly``), where they were given. Behind
  /// ``resolvedText`` they are `scenario.resolved.yaml`, whose reading gives an equal tree.
  public var shownText: String { CanonicalText.shown(tree.root) }

  /// Key path, value and origin of every key, in columns, in table order.
  public var explanation: String { Explanation.text(tree.root) }
}

/// Reads a file and the files it extends.
private struct Loader {
  let schema: Schema
  private(set) var problems = Problems()
  private(set) var files: [String] = []
  /// False when a file of the chain could not be read.
  private(set) var isComplete = true

  init(_ schema: Schema) { self.schema = schema }

  mutating func readFile(_ path: String) -> Node? {
    switch contents(path) {
    case .success(let bytes): return readBytes(bytes, path)
    case .failure(let failure):
      let origin = Origin.file(path, line: 1, column: 1)
      problems.add(
        Problem(
          failure.code, at: origin, keyPath: "", expected: failure.expected, got: failure.got))
      isComplete = false
      return nil
    }
  }

  /// The tree of one file over those it extends.
  mutating func readBytes(_ bytes: [UInt8], _ path: String) -> Node? {
    files.append(path)
    guard let node = YAMLReader.read(bytes, file: path, into: &problems) else {
      isComplete = false
      return nil
    }
    guard case .mapping(let entries) = node.content else {
      problems.add(
        Problem(
          .wrongType, at: node.origin, keyPath: "", expected: "a mapping of keys",
          got: node.excerpt))
      isComplete = false
      return nil
    }
    let own = Node(.mapping(entries.filter { $0.key != "extends" }), origin: node.origin)
    guard let named = node["extends"] else { return own }
    guard let lower = base(named, of: path) else {
      isComplete = false
      return own
    }
    return Merge.lay(own, over: lower, .file, shape: .object(schema.root), preset: nil)
  }

  private mutating func base(_ named: Node, of path: String) -> Node? {
    func problem(_ code: Problem.Code, _ expected: String, _ got: String) -> Problem {
      Problem(code, at: named.origin, keyPath: "extends", expected: expected, got: got)
    }
    guard let text = named.text, !text.isEmpty else {
      problems.add(problem(.wrongType, "a file name", named.excerpt))
      return nil
    }
    let target = FilePath.resolve(text, beside: path)
    let chain = files.map { FilePath.identity($0) }
    if let start = chain.firstIndex(of: FilePath.identity(target)) {
      let cycle = (files[start...] + [target]).joined(separator: " -> ")
      problems.add(problem(.circular, "a file that does not extend this one", cycle))
      return nil
    }
    if files.count >= ScenarioFile.deepestExtends {
      let limit = "at most \(ScenarioFile.deepestExtends) files in a row"
      problems.add(problem(.deepExtends, limit, "one more, \(target)"))
      return nil
    }
    switch contents(target) {
    case .success(let bytes): return readBytes(bytes, target)
    case .failure(let failure):
      problems.add(problem(failure.code, failure.expected, "\(failure.got): \(target)"))
      return nil
    }
  }

  private func contents(_ path: String) -> Result<[UInt8], InputFile.Failure> {
    Result { () throws(InputFile.Failure) in
      try InputFile.bytes(at: path, limit: YAMLReader.Limits.bytes)
    }
  }
}

/// Paths as texts.
enum FilePath {
  /// Everything before the last `/`; empty when there is none.
  static func directory(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// `path` as seen from where `file` stands, without needless `.` and `..`.
  static func resolve(_ path: String, beside file: String?) -> String {
    if path.hasPrefix("/") { return path }
    let base = directory(file ?? "")
    return simplified(base.isEmpty ? path : base == "/" ? "/\(path)" : "\(base)/\(path)")
  }

  private static func simplified(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }

  /// The same text for the same file, links followed when it exists.
  static func identity(_ path: String) -> String {
    InputFile.canonicalPath(path) ?? simplified(path)
  }
}
