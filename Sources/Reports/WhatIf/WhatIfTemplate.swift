import Foundation
import Scenario
import Studies

/// What every what-if page is made of, whatever the run is: markup, styles, scripts, and the
/// simulator as a WebAssembly module.
public struct WhatIfTemplate: Sendable {
  /// Markup with places such as `{{style}}`.
  var page: String
  var style: String
  /// What the page runs, and what its workers do.
  var script, worker: String
  /// The module, compressed.
  var module: [UInt8]

  init(page: String, style: String, script: String, worker: String, module: [UInt8]) {
    self.page = page
    self.style = style
    self.script = script
    self.worker = worker
    self.module = module
  }

  /// The file of a folder by which the parts are known.
  public static let mark = "whatif.wasm.gz"
  /// The others.
  static let files = ["page.html", "page.css", "page.js", "worker.js"]

  /// Reads the parts from the folder that `.ci/what-if` makes.
  ///
  /// - Throws: ``DocumentRejected`` for a part that is missing or cannot be what it should be.
  public init(folder: String) throws(DocumentRejected) {
    func text(_ name: String) throws(DocumentRejected) -> String {
      guard let text = InputFile.text(at: "\(folder)/\(name)") else {
        throw DocumentRejected(
          path: "\(folder)/\(name)", expected: "a part of the page", got: "no such file",
          isMissing: true)
      }
      return text
    }
    page = try text("page.html")
    style = try text("page.css")
    script = try text("page.js")
    worker = try text("worker.js")
    let path = "\(folder)/\(WhatIfTemplate.mark)"
    module = [UInt8](
      try DocumentRejected.bytes(of: path, expected: "the simulator of the page"))
    if !Gzip.isOne(module) {
      throw DocumentRejected(path: path, expected: "a gzip file", got: "another one")
    }
    try check(in: folder)
  }

  /// Refuses parts that would not stay where they are put.
  private func check(in folder: String) throws(DocumentRejected) {
    let ends = [
      ("page.css", style, "</style"), ("page.js", script, "</script"),
      ("worker.js", worker, "</script"),
    ]
    for (name, text, end) in ends {
      for word in [end, "<!--", "\r"] where text.lowercased().contains(word) {
        throw DocumentRejected(
          path: "\(folder)/\(name)", expected: "a text without \(Excerpt.oneLine(word))",
          got: "one with it")
      }
    }
  }

  /// The markup with the places filled, each once.
  ///
  /// - Parameter values: by the name of a place; what was put in is not looked through again.
  func filled(_ values: KeyValuePairs<String, String>) -> String {
    var result = ""
    var rest = Substring(page)
    while let start = rest.firstRange(of: "{{"), let end = rest.firstRange(of: "}}"),
      start.upperBound <= end.lowerBound
    {
      let name = rest[start.upperBound..<end.lowerBound]
      result += rest[..<start.lowerBound]
      result += values.first { $0.key == name }?.value ?? ""
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  /// What the browser lets the page do: run its own script, which may start workers that it made
  /// itself and compile the module; show its own styles; nothing from anywhere else.
  var policy: String {
    func hash(_ text: String) -> String {
      "'sha256-\(Data(SHA256.bytes(of: text.utf8)).base64EncodedString())'"
    }
    return [
      "default-src 'none'", "script-src \(hash(script)) 'wasm-unsafe-eval'",
      "style-src \(hash(style))", "worker-src blob:", "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
  }
}
