import Models

/// Turns the tree of a cases file into cases and collects everything that is wrong with it.
struct TransferCaseReader {
  private(set) var problems = Problems()

  /// The cases; only whole when there are no problems.
  mutating func entries(_ top: Node) -> [TransferCaseEntry] {
    let file = TransferCaseTable.file
    guard case .sequence(let nodes) = top.content, !nodes.isEmpty else {
      problems.add(
        Problem(
          .wrongType, at: top.origin, keyPath: "", expected: "a list of cases", got: top.excerpt))
      return []
    }
    let cases = nodes.map { TransferCaseReader.withoutNulls($0, .object(TransferCaseTable.entry)) }
    // The resolver and the checks below look at the file independently, so that a fault found by
    // one does not hide those of the other.
    let whole = Node(.sequence(cases), origin: top.origin)
    let schema = Schema(title: "transfer cases", summary: "one element", [])
    var resolver = Resolver(schema, top: whole)
    let resolved = resolver.value(whole, file, TreePath())
    problems.add(resolver.problems)
    var checks = TransferCaseChecks()
    for (index, node) in cases.enumerated() { checks.check(node, TreePath().index(index)) }
    problems.add(checks.problems)
    guard problems.isEmpty, let resolved else { return [] }
    return ResolvedTree(resolved).elements().map { TransferCaseReader.entry($0) }
  }

  /// The tree without the keys that are set to `null`; required and unknown ones stay.
  private static func withoutNulls(_ node: Node, _ shape: Shape) -> Node {
    switch (node.content, shape) {
    case (_, .optional(let inner)): return withoutNulls(node, inner)
    case (.sequence(let elements), .list(let element, _)):
      guard case .object = element else { return node }
      let stripped = elements.map { withoutNulls($0, element) }
      return Node(.sequence(stripped), origin: node.origin)
    case (.mapping(let entries), .object(let object)):
      var kept: [Node.Entry] = []
      for entry in entries {
        let field = object.field(entry.key)
        if entry.value.isNothing, let field, field.presetNode != nil { continue }
        var entry = entry
        if let field { entry.value = withoutNulls(entry.value, field.shape) }
        kept.append(entry)
      }
      return Node(.mapping(kept), origin: node.origin)
    default: return node
    }
  }

  // MARK: From the checked tree

  private static func entry(_ tree: ResolvedTree) -> TransferCaseEntry {
    let (link, transport) = (tree.at("link"), tree.at("transport"))
    let http = TransferCaseTable.http.value(tree, "http")
    let downlink = rate(link)
    let usual: Handshake = http == .http3 ? .quic : .tcp
    var connections: [String: Int] = [:]
    let flows = tree.elements("flows").map { flow($0, &connections) }
    let transfers = TransferCase(
      downlink: downlink,
      uplinkRate: link.optionalReal("upMbps").map { $0 * 1e6 } ?? (downlink.rates.max() ?? 0),
      roundTrip: nanoseconds(link.real("rttMs")), loss: loss(link), queue: queue(link),
      congestion: TransferCaseTable.congestion.value(transport, "congestion"),
      handshake: TransferCaseTable.handshakes.value(transport, "handshake") ?? usual,
      initialWindow: transport.real("initialWindow"), segmentSize: transport.integer("mss"),
      overhead: transport.integer("overheadBytes"), idleRestart: transport.boolean("idleRestart"),
      warmWindow: transport.optionalReal("warmWindowSegments"),
      receiveWindow: transport.optionalInteger("receiveWindowBytes"), http: http,
      quic: quic(transport.at("quic")), resync: tree.boolean("resync"), flows: flows,
      seed: UInt64(tree.integer("seed")))
    return TransferCaseEntry(
      id: tree.text("id"), transfers: transfers, tier: TransferCaseTable.tiers.value(tree, "tier"),
      replications: Int(tree.integer("replications")))
  }

  private static func quic(_ tree: ResolvedTree) -> QUICStack {
    QUICStack(
      serverFlight: tree.integer("serverFlightBytes"),
      earlyFlight: tree.integer("earlyFlightBytes"),
      computation: nanoseconds(tree.real("handshakeMs")),
      firstAnswer: nanoseconds(tree.real("firstAnswerMs")),
      laterAnswer: nanoseconds(tree.real("laterAnswerMs")),
      firstProbe: nanoseconds(tree.real("firstProbeMs")), isValidated: tree.boolean("validated"),
      pacing: TransferCaseTable.pacing.value(tree, "pacing"),
      acknowledgementDelay: nanoseconds(tree.real("ackDelayMs")),
      turnBytes: tree.integer("turnBytes"), sendsFieldsFirst: tree.boolean("fieldsFirst"),
      growsUnused: tree.boolean("growsUnused"))
  }

  private static func flow(
    _ tree: ResolvedTree, _ connections: inout [String: Int]
  ) -> TransferFlow {
    let name = tree.text("connection")
    let connection = connections[name] ?? connections.count
    connections[name] = connection
    return TransferFlow(
      start: nanoseconds(tree.real("startMs")),
      after: tree.optionalInteger("after").map { Int($0) },
      gap: nanoseconds(tree.real("gapMs")), bytes: tree.integer("bytes"),
      requestBytes: tree.integer("requestBytes"),
      responseHeaderBytes: tree.integer("responseHeaderBytes"), connection: connection,
      roundTrip: tree.optionalReal("rttMs").map { nanoseconds($0) })
  }

  private static func rate(_ link: ResolvedTree) -> RateTrace {
    if let rate = link.optionalReal("downMbps") { return RateTrace(constant: rate * 1e6) }
    let steps = link.elements("trace").map { step in
      (start: nanoseconds(step.real("[0]") * 1_000), rate: step.real("[1]") * 1e6)
    }
    return RateTrace(starts: steps.map(\.start), rates: steps.map(\.rate), end: .hold)
  }

  private static func loss(_ link: ResolvedTree) -> PacketLoss {
    let rate = link.real("lossRate")
    if rate == 0 { return .none }
    guard let burst = link.optionalReal("lossBurst") else { return .independent(rate) }
    return .bursts(rate: rate, meanBurst: burst)
  }

  private static func queue(_ link: ResolvedTree) -> QueueLimit {
    if let bytes = link.optionalInteger("queueBytes") { return .bytes(bytes) }
    return .packets(link.optionalInteger("queuePackets") ?? 1_000)
  }

  /// Milliseconds to the nearest nanosecond.
  static func nanoseconds(_ milliseconds: Double) -> Int64 {
    Int64((milliseconds * 1e6).rounded())
  }
}
