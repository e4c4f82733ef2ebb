/// Writes a plan as JSON: keys in alphabetical order, a member a line, two blanks for each level.
///
/// The bytes are those of Foundation's `JSONEncoder` with sorted keys and pretty printing, which
/// needs a second for each ten thousand shards and hundreds of megabytes for its tree.
struct PlanWriter {
  private(set) var bytes: [UInt8] = []
  private var depth = 0

  mutating func add(_ plan: ShardPlan) {
    object { writer in
      writer.member("command") { $0.list(plan.command) { $0.add($1) } }
      writer.member("configurations") {
        $0.list(plan.configurations) { writer, row in
          writer.object {
            $0.member("file") { $0.add(row.file) }
            $0.member("name") { $0.add(row.name) }
            $0.member("settings") { $0.list(row.settings) { $0.add($1) } }
            $0.member("short") { $0.text(row.short ? "true" : "false") }
          }
        }
      }
      writer.member("digest") { $0.add(plan.digest) }
      writer.member("schema") { $0.add(plan.schema) }
      writer.member("series") { $0.list(plan.series) { $0.add($1) } }
      writer.member("settings") {
        $0.list(plan.settings) { writer, setting in
          writer.object {
            $0.member("key") { $0.add(setting.key) }
            $0.member("option") { $0.add(setting.option) }
            $0.member("value") { $0.add(setting.value) }
          }
        }
      }
      writer.member("shards") {
        $0.list(plan.shards) { writer, shard in
          writer.object {
            $0.member("count") { $0.add(shard.count) }
            $0.member("first") { $0.add(shard.first) }
            $0.member("index") { $0.add(shard.index) }
            $0.member("series") { $0.add(shard.series) }
            $0.member("wave") { $0.add(shard.wave) }
          }
        }
      }
    }
  }

  private mutating func add(_ row: ShardPlan.Series) {
    object { writer in
      writer.member("configuration") { $0.add(row.configuration) }
      if let seconds = row.cpuSeconds { writer.member("cpuSeconds") { $0.add(seconds) } }
      writer.member("keeps") { $0.add(row.keeps.rawValue) }
      writer.member("key") { $0.add(row.key) }
      writer.member("memoryBytes") { $0.text("\(row.memoryBytes)") }
      writer.member("metrics") { $0.list(row.metrics) { $0.add($1) } }
      writer.member("modelVersion") { $0.add(row.modelVersion) }
      if let network = row.network { writer.member("network") { $0.add(network) } }
      writer.member("seed") { $0.add(row.seed) }
      if let seeds = row.seeds { writer.member("seeds") { $0.add(seeds) } }
      if let ties = row.shuffleTies { writer.member("shuffleTies") { $0.add(ties) } }
    }
  }

  // MARK: JSON

  /// Whether a member or an element stands before the next one.
  private var hasBefore = false

  private mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func line() {
    bytes.append(0x0A)
    for _ in 0..<depth { bytes += [0x20, 0x20] }
  }

  /// What stands between two brackets.
  private mutating func block(
    _ open: UInt8, _ close: UInt8, _ inner: (inout PlanWriter) -> Void
  ) {
    bytes.append(open)
    depth += 1
    hasBefore = false
    inner(&self)
    depth -= 1
    if !hasBefore { bytes.append(0x0A) }
    line()
    bytes.append(close)
    hasBefore = true
  }

  private mutating func next() {
    if hasBefore { bytes.append(0x2C) }
    line()
  }

  private mutating func object(_ members: (inout PlanWriter) -> Void) {
    block(0x7B, 0x7D, members)
  }

  private mutating func member(_ name: String, _ value: (inout PlanWriter) -> Void) {
    next()
    text("\"\(name)\" : ")
    value(&self)
    hasBefore = true
  }

  private mutating func list<Element>(
    _ elements: [Element], _ write: (inout PlanWriter, Element) -> Void
  ) {
    block(0x5B, 0x5D) { writer in
      for element in elements {
        writer.next()
        write(&writer, element)
        writer.hasBefore = true
      }
    }
  }

  private mutating func add(_ number: Int) { text("\(number)") }

  /// A number without a point where it is whole.
  private mutating func add(_ number: Double) {
    let digits = "\(number)"
    text(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }

  private mutating func add(_ string: String) {
    bytes.append(0x22)
    for byte in string.utf8 {
      switch byte {
      case 0x22: text("\\\"")
      case 0x5C: text("\\\\")
      case 0x08: text("\\b")
      case 0x0C: text("\\f")
      case 0x0A: text("\\n")
      case 0x0D: text("\\r")
      case 0x09: text("\\t")
      case 0x00..<0x20:
        let digits = String(byte, radix: 16)
        text("\\u00" + (digits.count == 1 ? "0" : "") + digits)
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }
}
