import AudienceModel
import CachePolicy
import MediaUnits

/// How often one view asks for the object at each offset of ``ObjectLayout``, by how many segments
/// the title has.
///
/// The length decides: a rung that is only reached after some time is asked for in nearly all views
/// of long titles and in none of short ones, and a mean over all titles would give each of them
/// objects that hardly anybody asks for.
public struct RequestsPerView: Sendable {
  /// Requests that are expected among the titles whose lengths count as one: a standard error of a
  /// sixth.
  private static let enough = 40.0

  /// Requests that a segment's rate is told by: with fewer, segments before and behind it on its
  /// rung count as well, so many on either side at most. A pilot asks for many segments once and
  /// for as many others never that viewers do ask for; taken as they are, what it missed would be
  /// in no cache (docs/decisions/0037). Views leave a title steadily, so that neighbours' mean is
  /// a segment's own rate.
  private static let few: Int64 = 8
  private static let mostNeighbours = 8

  /// By the segments, less one, and the offset.
  private let rates: [Double]
  /// Items that are asked for per view, 1 at least: some are prefetched and never viewed. Nobody
  /// asks for an object of an item twice, but to renew it.
  public let items: Double
  /// Mean bytes of a request, by offset; zero where there was none.
  private let bytes: [Double]

  /// What a pilot counted. Neighbouring lengths that have too few views to tell an object's
  /// requests apart count as one.
  init(_ pilot: OffsetCounts) {
    let offsets = Int(ObjectLayout.stride)
    var rates = [Double](repeating: 0, count: offsets * ObjectLayout.maximumSegments)
    // Where items are counted they tell the requests better: each asks for a poster, say.
    let isByItem = !pilot.itemsOfLength.isEmpty && pilot.views > 0
    let base = isByItem ? pilot.itemsOfLength : pilot.viewsOfLength
    let perBase = isByItem ? Double(base.reduce(0, +)) / Double(pilot.views) : 1
    items = perBase > 1 ? perBase : 1
    let totals = (0..<offsets).map { pilot.total($0) }
    // Of titles with so many segments or more.
    var seenFrom = [Int64](repeating: 0, count: ObjectLayout.maximumSegments + 1)
    if !base.isEmpty {
      for segments in stride(from: ObjectLayout.maximumSegments, through: 1, by: -1) {
        seenFrom[segments - 1] = seenFrom[segments] + base[segments - 1]
      }
    }
    var bytes = [Double](repeating: 0, count: offsets)
    for offset in 0..<offsets where pilot.views > 0 {
      guard ObjectLayout.assetClass(of: UInt32(offset)) != nil else { continue }
      let index = ObjectLayout.segmentIndex(of: UInt32(offset))
      let shortest = (index ?? 0) + 1
      if let index, totals[offset].requests < RequestsPerView.few {
        let near = RequestsPerView.near(offset, index, totals, seenFrom)
        if near.requests <= 0 || near.seen <= 0 { continue }
        bytes[offset] = Double(near.bytes) / Double(near.requests)
        for length in shortest...ObjectLayout.maximumSegments {
          rates[(length - 1) * offsets + offset] =
            Double(near.requests) / Double(near.seen) * perBase
        }
        continue
      }
      if totals[offset].requests > 0 {
        bytes[offset] = Double(totals[offset].bytes) / Double(totals[offset].requests)
      }
      var (asked, seen) = (0.0, 0.0)
      for segments in shortest...ObjectLayout.maximumSegments {
        asked += Double(pilot.requests(offset, segments: segments))
        seen += Double(base[segments - 1])
      }
      if asked <= 0 || seen <= 0 { continue }
      let needed = RequestsPerView.enough / min(1, asked / seen)
      // The lengths of the part before and of the present one.
      var before: (first: Int, asked: Double, seen: Double)?
      var (first, partAsked, partSeen) = (shortest, 0.0, 0.0)
      for segments in shortest...ObjectLayout.maximumSegments {
        partAsked += Double(pilot.requests(offset, segments: segments))
        partSeen += Double(base[segments - 1])
        let isLast = segments == ObjectLayout.maximumSegments
        if partSeen < needed && !isLast { continue }
        if let earlier = before, partSeen < needed {
          (first, partAsked, partSeen) = (
            earlier.first, partAsked + earlier.asked, partSeen + earlier.seen
          )
        }
        for length in first...segments {
          rates[(length - 1) * offsets + offset] =
            partSeen > 0 ? partAsked / partSeen * perBase : 0
        }
        before = (first, partAsked, partSeen)
        (first, partAsked, partSeen) = (segments + 1, 0, 0)
      }
    }
    self.rates = rates
    self.bytes = bytes
  }

