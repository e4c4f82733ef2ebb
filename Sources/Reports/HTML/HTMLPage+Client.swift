extension HTMLPage {
  // MARK: The app

  /// What the app did beyond loading and playing; nothing where none of that is set.
  func writeClient(to body: inout Markup) {
    let rows = record.clientRows
    if rows.isEmpty { return }
    var table = HTMLTable(
      "Swipes, events and pages",
      [.text("What"), .number("Mean ± half of the 95 % interval"), .number("n")])
    for (words, metric) in rows {
      table.add([
        .text(words), .text(metric.estimate.text.shortTextWithUnit),
        .text(HTMLPage.count(metric.estimate.samples)),
      ])
    }
    table.write(to: &body)
  }
}
