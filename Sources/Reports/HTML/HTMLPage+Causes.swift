extension HTMLPage {
  /// The changed keys by what they did to each metric that is worse; nothing where nobody looked.
  func writeCauses(to body: inout Markup) {
    if let open = baseline?.open, open > 0 {
      paragraph(
        "Not sure: \(open) \(open == 1 ? "metric is" : "metrics are") neither worse nor shown to "
          + "be equivalent to the baseline; see “Against a baseline”.", to: &body)
    }
    guard let causes = baseline?.causes, !causes.isEmpty else { return }
    var table = HTMLTable(
      "Causes: what the changed keys did to each metric that is worse or fails",
      [
        .text("Metric"), .text("Key"), .text("Change"), .number("Explains (95 %)"),
        .number("Alone"), .number("Set back alone"),
      ])
    for cause in causes {
      table.add([
        .text(cause.metric), .text(cause.key), .text(cause.values), .text(cause.share),
        .text(cause.alone), .text(cause.undone),
      ])
    }
    table.write(to: &body)
  }
}
