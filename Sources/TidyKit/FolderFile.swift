/// What one file of a module declares, as far as other folders can see it.
///
/// It reads tokens: which declaration a name means is not known where two have it. Such a name is
/// skipped (``FolderUses``), so that nothing is reported that is not there.
struct FolderFile {
  let module: String
  /// The first-level folder inside of the module; "" at its top.
  let folder: String
  let path: String
  let tokens: [Token]
  /// Types at the top of the file that other files see.
  private(set) var types: Set<String> = []
  /// Types that hide others of their name here: nested and private ones, generic parameters.
  private(set) var hiding: Set<String> = []
  /// Functions and variables at the top of the file that other files see.
  private(set) var values: Set<String> = []
  /// Members that an extension declares, by the extended type.
  private(set) var members: [(type: String, name: String)] = []
  /// Every other name that is declared here: members, cases, parameters, local variables.
  private(set) var others: Set<String> = []

  private static let kinds: Set<String> = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]
  private static let memberKinds: Set<String> = ["func", "let", "var"]
  private static let narrow: Set<String> = ["private", "fileprivate"]

  /// A brace that is open, and the extension that it opens.
  private struct Brace {
    var depth: Int
    var extended: String?
  }

  init(_ source: SourceText, _ tokens: [Token]) {
    let folders = source.folders
    module = folders[1]
    folder = folders.count > 2 ? folders[2] : ""
    path = source.path
    self.tokens = tokens
    read()
  }

  func text(_ index: Int) -> String {
    guard tokens.indices.contains(index), tokens[index].kind != .string else { return "" }
    return tokens[index].text
  }

  func isWord(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .word
  }

  private mutating func read() {
    var depth = 0
    var braces: [Brace] = []
    var extended: String?
    for index in tokens.indices {
      let token = tokens[index]
      if token.kind == .symbol {
        switch token.text {
        case "{":
          depth += 1
          braces.append(Brace(depth: depth, extended: extended))
          extended = nil
        case "(", "[": depth += 1
        case "}":
          if braces.last?.depth == depth { braces.removeLast() }
          depth -= 1
        case ")", "]": depth -= 1
        default: break
        }
      }
      if token.kind != .word || text(index - 1) == "." { continue }
      if text(index + 1) == ":" { others.insert(token.text) }
      if isWord(index + 1) && text(index + 2) == ":" { others.insert(text(index + 1)) }
      if token.is("extension") && depth == 0 {
        extended = text(index + 1)
      } else if FolderFile.kinds.contains(token.text) {
        addType(index, depth: depth)
      } else if FolderFile.memberKinds.contains(token.text) && isWord(index + 1) {
        let inside = braces.last.flatMap { $0.depth == depth ? $0.extended : nil }
        addValue(index, depth: depth, extended: depth == 1 ? inside : nil)
      } else if token.is("case") && isWord(index + 1) {
        others.insert(text(index + 1))
      } else if token.is("associatedtype") {
        hiding.insert(text(index + 1))
      } else if token.is("init") {
        addGenerics(index + 1)
      }
    }
  }

  /// Whether the declaration at `index` has `private` before it on its line.
  func isNarrow(_ index: Int) -> Bool {
    var place = index - 1
    while place >= 0, tokens[place].line == tokens[index].line,
      isWord(place) || text(place) == ")"
    {
      // `private(set)` is about changes only.
      if FolderFile.narrow.contains(text(place)) { return true }
      place -= 1
      if text(place + 1) == ")" {
        while place >= 0 && text(place) != "(" { place -= 1 }
        place -= 2
      }
    }
    return false
  }

  private mutating func addType(_ index: Int, depth: Int) {
    guard isWord(index + 1), !FolderFile.memberKinds.contains(text(index + 1)),
      text(index + 1) != "subscript"
    else { return }
    if depth == 0 && !isNarrow(index) {
      types.insert(text(index + 1))
    } else {
      hiding.insert(text(index + 1))
    }
    addGenerics(index + 2)
  }

  private mutating func addValue(_ index: Int, depth: Int, extended: String?) {
    let name = text(index + 1)
    if depth == 0 && !isNarrow(index) {
      values.insert(name)
    } else if let extended, !isNarrow(index) {
      members.append((extended, name))
    } else {
      others.insert(name)
    }
    if tokens[index].is("func") { addGenerics(index + 2) }
  }

  /// The parameters of `<A, B: C>`.
  private mutating func addGenerics(_ open: Int) {
    guard text(open) == "<" else { return }
    var depth = 0
    for index in tokens.indices.dropFirst(open) {
      if text(index) == "<" { depth += 1 }
      if text(index) == ">" { depth -= 1 }
      if depth == 0 || text(index) == "{" { return }
      if depth == 1 && (text(index) == "<" || text(index) == ",") && isWord(index + 1) {
        hiding.insert(text(index + 1))
      }
    }
  }
}

/// Finds what the folders of one module use of each other.
///
/// Seen are types by their name, and by theirs functions and variables at the top of a file and
/// members of extensions of another folder's or module's types. A name that is declared in two
/// folders is skipped; one of a value also where anything else in the repository is called so.
/// What it leaves out: what a member of a type is, `private` declarations, operators, and names in
/// backticks.
struct FolderUses {
  private let module: String
  private let files: [FolderFile]
  /// The one folder of a name.
  private var typeHomes: [String: String] = [:]
  private var valueHomes: [String: String] = [:]
  private var hiding: [String: Set<String>] = [:]

  init(module: String, files: [FolderFile], others: [FolderFile]) {
    self.module = module
    self.files = files
    var types: [String: Set<String>] = [:]
    var values: [String: Set<String>] = [:]
    var taken: Set<String> = []
    for file in files {
      for name in file.types { types[name, default: []].insert(file.folder) }
      for name in file.values { values[name, default: []].insert(file.folder) }
      hiding[file.folder, default: []].formUnion(file.hiding)
      taken.formUnion(file.others)
    }
    for file in files {
      for member in file.members {
        if types[member.type]?.contains(file.folder) == true {
          taken.insert(member.name)
        } else {
          values[member.name, default: []].insert(file.folder)
        }
      }
    }
    for file in others {
      taken.formUnion(file.values)
      taken.formUnion(file.members.map(\.name))
      taken.formUnion(file.others)
    }
    for (name, folders) in types where folders.count == 1 { typeHomes[name] = folders.first }
    for (name, folders) in values where folders.count == 1 && !taken.contains(name) {
      valueHomes[name] = folders.first
    }
  }

  /// In the order of the files.
  func references() -> [Reference] {
    var found: [Reference] = []
    for file in files {
      for index in file.tokens.indices where file.tokens[index].kind == .word {
        let name = file.tokens[index].text
        guard let home = home(of: name, at: index, in: file), home != file.folder else { continue }
        found.append(
          Reference(
            from: file.folder, to: home, name: name, path: file.path,
            line: file.tokens[index].line))
      }
    }
    return found
  }

  private func home(of name: String, at index: Int, in file: FolderFile) -> String? {
    let tokens = file.tokens
    if let home = typeHomes[name] {
      // `Outer.Name` is another type, unless the module itself is named.
      let isMember = index > 0 && tokens[index - 1].is(".")
      if isMember && !(index > 1 && tokens[index - 2].is(module)) { return nil }
      return hiding[file.folder]?.contains(name) == true ? nil : home
    }
    // A label of a call is followed by a colon.
    if index + 1 < tokens.count && tokens[index + 1].is(":") { return nil }
    return valueHomes[name]
  }
}
