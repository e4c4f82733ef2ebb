extension ReportSection {
  static let bytes = ReportSection(
    .bytes, title: "MEDIA BYTES", lines: { $0.bytes() }, page: { $0.writeBytes(to: &$1) })
}

extension ReportWriter {
  func bytes() -> [String] {
    let sum = RunRecord.Bytes(sumOf: record.bytes)
    if sum.delivered == 0 { return ["  none"] }
    var table = TextTable([.left, .right, .right, .left])
    func add(_ label: String, _ value: Int64, of whole: Int64, _ remark: String = "") {
      table.add([
        TextCell(label), TextCell(Figures.bytes(value)), TextCell(Figures.share(value, of: whole)),
        TextCell(remark, .faint),
      ])
    }
    add("delivered", sum.delivered, of: sum.delivered)
    add("  rendered", sum.rendered, of: sum.delivered)
    add("  wasted", sum.wasted, of: sum.delivered, record.wastedText)
    add("  still buffered", sum.stillBuffered, of: sum.delivered, "sessions cut at the end")
    add("prefetched", sum.prefetched, of: sum.delivered, "of the delivered")
    add("  of that wasted", sum.prefetchedWasted, of: sum.prefetched, "of the prefetched")
    return table.lines(color: color)
  }
}

extension HTMLPage {
  func writeBytes(to body: inout Markup) {
    let all = RunRecord.Bytes(sumOf: record.bytes)
    let delivered = all.delivered
    if delivered == 0 { return noData("no media byte was delivered", to: &body) }
    let members: [(String, KeyPath<RunRecord.Bytes, Int64>)] = [
      ("rendered", \.rendered), ("wasted", \.wasted), ("still buffered", \.stillBuffered),
    ]
    let networks = RunRecord.ordered(record.bytes) { $0.network }
    let groups =
      (networks.count > 1 ? networks : []).map { name in
        (name, RunRecord.Bytes(sumOf: record.bytes.filter { $0.network == name }))
      } + [("all", all)]
    let chart = BarChart(
      ChartHeading(
        "Media bytes by what became of them",
        summary: members.map {
          "\($0.0) \(Figures.share(all[keyPath: $0.1], of: delivered))"
        }.joined(separator: ", ") + " of \(Figures.bytes(delivered))."),
      axis: ChartAxis("delivered", format: .percent, extent: 0...1), series: members.map(\.0),
      rows: groups.map { name, sum in
        let whole = sum.delivered
        return BarChart.Row(
          name,
          parts: members.map { whole > 0 ? Double(sum[keyPath: $0.1]) / Double(whole) : 0 },
          label: Figures.bytes(whole))
      })
    var table = HTMLTable(
      "Init and segment bytes",
      [.text("Bytes"), .number("Amount"), .number("Share"), .text("Remark")])
    let rows: [(String, Int64, Int64, String)] = [
      ("delivered", delivered, delivered, ""),
      ("rendered", all.rendered, delivered, "of the delivered"),
      ("wasted", all.wasted, delivered, record.wastedText),
      (
        "still buffered", all.stillBuffered, delivered,
        "sessions that still ran at the end"
      ),
      ("prefetched", all.prefetched, delivered, "of the delivered"),
      (
        "prefetched and wasted", all.prefetchedWasted, all.prefetched,
        "of the prefetched"
      ),
    ]
    for (name, bytes, whole, remark) in rows {
      table.add([
        .text(name), .text(Figures.bytes(bytes)), .text(Figures.share(bytes, of: whole)),
        .text(remark),
      ])
    }
    body.element("div", ["class": "charts"]) { body in
      figure(chart, id: "media-bytes", remark: "behind the bars: bytes delivered", to: &body)
      table.write(to: &body)
    }
    body.line()
  }
}
