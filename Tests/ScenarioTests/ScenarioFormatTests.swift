import Foundation
import Testing

@testable import Scenario

@Suite struct ScenarioFormatTests {
  private static func form(_ text: String) throws -> String {
    try ScenarioFormat.text(Array(text.utf8), file: "s.yaml")
  }

  private static func refusal(_ text: String) -> [String] {
    do {
      _ = try form(text)
      return []
    } catch {
      return (error as? ScenarioRejected)?.problems.map(\.description) ?? ["\(error)"]
    }
  }

  @Test func `blanks, levels and empty lines get the one form, and remarks stay`() throws {
    let text = """
      \u{FEFF}

      # A question.
      version:   1
      name: x   # short


      network :
            access:
            - {kind: wifi-good,weight:  2}   # behind
            # before the second
            -   kind: lte
                weight: 1

                # inside the second
            # inside access
      # before devices
      devices: [ {kind: high},
        {kind: mid} ]
      policy: {"pool":{size: 3}, abr: }   \t
      text: 'a
         b'
      # the end
      """
    let wanted = """
      # A question.
      version: 1
      name: x   # short

      network:
        access:
          - {kind: wifi-good, weight: 2}     # behind
          # before the second
          - kind: lte
            weight: 1

            # inside the second
          # inside access
      # before devices
      devices: [{kind: high},
                {kind: mid}]
      policy: {"pool": {size: 3}, abr: }
      text: 'a
        b'
      # the end

      """
    let formatted = try Self.form(text.replacing("\n", with: "\r\n"))
    #expect(formatted == wanted)
    #expect(try Self.form(formatted) == formatted)
  }

  @Test func `brackets that end a line indent what they hold`() throws {
    let text = """
      a: [
          1,    # one
         # two comes
          2
        ]
      b:
        - [
        {x: 1},
          {y: 2,
        z: 3}
        ]
      c:
          [{kind: a}, {kind: b},
         {kind: c}]
      """
    let wanted = """
      a: [
        1,      # one
        # two comes
        2
      ]
      b:
        - [
            {x: 1},
            {y: 2,
             z: 3}
          ]
      c:
        [{kind: a}, {kind: b},
         {kind: c}]

      """
    #expect(try Self.form(text) == wanted)
  }

  @Test func `blocks, anchors and compact lists keep their text`() throws {
    let text = """
      ---
      a: |  # told
            first
              further in

            last


      b: >-
       one
       two
      c: &name
         x: 1
      d: *name
      e:
      - - 1
        - 2
      -
        f: 3
      - # remark
        g: 4
      h:
      """
    let wanted = """
      ---
      a: |  # told
        first
          further in

        last

      b: >-
        one
        two
      c: &name
        x: 1
      d: *name
      e:
        - - 1
          - 2
        -
          f: 3
        -  # remark
          g: 4
      h:

      """
    #expect(try Self.form(text) == wanted)
    #expect(try Self.form(wanted) == wanted)
  }

  @Test func `characters of several scalars move no remark`() throws {
    for text in ["a: good ❤️   # heart\n", "a: 👩‍👩‍👧  # three\n", "a: cafe\u{301}   # one\n"] {
      let first = try Self.form(text)
      #expect(try Self.form(first) == first)
      #expect(first.contains("  # "))
    }
  }

  @Test(arguments: [
    ("a: 1\n---\nb: 2\n", "one document"), ("%YAML 1.2\n---\na: 1\n", "without directives"),
    ("? a\n: 1\n", "a key without ?"), ("a: |2\n    b\n", "without a stated indentation"),
    ("a: {? b : 1}\n", "a key without ?"), ("a: 1\na: 2\n", "this key once"),
    ("a: [1\n", "well-formed YAML"), ("a: !x 1\n", "without a tag"), ("", "a mapping of keys"),
  ]) func `what cannot be kept is named with its place`(text: String, message: String) {
    let problems = Self.refusal(text)
    #expect(problems.count == 1, "\(problems)")
    let isNamed = problems.allSatisfy { $0.hasPrefix("s.yaml:") && $0.contains(message) }
    #expect(isNamed, "\(problems)")
  }

