import Foundation
import Scenario

/// The name of a metric taken apart, whatever its labels are called.
struct MetricName: Decodable, Sendable, Equatable {
  /// `metric{label=value,…}.stat`
  let text: String
  let metric: String
  let labels: [(name: String, value: String)]
  let stat: String

  init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  init(_ text: String) {
    self.text = text
    metric = String(text.prefix { $0 != "{" && $0 != "." })
    var rest = text.dropFirst(metric.count)
    var labels: [(name: String, value: String)] = []
    if rest.first == "{", let close = rest.firstIndex(of: "}") {
      for pair in rest[rest.index(after: rest.startIndex)..<close].split(separator: ",") {
        let sides = pair.split(separator: "=", maxSplits: 1)
        if sides.count == 2 { labels.append((String(sides[0]), String(sides[1]))) }
      }
      rest = rest[rest.index(after: close)...]
    }
    self.labels = labels
    stat = rest.first == "." ? String(rest.dropFirst()) : ""
  }

  static func == (a: MetricName, b: MetricName) -> Bool { a.text == b.text }

  func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }

  /// As a reference, unchecked.
  var reference: MetricReference { MetricReference(metric, labels: labels, stat: stat) }

  /// What the samples behind a value of the metric are; `samples` where this version does not know
  /// the metric.
  var sampleNoun: String {
    (try? MetricReference.parse(text).get())?.sampleNoun ?? "samples"
  }

  /// As a budget is usually written: a ratio has only one stat.
  var shortText: String { text.hasSuffix(".ratio") ? String(text.dropLast(6)) : text }

  /// The metric and stat in words.
  var words: String {
    let name =
      FeedMetrics.named(metric)?.words ?? metric.replacingOccurrences(of: "_", with: " ")
    let part =
      switch stat {
      case "ratio", "": ""
      case "mean", "max": ", " + stat
      case _ where stat.hasSuffix("_started"): ", \(stat.dropLast(8).uppercased()) of started"
      default: ", " + stat.uppercased()
      }
    let places = labels.map { name, value in name == "by" ? "by \(value)" : "\(name) \(value)" }
    return name + part + (places.isEmpty ? "" : " (\(places.joined(separator: ", ")))")
  }
}
