import Testing

@testable import Scenario

@Suite struct EngineResolutionTests {
  @Test func `a base file shows through`() throws {
    let files = [
      "base/base.yaml": """
      extends: ../root.yaml
      name: base
      policy: {itemsAhead: 5, mode: burst}
      cache: {kind: sieve, capacity: 1 GiB, ttl: 2 h}
      network: {mix: {wifi: 1}, roundTrip: {kind: lognormal, median: 9 ms, p95: 30 ms}}
      budgets: [{metric: a, limit: 1}, {metric: b, limit: 2}]
      """,
      "root.yaml": "seed: 7\nname: root\n",
      "x.yaml": """
      extends: base/base.yaml
      policy: {itemsAhead: 6}
      cache: {kind: lru, capacity: 2 GiB}
      network: {mix: {lte: 0.5}, roundTrip: {sigma: 0.5}}
      budgets: [{metric: c, limit: 3}]
      """,
    ]
    try Fixture.withFiles(files) { directory in
      let scenario = try ScenarioFile.load("\(directory)/x.yaml", schema: Fixture.schema)
      let tree = scenario.tree
      #expect(
        scenario.files.map { String($0.dropFirst(directory.count + 1)) } == [
          "x.yaml", "base/base.yaml", "root.yaml",
        ])
      #expect(tree.integer("seed") == 7)
      #expect(tree.text("name") == "base")
      #expect(tree.integer("policy.itemsAhead") == 6)
      #expect(tree.word("policy.mode") == "burst")
      #expect(tree.kind("cache") == "lru")
      #expect(tree.entries("network.mix").map(\.key) == ["wifi", "lte"])
      #expect(tree.law("network.roundTrip") == .lognormal(median: 0.009, sigma: 0.5))
      #expect(tree.elements("budgets").map { $0.text("metric") } == ["c"])
      #expect(tree.origin(of: "policy.mode").file == "\(directory)/base/base.yaml")
      #expect(tree.directory(of: "policy.mode") == "\(directory)/base")
      let again = try Fixture.load(scenario.resolvedText)
      #expect(again.tree == tree)
      #expect(again.resolvedText == scenario.resolvedText)
    }
  }

  @Test func `another kind in the overlay replaces the default one`() throws {
    let tree = try Fixture.load("name: a\ncache: {kind: infinite}").tree
    #expect(tree.kind("cache") == "infinite")
    // The default's kind stays when only one of its keys is written.
    let same = try Fixture.load("name: a\ncache: {capacity: 1 MB}").tree
    #expect(same.kind("cache") == "lru")
    #expect(same.bytes("cache.capacity") == 1_000_000)
  }

  @Test func `files that extend each other give one message`() throws {
    let files = [
      "a.yaml": "extends: b.yaml\n", "b.yaml": "extends: sub/../c.yaml\n",
      "c.yaml": "name: c\nextends: b.yaml\n",
    ]
    try Fixture.withFiles(files) { directory in
      let (kind, messages) = Fixture.rejection("a.yaml", in: directory)
      #expect(kind == .badData)
      #expect(
        messages == [
          "c.yaml:2:10: extends: expected a file that does not extend this one, "
            + "got b.yaml -> c.yaml -> b.yaml"
        ])
    }
  }

  @Test func `a long chain of files is refused`() throws {
    var files: [String: String] = [:]
    for index in 0..<20 { files["f\(index).yaml"] = "extends: f\(index + 1).yaml\nname: a\n" }
    files["f20.yaml"] = "name: a\n"
    try Fixture.withFiles(files) { directory in
      let (_, messages) = Fixture.rejection("f0.yaml", in: directory)
      #expect(
        messages == [
          "f15.yaml:1:10: extends: expected at most 16 files in a row, got one more, f16.yaml"
        ])
      #expect(Fixture.rejection("f5.yaml", in: directory).0 == nil)
    }
  }

  @Test func `a missing base is a missing file, and the rest is still checked`() throws {
    let files = ["x.yaml": "extends: none.yaml\nseed: -1\npolcy: {}\n"]
    try Fixture.withFiles(files) { directory in
      let (kind, messages) = Fixture.rejection("x.yaml", in: directory)
      #expect(kind == .missingFile)
      #expect(messages.count == 3)
      #expect(
        messages.first == "x.yaml:1:10: extends: expected an existing file, "
          + "got no file of this name: none.yaml")
    }
  }

  @Test func `problems of all files come together`() throws {
    let files = ["x.yaml": "extends: a.yaml\nseed: x\n", "a.yaml": "name: 1\nbudget: []\n"]
    try Fixture.withFiles(files) { directory in
      let (_, messages) = Fixture.rejection("x.yaml", in: directory)
      #expect(messages.map { $0.prefix(8) } == ["a.yaml:1", "a.yaml:2", "x.yaml:2"])
    }
  }

  @Test func `the command line overrides and is named as the origin`() throws {
    let scenario = try Fixture.load(
      "name: a\nbudgets: [{metric: m, limit: 1}]\ncache: {kind: sieve, capacity: 1 GB, ttl: 1 h}\n",
      [
        Override(set: "policy.headLength=250 ms"), Override(set: "budgets[0].limit=2.5"),
        Override(set: "network.roundTrip.median=60 ms"), Override(set: "cache.kind=lru"),
        Override(set: "network.mix={wifi: 100 %}"), Override(set: "name=b"),
        Override(set: "network.rate={kind: uniform, min: 1 Mbps, max: 2 Mbps}"),
        Override(option: "--replications", keyPath: "replications", value: "16"),
      ])
    let tree = scenario.tree
    #expect(tree.time("policy.headLength") == 250_000_000)
    #expect(tree.real("budgets[0].limit") == 2.5)
    #expect(tree.kind("cache") == "lru")
    #expect(tree.bytes("cache.capacity") == 1_000_000_000)
    #expect(tree.law("network.rate") == .uniform(min: 1e6, max: 2e6))
    if case .lognormal(let median, _) = tree.law("network.roundTrip") {
      #expect(median == 0.06)
    } else {
      Issue.record("the default law is gone")
    }
    #expect(tree.origin(of: "policy.headLength").summary == "--set")
    #expect(tree.origin(of: "replications").summary == "--replications")
    #expect(tree.origin(of: "policy.itemsAhead").summary == "default (assumed)")
    #expect(tree.origin(of: "budgets[0].metric").summary == "x.yaml:2")
  }

  @Test(
    arguments: [
      (
        "policy.itemsAhed=3",
        "--set policy.itemsAhed: policy.itemsAhed: expected one of the keys itemsAhead, "
          + "headLength, cap, waste, isEager, gain, mode, got itemsAhed (did you mean itemsAhead?)"
      ),
      (
        "policy.headLength=40",
        "--set policy.headLength: policy.headLength: expected a time such as \"40 ms\", got 40"
      ),
      (
        "policy.headLength=",
        "--set policy.headLength: policy.headLength: expected a time such as \"40 ms\", got nothing"
      ),
      ("policy", "--set policy: policy: expected key.path=value, got no ="),
      ("a..b=1", "--set a..b: a..b: expected a key path such as budgets[2].limit, got a..b"),
      (
        "budgets[1].limit=3",
        "--set budgets[1].limit: budgets[1]: expected an index below 1, got 1"
      ),
      (
        "extends=b.yaml",
        "--set extends: extends: expected a key of the scenario (only a file can extend another), "
          + "got extends"
      ),
      ("seed[0]=3", "--set seed[0]: seed: expected a list, got 4"),
      ("seed.x=3", "--set seed.x: seed: expected a mapping, got 4"),
      (
        "seed=[1",
        "--set seed: seed: expected well-formed YAML, got \"did not find expected ',' or ']'\" "
          + "while parsing a flow sequence"
      ),
    ])
  func `a bad override is a problem like any other`(argument: String, message: String) {
    let text = "name: a\nseed: 4\nbudgets: [{metric: m, limit: 1}]\n"
    #expect(Fixture.messages(text, [Override(set: argument)]) == [message])
  }

  @Test func `a key path without end is refused`() {
    let argument = String(repeating: "a.", count: 50_000) + "a=1"
    let found = Fixture.messages("name: a\n", [Override(set: argument)])
    #expect(found.count == 1)
    #expect(found[0].contains("expected a key path such as budgets[2].limit, got a.a.a."))
  }

  @Test func `explain shows every key with value and origin`() throws {
    let scenario = try Fixture.load(
      """
      name: a
      cache: {kind: sieve, capacity: 256MiB}
      network: {mix: {}, rate: {kind: exponential, mean: 5000 kbps}}
      budgets: [{metric: "m{a=b}.p95", limit: 1e3}]
      sweep: {policy.itemsAhead: [1, 2]}
      """, [Override(set: "policy.cap=1 Mbps")])
    let expected = """
      name                         a            x.yaml:1
      seed                         1            default (assumed)
      replications                 8            default (contract.md 2)
      duration                     30 min       default (assumed)
      policy.itemsAhead            3            default (assumed)
      policy.headLength            1500 ms      default (parameters.md 2.1)
      policy.cap                   1 Mbps       --set
      policy.waste                 0.05         default (assumed)
      policy.isEager               false        default (assumed)
      policy.gain                  1            default (assumed)
      policy.mode                  steady       default (assumed)
      cache.kind                   sieve        x.yaml:2
      cache.capacity               256 MiB      x.yaml:2
      cache.ttl                    1 d          default (assumed)
      network.roundTrip.kind       lognormal    default (network.md 4)
      network.roundTrip.median     55 ms        default (network.md 4)
      network.roundTrip.p95        180 ms       default (network.md 4)
      network.rate.kind            exponential  x.yaml:3
      network.rate.mean            5 Mbps       x.yaml:3
      network.mix                  {}           x.yaml:3
      note                         none         default (assumed)
      budgets[0].metric            m{a=b}.p95   x.yaml:4
      budgets[0].limit             1000         x.yaml:4
      budgets[0].level             hard         default (assumed)
      sweep."policy.itemsAhead"    [1, 2]       x.yaml:5

      """
    let squeezed = { (text: String) in
      text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }
    #expect(squeezed(scenario.explanation) == squeezed(expected))
    let columns = scenario.explanation.split(separator: "\n").prefix(3).map { line in
      line.range(of: "  ").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
    }
    #expect(columns[0] == 4)
    let starts = scenario.explanation.split(separator: "\n").map { line in
      line.dropFirst(25).first == " " && line.dropFirst(26).first == " "
    }
    #expect(starts.allSatisfy { $0 })
  }

  @Test func `the resolved text is canonical`() throws {
    let scenario = try Fixture.load(
      "{\"policy\": {\"cap\": \"0.5 Mbps\"}, \"name\": \"a\", \"note\": \"on \\u2028 \\\"x\\\"\"}")
    #expect(
      scenario.resolvedText == """
        name: "a"
        seed: 1
        replications: 8
        duration: "30 min"
        policy:
          itemsAhead: 3
          headLength: "1500 ms"
          cap: "500 kbps"
          waste: 0.05
          isEager: false
          gain: 1
          mode: steady
        cache:
          kind: lru
          capacity: "2 TiB"
        network:
          roundTrip:
            kind: lognormal
            median: "55 ms"
            p95: "180 ms"
          rate: "5 Mbps"
          mix:
            wifi: 0.6
            lte: 0.4
        note: "on \\u2028 \\"x\\""
        budgets: []
        sweep: {}

        """)
  }

  // The law of the writer: reading what it wrote gives an equal tree, for any accepted tree.
  @Test(arguments: (1...100).map { UInt64($0) })
  func `any tree survives writing and reading`(seed: UInt64) throws {
    var maker = TreeMaker(random: EngineRandom(state: seed))
    let text = maker.text(.object(Fixture.schema.root), depth: 0)
    let scenario = try Fixture.load(text)
    let again = try Fixture.load(scenario.resolvedText)
    #expect(again.tree == scenario.tree, "seed \(seed): \(text)")
    #expect(again.resolvedText == scenario.resolvedText, "seed \(seed)")
  }

  // 3,000 mutations: none stops the process, and each gives a tree or a problem with one-line text.
  @Test(arguments: (0..<10).map { UInt64($0) })
  func `a damaged file never crashes the reader`(seed: UInt64) {
    var random = EngineRandom(state: seed &* 7919 &+ 1)
    let valid = Array(
      """
      # a remark
      name: metro
      extends: none.yaml
      policy: &p {itemsAhead: 3, headLength: "1.5 s", cap: none, waste: 5 %}
      cache:
        kind: sieve
        capacity: 256 MiB
      network:
        mix: {wifi: 0.5, lte: 50 %}
        roundTrip: {kind: mixture, parts: [{weight: 1, law: 4 ms}]}
      budgets:
        - {metric: "ttff_ms{network=wifi}.p95", limit: 600}
        - metric: 'x'
          limit: 1e3
      sweep: {policy.itemsAhead: [0, 1], cache.ttl: [1 h]}
      note: |
        ünicode 😀
      """.replacing("extends: none.yaml\n", with: "").utf8)
    let pieces = [
      "\"", "'", "[", "]", "{", "}", ":", "- ", "\n", "\t", "*p", "&q ", "<<: *p", "\u{0}", "!!x ",
      "---\n", "? ", "| ", "> ", "# ", "999999999999999999999", "-", "%", ",", "kind: ", "\\u", "é",
      "  ", "none", "~", "1e999", "@", "`",
    ].map { Array($0.utf8) }
    var accepted = 0
    for _ in 0..<300 {
      var bytes = valid
      for _ in 0...random.below(4) {
        let at = random.below(bytes.count)
        switch random.below(5) {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(12)))
        case 2: bytes.insert(contentsOf: random.one(of: pieces), at: at)
        case 3:
          let from = random.below(bytes.count)
          bytes.insert(contentsOf: bytes[from..<min(bytes.count, from + 20)], at: at)
        default: bytes.removeSubrange(at...)
        }
        if bytes.isEmpty { bytes = [0x0A] }
      }
      do throws(ScenarioRejected) {
        _ = try ScenarioFile.parse(bytes, file: "x.yaml", schema: Fixture.schema)
        accepted += 1
      } catch {
        #expect(!error.problems.isEmpty)
        #expect(error.problems.allSatisfy { !$0.description.contains("\n") }, "seed \(seed)")
      }
    }
    #expect(accepted < 300, "the damage does nothing")
  }
}

