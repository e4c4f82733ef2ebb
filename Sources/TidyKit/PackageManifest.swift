/// What the rules need to know from `Package.swift`, read from its tokens.
struct PackageManifest {
  /// Names of all targets.
  var targets: Set<String> = []
  /// Library products: the line each is declared on, and the targets it exports.
  var libraries: [(line: Int, targets: [String])] = []

  private static let targetMakers: Set<String> = [
    "target", "executableTarget", "testTarget", "systemLibrary", "macro", "plugin",
  ]

  /// Counts each call whose first argument is a string literal, of `.target`, of its kin, or of a
  /// function of the manifest that returns `Target`.
  init(_ tokens: [Token]) {
    var makers = PackageManifest.targetMakers
    for index in tokens.indices where tokens[index].is("func") {
      var next = index
      while next + 2 < tokens.count && !tokens[next].is("{") {
        if tokens[next].is("-") && tokens[next + 1].is(">") && tokens[next + 2].is("Target") {
          makers.insert(tokens[index + 1].text)
        }
        next += 1
      }
    }
    for index in tokens.indices where tokens[index].kind == .word {
      var next = index + 1
      guard next < tokens.count, tokens[next].is("(") else { continue }
      next += 1
      if next + 1 < tokens.count && tokens[next].is("name") && tokens[next + 1].is(":") {
        next += 2
      }
      guard next < tokens.count, tokens[next].kind == .string else { continue }
      if makers.contains(tokens[index].text) { targets.insert(tokens[next].text) }
      if tokens[index].is("library") {
        libraries.append((tokens[index].line, PackageManifest.strings(after: next + 1, in: tokens)))
      }
    }
  }

  private static func strings(after start: Int, in tokens: [Token]) -> [String] {
    var names: [String] = []
    var index = start
    while index < tokens.count && !tokens[index].is(")") {
      if tokens[index].kind == .string { names.append(tokens[index].text) }
      index += 1
    }
    return names
  }
}
