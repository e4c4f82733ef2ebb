import Scenario

/// A Jupyter notebook without outputs (nbformat 4.5): the same bytes for the same cells, members in
/// the order that Jupyter itself writes.
struct Notebook: Sendable, Equatable {
  /// A piece of text or of Python.
  struct Cell: Sendable, Equatable {
    enum Kind: String, Sendable {
      case markdown
      case code
    }

    var kind: Kind
    /// 1 to 64 letters, digits, hyphens and underscores; no two cells of a notebook have the same.
    var id: String
    var source: String
    var tags: [String] = []
  }

  /// One part of the folder that a notebook shows: what it means, and the call that shows it.
  struct Section: Sendable {
    /// The name of its cells and of the page's method in the Python package.
    var id: String
    var title: String
    /// Markdown.
    var prose: String
    /// The topics of a run that it belongs to, beside `all`.
    var topics: [NotebookReport.Topic] = []
    /// Python: what the method is called with.
    var arguments = ""
  }

  /// What the notebook is about: members of the metadata under `firstframe`.
  var about: [JSONText.Member]
  var cells: [Cell]

  /// The notebook of a folder of results; what draws is the Python package, `_notebook.py`.
  ///
  /// - Parameters:
  ///   - opening: Markdown; the first cell.
  ///   - folder: the folder as the notebook finds it, from the notebook's own folder.
  init(
    about: [JSONText.Member], opening: String, folder: String, topic: NotebookReport.Topic = .all,
    sections: [Section]
  ) {
    let chosen = topic == .all ? "" : "about=\(Notebook.literal(topic.rawValue)), "
    let version = Notebook.literal(ProgramVersion.number)
    let missing = "firstframe: expected its Python package, got none: "
    let wheel = Notebook.literal(missing + "pip install firstframe-*.whl matplotlib")
    let page = """
      try: import firstframe
      except ImportError: raise ImportError(\(wheel)) from None
      page = firstframe.notebook(run_dir, \(chosen)version=\(version))
      """
    self.about = about
    cells = [
      Cell(kind: .markdown, id: "title", source: opening),
      Cell(
        kind: .code, id: "parameters", source: "run_dir = \(Notebook.literal(folder))",
        tags: ["parameters"]),
      Cell(kind: .code, id: "page", source: page),
    ]
    for section in sections {
      let call = "page.\(section.id)(\(section.arguments))"
      cells.append(
        Cell(
          kind: .markdown, id: section.id + "-text",
          source: "## \(section.title)\n\n\(section.prose)"))
      cells.append(Cell(kind: .code, id: section.id, source: call))
    }
  }

  /// The text of the `.ipynb` file.
  func text() -> String {
    let document: JSONText = [
      "cells": .array(cells.map { Notebook.json($0) }),
      "metadata": [
        "firstframe": .object(about),
        "kernelspec": ["display_name": "Python 3", "language": "python", "name": "python3"],
        "language_info": ["name": "python"],
      ],
      "nbformat": 4, "nbformat_minor": 5,
    ]
    return document.text(indent: 1)
  }

  private static func json(_ cell: Cell) -> JSONText {
    let tags = cell.tags.map { JSONText.string($0) }
    let metadata: JSONText = tags.isEmpty ? .object([]) : ["tags": .array(tags)]
    var members: [JSONText.Member] = [.init("cell_type", .string(cell.kind.rawValue))]
    if cell.kind == .code { members.append(.init("execution_count", .null)) }
    members += [.init("id", .string(cell.id)), .init("metadata", metadata)]
    if cell.kind == .code { members.append(.init("outputs", .array([]))) }
    members.append(.init("source", .array(lines(cell.source).map { .string($0) })))
    return .object(members)
  }

  /// Lines with their line feeds; the last has none.
  private static func lines(_ source: String) -> [String] {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { $0 + 1 < lines.count ? $1 + "\n" : String($1) }
  }

  /// Text from outside as a literal of Python, on one line.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      default:
        if VisibleText.isHidden(scalar) {
          let digits = String(scalar.value, radix: 16)
          result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// Text from outside as Markdown that shows it as it is, on one line.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in VisibleText.escaped(text) {
      if character.isNewline {
        result += " "
        continue
      }
      if "\\`*_{}[]<>()#|~$&!".contains(character) { result += "\\" }
      result.append(character)
    }
    return result
  }
}
