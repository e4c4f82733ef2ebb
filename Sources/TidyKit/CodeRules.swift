/// The rules that read the tokens of one Swift file.
struct CodeRules {
  let path: String
  let tokens: [Token]
  let zone: Zone
  /// Protocols bound to classes: `any P` of these compiles in Embedded Swift.
  let classBound: Set<String>
  /// Functions the file declares itself; calling them is not a call of the C library.
  private let declared: Set<String>
  private var findings: [Finding] = []

  init(path: String, tokens: [Token], zone: Zone, classBound: Set<String>) {
    self.path = path
    self.tokens = tokens
    self.zone = zone
    self.classBound = classBound
    var names: Set<String> = []
    for index in tokens.indices.dropLast() where tokens[index].is("func") {
      names.insert(tokens[index + 1].text)
    }
    declared = names
  }

  func check() -> [Finding] {
    var rules = self
    rules.words()
    rules.functionLengths()
    if zone.isBelowL3 {
      rules.dictionarySugar()
      rules.globalVariables()
    }
    return rules.findings
  }

  private mutating func add(_ rule: String, _ line: Int, _ message: String) {
    findings.append(Finding(path: path, line: line, rule: rule, message: message))
  }

  private func token(_ index: Int) -> Token? {
    index >= 0 && index < tokens.count ? tokens[index] : nil
  }

  private func symbol(_ index: Int, _ text: String) -> Bool { token(index)?.is(text) == true }

  // MARK: single words

  private mutating func words() {
    for index in tokens.indices where tokens[index].kind == .word {
      guard let rules = WordRule.byWord[tokens[index].text] else { continue }
      for rule in rules where rule.scope.covers(zone) && holds(rule.form, at: index) {
        let name = tokens[index].text
        if rule.name == "existential" && isClassBound(after: index) { continue }
        if rule.name == "libm" && declared.contains(name) && !symbol(index - 1, ".") { continue }
        add(rule.name, tokens[index].line, rule.message(name))
      }
    }
  }

  private func holds(_ form: WordRule.Form, at index: Int) -> Bool {
    let afterDot = symbol(index - 1, ".")
    let isDeclaration = ["func", "case", "let", "var"].contains(token(index - 1)?.text ?? "")
    switch form {
    case .always: return !afterDot && !isDeclaration && !symbol(index + 1, ":")
    case .mention: return true
    case .freeCall:
      return symbol(index + 1, "(") && !afterDot && token(index - 1)?.is("func") != true
    case .libraryCall:
      if !symbol(index + 1, "(") || isDeclaration || isInCaseList(index) { return false }
      let qualifier = token(index - 2)?.text ?? ""
      return !afterDot || WordRule.systemModules.contains(qualifier)
    case .memberCall: return afterDot && symbol(index + 1, "(")
    case .task:
      return !afterDot && ["{", ".", "(", "<"].contains(token(index + 1)?.text ?? "")
    case .declaration:
      guard let next = token(index + 1), next.kind == .word else { return false }
      return !afterDot && !isDeclaration && next.line == tokens[index].line
    case .bang: return symbol(index + 1, "!") && token(index + 1)?.start == tokens[index].end
    case .untyped: return !afterDot && !symbol(index + 1, "(")
    case .date:
      let isNow = symbol(index + 1, ".") && token(index + 2)?.is("now") == true
      return symbol(index + 1, "(") || isNow
    case .attribute: return symbol(index - 1, "@")
    case .unsafeArgument:
      return symbol(index + 1, "(") && token(index + 2)?.is("unsafe") == true
    }
  }

  /// Whether the word is a later name in `case a, b(Double), …`.
  private func isInCaseList(_ index: Int) -> Bool {
    guard symbol(index - 1, ",") else { return false }
    var nesting = 0
    var before = index - 1
    while let token = token(before) {
      if token.is(")") || token.is("]") { nesting += 1 }
      if token.is("(") || token.is("[") { nesting -= 1 }
      if nesting < 0 || token.is("{") || token.is("}") || token.is("=") { return false }
      if nesting == 0 && token.is("case") { return true }
      before -= 1
    }
    return false
  }

  private func isClassBound(after index: Int) -> Bool {
    guard let name = token(index + 1)?.text else { return false }
    return classBound.contains(name)
  }

  /// Protocols whose inheritance clause names `AnyObject`, directly or through another of ours.
  static func classBoundProtocols(in files: [LexedSource]) -> Set<String> {
    var parents: [String: [String]] = [:]
    for file in files {
      let tokens = file.tokens
      for index in tokens.indices.dropLast() where tokens[index].is("protocol") {
        var next = index + 2
        var names: [String] = []
        while next < tokens.count, !tokens[next].is("{"), !tokens[next].is("where") {
          names.append(tokens[next].text)
          next += 1
        }
        parents[tokens[index + 1].text] = names
      }
    }
    var bound: Set<String> = []
    var grew = true
    while grew {
      grew = false
      for (name, above) in parents where !bound.contains(name) {
        if above.contains(where: { $0 == "AnyObject" || bound.contains($0) }) {
          bound.insert(name)
          grew = true
        }
      }
    }
    return bound
  }