  /// What was asked for of a segment and its nearest neighbours, as far as these have few requests
  /// as well: beside one that has enough, none is what the policies ask for.
  private static func near(
    _ offset: Int, _ index: Int, _ totals: [(requests: Int64, bytes: Int64)], _ seenFrom: [Int64]
  ) -> (requests: Int64, bytes: Int64, seen: Int64) {
    var (requests, bytes) = totals[offset]
    var seen = seenFrom[index]
    var (goesBack, goesOn) = (true, true)
    func isOne(_ step: Int) -> Bool {
      (0..<ObjectLayout.maximumSegments).contains(index + step)
        && totals[offset + step].requests < few
    }
    for distance in 1...mostNeighbours where requests < few {
      goesBack = goesBack && isOne(-distance)
      goesOn = goesOn && isOne(distance)
      for (step, isTaken) in [(-distance, goesBack), (distance, goesOn)] where isTaken {
        requests += totals[offset + step].requests
        bytes += totals[offset + step].bytes
        seen += seenFrom[index + step]
      }
    }
    return (requests, bytes, seen)
  }

  /// Requests for the object at an offset in one view of a title with so many segments; zero for an
  /// offset never asked for.
  public subscript(offset: Int, segments: Int) -> Double {
    rates[(segments - 1) * Int(ObjectLayout.stride) + offset]
  }

  /// The objects of a title whose length is not known.
  ///
  /// - Parameter lengths: titles by their segments, less one.
  func kinds(lengths: [Int64]) -> [StationaryDemand.Kind] {
    var sums = [StationaryDemand.Kind?](
      repeating: nil, count: AssetClass.allCases.count * RequestsPerView.bins)
    let titles = Double(lengths.reduce(0, +))
    for offset in 0..<Int(ObjectLayout.stride) {
      guard let asset = ObjectLayout.assetClass(of: UInt32(offset)) else { continue }
      let bytes = bytes[offset]
      if bytes <= 0 { continue }
      for (index, count) in lengths.enumerated() where count > 0 {
        let perView = self[offset, index + 1]
        if perView <= 0 { continue }
        let share = Double(count) / titles
        let place = Int(asset.rawValue) * RequestsPerView.bins + RequestsPerView.bin(perView)
        var kind =
          sums[place] ?? StationaryDemand.Kind(asset: asset, objects: 0, perView: 0, bytes: 0)
        kind.objects += share
        kind.perView += share * perView
        kind.bytes += share * bytes
        sums[place] = kind
      }
    }
    return sums.compactMap { sum in
      sum.map {
        StationaryDemand.Kind(
          asset: $0.asset, objects: $0.objects, perView: $0.perView / $0.objects,
          bytes: $0.bytes / $0.objects)
      }
    }
  }

  /// Objects whose requests per view differ by less than a sixteenth are one kind.
  private static let bins = 1024

  private static func bin(_ perView: Double) -> Int {
    // The exponent and the first four bits after the point, from 2^-40 on.
    let place = Int(perView.bitPattern >> 48) - (1023 - 40) * 16
    return place < 0 ? 0 : place < bins ? place : bins - 1
  }
}
