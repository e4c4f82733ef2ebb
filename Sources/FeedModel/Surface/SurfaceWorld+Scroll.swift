import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the viewer does with his finger, and where the list is.
extension SurfaceWorld {
  // MARK: Rests

  /// The list stands still, or trembles under the finger.
  mutating func rest(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    let number = viewer.pointee.habit.nextRest()
    let (u0, u1) = streams.uniformPair(.surfaceRest, entity: viewer.pointee.entity(number), pair: 0)
    let (u2, u3) = streams.uniformPair(.surfaceRest, entity: viewer.pointee.entity(number), pair: 1)
    let habits = surface.habits
    if u0 < habits.trembles {
      startMotion(
        viewer, .tremble, length: TimeSpan(seconds: habits.trembleTime.quantile(u1)),
        origin: viewer.pointee.column.offset, velocity: 0, &context)
    }
    let glance = TimeSpan(seconds: habits.glance.quantile(u3))
    closeView(viewer, at: context.now, isCut: false)
    let target = target(viewer)
    guard let target, !isLowEnd(viewer) else {
      // Nothing plays by itself: a glance, or a tap.
      if let target, u2 < habits.taps {
        let event = context.schedule(
          .tapped(slot: viewer.pointee.slot), at: context.now + glance,
          for: viewer.pointee.session)
        viewer.pointee.timers.set(.tap, event)
        viewer.pointee.view.aim(at: target)
        return
      }
      scheduleRestEnd(viewer, after: glance, &context)
      return
    }
    openView(viewer, target, at: context.now)
    if u2 < habits.glances {
      scheduleRestEnd(viewer, after: glance, &context)
    } else {
      watch(viewer, &context)
    }
  }

  /// The card that the viewer stopped at (see ``isNearer(_:_:)``): of the widget nearest to the
  /// middle the leftmost that is half visible sideways and shows enough to play.
  private func target(_ viewer: SurfacePointer) -> Int? {
    var best: Int?
    for index in 0..<viewer.pointee.items.count where viewer.pointee.items[index].cell.token > 0 {
      let sight = viewer.pointee.items[index].cell.sight
      if sight.across < 0.5 || !mayPlay(viewer, viewer.pointee.items[index]) { continue }
      guard let known = best else {
        best = index
        continue
      }
      if isNearer(viewer.pointee.items[index], viewer.pointee.items[known]) { best = index }
    }
    return best
  }

  /// Whether a viewer looks at card `a` rather than at `b`. Of two widgets that are about equally
  /// near to the middle he looks at the one that plays.
  private func isNearer(_ a: SurfaceItem, _ b: SurfaceItem) -> Bool {
    let (first, second) = (abs(a.cell.sight.offset), abs(b.cell.sight.offset))
    let margin = surface.visibility.rules.centreMargin
    if a.widget != b.widget && a.isTold != b.isTold && abs(first - second) <= margin {
      return a.isTold
    }
    return first < second
  }

  /// Whether the visibility rules could let the card play where the list rests: nobody waits for a
  /// card that shows too little.
  private func mayPlay(_ viewer: SurfacePointer, _ item: SurfaceItem) -> Bool {
    if item.playback.isSpent { return false }
    let limits =
      item.kind == .carousel ? surface.visibility.carousel : surface.visibility.short
    // What plays keeps playing from `leave` on; a tap asks for no more, either.
    let isEnough = item.isTold || isLowEnd(viewer)
    return item.cell.sight.fraction >= (isEnough ? limits.leave : limits.enter)
  }

  mutating func tap(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    let index = Int(viewer.pointee.view.item)
    openView(viewer, index, at: context.now)
    tell(
      viewer, .tapped(ItemID(UInt32(index)), token: viewer.pointee.items[index].cell.token),
      &context)
    // Also of a card that runs already: the viewer watches it and then goes on.
    watch(viewer, &context)
  }

  // MARK: Gestures

  /// The rest is over: the next gesture, or another tab.
  mutating func moveOn(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    viewer.pointee.timers.take(.rest)
    let isBurst = viewer.pointee.motion.isBurst
    if isBurst { stopMotion(viewer, &context) }
    if viewer.pointee.habit.isAway {
      viewer.pointee.habit.comeBack()
      tell(viewer, .frontChanged(true), &context)
      rest(viewer, &context)
      return
    }
    context.cancel(viewer.pointee.timers.take(.tap))
    leaveView(viewer, at: context.now)
    let entity = viewer.pointee.entity(viewer.pointee.habit.nextGesture())
    let (choice, direction) = streams.uniformPair(.surfaceGesture, entity: entity, pair: 0)
    let (speed, time) = streams.uniformPair(.surfaceGesture, entity: entity, pair: 1)
    let (sideways, leave) = streams.uniformPair(.surfaceGesture, entity: entity, pair: 2)
    let habits = surface.habits
    if !isBurst && leave < habits.leaves {
      viewer.pointee.habit.leave()
      if viewer.pointee.motion.kind != .rest { stopMotion(viewer, &context) }
      tell(viewer, .frontChanged(false), &context)
      scheduleRestEnd(
        viewer, after: TimeSpan(seconds: habits.leaveTime.quantile(time)), &context)
      return
    }
    measures.surface.gestures += 1
    let sign = direction < habits.back ? -1.0 : 1.0
    if !isBurst && sideways < habits.sideways, let row = centredCarousel(viewer) {
      let velocity = sign * habits.dragSpeed.quantile(speed)
      startMotion(
        viewer, .sideways, length: viewer.pointee.traits.law.duration(from: velocity),
        origin: viewer.pointee.column.widgets[row].across, velocity: velocity, widget: row,
        &context)
    } else if !isBurst && choice < habits.drags {
      startMotion(
        viewer, .drag, length: TimeSpan(seconds: habits.dragTime.quantile(time)),
        origin: viewer.pointee.column.offset, velocity: sign * habits.dragSpeed.quantile(speed),
        &context)
    } else {
      let velocity = sign * habits.flingSpeed.quantile(speed)
      startMotion(
        viewer, .fling, length: viewer.pointee.traits.law.duration(from: velocity),
        origin: viewer.pointee.column.offset, velocity: velocity, &context)
      let u = streams.uniform(.surfaceGesture, entity: entity, draw: 6)
      if u < habits.burst {
        let v = streams.uniform(.surfaceGesture, entity: entity, draw: 7)
        scheduleRestEnd(
          viewer, after: TimeSpan(seconds: habits.burstTime.quantile(v)), &context)
      }
    }
  }

