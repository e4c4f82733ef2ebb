import FeedPolicy
import Foundation
import MediaUnits
import Models
import Scenario

/// Real H.264 in fragmented MP4 for every rung of a ladder, as every title of a catalogue has it:
/// what the stand-in serves to players that decode.
///
/// A folder has `library.json` and for each rung `vN/init.mp4` and `vN/seg_N.m4s`. All is read when
/// it is opened.
public struct MediaLibrary: Sendable, Equatable {
  /// One encoding of the clip.
  public struct Rung: Sendable, Equatable {
    /// As declared.
    public let rate: BitRate
    public let width, height: Int
    /// As RFC 6381 has it: `avc1.4d4015`.
    public let codec: String
    public let initSegment: [UInt8]
    public let segments: [[UInt8]]

    /// Sizes of segments over what the rate makes of their length: all of them, and the one that is
    /// furthest from 1.
    public func nearness(_ segmentDuration: TimeSpan) -> (mean: Double, furthest: Double) {
      let whole = Double(rate.bytes(in: segmentDuration).bytes)
      let ratios = segments.map { Double($0.count) / whole }
      let furthest = ratios.max { abs($0 - 1) < abs($1 - 1) } ?? 1
      return (ratios.reduce(0, +) / Double(ratios.count), furthest)
    }
  }

  /// Where it was read from.
  public let folder: String
  /// A name for its bytes.
  public let digest: String
  public let segmentDuration: TimeSpan
  /// The lowest first.
  public let rungs: [Rung]

  /// Segments of every rung.
  public var segmentCount: Int { rungs[0].segments.count }
  /// Bytes of every rung's init segment: they are made equal.
  public var initBytes: Int64 { Int64(rungs[0].initSegment.count) }
  public var ladder: Ladder { Ladder(rungs.map(\.rate)) }

  /// Opens a library.
  ///
  /// - Throws: `input` for what cannot be read, `data` for what is no library or is damaged.
  public init(folder: String) throws(HarnessFailure) {
    let path = "\(folder)/\(MediaIndex.name)"
    guard
      let text = try? InputFile.bytes(at: path, limit: JSONReader.Limits.line.bytes)
    else {
      throw HarnessFailure(.input, "\(path): expected a media library, got no such file")
    }
    guard let index = try? JSONReader.decode(MediaIndex.self, from: Data(text)), index.isSound
    else {
      throw HarnessFailure(.data, "\(path): expected a media library's index, got something else")
    }
    var rungs: [Rung] = []
    for (number, said) in index.rungs.enumerated() {
      let files = try (0...said.segmentBytes.count).map { place throws(HarnessFailure) in
        let name = place == 0 ? "init.mp4" : "seg_\(place - 1).m4s"
        let file = "\(folder)/v\(number)/\(name)"
        guard let bytes = FileManager.default.contents(atPath: file) else {
          throw HarnessFailure(.input, "\(file): expected the media library's file, got none")
        }
        return [UInt8](bytes)
      }
      let rung = Rung(
        rate: BitRate(bitsPerSecond: said.bitsPerSecond), width: said.width, height: said.height,
        codec: said.codec, initSegment: files[0], segments: Array(files[1...]))
      if MediaIndex.Rung(rung) != said {
        throw HarnessFailure(
          .data, "\(folder)/v\(number): expected what \(MediaIndex.name) says, got other bytes")
      }
      rungs.append(rung)
    }
    self.folder = folder
    digest = index.digest
    segmentDuration = TimeSpan(nanoseconds: index.segmentNanoseconds)
    self.rungs = rungs
  }

  /// Sizes by rung and segment, as a catalogue has them.
  public var sizes: GivenMedia {
    GivenMedia(
      ladder, step: segmentDuration, bytes: rungs.map { $0.segments.map { Int64($0.count) } })
  }

  /// Makes the clip the media of every title of a scenario: simulated, asked for and served sizes
  /// are then the same. Titles become whole segments long, at most as long as the clip.
  ///
  /// - Throws: `data` when the scenario's catalogue is not what the library was made for.
  public func give(to scenario: inout FeedStudy) throws(HarnessFailure) {
    let catalogue = scenario.configuration.catalogue
    func refuse(_ key: String, _ expected: String, _ got: String) -> HarnessFailure {
      HarnessFailure(.data, "\(key): expected \(expected) with the media of \(folder), got \(got)")
    }
    func words(_ ladder: Ladder) -> String {
      ladder.rates.map { "\($0.bitsPerSecond)" }.joined(separator: ", ") + " bps"
    }
    if catalogue.ladder != ladder {
      throw refuse("catalogue.ladder", words(ladder), words(catalogue.ladder))
    }
    if catalogue.segmentDuration != segmentDuration {
      throw refuse(
        "catalogue.segmentDuration", DecimalSeconds.text(segmentDuration) + " s",
        DecimalSeconds.text(catalogue.segmentDuration) + " s")
    }
    if catalogue.packaging != .hls {
      throw refuse("catalogue.packaging", "hls", "\(catalogue.packaging)")
    }
    if catalogue.audioRate != nil { throw refuse("catalogue.audio", "none", "audio of its own") }
    if !catalogue.given.isEmpty { throw refuse("titles", "the scenario's own", "a target's") }
    scenario.configuration.catalogue.media = sizes
    scenario.configuration.catalogue.initBytes = initBytes
  }
}

/// `library.json`: what a library's files must be.
struct MediaIndex: Codable {
  struct Rung: Codable, Equatable {
    var bitsPerSecond: Int64
    var width, height: Int
    var codec: String
    var initBytes: Int
    var segmentBytes: [Int]
    /// Of all its files, one behind the other.
    var checksum: String

    init(_ rung: MediaLibrary.Rung) {
      bitsPerSecond = rung.rate.bitsPerSecond
      (width, height, codec) = (rung.width, rung.height, rung.codec)
      initBytes = rung.initSegment.count
      segmentBytes = rung.segments.map(\.count)
      checksum = Checksum.text(([rung.initSegment] + rung.segments).joined())
    }
  }

  static let name = "library.json"
  static let current = 1

  var schema = MediaIndex.current
  /// The folder's name in the cache.
  var digest: String
  /// What the digest is of.
  var recipe: String
  var segmentNanoseconds: Int64
  var rungs: [Rung]

  /// Whether a library can be of this kind.
  var isSound: Bool {
    let rates = rungs.map(\.bitsPerSecond)
    let counts = Set(rungs.map(\.segmentBytes.count))
    return schema == MediaIndex.current && (1...ObjectLayout.maximumRungs).contains(rungs.count)
      && rates[0] > 0 && zip(rates, rates.dropFirst()).allSatisfy { $0 < $1 }
      && counts.count == 1 && counts.allSatisfy((1...ObjectLayout.maximumSegments).contains)
      && Set(rungs.map(\.initBytes)).count == 1
      && (1...20_000_000_000).contains(segmentNanoseconds)
  }
}
