import Models

/// A network trace with its name.
public struct SabreTrace: Sendable, Equatable {
  /// The name that a result carries.
  public var name: String
  /// The trace.
  public var network: SabreNetwork

  /// A trace called `name`.
  public init(name: String, network: SabreNetwork) {
    self.name = name
    self.network = network
  }
}

/// Reads Sabre's input files and collects everything that is wrong with them.
///
/// Films and networks are Sabre's own JSON; a table of traces is CSV with the columns `trace`,
/// `duration_ms`, `bandwidth_kbps` and `latency_ms`. Keys and columns that the model does not use
/// are passed over. The bounds below are far above any real file; they keep a session finite.
struct SabreReader {
  /// What has been found so far.
  var problems = Problems()

  /// Bounds of a number.
  struct Bounds {
    /// What it is measured in.
    var unit: String
    var range: ClosedRange<Double>

    static let segmentDuration = Bounds(unit: "ms", range: 1...1e6)
    static let bitrate = Bounds(unit: "kbit/s", range: 1e-3...1e9)
    static let size = Bounds(unit: "bits", range: 1...1e12)
    static let duration = Bounds(unit: "ms", range: 0...1e9)
    static let bandwidth = Bounds(unit: "kbit/s", range: 0...1e9)
    static let latency = Bounds(unit: "ms", range: 0...1e6)

    /// The words of a message.
    var expectation: String {
      let (low, high) = (range.lowerBound, range.upperBound)
      return "a number of \(unit) from \(PlainNumber.text(low)) to \(PlainNumber.text(high))"
    }
  }

  mutating func report(
    _ code: Problem.Code, _ place: Origin, _ path: TreePath, _ expected: String, _ got: String
  ) {
    problems.add(
      Problem(code, at: place, keyPath: path.description, expected: expected, got: got))
  }

  /// The bytes of a file of at most `limit` bytes, or nil with a problem.
  mutating func bytes(of path: String, limit: Int) -> [UInt8]? {
    do throws(InputFile.Failure) {
      return try InputFile.bytes(at: path, limit: limit)
    } catch {
      let isOurLimit = error.code == .largeFile
      report(
        error.code, .file(path, line: 1, column: 1), TreePath(),
        isOurLimit ? "a file of at most \(limit >> 20) MiB" : error.expected, error.got)
      return nil
    }
  }

  /// `text` as a number within its bounds, or nil with a problem.
  mutating func number(
    _ text: String, _ bounds: Bounds, at place: Origin, _ path: TreePath
  ) -> Double? {
    let got = text.isEmpty ? "nothing" : Excerpt.oneLine(text)
    guard let value = try? PlainNumber.real(of: text) else {
      report(.wrongType, place, path, bounds.expectation, got)
      return nil
    }
    if bounds.range.contains(value) { return value }
    report(.outOfRange, place, path, bounds.expectation, got)
    return nil
  }
}

// MARK: - JSON

extension SabreReader {
  /// Reads a film: `segment_duration_ms`, `bitrates_kbps` and `segment_sizes_bits`.
  mutating func movie(at path: String) -> SabreMovie? {
    guard let top = tree(at: path) else { return nil }
    guard case .mapping = top.content else {
      report(.wrongType, top.origin, TreePath(), "a film (a JSON object)", top.excerpt)
      return nil
    }
    var duration: Double?
    if let (node, path) = member("segment_duration_ms", of: top, TreePath()) {
      duration = number(node, .segmentDuration, path)
    }
    var bitrates: [Double]?
    if let (node, path) = member("bitrates_kbps", of: top, TreePath()) {
      bitrates = self.bitrates(node, path)
    }
    var sizes: [[Double]]?
    if let (node, path) = member("segment_sizes_bits", of: top, TreePath()) {
      sizes = self.sizes(node, path, levels: list(top["bitrates_kbps"])?.count)
    }
    guard let duration, let bitrates, let sizes else { return nil }
    return SabreMovie(segmentDuration: duration, bitrates: bitrates, sizes: sizes)
  }