  private func centredCarousel(_ viewer: SurfacePointer) -> Int? {
    viewer.pointee.column.centredCarousel(
      screenHeight: viewer.pointee.traits.geometry.screenHeight)
  }

  private mutating func startMotion(
    _ viewer: SurfacePointer, _ kind: SurfaceMotion.Kind, length: TimeSpan, origin: Double,
    velocity: Double, widget: Int? = nil, _ context: inout Context<SurfaceEvent>
  ) {
    if viewer.pointee.motion.kind != .rest { stopMotion(viewer, &context) }
    viewer.pointee.motion.begin(
      kind, at: context.now, length: length, origin: origin, velocity: velocity, widget: widget)
    scheduleFrame(viewer, &context)
  }

  private mutating func stopMotion(
    _ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>
  ) {
    context.cancel(viewer.pointee.timers.take(.frame))
    measures.surface.movingTime += (context.now - viewer.pointee.motion.since).nanoseconds
    viewer.pointee.motion.stop()
  }

  private mutating func scheduleFrame(
    _ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>
  ) {
    let event = context.schedule(
      .frame(slot: viewer.pointee.slot), at: context.now + SurfaceWorld.frame,
      for: viewer.pointee.session)
    viewer.pointee.timers.set(.frame, event)
  }

  // MARK: Frames

  /// A frame of the motion: where the list is now, and what is on the screen.
  mutating func moveFrame(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    viewer.pointee.timers.take(.frame)
    let motion = viewer.pointee.motion
    let time = context.now - motion.since
    var isEnd = time >= motion.length
    let (position, velocity) = place(viewer, motion, isEnd ? motion.length : time)
    if motion.kind == .sideways {
      let limit = viewer.pointee.traits.geometry.farthest(
        cards: viewer.pointee.column.widgets[motion.widget].widget.cards)
      if !viewer.pointee.column.push(motion.widget, to: position, limit: limit) { isEnd = true }
    } else {
      let isWithin = viewer.pointee.column.scroll(
        to: position, screenHeight: viewer.pointee.traits.geometry.screenHeight)
      if !isWithin && motion.kind != .tremble { isEnd = true }
    }
    if isEnd {
      stopMotion(viewer, &context)
      if motion.kind == .fling {
        measures.surface.settles += 1
        measures.surface.settleTime += time.nanoseconds
      }
    } else {
      scheduleFrame(viewer, &context)
    }
    let isVertical = motion.kind != .sideways
    let height = viewer.pointee.traits.geometry.screenHeight
    let travel = isEnd || !isVertical ? 0 : remaining(viewer, motion, velocity)
    look(
      viewer, velocity: isEnd || !isVertical ? 0 : velocity / height, travel: travel / height,
      isSettled: isEnd, &context)
    if !isEnd || motion.kind == .tremble { return }
    context.cancel(viewer.pointee.timers.take(.rest))
    rest(viewer, &context)
  }

  private func remaining(
    _ viewer: SurfacePointer, _ motion: SurfaceMotion, _ velocity: Double
  ) -> Double {
    motion.kind == .fling ? viewer.pointee.traits.law.travel(from: velocity) : 0
  }

  /// Position and velocity of the motion, points.
  private func place(
    _ viewer: SurfacePointer, _ motion: SurfaceMotion, _ time: TimeSpan
  ) -> (Double, Double) {
    switch motion.kind {
    case .rest: return (motion.origin, 0)
    case .drag:
      return (motion.origin + motion.velocity * time.seconds, motion.velocity)
    case .fling, .sideways:
      return (
        motion.origin + viewer.pointee.traits.law.position(at: time, from: motion.velocity),
        viewer.pointee.traits.law.velocity(at: time, from: motion.velocity)
      )
    case .tremble:
      // A new aim every tenth of a second: the fingers' tremor of 8 to 12 Hz.
      let steps = time.seconds * 10
      let step = UInt32(steps)
      let share = steps - Double(step)
      let (a, b) = (tremble(viewer, motion, step), tremble(viewer, motion, step + 1))
      return (motion.origin + a + (b - a) * share, (b - a) * 10)
    }
  }

  private func tremble(
    _ viewer: SurfacePointer, _ motion: SurfaceMotion, _ step: UInt32
  ) -> Double {
    if step == 0 { return 0 }
    let u = streams.uniform(
      .surfaceTremble, entity: viewer.pointee.entity(motion.number), draw: step)
    return surface.habits.trembleSpread * setting.pointee.sources.normal.quantile(u)
  }
}
