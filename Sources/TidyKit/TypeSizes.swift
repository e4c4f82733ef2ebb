/// How many stored properties a type may have beyond ``Layout/fieldsOfType``.
public struct TypeLimit: Sendable {
  /// The module's folder, such as `Sources/FeedModel`.
  public let folder: String
  public let type: String
  /// As many as there are: fewer in the type are a finding, so that the number falls with them.
  public let fields: Int
  public let reason: String

  public init(_ folder: String, _ type: String, fields: Int, because reason: String) {
    self.folder = folder
    self.type = type
    self.fields = fields
    self.reason = reason
  }
}

/// The rule `type-size`: a type holds few stored properties, so that what changes them is found in
/// one place. What may hold more stands in ``Layout/largeTypes``.
///
/// Counted are names after `var` and `let` in the body of a struct, class or actor. What it leaves
/// out: static properties, which hold nothing in a value, and names in a tuple pattern, which count
/// as one.
extension Tidy {
  /// Types that are too large, types that may be, and rows that state more than there is.
  func typeSizes(
    _ files: [FolderFile], hasLayout: Bool
  ) -> (findings: [Finding], allowances: [Allowance]) {
    var findings: [Finding] = []
    var allowances: [Allowance] = []
    var found: [String: Int] = [:]
    for file in files {
      for type in file.sizes where type.fields > layout.fieldsOfType {
        let row = layout.largeTypes.first {
          $0.folder == "Sources/" + file.module && $0.type == type.name
        }
        if let row { found[row.folder + "." + row.type] = type.fields }
        if type.fields > row?.fields ?? layout.fieldsOfType {
          findings.append(
            Finding(
              path: file.path, line: type.line, rule: "type-size",
              message: "'\(type.name)' has \(type.fields) stored properties "
                + "(limit \(row?.fields ?? layout.fieldsOfType)), use parts that own their state, "
                + "or a row of Layout.firstFrame.largeTypes"))
        } else if let row {
          allowances.append(
            Allowance(path: file.path, line: type.line, rule: "type-size", reason: row.reason))
        }
      }
    }
    if hasLayout { findings += idleTypes(found) }
    return (findings, allowances)
  }

  private func idleTypes(_ found: [String: Int]) -> [Finding] {
    layout.largeTypes.compactMap { row in
      let fields = found[row.folder + "." + row.type]
      if let fields, fields >= row.fields { return nil }
      return Finding(
        path: Tidy.layoutPath, line: 1, rule: "type-size",
        message: "the row of \(row.type) in \(row.folder) allows \(row.fields) stored properties, "
          + (fields.map { "the type has \($0), use \($0)" }
            ?? "the type has no more than \(layout.fieldsOfType), use no row"))
    }
  }
}

extension FolderFile {
  private static let sized: Set<String> = ["struct", "class", "actor"]
  private static let notNames: Set<String> = ["func", "var", "let", "subscript", "init"]

  /// The types that the file declares, at any depth, with their stored properties.
  var sizes: [(name: String, line: Int, fields: Int)] {
    var types: [(name: String, line: Int, fields: Int)] = []
    /// For each bracket that is open the type whose body it opens; -1 for others.
    var open: [Int] = []
    var declared = -1
    for index in tokens.indices {
      let token = tokens[index]
      switch token.text {
      case _ where token.kind == .string: break
      case "{":
        open.append(declared)
        declared = -1
      case "(", "[": open.append(-1)
      case "}", ")", "]": _ = open.popLast()
      case "var", "let":
        guard let type = open.last, type >= 0, !isShared(index) else { break }
        types[type].fields += storedNames(at: index)
      default:
        guard FolderFile.sized.contains(token.text), text(index - 1) != ".",
          text(index - 1) != ":", isWord(index + 1),
          !FolderFile.notNames.contains(text(index + 1))
        else { break }
        declared = types.count
        types.append((text(index + 1), token.line, 0))
      }
    }
    return types
  }

  /// Whether the declaration at `index` is one of the type itself.
  private func isShared(_ index: Int) -> Bool {
    var before = index - 1
    while isWord(before) && before > index - 6 {
      if text(before) == "static" || text(before) == "class" { return true }
      before -= 1
    }
    return false
  }

  /// Names that the declaration at `index` stores: none for a computed property.
  private func storedNames(at index: Int) -> Int {
    var names = 1
    var nesting = 0
    var hasValue = false
    for next in tokens.indices.dropFirst(index + 2) {
      let isNewLine = tokens[next].line > tokens[next - 1].line
      if nesting == 0 && isNewLine && endsLine(next - 1) && !startsLine(next) { break }
      switch text(next) {
      case "{" where nesting == 0 && !hasValue:
        let isObserved = ["willSet", "didSet"].contains(text(next + 1))
        return isObserved ? names : names - 1
      case "=" where nesting == 0: hasValue = true
      case "," where nesting == 0:
        names += 1
        hasValue = false
      case "(", "[", "{": nesting += 1
      case "<" where isWord(next - 1) && tokens[next - 1].end == tokens[next].start: nesting += 1
      case ">" where nesting > 0 && text(next - 1) != "-": nesting -= 1
      case ")", "]", "}":
        if nesting == 0 { return names }
        nesting -= 1
      default: break
      }
    }
    return names
  }

  /// Whether a declaration may end after the token at `index`.
  private func endsLine(_ index: Int) -> Bool {
    ![",", "=", ":", "(", "[", "&", "|", "+"].contains(text(index))
  }

  /// Whether the token at `index` goes on with what stands on the line before it.
  private func startsLine(_ index: Int) -> Bool {
    ["=", ":", ",", ".", "?", "+"].contains(text(index))
  }
}