  /// Reads a network: a list of `duration_ms`, `bandwidth_kbps` and `latency_ms`.
  mutating func network(at path: String) -> SabreNetwork? {
    guard let top = tree(at: path) else { return nil }
    guard let rows = elements(top, TreePath(), "a list of periods") else { return nil }
    var periods: [SabrePeriod] = []
    var isWhole = true
    for (index, row) in rows.enumerated() {
      let path = TreePath().index(index)
      guard case .mapping = row.content else {
        report(.wrongType, row.origin, path, "a period (a JSON object)", row.excerpt)
        isWhole = false
        continue
      }
      let duration = number("duration_ms", of: row, .duration, path)
      let bandwidth = number("bandwidth_kbps", of: row, .bandwidth, path)
      let latency = number("latency_ms", of: row, .latency, path)
      guard let duration, let bandwidth, let latency else {
        isWhole = false
        continue
      }
      periods.append(SabrePeriod(duration: duration, bandwidth: bandwidth, latency: latency))
    }
    return isWhole ? network(periods, at: top.origin, TreePath()) : nil
  }

  /// A trace of the rows, or nil with a problem when it could never carry anything.
  mutating func network(
    _ periods: [SabrePeriod], at place: Origin, _ path: TreePath
  ) -> SabreNetwork? {
    if periods.contains(where: { $0.duration > 0 && $0.bandwidth > 0 }) {
      return SabreNetwork(periods)
    }
    report(
      .inconsistent, place, path, "a row with a duration and a bandwidth above 0", "none")
    return nil
  }

  private mutating func tree(at path: String) -> Node? {
    guard let bytes = bytes(of: path, limit: YAMLReader.Limits.dataBytes) else { return nil }
    return YAMLReader.read(
      bytes, file: path, limit: YAMLReader.Limits.dataBytes, into: &problems)
  }

  private mutating func member(
    _ key: String, of node: Node, _ path: TreePath
  ) -> (Node, TreePath)? {
    if let value = node[key] { return (value, path.key(key)) }
    report(.missingKey, node.origin, path.key(key), "this key", "nothing")
    return nil
  }

  private func list(_ node: Node?) -> [Node]? {
    guard case .sequence(let elements)? = node?.content else { return nil }
    return elements
  }

  private mutating func elements(
    _ node: Node, _ path: TreePath, _ expected: String
  ) -> [Node]? {
    guard let elements = list(node) else {
      report(.wrongType, node.origin, path, expected, node.excerpt)
      return nil
    }
    if !elements.isEmpty { return elements }
    report(.wrongCount, node.origin, path, expected, "an empty one")
    return nil
  }

  private mutating func number(_ node: Node, _ bounds: Bounds, _ path: TreePath) -> Double? {
    if let text = node.text, !node.isQuoted {
      return number(text, bounds, at: node.origin, path)
    }
    report(.wrongType, node.origin, path, bounds.expectation, node.excerpt)
    return nil
  }

  private mutating func number(
    _ key: String, of node: Node, _ bounds: Bounds, _ path: TreePath
  ) -> Double? {
    guard let (value, path) = member(key, of: node, path) else { return nil }
    return number(value, bounds, path)
  }

  private mutating func numbers(
    _ nodes: [Node], _ bounds: Bounds, _ path: TreePath
  ) -> [Double]? {
    var values: [Double] = []
    for (index, node) in nodes.enumerated() {
      if let value = number(node, bounds, path.index(index)) { values.append(value) }
    }
    return values.count == nodes.count ? values : nil
  }

  private mutating func bitrates(_ node: Node, _ path: TreePath) -> [Double]? {
    guard let nodes = elements(node, path, "a list of bit rates"),
      let rates = numbers(nodes, .bitrate, path)
    else { return nil }
    for index in rates.indices.dropFirst() where rates[index] <= rates[index - 1] {
      report(
        .inconsistent, nodes[index].origin, path.index(index),
        "more than \(nodes[index - 1].excerpt), the level before", nodes[index].excerpt)
      return nil
    }
    return rates
  }

  private mutating func sizes(
    _ node: Node, _ path: TreePath, levels: Int?
  ) -> [[Double]]? {
    guard let rows = elements(node, path, "a list of segments") else { return nil }
    var sizes: [[Double]] = []
    for (index, row) in rows.enumerated() {
      let path = path.index(index)
      guard let nodes = elements(row, path, "a list of sizes, one for each level") else {
        continue
      }
      if let levels, nodes.count != levels {
        report(
          .wrongCount, row.origin, path, "one size for each of the \(levels) bit rates",
          "a list of \(nodes.count)")
        continue
      }
      if let values = numbers(nodes, .size, path) { sizes.append(values) }
    }
    return sizes.count == rows.count ? sizes : nil
  }
}
