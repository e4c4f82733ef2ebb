/// The rule that a word of a scenario means what its table says, and nothing else.
///
/// A `switch` over `kind` or `word` with strings for cases repeats a table; its `default` builds
/// something for a word that was added to the table and forgotten here. So does a comparison with
/// one word in front of `?`. A `default` that stops the program is none of these. What the rule
/// leaves out: an `if` with an `else`, and words in variables of other names.
extension Tidy {
  /// Silent defaults of a file in a folder of tables.
  func silentDefaults(_ source: SourceText, _ tokens: [Token]) -> [Finding] {
    guard layout.tableFolders.contains(where: { source.path.hasPrefix($0 + "/") }) else {
      return []
    }
    let reader = WordSwitches(tokens: tokens)
    return tokens.indices.compactMap { reader.silentDefault(at: $0) }.map { line in
      Finding(
        path: source.path, line: line, rule: "silent-default",
        message: "a word that the table may get would silently be taken for another, "
          + "use a row with its value (PluginFamily, Choice)")
    }
  }
}

/// Reads what a file makes of words.
private struct WordSwitches {
  let tokens: [Token]

  private static let subjects: Set<String> = ["kind", "word"]
  private static let traps: Set<String> = ["preconditionFailure", "fatalError", "throw"]

  /// The line of a silent default that begins here.
  func silentDefault(at index: Int) -> Int? {
    if tokens[index].is("switch") { return defaultLine(ofSwitchAt: index) }
    return isTernary(at: index) ? tokens[index].line : nil
  }

  /// `.word("key") == "one" ?`, or the same with `kind`.
  private func isTernary(at index: Int) -> Bool {
    guard tokens[index].is("."), let name = token(index + 1), name.kind == .word,
      WordSwitches.subjects.contains(name.text), holds(index + 2, "("),
      let close = closing(of: index + 2, "(", ")")
    else { return false }
    return holds(close + 1, "=") && holds(close + 2, "=") && token(close + 3)?.kind == .string
      && holds(close + 4, "?")
  }

  private func defaultLine(ofSwitchAt index: Int) -> Int? {
    var open = index + 1
    var isOfWords = false
    while let token = token(open), !token.is("{") {
      isOfWords =
        isOfWords || (token.kind == .word && WordSwitches.subjects.contains(token.text))
      open += 1
    }
    guard isOfWords, let close = closing(of: open, "{", "}") else { return nil }
    var depth = 0
    var hasStrings = false
    var place: Int?
    for inner in open...close {
      if tokens[inner].is("{") { depth += 1 }
      if tokens[inner].is("}") { depth -= 1 }
      if depth != 1 { continue }
      if tokens[inner].is("case"), token(inner + 1)?.kind == .string { hasStrings = true }
      if tokens[inner].is("default"), holds(inner + 1, ":") { place = inner }
    }
    guard hasStrings, let place else { return nil }
    let next = token(place + 2)?.text ?? ""
    return WordSwitches.traps.contains(next) ? nil : tokens[place].line
  }

  private func token(_ index: Int) -> Token? {
    index >= 0 && index < tokens.count ? tokens[index] : nil
  }

  private func holds(_ index: Int, _ text: String) -> Bool { token(index)?.is(text) == true }

  /// The place of the bracket that closes the one at `open`.
  private func closing(of open: Int, _ opening: String, _ ending: String) -> Int? {
    var depth = 0
    for index in tokens.indices.dropFirst(open) {
      if tokens[index].is(opening) { depth += 1 }
      if tokens[index].is(ending) {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}
