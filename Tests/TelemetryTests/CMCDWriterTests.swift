import Testing

@testable import Telemetry

/// Common Media Client Data as it is written, and read again.
@Suite struct CMCDWriterTests {
  private func read(_ texts: [String]) -> (values: CMCDValues, reader: CMCDReader) {
    var reader = CMCDReader(Fixture.salt)
    var values = CMCDValues()
    reader.begin()
    for text in texts { Fixture.span(text) { reader.read($0, into: &values) } }
    reader.end(&values)
    return (values, reader)
  }

  private func full(_ version: Int) -> CMCDWriter {
    var writer = CMCDWriter(version: version)
    writer.add(.tb, number: 6_000_400)
    writer.add(.br, number: 3_199_600)
    writer.add(.bl, number: 21.349)
    writer.add(.dl, number: 18.451)
    writer.add(.mtp, number: 48_149_999)
    writer.add(.rtp, number: 12_000_000)
    writer.add(.d, number: 4.004)
    writer.add(.pr, number: 1.08)
    writer.add(.bs, isOn: true)
    writer.add(.su, isOn: false)
    writer.add(.ot, token: "v")
    writer.add(.sf, token: "h")
    writer.add(.st, token: "v")
    writer.add(.sta, token: "p")
    writer.add(.sid, text: "6e2fb550-c457-8000-8abc-1c6f6b6a3bcd")
    writer.add(.cid, text: "t\"1\\2\u{E9}")
    writer.add(.msd, number: 0.8504)
    writer.add(.sn, number: 7)
    writer.add(next: "../v2/seg_3.m4s", part: "0-499")
    return writer
  }

  @Test
  func `keys are in the order of the alphabet, in four headers, rounded as the standard says`() {
    let headers = full(1).headers
    #expect(headers.map(\.name) == ["CMCD-Object", "CMCD-Request", "CMCD-Session", "CMCD-Status"])
    #expect(
      headers.map(\.value) == [
        "br=3200,d=4004,ot=v,tb=6000",
        #"bl=21300,dl=18500,mtp=48100,nor="..%2Fv2%2Fseg_3.m4s",nrr="0-499""#,
        #"cid="t\"1\\2%C3%A9",pr=1.08,sf=h,sid="6e2fb550-c457-8000-8abc-1c6f6b6a3bcd",st=v"#,
        "bs,rtp=12000",
      ])
  }

  @Test func `version 2 has lists by object type, states and its number`() {
    let headers = full(2).headers
    #expect(
      headers.map(\.value) == [
        "br=(3200;v),d=4004,ot=v,tb=(6000;v)",
        #"bl=(21300;v),dl=18500,mtp=(48100;v),nor=("../v2/seg_3.m4s";r="0-499"),sn=7,sta=p"#,
        #"cid="t\"1\\2%C3%A9",msd=850,pr=1.08,sf=h,sid="6e2fb550-c457-8000-8abc-1c6f6b6a3bcd","#
          + "st=v,v=2",
        "bs,rtp=12000",
      ])
  }

  @Test(arguments: [1, 2]) func `what is written is read as the same numbers`(_ version: Int) {
    let writer = full(version)
    let headers = read(writer.headers.map(\.value))
    let query = read([decoded(String(writer.query.dropFirst(5)))])
    for (values, reader) in [headers, query] {
      #expect(reader.report.bad == 0 && reader.report.unknown == 0 && reader.fault == nil)
      #expect(values.bitrate == 3_200_000 && values.topBitrate == 6_000_000)
      #expect(values.buffer == 21.3 && values.throughput == 48_100_000)
      #expect(values.objectDuration == 4.004 && values.isStarved && !values.isStartup)
      #expect(values.version == UInt8(version))
      #expect(values.startDelay == 0.85 || version == 1)
      #expect(reader.report.keys == headers.reader.report.keys)
    }
    #expect(headers.reader.session == query.reader.session && query.reader.session != 0)
    #expect(writer.query.hasPrefix("CMCD=bl%3D"))
    #expect(writer.query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x26 && $0 != 0x23 })
  }

  @Test func `a log's line with the query has the same numbers, too`() throws {
    let line =
      #"192.0.2.1 - - [01/May/2026:10:00:01 +0000] "GET /v/a/1?x=1&"# + full(1).query
      + #" HTTP/1.1" 200 100"# + "\n"
    let telemetry = try Fixture.read(line, BuiltInMapping.common.mapping, named: "access.log")
    #expect(telemetry.keysOfCMCD.known == 16 && telemetry.keysOfCMCD.bad == 0)
    #expect(telemetry.tally.requests.withCMCD == 1 && telemetry.tally.requests.starved == 1)
    #expect(telemetry.tally.requests.throughputs.seen == [48_100_000])
  }

  @Test func `what need not be said, or cannot, is left out`() {
    var writer = CMCDWriter(version: 1)
    writer.add(.pr, number: 1)
    writer.add(.bs, isOn: false)
    writer.add(.br, number: -1)
    writer.add(.mtp, number: .nan)
    writer.add(.d, number: .infinity)
    writer.add(.sta, token: "p")
    writer.add(.sn, number: 3)
    writer.add(next: nil, part: nil)
    #expect(writer.isEmpty && writer.headers.isEmpty)
    writer.add(.pr, number: 0)
    writer.add(.bl, number: 0.049)
    writer.add(.sid, text: String(repeating: "x", count: 100))
    writer.add(.sid, text: String(repeating: "y", count: 100))
    let kept = String(repeating: "y", count: 64)
    #expect(writer.headers.map(\.value) == ["bl=0", #"pr=0,sid="\#(kept)""#])
  }

  @Test func `every key has a header, and version 1's are those of the standard`() {
    let first = CMCDKey.allCases.filter { $0.version == 1 }
    let byHeader = CMCDKey.Header.allCases.map { header in
      first.filter { $0.header == header }.map(\.name).joined(separator: " ")
    }
    #expect(
      byHeader == [
        "br d ot tb", "bl dl mtp nor nrr su", "cid pr sf sid st v", "bs rtp",
      ])
    #expect(first.filter { $0.step == 100 }.map(\.name) == ["bl", "dl", "mtp", "rtp"])
    #expect(CMCDKey.allCases.map(\.name) == CMCDKey.allCases.map(\.name).sorted())
  }

  private func decoded(_ text: String) -> String {
    var output: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == 0x25,
        let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
      {
        output.append(value)
        bytes = bytes.dropFirst(2)
      } else {
        output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
