import AudienceModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Requests between cache nodes: what each node does is decided by its machines, and performed
/// here, one code for every tier.
extension CacheHierarchy {
  /// Who asked a machine: a request that has just come, a fetch that has ended, or a timer.
  enum Occasion {
    case arrival
    case fetch(Int)
    case timer
  }

  /// A request that the node could not serve at once goes to the object's machine.
  mutating func ask(
    _ node: Int, _ handle: UInt32, _ number: UInt32, at now: Instant, _ out: inout [CacheCommand]
  ) {
    if nodes[node].entries[Int(handle)].fate == .resident {
      nodes[node].use(handle, at: now)
    }
    let machine = nodes[node].machine(for: handle, at: now)
    tell(node, machine, .requested(RequestNumber(number)), .arrival, at: now, &out)
    if nodes[node].entries[Int(handle)].fate != .resident {
      nodes[node].entries[Int(handle)].wasMissed = true
    }
  }

  /// Tells a machine what has happened and does what it commands.
  mutating func tell(
    _ node: Int, _ machine: Int, _ event: CollapsingMachine.Event, _ occasion: Occasion,
    at now: Instant, _ out: inout [CacheCommand]
  ) {
    var commands = machineCommands
    machineCommands = []
    commands.removeAll(keepingCapacity: true)
    nodes[node].machines[machine].handle(event, at: now, into: &commands)
    var isRefused = false
    for command in commands {
      switch command {
      case .serve(let request, let service):
        serve(node, machine, request.index, service, occasion, at: now, &out)
      case .fetch(let number, let waiting, let isConditional):
        begin(node, machine, number, waiting, isConditional: isConditional, at: now, &out)
      case .store: isRefused = !store(node, machine, occasion, at: now)
      case .discardCopy:
        let handle = nodes[node].machineStates[machine].handle
        nodes[node].discard(handle, .never, at: now, now: now)
      case .setTimer(let time):
        out.set(
          .machine(node: UInt16(node), machine: UInt32(machine)), at: time,
          for: nodes[node].entity)
      }
    }
    machineCommands = commands
    if isRefused {
      nodes[node].tellEvicted(nodes[node].machineStates[machine].handle, at: now)
    }
    if nodes[node].releaseIfIdle(machine, at: now) {
      out.cancel(.machine(node: UInt16(node), machine: UInt32(machine)))
    }
  }

  /// Puts the answer of a fetch into the store; whether it was taken.
  private mutating func store(
    _ node: Int, _ machine: Int, _ occasion: Occasion, at now: Instant
  ) -> Bool {
    guard case .fetch(let fetch) = occasion,
      let response = nodes[node].machines[machine].stored
    else { preconditionFailure("a copy comes with a fetch") }
    let record = nodes[node].fetches[fetch]
    let index = Int(record.handle)
    let isAdmitted = admits(node, record)
    nodes[node].entries[index].stored = response
    nodes[node].entries[index].stated = record.answer.stated
    nodes[node].entries[index].source = record.answer.tier
    return nodes[node].keep(
      record.handle, bytes: record.bytes, isAdmitted: isAdmitted, at: now)
  }

  private mutating func admits(_ node: Int, _ fetch: NodeFetch) -> Bool {
    let entry = nodes[node].entries[Int(fetch.handle)]
    switch nodes[node].configuration.admission {
    case .all: return true
    case .size(let most): return fetch.bytes <= most
    case .bloom: return fetch.wasMissed
    case .probability(let share):
      let entity = UInt64(nodes[node].entity) << 32 | UInt64(entry.object)
      return streams.uniform(.admission, entity: entity, draw: fetch.draw) < share
    case .rule(let rule):
      return rule.admits(
        MissedObject(
          asset: fetch.asset, size: ByteCount(fetch.bytes), wasMissed: fetch.wasMissed))
    }
  }

  // MARK: Answers

  /// Answers a request.
  private mutating func serve(
    _ node: Int, _ machine: Int, _ number: UInt32, _ service: CollapsingMachine.Service,
    _ occasion: Occasion, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let waiting = nodes[node].take(number)
    if waiting.child == NodeRequest.nobody { return }
    var fetch: NodeFetch?
    var isArrival = false
    switch occasion {
    case .arrival: isArrival = true
    case .fetch(let index): fetch = nodes[node].fetches[index]
    case .timer: break
    }
    let handle = Int(nodes[node].machineStates[machine].handle)
    let entry = nodes[node].entries[handle]
    let own = AnsweringTier(nodes[node].tier)
    var answer = NodeAnswer(
      kind: .content, tier: own, age: entry.stored.age(at: now), stated: entry.stated)
    var outcome = CacheOutcome.hit
    var reason: MissReason?
    switch service {
    case .fresh: break
    case .stale, .staleAfterFailure: outcome = .staleHit
    case .collapsed:
      outcome = .collapsed
      reason = .collapsed
      answer.tier = entry.source
    case .fetched:
      guard let fetch else { preconditionFailure("a fetched answer comes with a fetch") }
      (outcome, reason) = CacheHierarchy.outcome(of: fetch)
      answer.tier = fetch.answer.tier
      answer.age = fetch.answer.age
      answer.stated = fetch.answer.stated
    case .failed, .negative:
      outcome = .error
      reason = .error
      answer = NodeAnswer(tier: fetch?.answer.tier ?? own)
    }
    if waiting.child < 0 {
      nodes[node].counters.count(
        waiting.asset, outcome, bytes: outcome == .error ? headerBytes : waiting.bytes)
      out.append(
        .answer(
          EdgeAnswer(
            asker: EdgeAsker(slot: waiting.slot, request: waiting.index), answer: answer,
            reason: reason, delay: isArrival ? waiting.service : .zero, isArrival: isArrival)))
    } else {
      answerChild(node, waiting, answer, outcome, isArrival: isArrival, at: now, &out)
    }
  }

