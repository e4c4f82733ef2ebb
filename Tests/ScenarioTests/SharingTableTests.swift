import Testing

@testable import Scenario

/// What shares a viewer's link or a cell: `network.sharing` and `network.access[].cell.queue`.
@Suite struct SharingTableTests {
  private func problems(_ network: String) -> [String] {
    do {
      _ = try StudyScenario.parse(
        "version: 1\nname: x\nnetwork: {\(network)}\n", file: "s.yaml")
      return []
    } catch { return error.problems.map(\.description) }
  }

  @Test func `turns and a queue are taken where there is something to share`() {
    for network in [
      "sharing: weights, http: 1.1", "sharing: queue, http: 1.1",
      "sharing: turns", "sharing: turns, http: 3",
      "sharing: turns, access: [{kind: lte, cell: {rate: 9 Mbps}}, {kind: wifi-good}]",
      "access: [{kind: lte, cell: {rate: 9 Mbps, queue: 200 ms}}]",
      "access: [{kind: lte, cell: {rate: 9 Mbps, queue: none, roundTripBias: 0.5}}]",
      "prefetchWeight: 0.5, access: [{kind: lte, cell: {rate: 9 Mbps, queue: 1 s}}, {kind: 3g}]",
    ] {
      let found = problems(network)
      #expect(found.isEmpty, "\(network): \(found)")
    }
  }

  @Test(arguments: [
    ("sharing: fair", "network.sharing: expected one of weights, turns, queue, got fair"),
    (
      "sharing: queue",
      "network.sharing: expected weights or turns without http: 1.1 and the model firstframe, "
        + "whose connections have a queue together, got queue"
    ),
    (
      "http: 1.1, sharing: queue, access: [{kind: lte, cell: {rate: 9 Mbps}}]",
      "network.sharing: expected weights where all networks have a cell, with its own queue, "
        + "got queue"
    ),
    (
      "http: 1.1, sharing: turns",
      "network.sharing: expected weights with http: 1.1, whose connections carry a response at a "
        + "time, got turns"
    ),
    (
      "model: sabre, sharing: turns",
      "network.sharing: expected weights with another model than firstframe, which has no turns, "
        + "got turns"
    ),
    (
      "model: pensieve, access: [{kind: lte, cell: {rate: 9 Mbps, queue: 1 s}}]",
      "network.access[0].cell.queue: expected none with another model than firstframe, which has "
        + "no windows, got 1 s"
    ),
    (
      "sharing: turns, access: [{kind: lte, cell: {rate: 9 Mbps}}]",
      "network.sharing: expected weights where all networks have a cell, which has no turns, "
        + "got turns"
    ),
    (
      "prefetchWeight: 0.5, access: [{kind: lte, cell: {rate: 9 Mbps, queue: 1 s}}]",
      "network.prefetchWeight: expected 1 where all networks have a queue, in which windows decide "
        + "who gets what, got 0.5"
    ),
    (
      "access: [{kind: lte, cell: {rate: 9 Mbps, queue: 1 s, roundTripBias: 1}}]",
      "network.access[0].cell.roundTripBias: expected 0 with a queue, where windows decide who "
        + "gets what, got 1"
    ),
    (
      "access: [{kind: lte, cell: {rate: 9 Mbps, queue: 1 us}}]",
      "network.access[0].cell.queue: expected "
    ),
    (
      "access: [{kind: lte, cell: {rate: 9 Mbps, queue: 200}}]",
      "network.access[0].cell.queue: expected "
    ),
    ("access: [{kind: lte, queue: 200 ms}]", "network.access[0].queue: "),
  ])
  func `what would change nothing is refused, with its place`(_ network: String, _ message: String)
    throws
  {
    let found = problems(network)
    let first = try #require(found.first)
    #expect(found.count == 1 && first.hasPrefix("s.yaml:3:"), "\(found)")
    #expect(first.contains(" " + message), "\(first)")
  }
}
