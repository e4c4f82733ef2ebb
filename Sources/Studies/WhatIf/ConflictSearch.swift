import FeedImage

/// Finds controls whose deltas lie apart and still do not come to what both keys together do, such
/// as where one key says whether there is another.
///
/// A step of a control is tried with the outermost steps of as many others as go together at a
/// time: where their deltas come to what all the keys do, no two of them are in conflict; where
/// not, halves of them are tried. Of numbers the least and the greatest steps are tried, of words
/// all of them; of a key that all elements of a list have, such as a weight, the first element's.
struct ConflictSearch: Sendable {
  private let controls: [WhatIfControls.Control]
  private let builder: WhatIfControls.Builder

  init(_ controls: [WhatIfControls.Control], _ builder: WhatIfControls.Builder) {
    self.controls = controls
    self.builder = builder
  }

  /// One of a control's steps.
  private struct Trial: Sendable {
    var control: Int
    var step: WhatIfControls.Step
  }

  /// The pairs, in the order of their controls.
  func run(threads: Int) async throws -> [ClosedRange<Int>] {
    let words = controls.indices.filter { !controls[$0].isOrdered }
    let numbers = controls.indices.filter { controls[$0].isOrdered }
    // Words first: most conflicts are theirs, and groups without them are tried faster.
    var known = try await SideBySide.map(words.count, threads: threads) { number in
      conflicts(of: words[number], with: numbers + words.dropFirst(number + 1), known: [])
    }.flatMap(\.self)
    let found = known
    known += try await SideBySide.map(numbers.count, threads: threads) { number in
      conflicts(of: numbers[number], with: Array(numbers.dropFirst(number + 1)), known: found)
    }.flatMap(\.self)
    let all = controls.indices.flatMap { one in
      controls.indices.dropFirst(one + 1).map { one...$0 }
    }
    return all.filter { pair in known.contains(firsts(pair)) || known.contains(pair) }
  }

  /// The first control of the same key as each of a pair.
  private func firsts(_ pair: ClosedRange<Int>) -> ClosedRange<Int> {
    ConflictSearch.pair(first(pair.lowerBound), first(pair.upperBound))
  }

  /// The first control whose key is that of a control, whatever the elements of lists are.
  private func first(_ control: Int) -> Int {
    let pattern = ConflictSearch.pattern(controls[control].key)
    return controls.firstIndex { ConflictSearch.pattern($0.key) == pattern } ?? control
  }

  private static func pattern(_ key: String) -> String {
    var isInside = false
    return key.filter { character in
      if character == "[" || character == "]" { isInside = character == "[" }
      return !isInside || character == "["
    }
  }

  /// The conflicts of a control with some others.
  private func conflicts(
    of control: Int, with others: [Int], known: [ClosedRange<Int>]
  ) -> [ClosedRange<Int>] {
    var found: [ClosedRange<Int>] = []
    for (number, step) in controls[control].trials.enumerated() {
      let trial = Trial(control: control, step: step)
      var left = others.compactMap { other -> Trial? in
        let trials = controls[other].trials
        let partner = Trial(control: other, step: trials[number % trials.count])
        let isFirst = first(control) == control && first(other) == other
        let isAlike = first(control) == first(other)
        let isOpen =
          (isFirst || isAlike) && !found.contains(ConflictSearch.pair(control, other))
        return isOpen && ImageDelta.areApart(step.delta, partner.step.delta) ? partner : nil
      }
      while !left.isEmpty {
        let group = group(of: &left, known: known)
        found += inConflict(group, with: trial).map { ConflictSearch.pair(control, $0) }
      }
    }
    return found
  }

  private static func pair(_ one: Int, _ other: Int) -> ClosedRange<Int> {
    min(one, other)...max(one, other)
  }

  /// Takes as many as go together.
  private func group(of left: inout [Trial], known: [ClosedRange<Int>]) -> [Trial] {
    var group: [Trial] = []
    var rest: [Trial] = []
    for trial in left {
      let fits = group.allSatisfy { other in
        ImageDelta.areApart(other.step.delta, trial.step.delta)
          && !known.contains(ConflictSearch.pair(other.control, trial.control))
      }
      if fits { group.append(trial) } else { rest.append(trial) }
    }
    left = rest
    return group
  }

  /// Those of a group that are in conflict with a step.
  private func inConflict(_ group: [Trial], with trial: Trial) -> [Int] {
    let all = [trial] + group
    let settings = all.map { (key: controls[$0.control].key, text: $0.step.text) }
    if builder.isSum(all.map(\.step.delta), of: settings) { return [] }
    if group.count == 1 { return [group[0].control] }
    let middle = group.count / 2
    return inConflict(Array(group[..<middle]), with: trial)
      + inConflict(Array(group[middle...]), with: trial)
  }
}

extension WhatIfControls.Control {
  /// The steps that are tried.
  fileprivate var trials: [WhatIfControls.Step] {
    let others = steps.indices.filter { $0 != base }.map { steps[$0] }
    if !isOrdered || others.count < 2 { return others }
    return [others[0], others[others.count - 1]]
  }
}
