import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Requests between cache nodes: what each node does is decided by its machines, and performed
/// here, one code for every tier.
extension FeedWorld {
  /// Who asked a machine: a request that has just come, a fetch that has ended, or a timer.
  enum Occasion {
    case arrival
    case fetch(Int)
    case timer
  }

  /// The handle of an object at a node, its copy in the state that it has by now.
  @inline(__always)
  mutating func find(
    _ node: Int, _ key: UInt64, _ asset: AssetClass, bytes: Int64, at now: Instant
  ) -> UInt32 {
    let (handle, isNew) = nodes[node].handle(of: key, asset)
    if nodes[node].entries[Int(handle)].fate != .resident {
      nodes[node].entries[Int(handle)].bytes = bytes
    }
    if isNew || hasPurges || hasLaw || node >= edges {
      refresh(node, handle, isNew: isNew, at: now)
    }
    return handle
  }

  /// What happened to a copy since the object was last asked for.
  private mutating func refresh(
    _ node: Int, _ handle: UInt32, isNew: Bool, at now: Instant
  ) {
    let isStationary = start == .stationary
    if hasLaw && (isNew || nodes[node].entries[Int(handle)].isLawful) {
      passLaw(node, handle, isNew: isNew, at: now)
      if nodes[node].entries[Int(handle)].isLawful { return }
    }
    if isNew && isStationary { drawResident(node, handle, at: now) }
    let index = Int(handle)
    for purge in purges where purge.at <= now {
      let entry = nodes[node].entries[index]
      if entry.stored.storedAt < purge.at && purge.covers(entry.asset) {
        nodes[node].discard(handle, .purged, at: purge.at, now: now)
      }
    }
    if isStationary && nodes[node].tier != .edge { refreshByOthers(node, handle, at: now) }
  }

  /// A request that the node could not serve at once goes to the object's machine.
  mutating func ask(
    _ node: Int, _ handle: UInt32, _ number: UInt32, _ context: inout Context<FeedEvent>
  ) {
    if nodes[node].entries[Int(handle)].fate == .resident {
      nodes[node].use(handle, at: context.now)
    }
    let machine = nodes[node].machine(for: handle, at: context.now)
    tell(node, machine, .requested(RequestNumber(number)), .arrival, &context)
    if nodes[node].entries[Int(handle)].fate != .resident {
      nodes[node].entries[Int(handle)].wasMissed = true
    }
  }

  /// Tells a machine what has happened and does what it commands.
  private mutating func tell(
    _ node: Int, _ machine: Int, _ event: CollapsingMachine.Event, _ occasion: Occasion,
    _ context: inout Context<FeedEvent>
  ) {
    var commands = machineCommands
    machineCommands = []
    commands.removeAll(keepingCapacity: true)
    nodes[node].machines[machine].handle(event, at: context.now, into: &commands)
    var isRefused = false
    for command in commands {
      switch command {
      case .serve(let request, let service):
        serve(node, machine, request.index, service, occasion, &context)
      case .fetch(let number, let waiting, let isConditional):
        begin(node, machine, number, waiting, isConditional: isConditional, &context)
      case .store: isRefused = !store(node, machine, occasion, at: context.now)
      case .discardCopy:
        let handle = nodes[node].machineStates[machine].handle
        nodes[node].discard(handle, .never, at: context.now, now: context.now)
      case .setTimer(let time):
        context.cancel(nodes[node].machineStates[machine].timer)
        nodes[node].machineStates[machine].timer = context.schedule(
          .nodeTimer(node: UInt16(node), machine: UInt32(machine)), at: time,
          for: nodes[node].entity)
      }
    }
    machineCommands = commands
    if isRefused {
      nodes[node].tellEvicted(nodes[node].machineStates[machine].handle, at: context.now)
    }
    if nodes[node].releaseIfIdle(machine, at: context.now) {
      context.cancel(nodes[node].machineStates[machine].timer)
      nodes[node].machineStates[machine].timer = .none
    }
  }

