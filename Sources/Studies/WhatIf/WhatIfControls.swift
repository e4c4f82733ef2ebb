import FeedImage
import Models
import Scenario

/// What of a feed's scenario somebody may turn where nothing but its image is at hand, such as on a
/// page: keys with values around their own, each as what it changes in the image.
public struct WhatIfControls: Sendable {
  /// A value of a key.
  public struct Step: Sendable, Equatable {
    /// As the argument of `--set` has it behind the `=`.
    public let text: String
    /// What it changes in the image of the scenario; nothing for the scenario's own value.
    public let delta: ImageDelta
  }

  /// A key with its values.
  public struct Control: Sendable, Equatable {
    public let key: String
    /// What it means, a few words.
    public let words: String
    /// Whom it concerns, such as `player` or `caches`.
    public let group: String
    /// In their order; two at least.
    public let steps: [Step]
    /// The place of the scenario's own value among ``steps``.
    public let base: Int
    /// Whether its steps lie in an order, as numbers do.
    let isOrdered: Bool
  }

  public let controls: [Control]
  /// Places of two controls in ``controls``, the lower one first, whose deltas may lie apart and
  /// still do not come to what both keys together do.
  public let conflicts: [ClosedRange<Int>]

  /// Keys that the scenario lists and that are no controls of this run.
  public internal(set) var leftOut: [Rejected] = []

  /// A key that somebody named cannot be a control.
  public struct Rejected: Error, Equatable, Sendable, CustomStringConvertible {
    public let key: String
    public let expected, got: String

    public var description: String { "\(key): expected \(expected), got \(got)" }
  }

  /// Finds the controls of a scenario: the usual ones that it has, those that it lists itself
  /// (`whatIf`), and those that somebody named.
  ///
  /// A value that the scenario refuses, that has no image or that changes nothing of what is
  /// simulated is left out, and a key without two values with it; of a listed one that is told.
  ///
  /// - Parameter named: key paths beside the usual ones.
  /// - Throws: ``Rejected`` for a named key that is none or has no two values, and for a scenario
  ///   that has no image, since policies of others decide in it.
  public static func find(
    _ scenario: FeedStudy, named: [String] = [], threads: Int
  ) async throws -> WhatIfControls {
    guard let image = FeedImage.bytes(of: scenario.configuration) else {
      throw Rejected(
        key: "policy", expected: "policies of the program", got: "one of somebody else's")
    }
    let builder = Builder(family: ScenarioFamily(scenario.scenario), image: image)
    let usual = usualKeys(of: scenario.scenario)
    var keys: [SettableKey] = usual.compactMap { try? SettableKey($0, in: scenario.scenario) }
    var leftOut: [Rejected] = []
    for name in scenario.whatIf where !keys.contains(where: { $0.path == name }) {
      do throws(Rejected) {
        keys.append(try key(name, in: scenario.scenario))
      } catch {
        // Such as a key of another kind, which is set for this run.
        if !named.contains(name) { leftOut.append(error) }
      }
    }
    for name in named where !keys.contains(where: { $0.path == name }) {
      keys.append(try key(name, in: scenario.scenario))
    }
    let texts = keys.map { (try? $0.steps()) ?? [] }
    let places = texts.indices.flatMap { place in texts[place].map { (key: place, text: $0) } }
    let found = keys
    let deltas = try await SideBySide.map(places.count, threads: threads) { number in
      let (place, text) = places[number]
      if text == found[place].text { return ImageDelta?.some(.none) }
      return builder.delta([(found[place].path, text)])
    }
    var controls: [Control] = []
    for (number, key) in keys.enumerated() {
      let steps = zip(places, deltas).compactMap { place, delta -> Step? in
        guard place.key == number, let delta else { return nil }
        let isOwn = place.text == key.text
        return isOwn || !delta.replacements.isEmpty ? Step(text: place.text, delta: delta) : nil
      }
      if let control = Control(key, steps) {
        controls.append(control)
      } else if named.contains(key.path) || scenario.whatIf.contains(key.path) {
        let rejected = Rejected(
          key: key.path, expected: "a key with another value that changes what is simulated",
          got: "\(key.text) alone")
        if named.contains(key.path) { throw rejected }
        leftOut.append(rejected)
      }
    }
    let conflicts = try await ConflictSearch(controls, builder).run(threads: threads)
    return WhatIfControls(controls: controls, conflicts: conflicts, leftOut: leftOut)
  }

  /// A key that somebody named.
  private static func key(
    _ path: String, in scenario: StudyScenario
  ) throws(Rejected) -> SettableKey {
    // A month is priced for the whole audience, of which a page does not know another part.
    if path == "short.share" && scenario.cost != nil && scenario.isShort {
      throw Rejected(
        key: path, expected: "a key that leaves the cut of a run with a cost as it is", got: path)
    }
    do throws(SettableKey.Fault) {
      let key = try SettableKey(path, in: scenario)
      _ = try key.steps()
      return key
    } catch {
      throw Rejected(key: path, expected: error.expected, got: error.got)
    }
  }

  // MARK: Images

  /// Makes images of a scenario with other keys.
  struct Builder: Sendable {
    let family: ScenarioFamily
    let image: [UInt8]

    /// What keys with other values change; nil where there is no such scenario or no image of it.
    func delta(_ settings: [(key: String, text: String)]) -> ImageDelta? {
      bytes(settings).map { ImageDelta.between(image, $0) }
    }

    private func bytes(_ settings: [(key: String, text: String)]) -> [UInt8]? {
      let overrides = settings.map { Override(set: "\($0.key)=\($0.text)") }
      guard let feed = try? family.member(overrides).feed else { return nil }
      return FeedImage.bytes(of: feed.configuration)
    }

    /// Whether deltas put together come to what their keys do together.
    func isSum(_ deltas: [ImageDelta], of settings: [(key: String, text: String)]) -> Bool {
      guard let bytes = bytes(settings), let all = ImageDelta.merged(deltas) else { return false }
      return all.applied(to: image)[ImageDelta.front...] == bytes[ImageDelta.front...]
    }
  }
}

extension WhatIfControls.Control {
  /// Nil where there are no two steps, or the key's own value is not among them.
  fileprivate init?(_ key: SettableKey, _ steps: [WhatIfControls.Step]) {
    guard steps.count > 1, let base = steps.firstIndex(where: { $0.text == key.text }) else {
      return nil
    }
    self.key = key.path
    words = WhatIfControls.words(of: key)
    group = WhatIfControls.group(of: key.path)
    self.steps = steps
    self.base = base
    isOrdered = key.isOrdered
  }
}
