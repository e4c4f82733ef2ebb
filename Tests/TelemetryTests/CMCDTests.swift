import Testing

@testable import Telemetry

/// Common Media Client Data in its three forms.
@Suite struct CMCDTests {
  private func read(
    _ text: String
  ) -> (values: CMCDValues, reader: CMCDReader) {
    var reader = CMCDReader(Fixture.salt)
    var values = CMCDValues()
    reader.begin()
    Fixture.span(text) { reader.read($0, into: &values) }
    reader.end(&values)
    return (values, reader)
  }

  @Test func `every key is found by its name, and no other`() {
    for key in CMCDKey.allCases {
      #expect(Fixture.span(key.name) { CMCDKey.named($0) } == key)
    }
    for name in ["", "x", "brr", "sidd", "cmsddd", "BR"] {
      #expect(Fixture.span(name) { CMCDKey.named($0) } == nil)
    }
  }

  @Test func `version 1 as a query or a header`() {
    let (values, reader) = read(
      #"bl=21300,br=3200,bs,cid="faec5fc2",d=4004,dl=18500,mtp=48100,nor="..%2F300kbps%2Fs35.m4v","#
        + #"nrr="12323-48763",ot=v,pr=1.08,rtp=12000,sf=d,sid="6e2fb550",st=v,su,tb=6000"#)
    #expect(values.version == 1 && reader.report.keys == 17 && reader.fault == nil)
    #expect(values.bitrate == 3_200_000 && values.topBitrate == 6_000_000)
    #expect(values.throughput == 48_100_000 && values.buffer == 21.3)
    #expect(values.objectDuration == 4.004 && values.isStarved && values.isStartup)
    #expect(reader.session != 0 && reader.content != 0 && reader.session != reader.content)
    #expect(values.objectType == UInt16(UInt8(ascii: "v")) << 8)
  }

  @Test func `version 2 with lists, states and events`() {
    let (values, reader) = read(
      #"br=(1000;a 3200;v),bs=?0,e=ps,msd=850,sta=p,ts=1777629600123,v=2,ltc=1200,ec=("1" "2")"#)
    #expect(values.version == 2 && reader.fault == nil && reader.report.bad == 0)
    #expect(values.bitrate == 1_000_000 && values.startDelay == 0.85 && !values.isStarved)
    #expect(values.state == UInt8(ascii: "p") && values.liveLatency == 1.2)
    #expect(reader.report.texts2 == 1)
  }

  @Test func `JSON has the same keys`() {
    let (values, reader) = read(
      #"{"br":[1000,{"a":1}],"bs":true,"sid":"a\"b","mtp":"4800","v":2,"nor":[],"#
        + #""ec":["1"],"x-own":{"y":1}}"#)
    #expect(values.version == 2 && reader.report.bad == 0, "\(reader.report)")
    #expect(values.bitrate == 1_000_000 && values.throughput == 4_800_000 && values.isStarved)
    #expect(reader.report.custom == 1 && reader.session != 0)
  }

  @Test func `unknown keys are counted, bad ones named, and the rest is read`() {
    let (values, reader) = read("zz=1,com.example-key=2,br=fast,mtp=100,ot=quark,bl=-3,d=1.5")
    #expect(reader.report.unknown == 1 && reader.report.custom == 1 && reader.report.bad == 4)
    #expect(reader.fault == .br && values.throughput == 100_000 && values.bitrate.isNaN)
    for text in ["", ",", "=", "br=", "br", "br=(", "br=()", "{", "{}", #"{"br""#, "{\"br\":}"] {
      #expect(read(text).values.bitrate.isNaN, "\(text)")
    }
  }

  @Test func `the start delay of a player is a start of its view`() throws {
    var text = "cmcd,t\n"
    text += #""msd=850,sid=""s1"",cid=""c1"",v=2",1777629600"# + "\n"
    text += #""bl=100,sid=""s1"",cid=""c1"",v=2",1777629601"# + "\n"
    text += #""br=x,sid=""s2"",cid=""c1"",v=2",1777629602"# + "\n"
    let telemetry = try Fixture.read(
      text, Fixture.mapping("version: 1\ncolumns: {cmcd: cmcd, time: t}\n"))
    #expect(telemetry.reading.data.startup.seen == [0.85] && telemetry.reading.data.views == 2)
    #expect(telemetry.reading.data.titleCounts == [2])
    #expect(telemetry.reading.problems.map(\.keyPath) == ["CMCD.br"])
    #expect(telemetry.reading.problems[0].line == 4 && telemetry.reading.malformed == 0)
    #expect(telemetry.reading.problems[0].column == 2 && telemetry.reading.unnamed == 0)
    #expect(telemetry.keysOfCMCD.bad == 1)
  }
}
