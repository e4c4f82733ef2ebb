import FeedPolicy
import MediaUnits
import SimulationKernel

// The smallest host of the Embedded Swift modules: `.ci/embedded` links it with them into one
// WebAssembly module, which shows that generics across modules resolve without a runtime. It is
// built by that script only, so no target of the package holds it.

/// Hops from entity to entity, each after an exponential delay, until none is left. Every hop
/// cancels the deadline that the one before it set; the first cancels the handle of no event.
struct HoppingWorld: ~Copyable, SimulatedWorld {
  enum Event: BitwiseCopyable, Sendable {
    case hopped, overdue
  }

  let streams: RandomStreams
  var hopsLeft: UInt32
  var visits = LookupTable()
  var deadline = EventHandle.none
  var overdueCount: UInt32 = 0

  static func tag(of event: Event) -> UInt32 { event == .hopped ? 1 : 2 }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    if event == .overdue {
      overdueCount += 1
      return
    }
    context.cancel(deadline)
    visits.set(UInt64(target), to: (visits[UInt64(target)] ?? 0) + 1)
    if hopsLeft == 0 { return }
    hopsLeft -= 1
    let uniform = streams.uniform(StreamName(rawValue: 1), entity: UInt64(target), draw: hopsLeft)
    let delay = TimeSpan(seconds: -PortableMath.log(uniform))
    context.schedule(.hopped, at: context.now + delay, for: (target + 7) % 101)
    deadline = context.schedule(
      .overdue, at: context.now + delay + .nanoseconds(1), for: target, phase: .observe)
  }
}

/// Runs `hops` hops from `seed` and returns the time of the last one in nanoseconds; negative when
/// the kernel stopped the run by a limit or handled a cancelled event.
@_cdecl("firstframe_probe")
public func firstframeProbe(_ seed: UInt64, _ hops: UInt32) -> Int64 {
  let world = HoppingWorld(streams: RandomStreams(seed: seed, replication: 0), hopsLeft: hops)
  var simulation = Simulation(world)
  simulation.schedule(.hopped, at: .zero, for: 0, source: 0)
  do throws(SimulationError) {
    let summary = try simulation.run(eventLimit: UInt64(hops) + 1)
    return simulation.world.overdueCount == 0 ? summary.lastEvent.nanoseconds : -2
  } catch {
    return -1
  }
}

/// The log that ``firstframeReplay()`` plays. A global that the host fills through calls.
nonisolated(unsafe) private var log: [UInt8] = []

/// Adds a byte to the log.
@_cdecl("firstframe_log_byte")
public func firstframeLogByte(_ byte: UInt32) { log.append(UInt8(truncatingIfNeeded: byte)) }

/// Plays the log through the machine that it names and forgets it.
/// - Returns: the number of commands, which are those of the log; below zero the number of the line
///   where they differ or that cannot be read; 0 when no machine is named.
@_cdecl("firstframe_replay")
public func firstframeReplay() -> Int32 {
  let outcome = PolicyLog.replay(log)
  log.removeAll()
  switch outcome {
  case .equal(_, let commands): return Int32(truncatingIfNeeded: commands)
  case .differs(let line), .malformed(let line): return -Int32(truncatingIfNeeded: line)
  case nil: return 0
  }
}
