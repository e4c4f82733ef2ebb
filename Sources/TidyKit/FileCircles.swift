/// How many files of one folder may call each other in a circle.
public struct FileCircleLimit: Sendable {
  /// From the root, such as `Sources/FeedModel/Viewer`.
  public let folder: String
  /// As many as there are: fewer in the folder are a finding, so that the number falls with them.
  public let files: Int
  public let reason: String

  public init(_ folder: String, files: Int, because reason: String) {
    self.folder = folder
    self.files = files
    self.reason = reason
  }
}

/// The rule `file-circle`: what the files of one folder call of each other leads back to few of
/// them, so that a file is understood without all others. What may be more stands in
/// ``Layout/fileCircles``.
///
/// A call is a name before `(`, by itself or after `self.`, of a function that one other file of
/// the folder declares. What it leaves out: calls on other values, calls with a closure alone,
/// properties, types, and names that several files of the folder declare. A closure or a function
/// of another module that is called as one of the folder is taken for it.
extension Tidy {
  /// How many of the pairs of files whose calls close a circle a finding names.
  private static let namedPairs = 6

  /// Circles that are too large, circles that may be, and rows that state more than there is.
  func fileCircles(
    _ files: [FolderFile], hasLayout: Bool
  ) -> (findings: [Finding], allowances: [Allowance]) {
    let folders = Dictionary(grouping: files, by: \.directory)
    var findings: [Finding] = []
    var allowances: [Allowance] = []
    var largest: [String: Int] = [:]
    for folder in folders.keys.sorted() {
      let calls = FileCalls(folders[folder] ?? []).references()
      let row = layout.fileCircles.first { $0.folder == folder }
      let most = max(layout.filesInCircle, row?.files ?? 0)
      for circle in ReferenceGraph(calls).circles {
        largest[folder] = max(largest[folder] ?? 0, circle.count)
        if circle.count > most {
          findings.append(finding(circle, calls, most: most))
        } else if let row, circle.count > layout.filesInCircle {
          allowances.append(
            Allowance(path: circle[0], line: 1, rule: "file-circle", reason: row.reason))
        }
      }
    }
    if hasLayout { findings += idleLimits(largest) }
    return (findings, allowances)
  }

  /// Names the calls that make the circle too large: each that alone does, or else some without
  /// which there is none.
  private func finding(_ circle: [String], _ calls: [Reference], most: Int) -> Finding {
    let graph = ReferenceGraph(calls)
    let cuts = graph.cuts(of: circle, to: most)
    let pairs = cuts.isEmpty ? graph.leadingUp(in: circle) : cuts
    var first: Reference?
    var closing: [String] = []
    for pair in pairs.prefix(Tidy.namedPairs) {
      let between = calls.filter { $0.from == pair.from && $0.to == pair.to }
      first = first ?? between.first
      let line = between.first?.line ?? 1
      var seen: Set<String> = []
      let names = between.map(\.name).filter { seen.insert($0).inserted }.map { "'\($0)'" }
      closing.append(
        "\(names.joined(separator: ", ")) of \(Tidy.short(pair.to)) "
          + "in \(Tidy.short(pair.from)):\(line)")
    }
    if pairs.count > closing.count { closing.append("\(pairs.count - closing.count) more") }
    let names = circle.map(Tidy.short).joined(separator: ", ")
    let list = closing.joined(separator: "; ")
    return Finding(
      path: first?.path ?? circle[0], line: first?.line ?? 1, rule: "file-circle",
      message: "\(circle.count) files call each other in a circle (\(names)), \(most) may, "
        + (cuts.isEmpty
          ? "without all of these there is none (\(list)), "
          : "without one of these it is small enough (\(list)), ")
        + "use what stands above from above, or move it below, "
        + "or a row of Layout.firstFrame.fileCircles")
  }

  /// A file's name without its folder and its ending.
  private static func short(_ path: String) -> String {
    String((path.split(separator: "/").last ?? "").split(separator: ".").first ?? "")
  }

  private func idleLimits(_ largest: [String: Int]) -> [Finding] {
    layout.fileCircles.compactMap { row in
      let files = largest[row.folder] ?? 0
      if files >= row.files && row.files > layout.filesInCircle { return nil }
      let use = files > layout.filesInCircle ? "use \(files)" : "use no row"
      return Finding(
        path: Tidy.layoutPath, line: 1, rule: "file-circle",
        message: "the row of \(row.folder) allows a circle of \(row.files) files, "
          + "the largest has \(files), \(use)")
    }
  }
}

/// Finds what the files of one folder call of each other.
struct FileCalls {
  private let files: [FolderFile]
  /// The one file of a function's name.
  private var homes: [String: String] = [:]

  init(_ files: [FolderFile]) {
    self.files = files
    var declaring: [String: Set<String>] = [:]
    var open: Set<String> = []
    for file in files {
      for function in file.functions {
        declaring[function.name, default: []].insert(file.path)
        if !function.isPrivate { open.insert(function.name) }
      }
    }
    for (name, paths) in declaring where paths.count == 1 && open.contains(name) {
      homes[name] = paths.first
    }
  }

  /// In the order of the files; what a file calls of itself is none.
  func references() -> [Reference] {
    var found: [Reference] = []
    for file in files {
      for index in file.tokens.indices {
        let token = file.tokens[index]
        guard token.kind == .word, let home = homes[token.text], home != file.path,
          file.isCall(at: index)
        else { continue }
        found.append(
          Reference(
            from: file.path, to: home, name: token.text, path: file.path, line: token.line))
      }
    }
    return found
  }
}

extension FolderFile {
  /// The folder that the file stands in, from the root.
  var directory: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  /// Functions that the file declares at any depth.
  var functions: [(name: String, isPrivate: Bool)] {
    tokens.indices.filter { tokens[$0].is("func") && isWord($0 + 1) }
      .map { (text($0 + 1), isNarrow($0)) }
  }

  /// Whether the word at `index` is called by itself or on `self`.
  func isCall(at index: Int) -> Bool {
    guard text(index + 1) == "(", tokens[index + 1].start == tokens[index].end else { return false }
    switch text(index - 1) {
    case "func", "case", "@", "#": return false
    case ".":
      // The last dot of `...` is none of a member.
      if text(index - 2) == "." { return true }
      return text(index - 2) == "self" && text(index - 3) != "."
    default: return true
    }
  }
}
