/// What the table of keys cannot say about a case: values that must fit each other.
///
/// It looks at the tree as written and passes over what is not of the right form, because the
/// table's own check names that.
struct TransferCaseChecks {
  private(set) var problems = Problems()
  private var ids: [String: Origin] = [:]

  mutating func check(_ node: Node, _ path: TreePath) {
    if let id = node["id"], let text = id.text {
      if let first = ids[text] {
        report(
          .duplicateKey, id, path.key("id"), "an id that no other case has",
          "\(id.excerpt) again (first at \(first.summary))")
      } else {
        ids[text] = id.origin
      }
    }
    if let link = node["link"], case .mapping = link.content {
      self.link(link, path.key("link"))
    }
    if case .sequence(let flows)? = node["flows"]?.content {
      for (index, flow) in flows.enumerated() {
        let place = path.key("flows").index(index)
        after(flow, index, isResync: node["resync"]?.text == "true", place)
      }
    }
  }

  private mutating func link(_ link: Node, _ path: TreePath) {
    switch (link["downMbps"], link["trace"]) {
    case (nil, nil):
      report(.missingKey, link, path.key("downMbps"), "this key or trace", "nothing")
    case (.some, let trace?):
      report(.inconsistent, trace, path.key("trace"), "either downMbps or trace", "both")
    default: break
    }
    if link["queuePackets"] != nil, let bytes = link["queueBytes"] {
      report(
        .inconsistent, bytes, path.key("queueBytes"), "either queuePackets or queueBytes", "both")
    }
    if case .sequence(let steps)? = link["trace"]?.content { trace(steps, path.key("trace")) }
    if let burst = link["lossBurst"], let mean = number(burst),
      let rate = link["lossRate"].flatMap({ number($0) }), rate > mean / (1 + mean),
      rate <= 1, mean >= 1
    {
      // A run without loss has at least one packet.
      let most = PlainNumber.text(mean / (1 + mean))
      report(
        .inconsistent, burst, path.key("lossBurst"),
        "bursts that leave room for the rate: a lossRate of at most \(most)",
        "\(burst.excerpt) with a lossRate of \(PlainNumber.text(rate))")
    }
  }

  private mutating func trace(_ steps: [Node], _ path: TreePath) {
    var last: (text: String, nanoseconds: Double)?
    for (index, step) in steps.enumerated() {
      guard case .sequence(let pair) = step.content, pair.count == 2 else { continue }
      if let time = number(pair[0]), time >= 0 {
        if time > TransferCaseTable.longestTime / 1_000 {
          report(
            .outOfRange, pair[0], path.index(index).index(0),
            "a time of at most \(PlainNumber.text(TransferCaseTable.longestTime / 1_000)) s",
            pair[0].excerpt)
          continue
        }
        let nanoseconds = (time * 1e9).rounded()
        if let last, nanoseconds <= last.nanoseconds {
          report(
            .inconsistent, pair[0], path.index(index).index(0),
            "a time after \(last.text), by a nanosecond at least", pair[0].excerpt)
        }
        last = (pair[0].excerpt, nanoseconds)
      }
      if let rate = number(pair[1]), rate > 0, rate < TransferCaseTable.smallestRate {
        report(
          .outOfRange, pair[1], path.index(index).index(1),
          "0 or at least \(PlainNumber.text(TransferCaseTable.smallestRate)) Mbit/s",
          pair[1].excerpt)
      }
    }
  }

  private mutating func after(_ flow: Node, _ index: Int, isResync: Bool, _ path: TreePath) {
    guard let after = flow["after"], let text = after.text,
      let target = try? PlainNumber.integer(of: text), target >= 0
    else { return }
    if target >= Int64(index) {
      let choice =
        index == 0 ? "null, because no flow is earlier" : "an earlier flow, 0 to \(index - 1)"
      report(.outOfRange, after, path.key("after"), choice, after.excerpt)
    }
    if isResync {
      report(
        .inconsistent, after, path.key("after"), "startMs, which resync goes by", after.excerpt)
    }
  }

  /// The number, when it is one.
  private func number(_ node: Node) -> Double? {
    guard let text = node.text, !node.isQuoted else { return nil }
    return try? PlainNumber.real(of: text)
  }

  private mutating func report(
    _ code: Problem.Code, _ node: Node, _ path: TreePath, _ expected: String, _ got: String
  ) {
    problems.add(
      Problem(
        code, at: node.origin, keyPath: path.description, expected: expected, got: got))
  }
}
