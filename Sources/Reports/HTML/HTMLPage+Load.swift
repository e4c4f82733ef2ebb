extension HTMLPage {
  /// What the whole audience asks of each tier; nothing where all of it was simulated.
  func writeLoad(to body: inout Markup) {
    if record.load.isEmpty { return }
    var table = HTMLTable(
      "Load of the whole audience on each tier",
      [
        .text("Window"), .text("Answered by"), .number("Requests/s"), .number("Gbit/s"),
        .number("n"),
      ])
    for row in record.load {
      table.add([
        .text(row.window), .text(row.tier), .text(row.requestsText), .text(row.gigabitsText),
        .text(HTMLPage.count(row.samples)),
      ])
    }
    table.write(to: &body)
    paragraph(
      "Simulated requests stand for those of the whole audience. n: simulated requests; all: mean "
        + "over the measured time and the drain.", faint: true, to: &body)
  }
}
