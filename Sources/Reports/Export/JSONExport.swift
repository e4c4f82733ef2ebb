import FeedPolicy
import MediaUnits
import Scenario

/// The policy as a document for a remote configuration.
///
/// `set` is a scenario's own form, to be laid over one with `extends`; `keys` has the same values
/// as plain numbers with their unit, for an app; `derived` what follows from the viewers.
struct JSONExport {
  private let export: PolicyExport

  init(_ export: PolicyExport) { self.export = export }

  func text() -> String {
    var members: [JSONText.Member] = [
      .init("schema", 1), .init("kind", "policy"), .init("scenario", .string(export.name)),
      .init("policy", .string(export.digest)), .init("set", PolicyKeys.overlay(export.keys)),
      .init("keys", .array(export.keys.map { key($0) })),
    ]
    if let derived { members.append(.init("derived", derived)) }
    return JSONText.object(members).text()
  }

  private func key(_ key: PolicyKey) -> JSONText {
    [
      "key": .string(key.path), "value": key.value, "unit": .string(key.unit),
      "meaning": .string(key.meaning),
    ]
  }

  /// What a family that reads swipe curves knows of the viewers, beside its keys.
  private var derived: JSONText? {
    let prefetch = export.policy.prefetch
    if !prefetch.family.readsHazard { return nil }
    return [
      "segmentMs": .number(prefetch.segmentLength.milliseconds),
      "viewsPerSession": prefetch.viewsPerSession.map { .number($0) } ?? .null,
      "swipeCurves": .array(
        prefetch.curves.curves.map { curve in
          [
            "belowMs": curve.below == .max ? .null : .number(curve.below.milliseconds),
            "survival": .array(curve.survival.map { .number($0) }),
          ]
        }),
    ]
  }
}