  /// The time that a machine asked for has come.
  mutating func fireNodeTimer(
    _ node: Int, _ machine: Int, _ context: inout Context<FeedEvent>
  ) {
    nodes[node].machineStates[machine].timer = .none
    tell(node, machine, .timerFired, .timer, &context)
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
    }
  }

  // MARK: Answers

  /// Answers a request.
  private mutating func serve(
    _ node: Int, _ machine: Int, _ number: UInt32, _ service: CollapsingMachine.Service,
    _ occasion: Occasion, _ context: inout Context<FeedEvent>
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
      kind: .content, tier: own, age: entry.stored.age(at: context.now), stated: entry.stated)
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
      (outcome, reason) = FeedWorld.outcome(of: fetch)
      answer.tier = fetch.answer.tier
      answer.age = fetch.answer.age
      answer.stated = fetch.answer.stated
    case .failed, .negative:
      outcome = .error
      reason = .error
      answer = NodeAnswer(tier: fetch?.answer.tier ?? own)
    }
    if waiting.child < 0 {
      let header = transport.pointee.responseHeaderBytes
      nodes[node].counters.count(
        waiting.asset, outcome, bytes: outcome == .error ? header : waiting.bytes)
      answerViewer(waiting, answer, reason, isArrival: isArrival, &context)
    } else {
      answerChild(node, waiting, answer, outcome, isArrival: isArrival, &context)
    }
  }

  private static func outcome(of fetch: NodeFetch) -> (CacheOutcome, MissReason?) {
    if fetch.answer.kind == .notModified { return (.revalidated, nil) }
    return fetch.isUncacheable ? (.bypass, .bypass) : (.miss, nil)
  }

  /// Answers a node that asked.
  mutating func answerChild(
    _ node: Int, _ waiting: NodeRequest, _ given: NodeAnswer, _ outcome: CacheOutcome,
    isArrival: Bool, _ context: inout Context<FeedEvent>
  ) {
    let (child, fetch) = (Int(waiting.child), Int(waiting.index))
    var answer = given
    answer.bytes = transport.pointee.responseHeaderBytes
    if answer.kind == .content {
      if confirms(child, fetch, madeAt: context.now.advanced(saturatingBy: -given.age)) {
        answer.kind = .notModified
      } else {
        answer.bytes = waiting.bytes
      }
    }
    nodes[node].counters.count(waiting.asset, outcome, bytes: answer.bytes)
    sendDown(child, fetch, answer, after: isArrival ? waiting.service : .zero, &context)
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
    _ context: inout Context<FeedEvent>
  ) {
    let arrival = context.now + delay + nodes[child].fetches[fetch].roundTrip / 2
    if domain.isElsewhere(child, edges: edges) {
      post(.answer(answer), child, child, fetch, at: arrival, &context)
      nodes[child].fetches[fetch].isActive = false
      return
    }
    nodes[child].fetches[fetch].answer = answer
    nodes[child].fetches[fetch].state = .down
    context.schedule(
      .answerAtNode(node: UInt16(child), fetch: UInt32(fetch)), at: arrival,
      for: nodes[child].entity, phase: .arrival)
  }

  /// An answer's first byte has reached the node that asked.
  mutating func receiveAnswer(_ node: Int, _ fetch: Int, _ context: inout Context<FeedEvent>) {
    let record = nodes[node].fetches[fetch]
    if record.isOthers {
      conclude(node, fetch, &context)
      nodes[node].free(fetch)
      return
    }
    nodes[node].fetched[record.asset].bytes += record.answer.bytes
    if record.answer.kind == .notModified { nodes[node].fetched[record.asset].notModified += 1 }
    if record.isAbandoned {
      nodes[node].free(fetch)
      return
    }
    context.cancel(record.timer)
    nodes[node].giveConnection(at: context.now)
    conclude(node, fetch, &context)
    nodes[node].free(fetch)
  }

  /// Tells a machine what came of its fetch.
  mutating func conclude(
    _ node: Int, _ fetch: Int, _ context: inout Context<FeedEvent>
  ) {
    let record = nodes[node].fetches[fetch]
    let answer: CollapsingMachine.Answer
    if record.answer.kind == .failed {
      nodes[node].fetched[record.asset].failed += 1
      answer = .failed(record.answer.failure, repeatFor: nodes[node].configuration.ttl.errorCaching)
    } else {
      let said = directives(for: record.asset, lifetime: record.answer.stated)
      let age = nodes[node].configuration.inheritsAge ? record.answer.age : .zero
      if let response = nodes[node].configuration.ttl.store(
        said, at: context.now, initialAge: age)
      {
        answer = .stored(response)
        noteManifest(node, record, age: age, at: context.now)
      } else {
        nodes[node].fetches[fetch].isUncacheable = true
        answer = .uncacheable
      }
    }
    tell(
      node, Int(record.machine), .answered(record.number, answer), .fetch(fetch), &context)
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
      ? seconds(now) + entry.stored.lifetimeRemaining(at: now).seconds : -.infinity
    noteManifest(
      at: node, fetch.object, madeAt: seconds(now.advanced(saturatingBy: -age)),
      cameAt: seconds(now), expiredAt: expiredAt, isAwaited: false)
  }
}
