import CachePolicy
import MediaUnits
import Scenario
import SimulationKernel
import Testing

@testable import AudienceModel
@testable import CacheModel

/// How often a view asks for an object, by how long its title is.
@Suite struct RequestsPerViewTests {
  private static let first = Int(ObjectLayout.inits)
  private static let second = Int(ObjectLayout.inits) + 3
  private static let rare = Int(ObjectLayout.inits) + 2
  private static let fifth = Int(ObjectLayout.segment(4, rung: RungIndex(0)))

  /// Thousand views each of titles with 3 and with 12 segments: of these three in four reach
  /// another rung.
  private func pilot() -> OffsetCounts {
    var pilot = OffsetCounts()
    for view in 0..<1000 {
      for segments in [3, 12] {
        pilot.addView(segments: segments, after: view)
        pilot.addRequest(RequestsPerViewTests.first, segments: segments, bytes: 1000)
      }
      if view % 4 > 0 { pilot.addRequest(RequestsPerViewTests.second, segments: 12, bytes: 3000) }
      if view % 200 == 0 { pilot.addRequest(RequestsPerViewTests.rare, segments: 3, bytes: 500) }
      if view % 2 == 0 { pilot.addRequest(RequestsPerViewTests.fifth, segments: 12, bytes: 80_000) }
    }
    return pilot
  }

  //
  @Test func `long and short titles have requests of their own`() {
    let perView = RequestsPerView(pilot())
    #expect(perView[RequestsPerViewTests.first, 3] == 1)
    #expect(perView[RequestsPerViewTests.first, 12] == 1)
    #expect(perView[RequestsPerViewTests.second, 3] == 0)
    #expect(perView[RequestsPerViewTests.second, 12] == 0.75)
    // Longer ones, of which no view was counted, are like those.
    #expect(perView[RequestsPerViewTests.second, 120] == 0.75)
    // Of a segment titles count that have it.
    #expect(perView[RequestsPerViewTests.fifth, 4] == 0)
    #expect(perView[RequestsPerViewTests.fifth, 12] == 0.5)
    // Nobody asked.
    #expect(perView[RequestsPerViewTests.first + 1, 12] == 0)
  }

  @Test func `what hardly anybody asks for is told by all views`() {
    let perView = RequestsPerView(pilot())
    for segments in [1, 3, 12, 120] {
      #expect(perView[RequestsPerViewTests.rare, segments] == 5.0 / 2000, "\(segments)")
    }
  }

  /// Thousand views of long titles of which few get far: a pilot that asks for a segment once says
  /// the same of those beside it that it did not ask for.
  @Test func `rare segments are told by their neighbours, but not by frequent ones`() {
    var pilot = OffsetCounts()
    let rung = RungIndex(2)
    for view in 0..<1000 {
      pilot.addView(segments: 40, after: view)
      // From the third on, as a cap has it: all of it for a while, then little, then nothing.
      for index in 3..<6 {
        pilot.addRequest(Int(ObjectLayout.segment(index, rung: rung)), segments: 40, bytes: 100)
      }
    }
    for index in [10, 12, 14, 16, 18, 20] {
      pilot.addRequest(Int(ObjectLayout.segment(index, rung: rung)), segments: 40, bytes: 90)
    }
    let perView = RequestsPerView(pilot)
    func rate(_ index: Int) -> Double {
      perView[Int(ObjectLayout.segment(index, rung: rung)), 40]
    }
    #expect(rate(2) == 0 && rate(3) == 1 && rate(5) == 1)
    // Six requests among the seventeen around it.
    #expect(abs(rate(15) - 6.0 / 17_000) < 1e-12)
    #expect(rate(16) > 0 && rate(6) > 0 && rate(6) < 0.001 && rate(30) == 0)
    let all = (6..<40).reduce(0) { $0 + rate($1) }
    #expect(abs(all - 0.006) < 0.0015, "\(all)")
    let kinds = perView.kinds(lengths: [Int64](repeating: 0, count: 39) + [1])
    #expect(kinds.reduce(0) { $0 + $1.objects } > 15)
  }