  private static func outcome(of fetch: NodeFetch) -> (CacheOutcome, MissReason?) {
    if fetch.answer.kind == .notModified { return (.revalidated, nil) }
    return fetch.isUncacheable ? (.bypass, .bypass) : (.miss, nil)
  }

  /// Answers a node that asked.
  mutating func answerChild(
    _ node: Int, _ waiting: NodeRequest, _ given: NodeAnswer, _ outcome: CacheOutcome,
    isArrival: Bool, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let (child, fetch) = (Int(waiting.child), Int(waiting.index))
    var answer = given
    answer.bytes = headerBytes
    if answer.kind == .content {
      if confirms(child, fetch, madeAt: now.advanced(saturatingBy: -given.age)) {
        answer.kind = .notModified
      } else {
        answer.bytes = waiting.bytes
      }
    }
    nodes[node].counters.count(waiting.asset, outcome, bytes: answer.bytes)
    sendDown(child, fetch, answer, after: isArrival ? waiting.service : .zero, at: now, &out)
  }

  /// Whether a fetch is answered 304: it is conditional, and the copy it asks about is not of an
  /// older version than the answer, which was made at `madeAt`.
  mutating func confirms(_ child: Int, _ fetch: Int, madeAt: Instant) -> Bool {
    let record = nodes[child].fetches[fetch]
    if !record.isConditional { return false }
    if record.asset != .mediaManifest || !numbers.hasVersions { return true }
    let title = TitleID(record.object / ObjectLayout.stride)
    return numbers.number(of: title, at: record.copyMadeAt)
      == numbers.number(of: title, at: madeAt)
  }

  /// Sends an answer to the node that asked.
  mutating func sendDown(
    _ child: Int, _ fetch: Int, _ answer: NodeAnswer, after delay: TimeSpan,
    at now: Instant, _ out: inout [CacheCommand]
  ) {
    let arrival = now + delay + nodes[child].fetches[fetch].roundTrip / 2
    if domain.isElsewhere(place(child), edges: edges) {
      out.append(
        .send(
          CacheMessage(
            kind: .answer(answer), node: UInt16(child), edge: UInt16(child),
            part: UInt16(place(child)), fetch: UInt32(fetch), arrivesAt: arrival)))
      nodes[child].fetches[fetch].isActive = false
      return
    }
    nodes[child].fetches[fetch].answer = answer
    nodes[child].fetches[fetch].state = .down
    out.schedule(
      .answerAtNode(node: UInt16(child), fetch: UInt32(fetch)), at: arrival,
      for: nodes[child].entity, phase: .arrival)
  }

  /// An answer's first byte has reached the node that asked.
  mutating func receiveAnswer(
    _ node: Int, _ fetch: Int, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let record = nodes[node].fetches[fetch]
    if record.isOthers {
      conclude(node, fetch, at: now, &out)
      nodes[node].free(fetch)
      return
    }
    nodes[node].fetched[record.asset].bytes += record.answer.bytes
    if record.answer.kind == .notModified { nodes[node].fetched[record.asset].notModified += 1 }
    if record.isAbandoned {
      nodes[node].free(fetch)
      return
    }
    if nodes[node].next < 0 {
      out.cancel(.fetchExpired(node: UInt16(node), fetch: UInt32(fetch)))
    }
    nodes[node].giveConnection(at: now)
    conclude(node, fetch, at: now, &out)
    nodes[node].free(fetch)
  }

  /// Tells a machine what came of its fetch.
  mutating func conclude(
    _ node: Int, _ fetch: Int, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let record = nodes[node].fetches[fetch]
    let answer: CollapsingMachine.Answer
    if record.answer.kind == .failed {
      nodes[node].fetched[record.asset].failed += 1
      answer = .failed(record.answer.failure, repeatFor: nodes[node].configuration.ttl.errorCaching)
    } else {
      let said = said.directives(for: record.asset, lifetime: record.answer.stated)
      let age = nodes[node].configuration.inheritsAge ? record.answer.age : .zero
      if let response = nodes[node].configuration.ttl.store(
        said, at: now, initialAge: age)
      {
        answer = .stored(response)
        noteManifest(node, record, age: age, at: now)
      } else {
        nodes[node].fetches[fetch].isUncacheable = true
        answer = .uncacheable
      }
    }
    tell(
      node, Int(record.machine), .answered(record.number, answer), .fetch(fetch), at: now, &out)
  }

  /// Notes what an answer that comes to a node says of versions, before it takes the old copy's
  /// place.
  private mutating func noteManifest(
    _ node: Int, _ fetch: NodeFetch, age: TimeSpan, at now: Instant
  ) {
    if !hasLaw || fetch.asset != .mediaManifest { return }
    let entry = nodes[node].entries[Int(fetch.handle)]
    let expiredAt =
      entry.fate == .resident
      ? BackgroundAudience.seconds(now) + entry.stored.lifetimeRemaining(at: now).seconds
      : -.infinity
    audience?.noteManifest(
      at: node, fetch.object, madeAt: BackgroundAudience.seconds(now.advanced(saturatingBy: -age)),
      cameAt: BackgroundAudience.seconds(now), expiredAt: expiredAt, isAwaited: false)
  }
}
