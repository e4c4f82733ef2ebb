import Testing

@testable import Telemetry

/// Common Media Server Data: what servers say of their answers.
@Suite struct CMSDTests {
  private static let objectText =
    #"at=1777629600123,br=3200,d=4004,ht=12,n="OriginA",nor="seg_2.m4s",nrr="0-9",ot=v,sf=h,"#
    + "st=ll,su,v=2"
  private static let hopText =
    #""CDNA-312.663";etp=115;rtt=16;mb=5000, "CDNB-3ak1";du;etp=96;rd=3;rtt=8"#

  @Test func `an object has all keys of the static header`() {
    var reader = CMSDReader()
    let object = reader.object(Self.objectText)
    #expect(object.availableAt == 1_777_629_600.123 && object.heldTime == 0.012)
    #expect(object.bitrate == 3_200_000 && object.duration == 4.004 && object.name == "OriginA")
    #expect(object.next == "seg_2.m4s" && object.nextRange == "0-9" && object.isForStartup)
    #expect(object.objectType == "v" && object.format == "h" && object.streamType == "ll")
    #expect(object.version == 2 && reader.report.keys == 12 && reader.report.malformed == 0)
    #expect(CMSDWriter.text(object) == Self.objectText)
  }

  @Test func `servers keep their order, and each says what it knows`() {
    var reader = CMSDReader()
    let hops = reader.hops(Self.hopText)
    #expect(hops.map(\.name) == ["CDNA-312.663", "CDNB-3ak1"])
    #expect(
      hops.map(\.throughput) == [115_000, 96_000] && hops.map(\.roundTrip) == [0.016, 0.008])
    #expect(hops.map(\.suggestedBitrate) == [5_000_000, nil])
    #expect(
      hops.map(\.responseDelay) == [nil, 0.003] && hops.map(\.isUnderDuress) == [false, true])
    #expect(reader.report.malformed == 0 && reader.report.keys == 7)
    for hop in hops {
      let again = reader.hops(CMSDWriter.text(hop))
      #expect(again == [hop])
    }
    let others = reader.hops("edge-1;rtt=5, n=\"b\"; etp=7")
    #expect(others.map(\.name) == ["edge-1", "b"])
    let nobody = reader.hops("") + reader.hops("  ")
    #expect(nobody.isEmpty)
  }

  @Test func `what cannot be is counted and named, and the rest is read`() {
    var reader = CMSDReader()
    let object = reader.object(
      #"br=fast,d=-3,ot=quark,n=7,su=3,zz=1,com.example-k=2,=,st=v,etp=5,v="x",sf=h"#)
    #expect(object.streamType == "v" && object.format == "h" && object.bitrate == nil)
    #expect(reader.report.unknown == 1 && reader.report.custom == 1)
    #expect(reader.report.malformed == 8, "\(reader.report)")
    #expect(
      reader.report.examples.first
        == "CMSD-Static br: expected a whole number, not negative, got fast")
    #expect(reader.report.examples.contains { $0.contains("CMSD-Static etp") })
    var dynamic = CMSDReader()
    let hops = dynamic.hops(#"5;etp=1, "a";etp=x, "b";rtt=1.5, "c, "d";mb=7"#)
    #expect(hops.map(\.name).contains("a") && hops.first?.throughput == nil)
    #expect(dynamic.report.malformed >= 3, "\(dynamic.report)")
    #expect(dynamic.report.examples[0].hasPrefix("CMSD-Dynamic: expected a member"))
  }

  @Test func `lengths have limits`() {
    var reader = CMSDReader()
    let many = (0..<100).map { "\"s\($0)\"" }.joined(separator: ",")
    let first = reader.hops(many)
    #expect(first.count == CMSDReader.mostHops && reader.report.malformed == 1)
    let long = (0..<4_000).map { "\"s\($0)\"" }.joined(separator: ",")
    let second = reader.hops(long)
    #expect(second.count == CMSDReader.mostHops && reader.report.malformed == 3)
    let text = String(repeating: "x", count: 2_000)
    let named = reader.object("n=\"\(text)\"")
    #expect(named.name?.count == CMSDReader.longestText)
    let keys = (0..<500).map { "k\($0)=1" }.joined(separator: ";")
    let rich = reader.hops("\"a\";\(keys)")
    #expect(rich.map(\.name) == ["a"])
    for _ in 0..<50 { _ = reader.object("br=x") }
    #expect(reader.report.examples.count == CMSDReader.mostExamples)
    #expect(reader.report.examples.allSatisfy { $0.utf8.count < 300 })
  }

  @Test(arguments: 0..<8) func `no text makes the reader fail or forget to count`(_ seed: UInt64) {
    var random = TestRandom(seed)
    let pieces: [String] = [
      "\"", ",", ";", "=", "?", "?1", "\\", "\u{0}", "\u{E9}", " ", "\t", "(", ")", "-", ".", "1.",
      "99999999999999999999", "etp=", "n=", "*", "\"a\"", "",
    ]
    for round in 0..<2_000 {
      var bytes = Array((round % 2 == 0 ? Self.objectText : Self.hopText).utf8)
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...6, using: &random))
        let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
        bytes.replaceSubrange(place..<end, with: Array(piece.utf8))
      }
      let text = String(decoding: bytes, as: UTF8.self)
      var reader = CMSDReader()
      let object = reader.object(text)
      let hops = reader.hops(text)
      #expect(hops.count <= CMSDReader.mostHops)
      #expect(reader.report.malformed >= reader.report.examples.count)
      for number in [object.bitrate, object.duration, object.heldTime].compactMap({ $0 }) {
        #expect(number >= 0 && number.isFinite, "\(text)")
      }
      // What was read is written so that it is read again as the same.
      var again = CMSDReader()
      for hop in hops where hop.name.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) {
        let second = again.hops(CMSDWriter.text(hop))
        #expect(second == [hop], "\(text)")
      }
      #expect(again.report.malformed == 0, "\(text)")
    }
  }
}
