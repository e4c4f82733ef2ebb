/// The rules that read raw text: white space, lengths of lines, machine paths, secrets, marks.
struct TextRules {
  private let source: SourceText
  private let stringLines: Set<Int>
  private var findings: [Finding] = []

  static func check(_ source: SourceText, _ lexed: LexedSource?) -> [Finding] {
    var rules = TextRules(source: source, stringLines: lexed?.stringLines ?? [])
    rules.lines()
    rules.needles(flags: source.kind == .script || source.kind == .yaml)
    if let lexed { rules.flags(inStringsOf: lexed) }
    return rules.findings
  }

  private init(source: SourceText, stringLines: Set<Int>) {
    self.source = source
    self.stringLines = stringLines
  }

  private mutating func add(_ rule: String, _ line: Int, _ message: String) {
    findings.append(Finding(path: source.path, line: line, rule: rule, message: message))
  }

  private mutating func lines() {
    if source.kind == .data { return }
    let lines = source.lines
    let limitsLength = source.kind == .swift || source.kind == .script
    let mayTab = source.path.hasSuffix("Makefile") || source.path.hasSuffix(".mk")
    for (index, bytes) in lines.enumerated() where !stringLines.contains(index + 1) {
      let line = index + 1
      if !mayTab && bytes.contains(ascii("\t")) {
        add("tab", line, "a tab character, use spaces")
      }
      if let last = bytes.last, last == ascii(" ") || last == ascii("\t") || last == ascii("\r") {
        add("trailing-space", line, "white space at the end of the line, use none")
      }
      // Continuation bytes of UTF-8 do not start a column.
      if limitsLength && bytes.count > 100 {
        let columns = bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        if columns > 100 {
          add("line-length", line, "\(columns) columns (limit 100), use shorter lines")
        }
      }
    }
    if lines.isEmpty { return }
    if source.bytes.last != ascii("\n") {
      add("final-newline", lines.count, "no line end at the end of the file, use exactly one")
    } else if lines.last?.isEmpty == true {
      add("final-newline", lines.count, "blank lines at the end of the file, use one line end")
    }
  }

  /// Compiler flags hide in strings of a manifest; in comments they are only words.
  private mutating func flags(inStringsOf lexed: LexedSource) {
    for token in lexed.tokens {
      if token.kind == .string, token.text.contains(Needle.unchecked) {
        add("build-flag", token.line, Needle.flagMessage(Needle.unchecked))
      }
      if token.is(Needle.loosened) {
        add("build-flag", token.line, Needle.flagMessage(Needle.loosened))
      }
    }
  }

  private mutating func needles(flags: Bool) {
    let bytes = source.bytes
    let table = Needle.byFirstByte
    var line = 1
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == ascii("\n") {
        line += 1
      } else {
        for needle in table[Int(byte)] where needle.matches(bytes, at: index) {
          if needle.rule == "todo" && source.kind == .data { continue }
          if needle.rule == "build-flag" && !flags { continue }
          add(needle.rule, line, needle.message)
        }
      }
      index += 1
    }
  }
}

/// A piece of text no file may hold. The pieces are assembled from parts, so this file holds none.
struct Needle: Sendable {
  enum Boundary: Sendable {
    /// Anywhere.
    case free
    /// Not inside a longer word.
    case word
    /// At the start of a path: not after a letter, a digit or anything else a relative path has.
    case pathStart
    /// A whole host name or the end of one.
    case host
    /// A prefix of a token that goes on for at least this many letters and digits.
    case token(atLeast: Int)
  }

  let rule: String
  let text: [UInt8]
  let boundary: Boundary
  let message: String

  static let unchecked = "-Oun" + "checked"
  static let loosened = "unsafe" + "Flags"

  static func flagMessage(_ flag: String) -> String {
    "'\(flag)' is banned, use the settings in Package.swift"
  }

  private init(_ rule: String, _ text: String, _ boundary: Boundary, _ message: String) {
    self.rule = rule
    self.text = Array(text.utf8)
    self.boundary = boundary
    self.message = message
  }

  static let all: [Needle] = {
    var needles: [Needle] = []
    for name in ["work", "root", "home", "Users"] {
      needles.append(
        Needle(
          "absolute-path", "/" + name + "/", .pathStart,
          "'/\(name)/' is a path of one machine, use a path relative to the repository"))
    }
    for mark in ["TO" + "DO", "FIX" + "ME", "XX" + "X"] {
      needles.append(Needle("todo", mark, .word, "'\(mark)' is banned, use an issue"))
    }
    for flag in [unchecked, loosened] {
      needles.append(Needle("build-flag", flag, .word, flagMessage(flag)))
    }
    let secrets: [(String, Int)] = [
      ("AK" + "IA", 16), ("AS" + "IA", 16), ("gh" + "p_", 30), ("gh" + "s_", 30),
      ("github" + "_pat_", 30), ("xox" + "b-", 10), ("xox" + "p-", 10), ("AI" + "za", 30),
    ]
    let secretMessage = "this looks like a credential, use none and revoke it"
    for (prefix, length) in secrets {
      needles.append(Needle("secret", prefix, .token(atLeast: length), secretMessage))
    }
    for kind in ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "] {
      needles.append(
        Needle("secret", "BEGIN " + kind + "PRIVATE" + " KEY", .free, secretMessage))
    }
    for (name, domain) in registries {
      let host = name + "." + domain
      needles.append(
        Needle(
          "registry-host", host, .host,
          "'\(host)' is a registry's host name, use the package manager's own setting"))
    }
    return needles
  }()

  private static let registries: [(String, String)] = [
    ("registry", "npmjs.org"), ("registry", "yarnpkg.com"), ("pypi", "org"),
    ("pythonhosted", "org"), ("crates", "io"), ("rubygems", "org"), ("proxy", "golang.org"),
    ("repo", "maven.apache.org"), ("docker", "io"), ("ghcr", "io"), ("quay", "io"), ("gcr", "io"),
    ("pkg", "dev"), ("jfrog", "io"), ("deb", "debian.org"), ("archive", "ubuntu.com"),
  ]

  static let byFirstByte: [[Needle]] = {
    var table = [[Needle]](repeating: [], count: 256)
    for needle in all { table[Int(needle.text[0])].append(needle) }
    return table
  }()

  func matches(_ bytes: [UInt8], at place: Int) -> Bool {
    let end = place + text.count
    if end > bytes.count { return false }
    for index in 1..<text.count where bytes[place + index] != text[index] { return false }
    let before = place > 0 ? bytes[place - 1] : ascii("\n")
    let after = end < bytes.count ? bytes[end] : ascii("\n")
    switch boundary {
    case .free: return true
    case .word: return !isWordByte(before) && !isWordByte(after)
    case .pathStart: return !isWordByte(before) && !".-~)}*".utf8.contains(before)
    case .host:
      return !isWordByte(before) && before != ascii("-") && !isWordByte(after)
        && after != ascii("-")
    case .token(let atLeast):
      if isWordByte(before) { return false }
      var length = 0
      while end + length < bytes.count, length < atLeast,
        isWordByte(bytes[end + length]) || bytes[end + length] == ascii("-")
      {
        length += 1
      }
      return length >= atLeast
    }
  }
}