  @Test func `every shipped scenario has the form`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "scenarios")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.hasSuffix(".yaml") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      #expect(try Self.form(text) == text, "firstframe fmt scenarios/\(file)")
    }
  }

  /// Files with levels, lists, remarks and blanks at random: read as before, and formatted once
  /// and for all.
  @Test(arguments: 1...60) func `any file keeps its meaning and its remarks`(seed: Int) throws {
    var text = RandomText(seed: UInt64(seed))
    let written = text.file()
    let formatted = try Self.form(written)
    var problems = Problems()
    let before = try #require(YAMLReader.read(written, file: "s", into: &problems))
    let after = try #require(YAMLReader.read(formatted, file: "s", into: &problems))
    #expect(Self.plain(before) == Self.plain(after), "\(written)\n---\n\(formatted)")
    #expect(Self.remarks(written) == Self.remarks(formatted), "\(written)\n---\n\(formatted)")
    #expect(try Self.form(formatted) == formatted)
    #expect(!formatted.contains(" \n") && !formatted.contains("\n\n\n"))
  }

  private static func plain(_ node: Node) -> String {
    switch node.content {
    case .scalar(let text, let style): "\(style):\(text)"
    case .sequence(let elements): "[\(elements.map(plain).joined(separator: ","))]"
    case .mapping(let entries):
      "{\(entries.map { "\($0.key)=\(plain($0.value))" }.joined(separator: ","))}"
    }
  }

  private static func remarks(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      line.range(of: "# remark").map { String(line[$0.lowerBound...]) }
    }
  }
}

/// A scenario-like text with blanks at random.
private struct RandomText {
  private var state: UInt64
  private var remarks = 0
  private var lines: [String] = []

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  private mutating func draw(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  private mutating func blanks(_ least: Int, _ more: Int) -> String {
    String(repeating: " ", count: least + draw(more + 1))
  }

  private mutating func remark() -> String {
    remarks += 1
    return "# remark \(remarks)"
  }

  private mutating func line(_ text: String) {
    lines.append(text + (draw(4) == 0 ? blanks(1, 5) + remark() : blanks(0, 2)))
    if draw(4) == 0 { lines.append("") }
    if draw(5) == 0 { lines.append(blanks(0, 6) + remark()) }
  }

  mutating func file() -> String {
    mapping(0, 3)
    return lines.joined(separator: "\n") + "\n"
  }

  private mutating func mapping(_ indent: Int, _ depth: Int) {
    for number in 0...draw(4) {
      entry("k\(number)", String(repeating: " ", count: indent), indent, depth)
    }
  }

  private mutating func entry(_ key: String, _ start: String, _ indent: Int, _ depth: Int) {
    let choice = depth == 0 ? draw(3) : draw(6)
    switch choice {
    case 0: line("\(start)\(key):\(blanks(1, 3))\(draw(90)) ms")
    case 1: line("\(start)\(key): \"a # b\"")
    case 2:
      line(
        "\(start)\(key):\(blanks(1, 2)){a:\(blanks(1, 2))1\(blanks(0, 1)),b: [x,\(blanks(0, 2))y]}")
    case 3:
      line("\(start)\(key):")
      mapping(indent + 1 + draw(4), depth - 1)
    case 4:
      line("\(start)\(key):")
      list(indent + draw(4), depth - 1)
    default:
      lines.append("\(start)\(key): [1,\(blanks(0, 2))")
      lines.append("\(blanks(indent + 1, 5))2,\(blanks(1, 3))\(remark())")
      lines.append("\(blanks(indent + 1, 5))3]")
    }
  }

  private mutating func list(_ indent: Int, _ depth: Int) {
    for _ in 0...draw(3) {
      let start = String(repeating: " ", count: indent) + "-" + blanks(1, 2)
      if draw(2) == 0 {
        line("\(start){kind: lte}")
      } else {
        entry("kind", start, start.count, depth)
        if draw(2) == 0 {
          entry("more", String(repeating: " ", count: start.count), start.count, depth)
        }
      }
    }
  }
}
