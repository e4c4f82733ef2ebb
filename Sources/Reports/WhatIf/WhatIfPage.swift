import Foundation
import Scenario
import SimulationKernel
import Studies

/// `whatif.html`: one file that simulates a run's feed again with other values of its keys, in a
/// browser, from the disk, and that needs nothing else.
public struct WhatIfPage: Sendable {
  /// The file of a run folder that holds it.
  public static let fileName = "whatif.html"

  /// Which run it is of.
  struct Identity: Sendable {
    var name, description, digest: String
    /// The scenario file for the command line.
    var file: String
    var isShort: Bool
    /// What else the command line of the run had.
    var arguments: [String]
    var seed: UInt64
    var replications: Int
    var viewsPerReplication: Double
    /// The page that stands beside this one.
    var report: String?
    /// Views that the run's report names as worth a look.
    var viewers: [Exemplars.View] = []
  }

  /// What the run came to.
  struct Base: Sendable {
    var metrics: [MetricResult]
    var budgets: [BudgetResult]
    /// Places of the budgets' metrics among ``metrics``.
    var budgetMetrics: [Int]
    /// Of the replications, by number.
    var fingerprints: [Fingerprint]
    /// Milliseconds, and the share of the started views that have started by then.
    var curve: [(milliseconds: Double, share: Double)]
    /// For the module alone.
    var image, plan: [UInt8]
    /// Nil where the scenario has no prices.
    var cost: CDNCost?
  }

  var identity: Identity
  var base: Base
  var controls: WhatIfControls

  init(identity: Identity, base: Base, controls: WhatIfControls) {
    self.identity = identity
    self.base = base
    self.controls = controls
  }

  /// The keys that it can turn, in their order.
  public var keys: [String] { controls.controls.map(\.key) }

  /// Keys that the scenario lists for it and that it cannot turn, each with the reason.
  public var leftOut: [String] {
    controls.leftOut.map { "whatIf: left out: \($0.description)" }
  }

  /// The page, ending in a line feed.
  public func text(_ template: WhatIfTemplate) -> String {
    let (patches, inserted) = patches()
    let json = page(patches).text(indent: 0).replacing("<", with: "\\u003c")
    let data = [
      "<script type=\"application/json\" id=\"page\">\(json)</script>",
      WhatIfPage.block("module", template.module),
      WhatIfPage.block("image", Gzip.bytes(of: base.image)),
      WhatIfPage.block("plan", Gzip.bytes(of: base.plan)),
      WhatIfPage.block("patches", Gzip.bytes(of: inserted)),
    ]
    var report = Markup()
    if let link = identity.report {
      report.element("p") { $0.element("a", ["href": link], text: "The report of the base") }
    }
    return template.filled([
      "lang": "en", "policy": Markup.escaped(template.policy),
      "title": Markup.escaped(identity.name), "style": template.style, "report": report.text,
      "data": data.joined(separator: "\n"), "worker": template.worker, "script": template.script,
    ])
  }

  /// Bytes as an element that the browser leaves alone.
  private static func block(_ name: String, _ bytes: [UInt8]) -> String {
    "<script type=\"application/octet-stream\" data-bytes=\"\(bytes.count)\" id=\"\(name)\">"
      + BlockText.text(of: bytes) + "</script>"
  }

  /// The patches of each step of each control, and all that they insert.
  private func patches() -> (patches: [[JSONText]], inserted: [UInt8]) {
    var inserted: [UInt8] = []
    let patches = controls.controls.map { control in
      control.steps.map { step in
        JSONText.array(
          step.delta.replacements.map { replacement in
            let numbers = [
              replacement.offset, replacement.removed, inserted.count, replacement.inserted.count,
            ]
            inserted += replacement.inserted
            return .array(numbers.map { .integer(Int64($0)) })
          })
      }
    }
    return (patches, inserted)
  }
}
