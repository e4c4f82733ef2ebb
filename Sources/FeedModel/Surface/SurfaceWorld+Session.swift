import AudienceModel
import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Sessions: the beginning, the views, the end.
extension SurfaceWorld {
  mutating func begin(_ session: UInt32, _ context: inout Context<SurfaceEvent>) {
    let viewer = takeViewer(session, at: context.now)
    activeSessions += 1
    measures.counts.sessions += 1
    if activeSessions > measures.peakSessions { measures.peakSessions = activeSessions }
    let length = configuration.audience.sessionLength.quantile(
      streams.uniform(.sessionLength, entity: UInt64(session)))
    context.schedule(
      .sessionEnded(slot: viewer.pointee.slot),
      at: context.now.advanced(saturatingBy: TimeSpan(seconds: length)), for: session)
    tellPager(viewer, .feedOpened, &context)
  }

  private mutating func takeViewer(_ session: UInt32, at now: Instant) -> SurfacePointer {
    let entity = UInt64(session)
    let (network, device, persona) = configuration.choices(of: session, streams)
    let rate = LinkRate(session: session, profile: networks + network, sources: sources)
    let link = AccessLink(rate: rate, isInCell: false, at: now)
    let slot = freeViewers.popLast() ?? UInt32(viewers.count)
    let isNew = Int(slot) == viewers.count
    var hosts =
      isNew
      ? (edge: Host(connections: 1), feed: Host(connections: 1))
      : viewers[Int(slot)].pointee.hosts
    let used =
      streams.uniform(.sessionChoice, entity: entity, draw: 3) < transport.pointee.resumption
    hosts.edge.reset(canResume: used)
    hosts.feed.reset(canResume: used)
    var state = SurfaceViewer(
      slot: slot, link: link, hosts: hosts, policy: configuration.policy,
      players: playerLimit(device), surface: surface)
    state.session = session
    state.isActive = true
    state.network = network
    state.device = device
    state.persona = persona
    state.arrivedAt = now
    let screen = surface.screenChoice.index(streams.bits(.surfaceScreen, entity: entity, draw: 0))
    state.geometry = surface.screens[Int(screen)]
    let isAndroid =
      streams.uniform(.surfaceScreen, entity: entity, draw: 1) < surface.habits.android
    state.law = isAndroid ? .android : surface.habits.uikit
    // A fast device creates a player in 10 ms (parameters.md section 3).
    let slowness = configuration.devices[device].playerCreation.quantile(0.5) / 0.010
    state.slowness = slowness > 1 ? slowness : 1
    var visibility = surface.visibility
    visibility.isLowEnd = surface.lowEnd[device]
    state.machine = VisibilityMachine(visibility)
    let u = streams.uniform(.roundTrip, entity: entity)
    let roundTrip = TimeSpan(seconds: networks[network].roundTrip.quantile(u))
    state.roundTrip = roundTrip < .milliseconds(1) ? .milliseconds(1) : roundTrip
    if isNew {
      let viewer = SurfacePointer.allocate(capacity: 1)
      viewer.initialize(to: state)
      viewers.append(viewer)
    } else {
      viewers[Int(slot)].pointee = state
    }
    return viewers[Int(slot)]
  }

  mutating func end(
    _ viewer: SurfacePointer, at now: Instant, isCut: Bool,
    _ context: inout Context<SurfaceEvent>
  ) {
    for event in [
      viewer.pointee.linkEvent, viewer.pointee.frameEvent, viewer.pointee.restEvent,
      viewer.pointee.tapEvent,
    ] { context.cancel(event) }
    close(viewer, at: now, isCut: isCut)
    freeViewers.append(viewer.pointee.slot)
  }

  /// Sums the session up.
  mutating func close(_ viewer: SurfacePointer, at now: Instant, isCut: Bool) {
    syncLink(viewer, at: now)
    for index in 0..<viewer.pointee.items.count { settleTime(viewer, index, at: now) }
    closeView(viewer, at: now, isCut: isCut)
    for index in 0..<viewer.pointee.items.count { settleBytes(viewer, index, isCut: isCut) }
    let machine = viewer.pointee.machine
    measures.surface.plays += Int64(machine.plays)
    measures.surface.pauses += Int64(machine.pauses)
    measures.surface.mounts += Int64(machine.mounts)
    measures.surface.unmounts += Int64(machine.unmounts)
    measures.surface.handOvers += Int64(machine.handOvers)
    measures.surface.flaps += Int64(machine.flaps)
    measures.counts.prefetchStarts += Int64(machine.prefetches)
    measures.counts.prefetchCancels += Int64(machine.prefetchCancels)
    measures.surface.starvations += Int64(viewer.pointee.pager.starvations)
    measures.counts.feedPages += Int64(viewer.pointee.pager.requests)
    measures.surface.sessionTime += (now - viewer.pointee.arrivedAt).nanoseconds
    measures.contention[viewer.pointee.network].add(viewer.pointee.link.contention)
    if isCut { measures.counts.sessionsCut += 1 }
    activeSessions -= 1
    viewer.pointee.isActive = false
  }

  /// Delivered = rendered + wasted + still buffered, over all that the session loaded of a card.
  private mutating func settleBytes(_ viewer: SurfacePointer, _ index: Int, isCut: Bool) {
    let item = viewer.pointee.items[index]
    var delivered = item.delivered
    var media = item.held
    if let request = item.request, let flow = viewer.pointee.link.remove(request: index) {
      delivered += arrived(request, flow)
      media += arrivedMedia(item, flow)
    }
    if delivered == 0 { return }
    let cell = configuration.cohort(
      network: viewer.pointee.network, device: viewer.pointee.device)
    var rendered = 0.0
    if media > .zero {
      let share = item.rendered.seconds / media.seconds
      rendered = Double(delivered - item.cancelled) * (share < 1 ? share : 1)
    }
    let shown = Int64(rendered) + item.cancelledRendered
    let rest = delivered - shown
    measures.balances[cell].delivered += delivered
    measures.balances[cell].rendered += shown
    if isCut {
      measures.balances[cell].stillBuffered += rest
    } else {
      measures.balances[cell].wasted += rest
    }
    let early = item.isWanted ? item.prefetched : delivered
    measures.balances[cell].prefetched += early
    if !isCut {
      measures.balances[cell].prefetchedWasted += early < rest ? early : rest
    }
    noteShown(item, in: cell)
  }

