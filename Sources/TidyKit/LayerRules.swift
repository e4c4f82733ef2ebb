/// The rules about folders, imports, products and registries.
extension Tidy {
  /// Imports that the layer table does not grant.
  func importFindings(_ source: SourceText, _ tokens: [Token]) -> [Finding] {
    let folders = source.folders
    guard folders.count >= 2, folders[0] == "Sources" || folders[0] == "Tests" else { return [] }
    let allowed: [String]
    let place: String
    if folders[0] == "Sources" {
      guard let module = layout.module(named: folders[1]) else { return [] }
      allowed = module.imports
      place = "\(module.name) (\(module.level))"
    } else {
      let subject = folders[1].hasSuffix("Tests") ? String(folders[1].dropLast(5)) : folders[1]
      let own = layout.modules.map(\.name).filter { $0 != layout.hiddenModule }
      let subjects = layout.module(named: subject)?.imports ?? []
      allowed = layout.testImports + own + subjects.filter { $0 != layout.hiddenModule }
      place = folders[1]
    }
    var findings: [Finding] = []
    for found in Tidy.imports(in: tokens) {
      let message: String
      if !allowed.contains(found.module) {
        let list = allowed.isEmpty ? "nothing" : allowed.sorted().joined(separator: ", ")
        message =
          "'import \(found.module)' is not in the layer table for \(place), use only: \(list)"
      } else if found.module == layout.hiddenModule && !found.isInternal {
        message =
          "'import \(found.module)' would show GPL-3 types to other modules, "
          + "use 'internal import \(found.module)'"
      } else {
        continue
      }
      findings.append(
        Finding(path: source.path, line: found.line, rule: "layer", message: message))
    }
    return findings
  }

  struct Import {
    let module: String
    let line: Int
    let isInternal: Bool
  }

  private static let narrow: Set<String> = ["internal", "private", "fileprivate"]
  private static let importKinds: Set<String> = [
    "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
  ]

  /// Every import declaration, with or without attributes, access level, kind and submodule.
  static func imports(in tokens: [Token]) -> [Import] {
    var found: [Import] = []
    for index in tokens.indices where tokens[index].is("import") {
      if index > 0 && tokens[index - 1].is(".") { continue }
      var name = index + 1
      if name < tokens.count && importKinds.contains(tokens[name].text) { name += 1 }
      guard name < tokens.count, tokens[name].kind == .word else { continue }
      var before = index - 1
      var isInternal = false
      while before >= 0 && tokens[before].line == tokens[index].line {
        isInternal = isInternal || narrow.contains(tokens[before].text)
        before -= 1
      }
      found.append(
        Import(module: tokens[name].text, line: tokens[index].line, isInternal: isInternal))
    }
    return found
  }

  /// Folders without a row in the layer table, files no target builds, products above L0.
  func packageFindings(_ sources: [SourceText], _ lexed: [LexedSource?]) -> [Finding] {
    guard let place = sources.firstIndex(where: { $0.path == "Package.swift" }),
      let code = lexed[place]
    else {
      return [
        Finding(
          path: "Package.swift", line: 1, rule: "orphan-file",
          message: "no package manifest, use 'tidy' on the root of the repository")
      ]
    }
    let manifest = PackageManifest(code.tokens)
    var findings: [Finding] = []
    var unknown: Set<String> = []
    for source in sources {
      let folders = source.folders
      if layout.foldersOutsidePackage.contains(where: { source.path.hasPrefix($0 + "/") }) {
        continue
      }
      let isHome = folders.first == "Sources" || folders.first == "Tests"
      if isHome && folders.count >= 2 {
        if folders[0] == "Sources" && layout.module(named: folders[1]) == nil
          && unknown.insert(folders[1]).inserted
        {
          findings.append(
            Finding(
              path: source.path, line: 1, rule: "unknown-module",
              message: "the module folder '\(folders[1])' is not in the layer table, "
                + "use a row in Layout.firstFrame"))
        }
        if manifest.targets.contains(folders[1]) { continue }
      } else if !(isHome && source.kind != .data) && source.kind != .swift {
        continue
      } else if source.path == "Package.swift" {
        continue
      }
      findings.append(
        Finding(
          path: source.path, line: 1, rule: "orphan-file",
          message: "no target of Package.swift builds this file, "
            + "use a target's folder or delete it"))
    }
    let shipped = Set(layout.modules.filter { $0.zone == .policy }.map(\.name))
    for library in manifest.libraries {
      for target in library.targets
      where !shipped.contains(target) && !layout.libraries.contains(target) {
        findings.append(
          Finding(
            path: "Package.swift", line: library.line, rule: "product",
            message: "'\(target)' is above L0 and cannot be a library product, "
              + "use an executable or an L0 target"))
      }
    }
    return findings
  }

  /// Plug-in files that their family's registry does not name.
  func familyFindings(_ sources: [SourceText], _ lexed: [LexedSource?]) -> [Finding] {
    var findings: [Finding] = []
    for family in layout.families {
      let plugins = sources.filter { family.has($0) }
      if plugins.isEmpty { continue }
      guard let place = sources.firstIndex(where: { $0.path == family.registry }),
        let registry = lexed[place]
      else {
        findings.append(
          Finding(
            path: family.registry, line: 1, rule: "unregistered",
            message: "the registry of \(family.folder) is missing, use the path in the layout"))
        continue
      }
      // `case sieve` and `Sieve()` both name Sieve: only the first letter's case may differ.
      let named = Set(registry.tokens.filter { $0.kind == .word }.map { lowerFirst($0.text) })
      for source in plugins where !named.contains(lowerFirst(source.typeName)) {
        findings.append(
          Finding(
            path: source.path, line: 1, rule: "unregistered",
            message: "'\(source.typeName)' is not named in the registry, "
              + "use one line in \(family.registry)"))
      }
    }
    return findings
  }

  private func lowerFirst(_ name: String) -> String {
    name.prefix(1).lowercased() + name.dropFirst()
  }
}
