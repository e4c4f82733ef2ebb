/// Checks a repository's sources against the house rules: layers, determinism, hygiene.
///
/// All findings of one pass come back together. What it leaves out: it reads tokens, not types, so
/// a banned thing behind a type alias is seen only where its name is spelled.
public struct Tidy: Sendable {
  public let layout: Layout

  public init(layout: Layout = .firstFrame) { self.layout = layout }

  /// The names an allow comment may use. A secret cannot be allowed; a circle of folders or
  /// of files has a row in the layout.
  static let allowable: Set<String> = [
    "absolute-path", "assertion", "build-flag", "citation", "clock", "codable", "concurrency",
    "dictionary", "event-tag", "existential", "final-newline", "function-length", "global-var",
    "layer", "libm", "line-length", "mutant", "print", "product", "random", "registry-host",
    "requirement", "set", "silent-default", "stream", "tab", "todo", "trailing-space", "try-bang",
    "unchecked-sendable", "unregistered",
    "untyped-throws",
  ]

  /// Runs every rule over the files of one repository, `Package.swift` among them.
  public func check(_ sources: [SourceText]) -> TidyReport {
    var report = TidyReport()
    report.filesRead = sources.count
    let lexed = sources.map { $0.kind == .swift ? Lexer.lex($0.bytes) : nil }
    let classBound = CodeRules.classBoundProtocols(in: lexed.compactMap { $0 })
    var raw: [Finding] = []
    for (source, code) in zip(sources, lexed) {
      raw += TextRules.check(source, code)
      guard let code else { continue }
      let zone = zone(of: source)
      raw += CodeRules(path: source.path, tokens: code.tokens, zone: zone, classBound: classBound)
        .check()
      raw += RegistryRules(
        path: source.path, tokens: code.tokens, registries: layout.registries
      ).check()
      raw += importFindings(source, code.tokens)
      raw += silentDefaults(source, code.tokens)
      raw += worldKinds(source, code.tokens)
    }
    raw += packageFindings(sources, lexed)
    raw += familyFindings(sources, lexed)
    raw += requirementFindings(sources, lexed)
    raw += mutantFindings(sources, lexed)
    let structure = structure(sources, lexed)
    raw += structure.findings
    report.allowances += structure.allowances
    let citations = Citations(sources)
    raw += sources.flatMap { citations.findings(in: $0) }
    applyAllows(sources, lexed, raw, to: &report)
    report.findings.sort()
    report.allowances.sort()
    return report
  }

  func zone(of source: SourceText) -> Zone {
    let folders = source.folders
    guard folders.count >= 2, folders[0] == "Sources" else {
      return folders.first == "Tests" ? .tests : .upper
    }
    return layout.module(named: folders[1])?.zone ?? .upper
  }

  /// Circles of folders and of files, and types that are too large.
  private func structure(
    _ sources: [SourceText], _ lexed: [LexedSource?]
  ) -> (findings: [Finding], allowances: [Allowance]) {
    var files: [FolderFile] = []
    for (source, code) in zip(sources, lexed) {
      let folders = source.folders
      guard let code, folders.count >= 2, folders[0] == "Sources" else { continue }
      files.append(FolderFile(source, code.tokens))
    }
    let hasLayout = sources.contains { $0.path == Tidy.layoutPath }
    let parts = [
      folderCircles(files, hasLayout: hasLayout), fileCircles(files, hasLayout: hasLayout),
      typeSizes(files, hasLayout: hasLayout),
    ]
    return (parts.flatMap(\.findings), parts.flatMap(\.allowances))
  }

  /// Moves accepted findings out, and objects to allow comments that are malformed or idle.
  private func applyAllows(
    _ sources: [SourceText], _ lexed: [LexedSource?], _ raw: [Finding], to report: inout TidyReport
  ) {
    var byPath = Dictionary(grouping: raw, by: \.path)
    for (source, code) in zip(sources, lexed) {
      var remaining = byPath.removeValue(forKey: source.path) ?? []
      for (line, text) in Allow.texts(in: source, code) {
        guard let allow = Allow(line: line, text: text), Tidy.allowable.contains(allow.rule) else {
          report.findings.append(
            Finding(
              path: source.path, line: line, rule: "allow",
              message: "an allow comment without a known rule and a reason, "
                + "use '\(Allow.marker) <rule> because <reason>'"))
          continue
        }
        let before = remaining.count
        remaining.removeAll { $0.rule == allow.rule && ($0.line == line || $0.line == line + 1) }
        if remaining.count < before {
          report.allowances.append(
            Allowance(path: source.path, line: line, rule: allow.rule, reason: allow.reason))
        } else {
          report.findings.append(
            Finding(
              path: source.path, line: line, rule: "allow",
              message: "nothing here breaks the rule '\(allow.rule)', use no allow comment"))
        }
      }
      report.findings += remaining
    }
    // What is left is about files that should be there and are not.
    for findings in byPath.values { report.findings += findings }
  }
}