  private mutating func noteShown(_ item: SurfaceItem, in cell: Int) {
    if item.rendered <= .zero { return }
    var shown = ShownItem()
    let step = item.title.step
    for index in 0..<item.rungs.count {
      let seen = item.rendered - step * Int64(index)
      if seen <= .zero { break }
      let length = item.title.length(of: index, step: step)
      shown.show(
        RungIndex(UInt32(item.rungs[index])), for: seen < length ? seen : length,
        of: configuration.catalogue.ladder)
    }
    measures.shown[cell].add(shown.media)
  }

  // MARK: Views

  /// The viewer gives up what he stopped at, or has seen enough of it.
  mutating func leaveView(_ viewer: SurfacePointer, at now: Instant) {
    if !viewer.pointee.view.isOpen || viewer.pointee.view.leftAt != nil { return }
    viewer.pointee.view.leftAt = now
    if viewer.pointee.view.times == nil {
      viewer.pointee.view.times = viewer.pointee.items[Int(viewer.pointee.view.item)].times
    }
  }

  /// The list has come to rest: what is nearest to the middle is what the viewer wants to see.
  mutating func openView(
    _ viewer: SurfacePointer, _ index: Int, at now: Instant
  ) {
    closeView(viewer, at: now, isCut: false)
    // What the card has played or waited until now was nobody's view.
    settleTime(viewer, index, at: now)
    var view = SurfaceView()
    view.isOpen = true
    view.item = UInt32(index)
    view.startedAt = now
    if viewer.pointee.items[index].isTold {
      view.toldAt = now
      view.isReady = viewer.pointee.items[index].wasReady
    }
    if viewer.pointee.items[index].isRunning {
      view.frameAt = now
      view.isReady = true
    }
    view.times = view.frameAt == nil ? nil : viewer.pointee.items[index].times
    viewer.pointee.view = view
  }

  /// Writes the view down. A card that plays on while the list moves belongs to the view before.
  mutating func closeView(_ viewer: SurfacePointer, at now: Instant, isCut: Bool) {
    if !viewer.pointee.view.isOpen { return }
    settleTime(viewer, Int(viewer.pointee.view.item), at: now)
    let view = viewer.pointee.view
    viewer.pointee.view.isOpen = false
    let item = viewer.pointee.items[Int(view.item)]
    let left = view.leftAt ?? now
    let end = view.frameAt ?? left
    var flags: ViewRecord.Flags = []
    if view.frameAt != nil { flags.insert(.started) }
    if viewer.pointee.views == 0 { flags.insert(.cold) }
    if isCut && view.leftAt == nil { flags.insert(.cut) }
    if view.isReady { flags.insert(.ready) }
    viewer.pointee.views += 1
    let told = view.toldAt ?? end
    var record = ViewRecord(
      session: viewer.pointee.session, item: view.item, title: item.title.id.index,
      network: UInt8(viewer.pointee.network), device: UInt8(viewer.pointee.device),
      flags: flags, firstRung: item.rungs.first ?? .max, settledAt: view.startedAt,
      ttff: end - view.startedAt, ttffPlay: end > told ? end - told : .zero,
      played: view.played, stalled: view.stalled, stalls: view.stalls,
      parts: parts(view.times ?? item.times, from: view.startedAt, to: end))
    noteWaits(item.waits, from: view.startedAt, to: end, in: &record)
    measures.views.append(record)
  }

  /// What the view saw of its card's waits behind the edge. Where every object has the same
  /// probability of a hit, nothing is known of a miss but that the edge does not have it.
  private func noteWaits(
    _ waits: [SurfaceWait], from begin: Instant, to end: Instant, in record: inout ViewRecord
  ) {
    for wait in waits {
      let from = wait.from > begin ? wait.from : begin
      let until = wait.until < end ? wait.until : end
      if until <= from { continue }
      record.flags.insert(.edgeMiss)
      record.upstreamWait += until - from
      if (until - from).nanoseconds > record.answer.wait {
        record.answer = StartAnswer(
          asset: wait.asset, tier: wait.until <= end ? .origin : .none, reason: .cold,
          wait: (until - from).nanoseconds)
      }
    }
  }

  /// Cuts the wait into its parts: each step that ended within it takes the time since the one
  /// before; what was left when everything was ready is the wait for the policy.
  private func parts(_ times: SurfaceTimes, from begin: Instant, to end: Instant) -> StartupParts {
    var parts = StartupParts()
    var cursor = begin
    func take(_ part: StartupPart, _ time: Instant) {
      var until = time < end ? time : end
      // A step that has not happened takes the rest.
      if time == .zero { until = end }
      if until <= cursor { return }
      parts[part] += (until - cursor).nanoseconds
      cursor = until
    }
    take(.queue, times.asked)
    take(.connect, times.connected)
    take(.manifest, times.manifest)
    take(.playlists, times.playlists)
    take(.initSegment, times.initSegment)
    take(.segmentWait, times.firstByte)
    take(.transfer, times.data)
    take(.decoder, times.decoder)
    take(.firstDecode, times.decoded)
    take(.queue, times.presented)
    take(.presentation, end)
    return parts
  }
}
