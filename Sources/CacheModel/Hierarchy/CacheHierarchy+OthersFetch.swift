import CachePolicy
import MediaUnits
import SimulationKernel

extension CacheHierarchy {
  /// Puts a fetch of somebody who is not simulated under way, so that those who come now wait for
  /// it, or are served stale, as the object's machine says.
  mutating func begin(
    _ noted: OthersFetch, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let (node, index) = (noted.node, Int(noted.handle))
    let machine = nodes[node].machine(for: noted.handle, at: now)
    let entry = nodes[node].entries[index]
    let asker = nodes[node].add(
      NodeRequest(
        child: NodeRequest.nobody, slot: 0, index: 0, asset: entry.asset, bytes: entry.bytes,
        service: .zero))
    var commands: [CollapsingMachine.Command] = []
    nodes[node].machines[machine].handle(
      .requested(RequestNumber(asker)), at: now, into: &commands)
    for command in commands {
      switch command {
      case .serve(let request, _): _ = nodes[node].take(request.index)
      case .fetch(let number, _, let isConditional):
        nodes[node].entries[index].fetches += 1
        var fetch = NodeFetch(
          key: entry.key, number: number, machine: Int32(machine), handle: noted.handle,
          asset: entry.asset, isConditional: isConditional, isBackground: false,
          bytes: entry.bytes, draw: entry.fetches)
        fetch.isOthers = true
        fetch.state = .down
        fetch.wasMissed = entry.wasMissed
        fetch.answer = NodeAnswer(
          kind: .content, tier: noted.tier, age: noted.age,
          stated: said.usualLifetimes[Int(entry.asset.rawValue)], bytes: entry.bytes)
        let place = nodes[node].add(fetch)
        out.schedule(
          .answerAtNode(node: UInt16(node), fetch: UInt32(place)), at: noted.endsAt,
          for: nodes[node].entity, phase: .arrival)
      case .setTimer(let time):
        out.set(
          .machine(node: UInt16(node), machine: UInt32(machine)), at: time,
          for: nodes[node].entity)
      case .store, .discardCopy: break
      }
    }
  }
}
