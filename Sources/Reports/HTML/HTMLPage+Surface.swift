extension HTMLPage {
  /// What the surfaces of a mixed feed did; nothing for other feeds.
  func writeSurface(to body: inout Markup) {
    guard let surface = record.surface, let time = surface["sessionNanoseconds"], time > 0 else {
      return
    }
    let minutes = Double(time) / 60e9
    var table = HTMLTable(
      "What the surfaces of the mixed feed did",
      [.text("What"), .number("Sum"), .number("per viewer's minute")])
    for member in ResultForms.surface.members {
      guard let value = surface[member.name] else { continue }
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
