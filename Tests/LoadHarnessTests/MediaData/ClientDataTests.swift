import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

@testable import FeedModel
@testable import LoadHarness
@testable import Telemetry

/// What requests tell of their players.
@Suite struct ClientDataTests {
  private static let base = "/vod/t3/v1/hls/v1/"

  private func teller(
    _ way: ClientDataOptions.Way = .headers, version: Int = 1, seed: UInt64 = 7
  ) throws -> ClientDataTeller {
    ClientDataTeller(
      ClientDataOptions(way: way, version: version), seed: seed,
      catalogue: try LiveFixture.scenario().configuration.catalogue)
  }

  private func request(
    _ asset: AssetClass = .segment, session: UInt32 = 5, item: UInt32 = 2,
    _ change: (inout OutsidePlayback) -> Void = { _ in }
  ) -> OutsideRequest {
    var request = OutsideRequest(
      token: OutsideToken(slot: 0, index: 0, generation: 0, session: session), service: .media,
      asset: asset, connection: 0, title: 3, number: 3, rung: 1, segment: 0, isAudio: false,
      isConditional: false, bytes: 100, bodyBytes: 0, startMark: -1, feedCount: 0, dueAt: .zero)
    request.item = item
    change(&request.playback)
    return request
  }

  private func place(_ name: String) -> URIReference {
    URIReference("http://127.0.0.1:8080" + Self.base + name)
  }

  private func next(_ name: String, _ range: HLSByteRange? = nil) -> ClientDataTeller.Next {
    ClientDataTeller.Next(uri: place(name), range: range)
  }

