import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Sessions: the beginning and the end.
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
    let changes = setting.pointee.networks[viewer.pointee.traits.network].handOvers
    for (index, change) in changes.enumerated() {
      context.schedule(
        .handOver(slot: viewer.pointee.slot, index: UInt32(index)),
        at: context.now.advanced(saturatingBy: TimeSpan(nanoseconds: change.from)), for: session)
    }
    tellPager(viewer, .feedOpened, &context)
    endTurn(viewer, &context)
  }

  private mutating func takeViewer(_ session: UInt32, at now: Instant) -> SurfacePointer {
    let entity = UInt64(session)
    let (network, device, persona) = configuration.choices(of: session, streams)
    let way = setting.pointee.session(session, network: network)
    let slot = freeViewers.popLast() ?? UInt32(viewers.count)
    let isNew = Int(slot) == viewers.count
    let screen = surface.screenChoice.index(streams.bits(.surfaceScreen, entity: entity, draw: 0))
    let isAndroid =
      streams.uniform(.surfaceScreen, entity: entity, draw: 1) < surface.habits.android
    // A fast device creates a player in 10 ms (parameters.md section 3).
    let slowness = configuration.devices[device].playerCreation.quantile(0.5) / 0.010
    let traits = SurfaceTraits(
      session: session, network: network, device: device, persona: persona, arrivedAt: now,
      geometry: surface.screens[Int(screen)], law: isAndroid ? .android : surface.habits.uikit,
      slowness: slowness > 1 ? slowness : 1)
    var visibility = surface.visibility
    visibility.isLowEnd = surface.lowEnd[device]
    let state = SurfaceViewer(
      slot: slot, traits, transport: transport(way, of: isNew ? nil : viewers[Int(slot)], at: now),
      policy: configuration.policy, players: playerLimit(device), visibility: visibility,
      surface: surface)
    if isNew {
      let viewer = SurfacePointer.allocate(capacity: 1)
      viewer.initialize(to: state)
      viewers.append(viewer)
    } else {
      viewers[Int(slot)].initialize(to: state)
    }
    return viewers[Int(slot)]
  }

  /// A session's transport, in the memory of a viewer who is gone if there is one; of him nothing
  /// is left.
  private func transport(
    _ way: ViewerTransport.Session, of gone: SurfacePointer?, at now: Instant
  ) -> ViewerTransport {
    guard let gone else {
      return ViewerTransport(
        way, settings: setting.pointee.transport, sources: setting.pointee.sources, at: now)
    }
    let old = gone.move()
    var transport = old.transport
    transport.begin(way, sources: setting.pointee.sources, at: now)
    return transport
  }

  mutating func end(
    _ viewer: SurfacePointer, at now: Instant, isCut: Bool,
    _ context: inout Context<SurfaceEvent>
  ) {
    for timer in SurfaceTimers.Timer.allCases {
      context.cancel(viewer.pointee.timers.take(timer))
    }
    close(viewer, at: now, isCut: isCut)
    freeViewers.append(viewer.pointee.slot)
  }

  /// Sums the session up.
  mutating func close(_ viewer: SurfacePointer, at now: Instant, isCut: Bool) {
    syncLink(viewer, at: now)
    for index in 0..<viewer.pointee.items.count { settleTime(viewer, index, at: now) }
    closeView(viewer, at: now, isCut: isCut)
    for index in 0..<viewer.pointee.items.count {
      settleBytes(viewer, index, at: now, isCut: isCut)
    }
    for place in 0..<viewer.pointee.requests.count where viewer.pointee.requests.isUsed(place) {
      _ = withdraw(viewer, place, at: now)
    }
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
    measures.surface.sessionTime += (now - viewer.pointee.traits.arrivedAt).nanoseconds
    measures.contention[viewer.pointee.traits.network].add(viewer.pointee.transport.contention)
    if isCut { measures.counts.sessionsCut += 1 }
    activeSessions -= 1
    viewer.pointee.close()
  }

  /// Delivered = rendered + wasted + still buffered, over all that the session loaded of a card.
  private mutating func settleBytes(
    _ viewer: SurfacePointer, _ index: Int, at now: Instant, isCut: Bool
  ) {
    let item = viewer.pointee.items[index]
    var arriving: Int64 = 0
    var media = item.held
    if let place = item.loading.request {
      let (request, remaining) = withdraw(viewer, place, at: now)
      if let remaining, request.isMedia {
        arriving = request.arrived(remaining: remaining)
        if request.asset == .segment {
          media += item.nextLength.scaled(by: request.share(remaining: remaining))
        }
      }
    }
    let share = media > .zero ? item.playback.rendered.seconds / media.seconds : 0
    let (delivered, shown, early) = item.bytes.sums(arriving: arriving, share: share)
    if delivered == 0 { return }
    let cell = configuration.cohort(
      network: viewer.pointee.traits.network, device: viewer.pointee.traits.device)
    let rest = delivered - shown
    measures.balances[cell].delivered += delivered
    measures.balances[cell].rendered += shown
    if isCut {
      measures.balances[cell].stillBuffered += rest
    } else {
      measures.balances[cell].wasted += rest
    }
    measures.balances[cell].prefetched += early
    if !isCut {
      measures.balances[cell].prefetchedWasted += early < rest ? early : rest
    }
    noteShown(item, in: cell)
  }

  private mutating func noteShown(_ item: SurfaceItem, in cell: Int) {
    if item.playback.rendered <= .zero { return }
    var shown = ShownItem()
    let step = item.title.step
    for index in 0..<item.loading.rungs.count {
      let seen = item.playback.rendered - step * Int64(index)
      if seen <= .zero { break }
      let length = item.title.length(of: index, step: step)
      shown.show(
        RungIndex(UInt32(item.loading.rungs[index])), for: seen < length ? seen : length,
        of: configuration.catalogue.ladder)
    }
    measures.shown[cell].add(shown.media)
  }
}
