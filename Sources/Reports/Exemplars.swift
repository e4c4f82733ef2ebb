/// Views that are worth a look, from a result.
struct Exemplars {
  /// One view and what is special about it.
  struct View: Equatable {
    var what: String
    var replication: Int64
    var session: Int64
    var item: Int64
  }

  /// Those that started late or never, the latest first; of the first thousand.
  let late: [View]
  /// Of the 95th percentile, of all that waited, and of the median; those without a wait left out.
  let bands: [View]

  /// Those that a page shows.
  var shown: [View] { late.prefix(3) + bands }

  init(_ record: RunRecord) {
    let views = record.lateStarts.views
    late = views.indices.sorted {
      views[$0].waitedNanoseconds != views[$1].waitedNanoseconds
        ? views[$0].waitedNanoseconds > views[$1].waitedNanoseconds : $0 < $1
    }.map { index in
      let view = views[index]
      let time = Figures.count(view.waitedNanoseconds / 1_000_000)
      return View(
        what: view.started
          ? "a view that started after \(time) ms"
          : "a view that was left after \(time) ms without a frame",
        replication: view.replication, session: view.session, item: view.item)
    }
    let breakdown = record.startupBreakdown
    bands = [
      ("a view at the 95th percentile", breakdown.p95), ("a view that waited", breakdown.waited),
      ("a view at the median", breakdown.p50),
    ].compactMap { what, band in
      guard let view = band.exemplar, band.totalNanoseconds > 0 else { return nil }
      return View(
        what: what, replication: view.replication, session: view.session, item: view.item)
    }
  }
}
