import CallSignalling
import MediaUnits
import MessagingModel
import SimulationKernel

/// The clocks of clients.
///
/// No message carries a time, so a clock that is always wrong by as much changes nothing. What can
/// do harm is a step: here a client's host sets timers by its wall clock, so a step ahead fires
/// what it jumps over at once, and the step back at the fault's end makes what waits late; of
/// several faults at once the earliest holds. The server's clock is monotonic (parameters section
/// 10): a skew of the server changes nothing.
extension CallsWorld {
  /// What the client's clock says.
  func clock(_ client: UInt32, at now: Instant) -> Instant {
    guard let ahead = injector.amount(.skew, at: client, now: now) else { return now }
    return now + TimeSpan(nanoseconds: ahead)
  }

  /// Comes back when the client's clock should have reached the timer.
  func wait(
    _ client: UInt32, _ timer: CallClient.Timer, _ number: UInt32,
    _ context: inout Context<CallsEvent>
  ) {
    guard let entry = timers.due(client, timer, number) else { return }
    let left = entry.at - clock(client, at: context.now)
    context.schedule(
      .clientTimer(
        client: client, timer: timer.rawValue, number: number, epoch: clients[Int(client)].epoch),
      at: context.now + max(left, .zero), for: CallsWorld.firstClient + client)
  }

  mutating func fire(
    _ client: UInt32, _ timer: CallClient.Timer, _ number: UInt32,
    _ context: inout Context<CallsEvent>
  ) {
    guard let entry = timers.due(client, timer, number) else { return }
    if clock(client, at: context.now) < entry.at {
      // The clock was set back meanwhile.
      wait(client, timer, number, &context)
      return
    }
    timers.clear(client, timer)
    tell(client, .timerFired(timer, number: number), &context)
  }

  /// The clock steps ahead: what it jumps over is due now, and the rest earlier than it seemed.
  mutating func jump(_ target: UInt32, _ context: inout Context<CallsEvent>) {
    for client in 0..<schedule.actors
    where (target == client || target == Fault.everyone)
      && clients[Int(client)].isRunning
    {
      for timer in CallClient.Timer.allCases {
        guard let entry = timers[client, timer] else { continue }
        if entry.at <= clock(client, at: context.now) {
          fire(client, timer, entry.number, &context)
        } else {
          wait(client, timer, entry.number, &context)
        }
      }
    }
  }
}
