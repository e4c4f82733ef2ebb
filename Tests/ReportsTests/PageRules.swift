import Foundation
import Testing

/// What every page keeps to: well-formed, no script, no style of single elements, headings in
/// order, tables with captions and scopes, pictures with a text, and links that lead somewhere.
struct PageRules {
  let check: MarkupCheck
  /// Each rule that is broken, in a sentence.
  private(set) var faults: [String] = []

  init(_ page: String) throws {
    check = try MarkupCheck(page)
    let elements = check.elements
    func count(_ name: String) -> Int { elements[name] ?? 0 }
    func expect(_ isKept: Bool, _ fault: String) { if !isKept { faults.append(fault) } }
    for name in ["script", "link", "iframe", "object", "img", "form"] {
      expect(count(name) == 0, "has \(name)")
    }
    expect(count("style") == 1, "\(count("style")) style sheets")
    expect(!page.contains(" style=\""), "an element has a style of its own")
    expect(!page.contains(" onclick") && !page.contains("javascript:"), "has a handler")
    expect(Set(check.ids).count == check.ids.count, "an id stands twice: \(check.ids)")
    expect(count("h1") == 1 && count("main") == 1 && count("nav") == 1, "no h1, main or nav")
    expect(count("caption") == count("table"), "a table has no caption")
    expect(
      page.pieces("<th ") + page.pieces("<th>") == page.pieces("<th scope="), "th without scope")
    expect(!page.contains(/<th[^>]*><\/th>/), "an empty heading of a table")
    expect(count("figure") == count("figcaption"), "a figure has no caption")
    let pictures = page.pieces("role=\"img\"")
    expect(page.pieces("<title id=") == pictures, "a picture has no title")
    expect(page.pieces("<desc id=") == pictures, "a picture has no description")
    var level = 1
    for piece in page.split(separator: "<h").dropFirst() {
      guard let found = piece.first?.wholeNumberValue else { continue }
      expect(found <= level + 1, "a heading of level \(found) below one of level \(level)")
      level = found
    }
    let targets = check.links.filter { $0.hasPrefix("#") }.map { String($0.dropFirst()) }
    expect(targets.allSatisfy { check.ids.contains($0) }, "a link leads nowhere: \(targets)")
    expect(!check.links.contains { $0.contains("://") }, "a link leads away: \(check.links)")
  }
}

extension String {
  /// How often a piece stands in the text.
  func pieces(_ piece: String) -> Int { components(separatedBy: piece).count - 1 }
}