  // MARK: shapes of several tokens

  /// `[K: V]`, as a type or as a literal; not a subscript with a label, not a ternary in an array.
  private mutating func dictionarySugar() {
    for index in tokens.indices where tokens[index].is("[") {
      if let before = token(index - 1), before.end == tokens[index].start {
        let isBase = before.kind != .symbol || [")", "]", "?", "!"].contains(before.text)
        if isBase { continue }
      }
      if hasPair(inBracketAt: index) {
        add("dictionary", tokens[index].line, WordRule.dictionaryMessage("[K: V]"))
      }
    }
  }

  private func hasPair(inBracketAt open: Int) -> Bool {
    var depth = 1
    var ternaries = 0
    var index = open + 1
    while index < tokens.count && depth > 0 {
      let token = tokens[index]
      if token.kind == .symbol {
        switch token.text {
        case "(", "[", "{": depth += 1
        case ")", "]", "}": depth -= 1
        case "?" where depth == 1 && tokens[index - 1].end < token.start: ternaries += 1
        case ":" where depth == 1:
          if ternaries == 0 { return true }
          ternaries -= 1
        default: break
        }
      }
      index += 1
    }
    return false
  }

  /// Stored variables at file scope and stored `static var`s.
  private mutating func globalVariables() {
    var depth = 0
    for index in tokens.indices {
      let token = tokens[index]
      if token.is("{") { depth += 1 }
      if token.is("}") { depth -= 1 }
      guard token.is("var"), !symbol(index - 1, ".") else { continue }
      if (depth == 0 || isStatic(at: index)) && isStored(at: index) {
        add(
          "global-var", token.line,
          "global variable '\(self.token(index + 1)?.text ?? "")' is banned below L3, "
            + "use a 'let' or a property of the world")
      }
    }
  }

  private func isStatic(at index: Int) -> Bool {
    var before = index - 1
    while let token = token(before), token.kind == .word, before > index - 6 {
      if token.text == "static" { return true }
      before -= 1
    }
    return false
  }

  private func isStored(at index: Int) -> Bool {
    var nesting = 0
    var next = index + 1
    while let token = token(next) {
      let isNewLine = token.line > tokens[next - 1].line && nesting == 0
      if token.is("{") && nesting == 0 {
        return ["willSet", "didSet"].contains(self.token(next + 1)?.text ?? "")
      }
      if token.is("=") && nesting == 0 { return true }
      if isNewLine && !token.is(":") { return true }
      if token.is("(") || token.is("[") { nesting += 1 }
      if token.is(")") || token.is("]") { nesting -= 1 }
      next += 1
    }
    return true
  }

  private mutating func functionLengths() {
    for index in tokens.indices {
      let token = tokens[index]
      let isFunction = token.is("func") || token.is("deinit") || token.is("subscript")
      let isInit =
        token.is("init") && ["(", "?", "!", "<"].contains(self.token(index + 1)?.text ?? "")
      guard isFunction || isInit, !symbol(index - 1, "."),
        let body = bodyStart(of: index), let end = closing(of: body)
      else { continue }
      let length = tokens[end].line - token.line + 1
      if length > 80 {
        let name = token.is("func") ? self.token(index + 1)?.text ?? "func" : token.text
        add(
          "function-length", token.line,
          "'\(name)' is \(length) lines long (limit 80), use smaller functions")
      }
    }
  }

  private static let declarations: Set<String> = [
    "func", "var", "let", "init", "deinit", "subscript", "case", "struct", "enum", "class",
    "extension", "protocol", "typealias", "associatedtype",
  ]

  /// The opening brace of a function's body; nil for a requirement without one.
  private func bodyStart(of index: Int) -> Int? {
    var nesting = 0
    var next = index + 1
    while let token = token(next) {
      if token.kind == .symbol {
        if token.text == "(" || token.text == "[" { nesting += 1 }
        if token.text == ")" || token.text == "]" { nesting -= 1 }
        if nesting == 0 && token.text == "{" { return next }
        if nesting == 0 && token.text == "}" { return nil }
      } else if nesting == 0 && next > index + 1 && token.kind == .word
        && CodeRules.declarations.contains(token.text)
      {
        return nil
      }
      next += 1
    }
    return nil
  }

  private func closing(of open: Int) -> Int? {
    var depth = 0
    for index in open..<tokens.count where tokens[index].kind == .symbol {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}

extension Zone {
  /// Whether order, clocks and randomness must be the same everywhere.
  var isBelowL3: Bool { self == .policy || self == .embedded || self == .numerics }
  /// Whether the code must compile as Embedded Swift.
  var isEmbedded: Bool { self == .policy || self == .embedded }
}
