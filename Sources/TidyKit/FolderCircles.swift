/// References from one folder of a module to another that may close a circle.
public struct FolderAllowance: Sendable {
  public let module: String
  /// Folders of the module; "" is the module's own.
  public let from: String
  public let to: String
  /// What is declared in `to` and used in `from`.
  public let names: [String]
  public let reason: String

  public init(
    _ module: String, from: String, to: String, _ names: [String], because reason: String
  ) {
    self.module = module
    self.from = from
    self.to = to
    self.names = names
    self.reason = reason
  }
}

/// The rule `folder-circle`: the first-level folders of a module use each other without a circle,
/// so that each could be a module of its own. What may close one stands in ``Layout/circles``.
extension Tidy {
  /// The file that the rows of the layout stand in.
  static let layoutPath = "Sources/TidyKit/Layout.swift"

  /// References that close a circle, references that may, and rows that allow nothing.
  func folderCircles(
    _ files: [FolderFile], hasLayout: Bool
  ) -> (findings: [Finding], allowances: [Allowance]) {
    let modules = Dictionary(grouping: files, by: \.module)
    var findings: [Finding] = []
    var allowances: [Allowance] = []
    var used: Set<[String]> = []
    for module in modules.keys.sorted() {
      let own = modules[module] ?? []
      if Set(own.map(\.folder)).count < 2 { continue }
      let others = files.filter { $0.module != module }
      let all = FolderUses(module: module, files: own, others: others).references()
      let circles = ReferenceGraph(all).circles
      var kept: [Reference] = []
      for reference in all {
        let isInCircle = circles.contains {
          $0.contains(reference.from) && $0.contains(reference.to)
        }
        guard isInCircle, let row = row(for: reference, module) else {
          kept.append(reference)
          continue
        }
        if used.insert([module, reference.from, reference.to, reference.name]).inserted {
          allowances.append(
            Allowance(
              path: reference.path, line: reference.line, rule: "folder-circle",
              reason: row.reason))
        }
      }
      findings += circleFindings(kept)
    }
    if hasLayout { findings += idleRows(used) }
    return (findings, allowances)
  }

  private func row(for reference: Reference, _ module: String) -> FolderAllowance? {
    layout.circles.first {
      $0.module == module && $0.from == reference.from && $0.to == reference.to
        && $0.names.contains(reference.name)
    }
  }

  private func circleFindings(_ references: [Reference]) -> [Finding] {
    let graph = ReferenceGraph(references)
    var findings: [Finding] = []
    for circle in graph.circles {
      let order = graph.order(of: circle)
      let places = circle.map { $0.isEmpty ? "the module's own files" : $0 }
      // One finding for each name and file: a file that goes on using it says nothing new.
      var seen: Set<[String]> = []
      for reference in references {
        guard let from = order.firstIndex(of: reference.from),
          let to = order.firstIndex(of: reference.to), from > to,
          seen.insert([reference.path, reference.name]).inserted
        else { continue }
        let home = reference.to.isEmpty ? "the module's own files" : "'\(reference.to)'"
        findings.append(
          Finding(
            path: reference.path, line: reference.line, rule: "folder-circle",
            message: "'\(reference.name)' of \(home) closes a circle of folders "
              + "(\(places.joined(separator: ", "))), "
              + "use it from above, or move it below, or a row of Layout.firstFrame.circles"))
      }
    }
    return findings
  }

  private func idleRows(_ used: Set<[String]>) -> [Finding] {
    var findings: [Finding] = []
    for row in layout.circles {
      for name in row.names where !used.contains([row.module, row.from, row.to, name]) {
        findings.append(
          Finding(
            path: Tidy.layoutPath, line: 1, rule: "folder-circle",
            message: "the row of \(row.module) that lets '\(row.from)' use '\(name)' of "
              + "'\(row.to)' allows nothing, use no row"))
      }
    }
    return findings
  }
}