  @Test func `the lengths left over count with those before them`() {
    var pilot = OffsetCounts()
    for view in 0..<100 {
      pilot.addView(segments: 2, after: view)
      pilot.addRequest(RequestsPerViewTests.first, segments: 2, bytes: 1)
    }
    for view in 0..<10 { pilot.addView(segments: 30, after: view) }
    let perView = RequestsPerView(pilot)
    #expect(perView[RequestsPerViewTests.first, 2] == 100.0 / 110)
    #expect(perView[RequestsPerViewTests.first, 30] == 100.0 / 110)
  }

  @Test func `requests are told by the items that were asked for, viewed or not`() {
    var pilot = OffsetCounts()
    // One item in five is prefetched and never viewed; all ask for the first object, and of long
    // titles half for the second.
    for item in 0..<1000 {
      for segments in [3, 12] {
        if item % 5 > 0 { pilot.addView(segments: segments, after: item) }
        pilot.addItem(segments: segments)
        pilot.addRequest(RequestsPerViewTests.first, segments: segments, bytes: 1000)
      }
      if item % 2 == 0 { pilot.addRequest(RequestsPerViewTests.second, segments: 12, bytes: 3000) }
    }
    let perView = RequestsPerView(pilot)
    #expect(perView.items == 1.25)
    for segments in [3, 12] {
      #expect(perView[RequestsPerViewTests.first, segments] == 1.25, "\(segments)")
    }
    #expect(perView[RequestsPerViewTests.second, 12] == 0.625)
    // Where items are not counted, a view is one.
    #expect(RequestsPerView(self.pilot()).items == 1)
    #expect(RequestsPerView(OffsetCounts()).items == 1)
  }

  @Test func `kinds keep objects, requests and bytes`() {
    var lengths = [Int64](repeating: 0, count: ObjectLayout.maximumSegments)
    lengths[2] = 3
    lengths[11] = 1
    let pilot = pilot()
    let perView = RequestsPerView(pilot)
    let kinds = perView.kinds(lengths: lengths)
    func sum(_ asset: AssetClass, _ value: (StationaryDemand.Kind) -> Double) -> Double {
      kinds.filter { $0.asset == asset }.reduce(0) { $0 + $1.objects * value($1) }
    }
    // One init segment of every title, the rare one of every title, another of the long ones.
    #expect(abs(sum(.initSegment) { _ in 1 } - 2.25) < 1e-12)
    #expect(abs(sum(.initSegment, \.perView) - (1 + 0.0025 + 0.25 * 0.75)) < 1e-12)
    #expect(abs(sum(.initSegment, \.bytes) - (1000 + 500 + 0.25 * 3000)) < 1e-9)
    #expect(abs(sum(.segment, \.perView) - 0.25 * 0.5) < 1e-12)
    #expect(kinds.count == 4)
    // Nothing was counted.
    let nothing = OffsetCounts()
    #expect(RequestsPerView(nothing).kinds(lengths: lengths).isEmpty)
  }

  @Test func `a title's length is known without the rest of it`() throws {
    let made = try scenario(["catalogue.titles=300"], window: "1 min")
    let streams = RandomStreams(seed: 5, replication: 3)
    var catalogue = made.configuration.catalogue
    var seen: Set<Int> = []
    withUnsafeMutablePointer(to: &catalogue) { catalogue in
      for number in 0..<300 as Range<UInt32> {
        let title = Title(TitleID(number), catalogue: catalogue, streams: streams)
        let count = Title.segmentCount(
          of: TitleID(number), catalogue: catalogue, streams: streams)
        #expect(count == title.segmentCount)
        seen.insert(count)
      }
    }
    #expect(seen.count > 8)
  }
}
