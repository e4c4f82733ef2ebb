import Foundation
import Models
import SimulationKernel
import Testing

@testable import Scenario

@Suite struct CacheTraceReaderTests {
  private static let second: Int64 = 1_000_000_000

  @Test func `u32le has identities alone, and handles in order of appearance`() throws {
    try CacheTraceFixture.inFolder { folder in
      let ids: [UInt64] = [7, 9, 7, 4_294_967_295, 0, 9]
      let file = try folder.write(
        "a.u32le", ids.flatMap { CacheTraceFixture.bytes($0, 4) })
      let loaded = try CacheTraceRequest(files: [file]).load()
      #expect(loaded.format == .u32le && loaded.notes.isEmpty)
      #expect(loaded.trace.objects == [0, 1, 0, 2, 3, 1] && loaded.trace.objectCount == 4)
      #expect(loaded.trace.sizes.isEmpty && loaded.trace.times.isEmpty)
    }
  }

  @Test func `a size table gives an object the size on the line of its hash`() throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write(
        "a.u32le", (0..<8).flatMap { CacheTraceFixture.bytes($0, 4) })
      let table = try folder.write("sizes", "10\n20\n30\n40\n")
      let loaded = try CacheTraceRequest(files: [file], sizeTable: table).load()
      // SplitMix64 from the states 0 to 7, last two bits: the first output for 0 is
      // 0xE220A8397B1DCDAF.
      let expected = (0..<8).map { id in
        Int64(10 * (1 + SplitMix.hash(UInt64(id)) & 3))
      }
      #expect(SplitMix.hash(0) == 0xE220_A839_7B1D_CDAF)
      #expect(loaded.trace.sizes == expected)
      let odd = try folder.write("odd", "10\n20\n30\n")
      #expect(
        folder.problems(CacheTraceRequest(files: [file], sizeTable: odd)) == [
          "odd:1:1: (file): expected a power of two of lines, such as 1024, got 3"
        ])
      let words = try folder.write("words", "10\nx\n")
      #expect(
        folder.problems(CacheTraceRequest(files: [file], sizeTable: words)).first?
          .hasPrefix("words:2:1: size: expected a whole number of bytes") == true)
    }
  }

  @Test func `rec17 and oracleGeneral have times and sizes`() throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write(
        "a.rec17",
        CacheTraceFixture.rec17(5, 8, 100, 60, 2) + CacheTraceFixture.rec17(6, 9, 200, 0, 0))
      let trace = try CacheTraceRequest(files: [file]).load().trace
      #expect(trace.objects == [0, 1] && trace.sizes == [100, 200] && trace.nodes == [2, 0])
      #expect(trace.times == [5 * Self.second, 6 * Self.second])
      #expect(trace.lifetimes == [60 * Self.second, 0])
      let other = try folder.write(
        "b.oracleGeneral.bin",
        CacheTraceFixture.oracle(1, 1 << 40, 10) + CacheTraceFixture.oracle(1, 1, 0)
          + CacheTraceFixture.oracle(2, 1 << 40 | 1, 11))
      let loaded = try CacheTraceRequest(files: [other]).load()
      #expect(loaded.format == .oracleGeneral)
      #expect(loaded.trace.objects == [0, 1] && loaded.trace.sizes == [10, 11])
      #expect(loaded.notes.count == 1 && loaded.notes[0].contains("1 records of size 0"))
    }
  }

  @Test func `csv takes columns in any order, quotes, blanks and a byte order mark`() throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write(
        "a.csv",
        "\u{FEFF}Size, id ,\"time\",ttl,node,method\r\n10, \"a,\"\"b\"\"\" ,0.5,60,x,GET\r\n\r\n"
          + ",c,1,,y,GET\r\n12.0,\"a,\"\"b\"\"\",1.25,0.5,x,GET")
      let loaded = try CacheTraceRequest(files: [file]).load()
      let trace = loaded.trace
      #expect(loaded.format == .csv)
      #expect(trace.objects == [0, 1, 0] && trace.sizes == [10, 1, 12])
      #expect(trace.times == [500_000_000, 1_000_000_000, 1_250_000_000])
      #expect(trace.lifetimes == [60 * Self.second, 0, 500_000_000])
      #expect(trace.nodes == [0, 1, 0])
      #expect(loaded.notes.count == 1 && loaded.notes[0].hasSuffix("columns not used: method"))
    }
  }

  @Test func `an id alone is enough, and a number is not another way to write it`() throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write("a.txt", "id\n1\n01\n1\n1.0\n")
      let trace = try CacheTraceRequest(files: [file]).load().trace
      #expect(trace.objects == [0, 1, 0, 2])
      #expect(trace.sizes.isEmpty && trace.times.isEmpty && trace.nodes.isEmpty)
    }
  }

  @Test func `CloudFront's log is read by its header`() throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write(
        "E2.log",
        """
        #Version: 1.0
        #Fields: date time x-edge-location sc-bytes cs-method cs-uri-stem cs-uri-query
        2019-12-04\t21:02:31\tLAX1\t392\tGET\t/a%20b.m4s\t-
        2019-12-04\t21:02:30\tSFO5\t-\tPOST\t/a.m3u8\tv=1%262
        2019-12-04\t21:02:31\tLAX1\t500\tHEAD\t/a b.m4s\t-

        """)
      let loaded = try CacheTraceRequest(files: [file]).load()
      let trace = loaded.trace
      #expect(loaded.format == .cloudfront)
      // Sorted by time; equal times keep their order.
      #expect(trace.objects == [1, 0, 0] && trace.sizes == [1, 392, 500])
      let first: Int64 = 1_575_493_350
      #expect(trace.times == [first, first + 1, first + 1].map { $0 * Self.second })
      #expect(trace.nodes == [1, 0, 0] && trace.objectCount == 2)
      #expect(loaded.notes.count == 1 && loaded.notes[0].contains("1 requests are neither"))
    }
  }

  @Test func `the common and the combined log format are read`() throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write(
        "access.log",
        #"""
        ::1 - bob [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326
        1.2.3.4 - - [10/Oct/2000:20:55:35 +0000] "GET /b HTTP/1.1" 304 - "http://x/" "agent \"q\""
        1.2.3.4 - - [10/Oct/2000:20:55:37 +0000] "\x16\x03" 400 150
        1.2.3.4 - - [10/Oct/2000:20:55:38 +0000] "GET /a.gif HTTP/1.1" 200 2326

        """#)
      let loaded = try CacheTraceRequest(files: [file]).load()
      let trace = loaded.trace
      #expect(loaded.format == .common)
      #expect(trace.objects == [1, 0, 0] && trace.sizes == [1, 2326, 2326])
      #expect(trace.times == [971_211_335, 971_211_336, 971_211_338].map { $0 * Self.second })
      #expect(loaded.notes.count == 1 && loaded.notes[0].contains("1 lines"))
    }
  }

  @Test func `queries are part of a URL unless they are dropped`() throws {
    try CacheTraceFixture.inFolder { folder in
      let cloudFront = try folder.write(
        "E3.log", "#Fields: cs-uri-stem cs-uri-query\n/a\tv=1\n/a\tv=2\n/a\t-\n/b\tv=1\n")
      let common = try folder.write(
        "access.log",
        ["/a?v=1", "/a?v=2", "/a", "/b?v=1"].map {
          "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET \($0) HTTP/1.0\" 200 7\n"
        }.joined())
      for (file, format) in [(cloudFront, CacheTraceFormat.cloudfront), (common, .common)] {
        var request = CacheTraceRequest(files: [file], format: format)
        #expect(try request.load().trace.objects == [0, 1, 2, 3])
        request.dropsQueries = true
        #expect(try request.load().trace.objects == [0, 0, 0, 1])
      }
    }
  }

  @Test func `several files are one trace, unless times go back or formats differ`() throws {
    try CacheTraceFixture.inFolder { folder in
      let first = try folder.write("1.csv", "time,id\n1,a\n5,b\n")
      let second = try folder.write("2.csv", "id,time,size\nb,5,9\nc,6,8\n")
      let trace = try CacheTraceRequest(files: [first, second]).load().trace
      #expect(trace.objects == [0, 1, 1, 2] && trace.sizes == [1, 1, 9, 8])
      #expect(trace.times == [1, 5, 5, 6].map { $0 * Self.second })
      #expect(
        folder.problems(CacheTraceRequest(files: [second, first])) == [
          "1.csv:2:1: (file): expected a time not before the latest so far, 6 s, got 1",
          "1.csv:3:1: (file): expected a time not before the latest so far, 6 s, got 5",
        ])
      let binary = try folder.write("3.u32le", [1, 0, 0, 0])
      #expect(
        folder.problems(CacheTraceRequest(files: [first, binary])) == [
          "3.u32le:1:1: (file): expected the format of the files before it, csv, got u32le"
        ])
    }
  }

  @Test func `a record cut off is named by its byte`() throws {
    try CacheTraceFixture.inFolder { folder in
      let one = CacheTraceFixture.rec17(5, 8, 100, 60, 2)
      let file = try folder.write("a.rec17", one + one.prefix(16))
      #expect(
        folder.problems(CacheTraceRequest(files: [file])) == [
          "a.rec17:1:1: byte 17: expected a whole record of 17 bytes, got 16 bytes and the end of"
            + " the file"
        ])
      let back = try folder.write("b.rec17", one + CacheTraceFixture.rec17(4, 8, 100, 60, 2))
      #expect(
        folder.problems(CacheTraceRequest(files: [back])) == [
          "b.rec17:1:1: byte 17: expected a time not before the latest so far, 5 s, got 4 s"
        ])
    }
  }

  @Test(arguments: [
    ("id,size\na,x\nb,-1\nc,1.5\n", ["2:3: size", "3:3: size", "4:3: size"]),
    ("id,time\na,1e3\nb\nc,5000000000\n", ["2:3: time", "3:1: (file)", "4:3: time"]),
    ("id,time\né,9\né,8\n", ["3:3: (file)"]),
    ("id\n\"a\n\"b\"c\n", ["2:1: (file)", "3:1: (file)"]),
    ("time,size\n1,2\n", ["1:1: id"]),
    ("id,ttl\na,2\n", ["1:1: ttl"]),
    ("id,id\na,2\n", ["1:4: id"]),
    ("id\n", ["1:1: (file)"]),
    ("", ["1:1: (file)"]),
  ])
  func `faults of csv are named by line and column`(_ text: String, _ places: [String]) throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write("a.csv", text)
      let found = folder.problems(CacheTraceRequest(files: [file]))
      #expect(found.count == places.count, "\(found)")
      for (problem, place) in zip(found, places) {
        #expect(problem.hasPrefix("a.csv:\(place): expected "), "\(problem)")
      }
    }
  }

  @Test(arguments: [
    ("2019-12-04\t21:02:31\t1\t/a\n", "1:1: #Fields"),
    ("#Fields: date time\n2019-12-04\t21:02:31\n", "1:1: #Fields"),
    ("#Fields: cs-uri-stem sc-bytes\n/a\tx\n", "2:4: sc-bytes"),
    ("#Fields: cs-uri-stem sc-bytes\n/a\n", "2:1: (file)"),
    ("#Fields: cs-uri-stem date time\n/a\t2019-02-29\t10:00:00\n", "2:4: date"),
  ])
  func `faults of CloudFront's log are named`(_ text: String, _ place: String) throws {
    try CacheTraceFixture.inFolder { folder in
      let file = try folder.write("a.log", text)
      let found = folder.problems(CacheTraceRequest(files: [file], format: .cloudfront))
      #expect(found.count == 1 && found[0].hasPrefix("a.log:\(place): expected "), "\(found)")
    }
  }

  @Test func `after 20 problems the others are counted, over all files`() throws {
    try CacheTraceFixture.inFolder { folder in
      let text = "id,size\n" + String(repeating: "a,x\n", count: 15)
      let files = [try folder.write("1.csv", text), try folder.write("2.csv", text)]
      let found = folder.problems(CacheTraceRequest(files: files))
      #expect(found.count == 21 && found[20] == "and 10 more problems in this trace")
    }
  }

  @Test func `compressed, unknown, missing and unreadable files say what to do`() throws {
    try CacheTraceFixture.inFolder { folder in
      let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]
      let packed = try folder.write("a.csv.gz", gzip)
      #expect(folder.problems(CacheTraceRequest(files: [packed])).first?.contains("gunzip") == true)
      // As binary records the same bytes are two identities.
      let binary = try folder.write("a.u32le", gzip)
      #expect(try CacheTraceRequest(files: [binary]).load().trace.count == 2)
      let unknown = try folder.write("x.dat", "hello\n")
      #expect(
        folder.problems(CacheTraceRequest(files: [unknown])).first?.contains("--format") == true)
      let missing = CacheTraceRequest(files: ["\(folder.folder)/none.csv", folder.folder])
      let error = #expect(throws: InputRejected.self) { try missing.load() }
      #expect(error?.isMissingFile == true && error?.problems.count == 2)
    }
  }

  @Test func `a line longer than the buffer is named and the rest is read`() throws {
    try CacheTraceFixture.inFolder { folder in
      let long = String(repeating: "x", count: ByteSource.capacity * 2 + 5)
      let file = try folder.write("a.csv", "id\na\n\(long)\nb\n")
      let found = folder.problems(CacheTraceRequest(files: [file]))
      #expect(found.count == 1 && found[0].hasPrefix("a.csv:3:1: (file): expected a line of"))
    }
  }

  /// 300,000 lines are several buffers long.
  @Test func `lines and records across the ends of the buffer are whole`() throws {
    try CacheTraceFixture.inFolder { folder in
      let count = 300_000
      var text = "id,size\n"
      var records: [UInt8] = []
      for index in 0..<count {
        text += "object-\(index % 1_000),\(index)\n"
        records += CacheTraceFixture.rec17(0, UInt64(index % 1_000), UInt64(index), 0, 0)
      }
      for file in [try folder.write("a.csv", text), try folder.write("a.rec17", records)] {
        let trace = try CacheTraceRequest(files: [file]).load().trace
        #expect(trace.count == count && trace.objectCount == 1_000)
        #expect(trace.sizes == (0..<Int64(count)).map { $0 })
        #expect(trace.objects == (0..<count).map { UInt32($0 % 1_000) })
      }
    }
  }
}