/// Writes random scenarios that the table accepts.
struct TreeMaker {
  var random: EngineRandom

  mutating func text(_ shape: Shape, depth: Int) -> String {
    switch shape {
    case .time(let range): return quantity(.time, range)
    case .bytes(let range): return quantity(.bytes, range)
    case .bitRate(let range): return quantity(.bitRate, range)
    case .ratio:
      let value = Double(random.next() >> 11) / 9_007_199_254_740_992
      return random.below(2) == 0 ? "\(value)" : "\"\(random.below(101)) %\""
    case .integer(let range):
      let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
      return "\(range.lowerBound + Int64(random.next() % (span == .max ? span : span + 1)))"
    case .real(let range):
      let low = range.minimum.isFinite ? range.minimum : -1e6
      let high = range.maximum.isFinite ? range.maximum : 1e6
      return "\(high - (high - low) * Double(random.next() >> 12) / 4_503_599_627_370_496)"
    case .boolean: return random.one(of: ["true", "false"])
    case .text: return CanonicalText.quoted(anyText())
    case .word(let words): return random.one(of: words).spelling
    case .optional(let inner): return random.below(3) == 0 ? "none" : text(inner, depth: depth)
    case .law(let unit):
      return random.below(2) == 0
        ? text(unit.value, depth: depth)
        : "{kind: exponential, mean: \(text(unit.positive, depth: depth))}"
    case .list(let element, _):
      return
        "["
        + (0..<random.below(4)).map { _ in text(element, depth: depth) }
        .joined(separator: ", ") + "]"
    case .map(_, let value, _):
      let parts = (0..<random.below(4)).map { "k\($0): \(text(value, depth: depth))" }
      return "{\(parts.joined(separator: ", "))}"
    case .object(let object): return mapping(object, kind: nil, depth: depth)
    case .kinds(let kinds):
      let kind = random.one(of: kinds)
      return mapping(kind.object, kind: kind.word, depth: depth)
    case .variations: return "{seed: [1, 2, 3], policy.cap: [none, 5 Mbps]}"
    }
  }

  private mutating func mapping(_ object: ObjectShape, kind: String?, depth: Int) -> String {
    var parts = kind.map { ["kind: \($0)"] } ?? []
    for field in object.fields where field.presetNode == nil || random.below(2) == 0 {
      let value =
        field.name == "name" ? "n\(random.below(1_000))" : text(field.shape, depth: depth + 1)
      parts.append("\(field.name): \(value)")
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  private mutating func quantity(_ family: Quantity, _ range: ClosedRange<Int64>) -> String {
    let drawn = Int64(random.next() >> 1) >> Int64(random.below(62))
    return "\"\(family.text(min(max(drawn, range.lowerBound), range.upperBound)))\""
  }

  private mutating func anyText() -> String {
    var text = ""
    for _ in 0...random.below(8) {
      let value = UInt32(random.below(random.one(of: [0x30, 0x80, 0x3000, 0x11_0000])))
      // A text has no control characters but these.
      let isControl =
        (value < 0x20 && ![0x09, 0x0A, 0x0D].contains(value))
        || (0x7F..<0xA0).contains(value)
      text.unicodeScalars.append(isControl ? "y" : Unicode.Scalar(value) ?? "x")
    }
    return text
  }
}
