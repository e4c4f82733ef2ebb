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

  /// What the notebook is about: members of the metadata under `firstframe`.
  var about: [JSONText.Member]
  var cells: [Cell]

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