  private func keys(_ writer: CMCDWriter) -> [String: String] {
    var keys: [String: String] = [:]
    for part in writer.headers.map(\.value).joined(separator: ",").split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      keys[String(pair[0])] = pair.count > 1 ? String(pair[1]) : ""
    }
    return keys
  }

  @Test func `a segment of the item on the screen tells the player's numbers, rounded`() throws {
    var teller = try teller()
    let ladder = try LiveFixture.scenario().configuration.catalogue.ladder
    let asked = request {
      $0.state = .playing
      $0.ahead = .milliseconds(2_349)
      $0.throughput = .kilobits(4_951)
      $0.length = .milliseconds(1_999)
    }
    let writer = teller.writer(asked, at: place("seg_0.m4s"), next: next("seg_1.m4s"))
    let told = keys(writer)
    #expect(told["br"] == String(ladder[RungIndex(1)].bitsPerSecond / 1_000))
    #expect(told["tb"] == String(ladder[ladder.top].bitsPerSecond / 1_000))
    #expect(told["bl"] == "2300" && told["dl"] == "2300" && told["mtp"] == "5000")
    #expect(told["d"] == "1999" && told["ot"] == "av" && told["sf"] == "h" && told["st"] == "v")
    #expect(told["cid"] == "\"t3\"" && told["nor"] == "\"seg_1.m4s\"")
    #expect(told["su"] == nil && told["bs"] == nil && told["pr"] == nil && told["v"] == nil)
    var reader = CMCDReader(IdentitySalt(1, 2))
    var values = CMCDValues()
    reader.begin()
    for (_, text) in writer.headers {
      Array(text.utf8).withUnsafeBufferPointer {
        reader.read(TextSpan($0.baseAddress!, $0.count), into: &values)
      }
    }
    reader.end(&values)
    #expect(reader.report.bad == 0 && reader.report.unknown == 0 && values.version == 1)
    #expect(values.buffer == 2.3 && values.throughput == 5_000_000)
    #expect(values.bitrate == Double(ladder[RungIndex(1)].bitsPerSecond / 1_000 * 1_000))
    #expect(values.objectDuration == 1.999)
  }

  @Test func `startup, starvation and what is ahead of the viewer are told apart`() throws {
    var teller = try teller(version: 2)
    func told(_ change: (inout OutsidePlayback) -> Void) -> [String: String] {
      keys(teller.writer(request(.segment, change), at: place("a"), next: nil))
    }
    let ahead = told { $0.state = .preloading }
    #expect(ahead["sta"] == "d" && ahead["pr"] == "0" && ahead["su"] == nil && ahead["dl"] == nil)
    let start = told { $0.state = .starting }
    #expect(start["sta"] == "s" && start["su"] == "" && start["bs"] == nil && start["dl"] == "0")
    let playing = told {
      $0.state = .playing
      $0.startDelay = .milliseconds(420)
    }
    #expect(playing["msd"] == "420" && playing["pr"] == nil && playing["bsa"] == "(0;av)")
    let again = told {
      $0.state = .playing
      $0.startDelay = .milliseconds(420)
    }
    #expect(again["msd"] == nil, "once a view")
    let stalled = told {
      $0.state = .stalled
      $0.stalls = 1
    }
    #expect(stalled["bs"] == "" && stalled["su"] == "" && stalled["sta"] == "r")
    // It has stalled and recovered between two requests.
    let after = told {
      $0.state = .playing
      $0.stalls = 2
    }
    #expect(after["bs"] == "" && after["su"] == nil && after["sta"] == "p")
    let calm = told {
      $0.state = .playing
      $0.stalls = 2
    }
    #expect(calm["bs"] == nil && calm["sn"] == "7" && calm["v"] == "2" && calm["bsa"] == "(2;av)")
  }

  @Test func `objects that are no media say what they are and no bit rate`() throws {
    var teller = try teller()
    for (asset, type) in [
      (AssetClass.mediaManifest, "m"), (.masterPlaylist, "m"), (.mediaPlaylist, "m"),
      (.poster, "o"), (.sprite, "o"), (.vtt, "o"),
    ] {
      let told = keys(teller.writer(request(asset), at: place("a"), next: nil))
      #expect(told["ot"] == type && told["br"] == nil && told["bl"] == nil, "\(asset)")
    }
    let told = keys(teller.writer(request(.initSegment), at: place("init.mp4"), next: next("s")))
    #expect(told["ot"] == "i" && told["br"] != nil && told["d"] == nil && told["nor"] == "\"s\"")
    // A part of the same file, and of another one.
    let range = HLSByteRange(offset: 100, length: 50)
    for (name, path) in [("all.mp4", nil), ("b.mp4", "\"b.mp4\"")] {
      let part = keys(
        teller.writer(request(.segment), at: place("all.mp4"), next: next(name, range)))
      #expect(part["nrr"] == "\"100-149\"" && part["nor"] == path)
    }
  }

  @Test func `names of sessions follow from the seed, and look like nobody's`() throws {
    let name = ClientDataTeller.name(ofSession: 5, seed: 7)
    #expect(name == ClientDataTeller.name(ofSession: 5, seed: 7) && name.count == 36)
    let parts = name.split(separator: "-")
    #expect(parts.map(\.count) == [8, 4, 4, 4, 12] && parts[2].hasPrefix("8"))
    #expect("89ab".contains(parts[3].first ?? "x"))
    var names = Set<String>()
    for session in 0..<1_000 as Range<UInt32> {
      for seed in [7, 8] as [UInt64] {
        names.insert(ClientDataTeller.name(ofSession: session, seed: seed))
      }
    }
    #expect(names.count == 2_000)
  }

  @Test
  func `headers leave the path alone, a query goes behind one that is there, off does nothing`()
    throws
  {
    func message(_ way: ClientDataOptions.Way, _ name: String) throws -> LiveRequest {
      var teller = try teller(way)
      var message = LiveRequest(token: 1, player: 5, path: Self.base + name, intendedAt: .zero)
      teller.tell(request(), at: place(name), next: nil, in: &message)
      #expect(teller.count == (way == .off ? 0 : 1))
      return message
    }
    let off = try message(.off, "a")
    #expect(off.path == Self.base + "a" && off.headers.isEmpty)
    let headers = try message(.headers, "a")
    #expect(headers.path == Self.base + "a")
    #expect(headers.headers.map(\.name) == ["CMCD-Object", "CMCD-Request", "CMCD-Session"])
    let query = try message(.query, "a")
    #expect(query.path.hasPrefix(Self.base + "a?CMCD=bl%3D") && query.headers.isEmpty)
    #expect(try message(.query, "a?x=1").path.hasPrefix(Self.base + "a?x=1&CMCD="))
  }

  @Test func `what comes next is named from the folder of what is asked for`() {
    func relative(_ target: String, _ base: String) -> String {
      ClientDataTeller.relative(target, to: base)
    }
    #expect(relative("/a/b/s1", "/a/b/s0") == "s1")
    #expect(relative("/a/c/s1?x=/y", "/a/b/s0?z=/1/2") == "../c/s1?x=/y")
    #expect(relative("/s1", "/a/b/s0") == "../../s1")
    #expect(relative("/a/b/c/s1", "/a/s0") == "b/c/s1")
    #expect(relative("/a/s:1", "/a/s0") == "./s:1")
    #expect(relative("/", "/") == "")
    let base = URIReference("http://h/a/b/s0")
    for target in ["/a/b/s1", "/a/c/s1", "/s1", "/a/b/c/d", "/a/b/s:1"] {
      let found = URIReference(relative(target, "/a/b/s0")).resolved(against: base)
      #expect(found.requestTarget == target)
    }
  }
}
