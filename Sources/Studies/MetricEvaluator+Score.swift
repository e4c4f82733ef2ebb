import MediaUnits
import Models
import Scenario

extension MetricEvaluator {
  /// The short-video challenge's formula: the rates of the shown seconds (Mbps) less 1.85 for each
  /// second of waiting, at the start or in a stall, less the jumps between rates (Mbps); the score
  /// takes off half of the delivered megabits. Both over the rate of the top rung in all shown
  /// seconds, so that 100 % is all of it at once and for nothing.
  ///
  /// Left out: the jump from one item to the next.
  ///
  /// Source: Zuo et al., ACM MM 2022, arXiv 2206.09839; `parameters.md` section 6.5.
  func score(_ reference: MetricReference) -> MetricSample {
    var shown = ShownMedia()
    var delivered: Int64 = 0
    let cells = cells(reference)
    for cell in cells {
      shown.add(measures.shown[cell])
      delivered += measures.balances[cell].delivered
    }
    var waited: Int64 = 0
    let devices = scenario.devices.count
    if let sums {
      let all = sums.cells(in: nil)
      for cell in cells { waited += all[cell].waited }
    } else {
      for view in measures.views
      where cells.contains(Int(view.network) * devices + Int(view.device)) {
        waited += view.ttff.nanoseconds + view.stalled.nanoseconds
      }
    }
    let ladder = scenario.configuration.catalogue.ladder
    let top = Double(ladder[ladder.top].bitsPerSecond) / 1e6
    var value =
      Double(shown.bits) / 1e6 - 1.85 * Double(waited) / 1e9 - Double(shown.changes) / 1e6
    if reference.metric == "score_ratio" { value -= 0.5 * Double(delivered) * 8 / 1e6 }
    return ratio(value, over: Double(shown.media) / 1e9 * top, samples: shown.items)
  }
}
