extension ReportSection {
  /// On the terminal alone.
  static let cost = ReportSection(title: "WHAT A MONTH COSTS", lines: { $0.cost() })
}

extension ReportWriter {
  func cost() -> [String] {
    guard let cost = record.cost else { return [] }
    var table = TextTable([.left, .right, .right])
    table.heading(["", "\(cost.currency) a month", "share"])
    for (name, amount) in cost.parts where amount > 0 {
      table.add([
        TextCell(name), TextCell(Figures.decimal(amount, 0)),
        TextCell(Figures.percent(amount / cost.total)),
      ])
    }
    let half = cost.halfWidth.map { " ±\(Figures.decimal($0, 0))" } ?? ""
    table.add([
      TextCell("all", .bold), TextCell(Figures.decimal(cost.month, 0) + half, .bold), "100 %",
    ])
    let list = cost.priceList
    return table.lines(color: color)
      + note(
        "\(Figures.decimal(cost.perMillionViews, 2)) \(cost.currency) per million views; "
          + "\(Figures.decimal(cost.viewsPerDay, 0)) views a day for 30 days at the prices of "
          + "\(list.name) (\(list.day), \(cost.region)).")
  }
}
