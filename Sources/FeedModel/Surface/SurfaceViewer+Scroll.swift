import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the viewer does with his finger, and where the list is.
extension SurfaceViewer {
  /// Between two frames: 60 Hz.
  static let frame = TimeSpan(nanoseconds: 16_666_667)

  // MARK: Rests

  /// The list stands still, or trembles under the finger.
  mutating func rest(_ context: inout SurfaceContext) {
    let number = habit.nextRest()
    let (u0, u1) = streams.uniformPair(.surfaceRest, entity: entity(number), pair: 0)
    let (u2, u3) = streams.uniformPair(.surfaceRest, entity: entity(number), pair: 1)
    if u0 < surface.pointee.habits.trembles {
      startMotion(
        .tremble, length: TimeSpan(seconds: surface.pointee.habits.trembleTime.quantile(u1)),
        origin: column.offset, velocity: 0, &context)
    }
    let glance = TimeSpan(seconds: surface.pointee.habits.glance.quantile(u3))
    closeView(isCut: false, &context)
    let target = target()
    guard let target, !isLowEnd else {
      // Nothing plays by itself: a glance, or a tap.
      if let target, u2 < surface.pointee.habits.taps {
        context.plan(.tapped(slot: slot), at: context.now + glance, as: .timer(.tap))
        view.aim(at: target)
        return
      }
      planRestEnd(after: glance, &context)
      return
    }
    openView(target, &context)
    if u2 < surface.pointee.habits.glances {
      planRestEnd(after: glance, &context)
    } else {
      watch(&context)
    }
  }

  /// The card that the viewer stopped at (see ``isNearer(_:_:)``): of the widget nearest to the
  /// middle the leftmost that is half visible sideways and shows enough to play.
  private func target() -> Int? {
    var best: Int?
    for index in 0..<items.count where items[index].cell.token > 0 {
      if items[index].cell.sight.across < 0.5 || !mayPlay(index) { continue }
      guard let known = best else {
        best = index
        continue
      }
      if isNearer(index, known) { best = index }
    }
    return best
  }

  /// Whether a viewer looks at card `a` rather than at `b`. Of two widgets that are about equally
  /// near to the middle he looks at the one that plays.
  private func isNearer(_ a: Int, _ b: Int) -> Bool {
    let first = abs(items[a].cell.sight.offset)
    let second = abs(items[b].cell.sight.offset)
    let margin = surface.pointee.visibility.rules.centreMargin
    if items[a].widget != items[b].widget && items[a].isTold != items[b].isTold
      && abs(first - second) <= margin
    {
      return items[a].isTold
    }
    return first < second
  }

  /// Whether the visibility rules could let the card play where the list rests: nobody waits for a
  /// card that shows too little.
  private func mayPlay(_ index: Int) -> Bool {
    if items[index].playback.isSpent { return false }
    let limits =
      items[index].kind == .carousel
      ? surface.pointee.visibility.carousel : surface.pointee.visibility.short
    // What plays keeps playing from `leave` on; a tap asks for no more, either.
    let isEnough = items[index].isTold || isLowEnd
    return items[index].cell.sight.fraction >= (isEnough ? limits.leave : limits.enter)
  }

  mutating func tap(_ context: inout SurfaceContext) {
    let index = Int(view.item)
    openView(index, &context)
    tell(.tapped(ItemID(UInt32(index)), token: items[index].cell.token), &context)
    // Also of a card that runs already: the viewer watches it and then goes on.
    watch(&context)
  }

  /// A page of the feed is here: where the list rests there may be more to see.
  mutating func takePage(_ request: UInt32, _ context: inout SurfaceContext) {
    let isFirst = column.widgets.isEmpty
    layOutPage(request, &context)
    if isFirst {
      look(velocity: 0, travel: 0, isSettled: true, &context)
      // Where the first widget needs more than a page, there is nothing to look at yet.
      if !column.widgets.isEmpty { rest(&context) }
    } else if motion.kind == .rest {
      look(velocity: 0, travel: 0, isSettled: true, &context)
    }
  }

  // MARK: Gestures

  /// The rest is over: the next gesture, or another tab.
  mutating func moveOn(_ context: inout SurfaceContext) {
    let isBurst = motion.isBurst
    if isBurst { stopMotion(&context) }
    if habit.isAway {
      habit.comeBack()
      tell(.frontChanged(true), &context)
      rest(&context)
      return
    }
    context.cancel(.timer(.tap))
    leaveView(at: context.now)
    let entity = entity(habit.nextGesture())
    let (speed, time) = streams.uniformPair(.surfaceGesture, entity: entity, pair: 1)
    let (sideways, leave) = streams.uniformPair(.surfaceGesture, entity: entity, pair: 2)
    if !isBurst && leave < surface.pointee.habits.leaves {
      habit.leave()
      if motion.kind != .rest { stopMotion(&context) }
      tell(.frontChanged(false), &context)
      let away = TimeSpan(seconds: surface.pointee.habits.leaveTime.quantile(time))
      planRestEnd(after: away, &context)
      return
    }
    context.measures.surface.gestures += 1
    let (choice, direction) = streams.uniformPair(.surfaceGesture, entity: entity, pair: 0)
    let sign = direction < surface.pointee.habits.back ? -1.0 : 1.0
    if !isBurst && sideways < surface.pointee.habits.sideways,
      let row = column.centredCarousel(screenHeight: screenHeight)
    {
      let velocity = sign * surface.pointee.habits.dragSpeed.quantile(speed)
      startMotion(
        .sideways, length: traits.law.duration(from: velocity),
        origin: column.widgets[row].across, velocity: velocity, widget: row, &context)
    } else if !isBurst && choice < surface.pointee.habits.drags {
      startMotion(
        .drag, length: TimeSpan(seconds: surface.pointee.habits.dragTime.quantile(time)),
        origin: column.offset,
        velocity: sign * surface.pointee.habits.dragSpeed.quantile(speed), &context)
    } else {
      fling(sign * surface.pointee.habits.flingSpeed.quantile(speed), entity, &context)
    }
  }

