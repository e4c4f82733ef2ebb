import ArgumentParser
import LoadHarness
import MediaUnits
import Models

/// What goes wrong on purpose while a live run measures.
struct LiveDisturbances: ParsableArguments {
  @Option(
    name: .customLong("pause-edge"), parsing: .singleValue,
    help: ArgumentHelp(
      "Keep the edge from running, as an outage does: FROM-UNTIL since the run's begin, such as "
        + "30s-33s; repeatable.", valueName: "times"))
  var pauses: [String] = []

  @Option(
    name: .customLong("fault"), parsing: .singleValue,
    help: ArgumentHelp(
      "Let the stand-in do something wrong: KIND:CLASS[:VALUE]:PROBABILITY[:FROM-UNTIL], such as "
        + "status:all:500:1:30s-60s; repeatable.", valueName: "fault"))
  var faults: [String] = []

  func check(hasTarget: Bool, edge: LiveEdge) throws {
    for fault in faults {
      do throws(StandinFault.Malformed) {
        _ = try StandinFault(parsing: fault)
      } catch {
        throw ValidationError("--fault: \(error)")
      }
    }
    if hasTarget && !(faults.isEmpty && pauses.isEmpty) {
      throw ValidationError(
        "--fault and --pause-edge: expected the servers that this program starts, got --target")
    }
    if edge == .none && !pauses.isEmpty {
      throw ValidationError("--pause-edge: expected an --edge, got none")
    }
    _ = try times()
  }

  /// Pauses in the order of their begin, each after the end of the one before.
  private func times() throws -> [Range<TimeSpan>] {
    var found: [Range<TimeSpan>] = []
    for text in pauses {
      let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard ends.count == 2 else {
        throw ValidationError("--pause-edge: expected FROM-UNTIL such as 30s-33s, got \(text)")
      }
      let from = try LiveOptionsGroup.time(ends[0], "--pause-edge")
      let until = try LiveOptionsGroup.time(ends[1], "--pause-edge")
      if until <= from || from < found.last?.upperBound ?? .zero {
        throw ValidationError(
          "--pause-edge: expected an end after its begin and after the pause before, got \(text)")
      }
      found.append(from..<until)
    }
    return found
  }

  /// Begins to pause a stage's edge on time; cancel it when the run is over.
  func begin(_ stage: LiveStage) -> Task<Void, Never> {
    let begin = ContinuousClock.now
    let times = (try? times()) ?? []
    guard let edge = stage.edge, !times.isEmpty else { return Task {} }
    let pause = edge.pauseSwitch
    return Task.detached {
      for time in times {
        let wait = { (span: TimeSpan) in
          try? await Task.sleep(until: begin + .nanoseconds(span.nanoseconds), clock: .continuous)
        }
        await wait(time.lowerBound)
        if Task.isCancelled { return }
        pause(true)
        await wait(time.upperBound)
        // Also when the run was stopped meanwhile: a stopped process cannot end in order.
        pause(false)
      }
    }
  }

  /// What to add to the words for the origin and the edge.
  var originWords: String { faults.isEmpty ? "" : " with " + faults.joined(separator: ", ") }
  var edgeWords: String {
    pauses.isEmpty ? "" : ", stopped during " + pauses.joined(separator: ", ")
  }
}
