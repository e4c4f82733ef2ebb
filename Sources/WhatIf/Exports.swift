import FeedImage
import FeedModel
import SimulationKernel

// What a page's script calls. An instance of the module has one configuration, one plan and one
// answer; it is single-threaded, as every WebAssembly instance without shared memory is.

// The names are C's, and a program has others' beside them.
#if arch(wasm32)

  /// What an instance has.
  // tidy:allow unchecked-sendable because an instance of the module has one thread
  nonisolated(unsafe)  // tidy:allow global-var because calls from C have no self
    private var slot = PageSlot()

  private struct PageSlot {
    var input: [UInt8] = []
    var configuration: FeedConfiguration?
    var plan: WhatIfPlan?
    var answer: WhatIfAnswer?
    var bytes: [UInt8] = []
    var numbers: [Double] = []
    /// Whether numbers were left last.
    var hasNumbers = false

    /// The bytes that were written.
    mutating func taken(_ count: Int32) -> [UInt8] {
      let bytes = input
      input = []
      return bytes.count == Int(count) ? bytes : []
    }
  }

  /// Makes room for so many bytes; where they are to be written.
  @_cdecl("room")
  public func room(_ count: Int32) -> UnsafeMutableRawPointer? {
    slot.input = [UInt8](repeating: 0, count: Int(max(count, 1)))
    return slot.input.withUnsafeMutableBytes { $0.baseAddress }
  }

  /// Writes the right sum into an image in the room, parts of which were replaced.
  @_cdecl("image_seal")
  public func imageSeal(_ count: Int32) {
    FeedImage.seal(&slot.input)
  }

  /// Reads the image in the room; 1 when it is one, 0 else.
  @_cdecl("image_open")
  public func imageOpen(_ count: Int32) -> Int32 {
    slot.configuration = FeedImage.read(slot.taken(count))
    return slot.configuration == nil ? 0 : 1
  }

  /// Reads the plan in the room; 1 when it is one, 0 else.
  @_cdecl("plan_open")
  public func planOpen(_ count: Int32) -> Int32 {
    slot.plan = WhatIfPlan(slot.taken(count))
    slot.answer = slot.plan.map { WhatIfAnswer($0) }
    return slot.plan == nil ? 0 : 1
  }

  /// Runs one replication and evaluates the plan's metrics, without a plan none; how many bytes it
  /// has left, 0 when there is no configuration, -1 when it ran into a limit.
  @_cdecl("image_run")
  public func imageRun(_ seedHigh: UInt32, _ seedLow: UInt32, _ replication: UInt32) -> Int32 {
    guard let configuration = slot.configuration else { return 0 }
    let plan = slot.plan ?? WhatIfPlan(metrics: [], budgets: [], looks: [], base: [])
    do throws(SimulationError) {
      let sample = try WhatIfSample(
        configuration, plan, seed: UInt64(seedHigh) << 32 | UInt64(seedLow),
        replication: UInt16(truncatingIfNeeded: replication) % FeedRun.mostReplications)
      slot.bytes = sample.bytes
      slot.hasNumbers = false
      return Int32(slot.bytes.count)
    } catch {
      return -1
    }
  }

  /// Runs one replication and writes one of its sessions down; how many numbers are left
  /// (``WhatIfTimeline``), 0 when there is no configuration, -1 when it ran into a limit.
  @_cdecl("session_watch")
  public func sessionWatch(
    _ seedHigh: UInt32, _ seedLow: UInt32, _ replication: UInt32, _ session: UInt32
  ) -> Int32 {
    guard let configuration = slot.configuration else { return 0 }
    do throws(SimulationError) {
      slot.numbers = try WhatIfTimeline.numbers(
        configuration, seed: UInt64(seedHigh) << 32 | UInt64(seedLow),
        replication: UInt16(truncatingIfNeeded: replication) % FeedRun.mostReplications,
        session: session)
      slot.hasNumbers = true
      return Int32(slot.numbers.count)
    } catch {
      return -1
    }
  }

  /// Forgets all replications that were added.
  @_cdecl("answer_clear")
  public func answerClear() { slot.answer = slot.plan.map { WhatIfAnswer($0) } }

  /// Adds the replication in the room; 1 when it is one of the plan's, 0 else.
  @_cdecl("answer_add")
  public func answerAdd(_ count: Int32) -> Int32 {
    guard let sample = WhatIfSample(slot.taken(count)) else { return 0 }
    return slot.answer?.add(sample) ?? false ? 1 : 0
  }

  /// Puts all that was added together; how many numbers are left.
  @_cdecl("answer")
  public func answer() -> Int32 {
    slot.numbers = slot.answer?.numbers ?? []
    slot.hasNumbers = true
    return Int32(slot.numbers.count)
  }

  /// Where the bytes or the numbers lie that the last call has left.
  @_cdecl("output")
  public func output() -> UnsafeMutableRawPointer? {
    slot.hasNumbers
      ? slot.numbers.withUnsafeMutableBytes { $0.baseAddress }
      : slot.bytes.withUnsafeMutableBytes { $0.baseAddress }
  }
#endif
