import MediaUnits
import Models
import Scenario
import Studies

extension RunRecord {
  struct Cohort: RecordedObject {
    var network = ""
    var device = ""
    var views: Int64 = 0
    var started: Int64 = 0
    var notStarted: Int64 = 0
    var startupNanoseconds: Int64 = 0
    var playedNanoseconds: Int64 = 0
    var stalledNanoseconds: Int64 = 0
    var stalls: Int64 = 0
    var viewsWithStall: Int64 = 0
    var shownItems: Int64 = 0
    var switchedItems: Int64 = 0
    var shownNanoseconds: Int64 = 0
    var topRungNanoseconds: Int64 = 0
    var shownBits: Int64 = 0

    static let form = ResultForm<Cohort>([
      .text("network", "label of the access network", \.network),
      .text("device", "label of the device class", \.device),
      .count("views", "views", \.views),
      .count("started", "views with a first frame", \.started),
      .count(
        "notStarted", "views left without a first frame, those cut by the run's end apart",
        \.notStarted),
      .count("startupNanoseconds", "sum of the TTFF of views that started", \.startupNanoseconds),
      .count("playedNanoseconds", "time in which media played", \.playedNanoseconds),
      .count("stalledNanoseconds", "time stalled after the first frame", \.stalledNanoseconds),
      .count("stalls", "stalls", \.stalls),
      .count("viewsWithStall", "views with at least one stall", \.viewsWithStall),
      .count("shownItems", "items with a rendered frame", \.shownItems).later,
      .count(
        "switchedItems", "those of them in which two rungs were shown", \.switchedItems
      ).later,
      .count(
        "shownNanoseconds", "media that was rendered, each second once", \.shownNanoseconds
      ).later,
      .count(
        "topRungNanoseconds", "the part of it on the top rung", \.topRungNanoseconds
      ).later,
      .count("shownBits", "its bits at the declared rates", \.shownBits).later,
    ])
  }

  struct Bytes: RecordedObject {
    var network = ""
    var device = ""
    var delivered: Int64 = 0
    var rendered: Int64 = 0
    var wasted: Int64 = 0
    var stillBuffered: Int64 = 0
    var prefetched: Int64 = 0
    var prefetchedWasted: Int64 = 0

    static let form = ResultForm<Bytes>([
      .text("network", "label of the access network", \.network),
      .text("device", "label of the device class", \.device),
      .count(
        "delivered", "init and segment bytes that arrived: rendered, wasted or still buffered",
        \.delivered),
      .count("rendered", "bytes that were shown", \.rendered),
      .count("wasted", "bytes that were never shown", \.wasted),
      .count(
        "stillBuffered", "bytes of sessions that still ran at the end", \.stillBuffered),
      .count(
        "prefetched", "of the delivered, bytes that came before their item was current",
        \.prefetched),
      .count(
        "prefetchedWasted", "of the prefetched, bytes that were never shown", \.prefetchedWasted),
    ])
  }

  /// A part of the measured time.
  struct Window: RecordedObject {
    var name = ""
    var fromSeconds = 0.0
    var toSeconds = 0.0
    var requests: Int64 = 0
    var deliveredBytes: Int64 = 0
    var originRequests: Int64 = 0
    var originBytes: Int64 = 0

    static let form = ResultForm<Window>([
      .text("name", "value of the label window", \.name),
      .number("fromSeconds", "from the start of the measured window", \.fromSeconds),
      .number("toSeconds", "likewise, the end", \.toSeconds),
      .count("requests", "requests of the clients", \.requests),
      .count("deliveredBytes", "bytes delivered to clients, all classes", \.deliveredBytes),
      .count("originRequests", "requests that reached the origin", \.originRequests),
      .count("originBytes", "bytes that the origin sent", \.originBytes),
    ])
  }
}

// MARK: From a result

extension RunRecord.Cohort {
  static func all(_ result: StudyResult) -> [RunRecord.Cohort] {
    let devices = result.scenario.devices
    return result.cohorts.indices.map { index in
      let (sums, shown) = (result.cohorts[index], result.measures.shown[index])
      return RunRecord.Cohort(
        network: result.scenario.networks[index / devices.count],
        device: devices[index % devices.count], views: sums.views, started: sums.started,
        notStarted: sums.notStarted, startupNanoseconds: sums.startup,
        playedNanoseconds: sums.played, stalledNanoseconds: sums.stalled, stalls: sums.stalls,
        viewsWithStall: sums.viewsWithStall, shownItems: shown.items,
        switchedItems: shown.switchedItems, shownNanoseconds: shown.media,
        topRungNanoseconds: shown.topMedia, shownBits: shown.bits)
    }
  }
}

extension RunRecord.Bytes {
  static func all(_ result: StudyResult) -> [RunRecord.Bytes] {
    let devices = result.scenario.devices
    return result.cohorts.indices.map { index in
      let balance = result.measures.balances[index]
      return RunRecord.Bytes(
        network: result.scenario.networks[index / devices.count],
        device: devices[index % devices.count], delivered: balance.delivered,
        rendered: balance.rendered, wasted: balance.wasted, stillBuffered: balance.stillBuffered,
        prefetched: balance.prefetched, prefetchedWasted: balance.prefetchedWasted)
    }
  }
}

extension RunRecord.Window {
  static func all(_ result: StudyResult) -> [RunRecord.Window] {
    result.world.windows.enumerated().map { index, part in
      let measures =
        index < result.measures.windows.count ? result.measures.windows[index] : WindowMeasures()
      return RunRecord.Window(
        name: part.name, fromSeconds: part.window.from.seconds,
        toSeconds: part.window.to.seconds, requests: measures.requests,
        deliveredBytes: measures.deliveredBytes, originRequests: measures.originRequests,
        originBytes: measures.originBytes)
    }
  }
}