  /// Throws the list; another gesture may come before it rests.
  private mutating func fling(
    _ velocity: Double, _ entity: UInt64, _ context: inout SurfaceContext
  ) {
    startMotion(
      .fling, length: traits.law.duration(from: velocity), origin: column.offset,
      velocity: velocity, &context)
    let u = streams.uniform(.surfaceGesture, entity: entity, draw: 6)
    if u < surface.pointee.habits.burst {
      let v = streams.uniform(.surfaceGesture, entity: entity, draw: 7)
      let next = TimeSpan(seconds: surface.pointee.habits.burstTime.quantile(v))
      planRestEnd(after: next, &context)
    }
  }

  private mutating func startMotion(
    _ kind: SurfaceMotion.Kind, length: TimeSpan, origin: Double, velocity: Double,
    widget: Int? = nil, _ context: inout SurfaceContext
  ) {
    if motion.kind != .rest { stopMotion(&context) }
    motion.begin(
      kind, at: context.now, length: length, origin: origin, velocity: velocity, widget: widget)
    planFrame(&context)
  }

  private mutating func stopMotion(_ context: inout SurfaceContext) {
    context.cancel(.timer(.frame))
    context.measures.surface.movingTime += (context.now - motion.since).nanoseconds
    motion.stop()
  }

  private func planFrame(_ context: inout SurfaceContext) {
    context.plan(.frame(slot: slot), at: context.now + SurfaceViewer.frame, as: .timer(.frame))
  }

  // MARK: Frames

  /// A frame of the motion: where the list is now, and what is on the screen.
  mutating func moveFrame(_ context: inout SurfaceContext) {
    let motion = motion
    let time = context.now - motion.since
    var isEnd = time >= motion.length
    let (position, velocity) = place(motion, isEnd ? motion.length : time)
    if !move(to: position) { isEnd = true }
    if isEnd {
      stopMotion(&context)
      if motion.kind == .fling {
        context.measures.surface.settles += 1
        context.measures.surface.settleTime += time.nanoseconds
      }
    } else {
      planFrame(&context)
    }
    let isStill = isEnd || motion.kind == .sideways
    let travel = isStill || motion.kind != .fling ? 0 : traits.law.travel(from: velocity)
    look(
      velocity: isStill ? 0 : velocity / screenHeight, travel: travel / screenHeight,
      isSettled: isEnd, &context)
    if !isEnd || motion.kind == .tremble { return }
    context.cancel(.timer(.rest))
    rest(&context)
  }

  /// Moves the column, or a Carousel on it, to where the motion is.
  ///
  /// - Returns: whether the motion may go on there.
  private mutating func move(to position: Double) -> Bool {
    if motion.kind == .sideways {
      let limit = traits.geometry.farthest(cards: column.widgets[motion.widget].widget.cards)
      return column.push(motion.widget, to: position, limit: limit)
    }
    return column.scroll(to: position, screenHeight: screenHeight) || motion.kind == .tremble
  }

  /// Position and velocity of the motion, points.
  private func place(_ motion: SurfaceMotion, _ time: TimeSpan) -> (Double, Double) {
    switch motion.kind {
    case .rest: return (motion.origin, 0)
    case .drag: return (motion.origin + motion.velocity * time.seconds, motion.velocity)
    case .fling, .sideways:
      return (
        motion.origin + traits.law.position(at: time, from: motion.velocity),
        traits.law.velocity(at: time, from: motion.velocity)
      )
    case .tremble:
      // A new aim every tenth of a second: the fingers' tremor of 8 to 12 Hz.
      let steps = time.seconds * 10
      let step = UInt32(steps)
      let share = steps - Double(step)
      let (a, b) = (tremble(motion, step), tremble(motion, step + 1))
      return (motion.origin + a + (b - a) * share, (b - a) * 10)
    }
  }

  private func tremble(_ motion: SurfaceMotion, _ step: UInt32) -> Double {
    if step == 0 { return 0 }
    let u = streams.uniform(.surfaceTremble, entity: entity(motion.number), draw: step)
    return surface.pointee.habits.trembleSpread * setting.pointee.sources.normal.quantile(u)
  }
}
