extension HTMLPage {
  /// What the surfaces of a mixed feed did; nothing for other feeds.
  func writeSurface(to body: inout Markup) {
    let time = record.surface["sessionNanoseconds"]
    if time == 0 { return }
    let minutes = Double(time) / 60e9
    var table = HTMLTable(
      "What the surfaces of the mixed feed did",
      [.text("What"), .number("Sum"), .number("per viewer's minute")])
    for member in RunRecord.surfaceCounts.rows {
      guard let value = record.surface.byName[member.name] else { continue }
      let isTime = member.name.hasSuffix("Nanoseconds")
      let isPeak = member.name == "mostPlaying"
      let rate = Double(value) / minutes
      let text = Figures.decimal(rate, Figures.decimals(rate, spread: nil, atMost: 2))
      table.add([
        .text(member.summary),
        .text(isTime ? Figures.duration(Double(value) / 1e9) : HTMLPage.count(value)),
        .text(isTime || isPeak ? "–" : text),
      ])
    }
    table.write(to: &body)
  }
}
