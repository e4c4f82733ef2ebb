import Foundation
import Glibc
import MediaUnits
import Scenario
import Synchronization

/// Making libraries, and keeping them by content.
extension MediaLibrary {
  /// `$XDG_CACHE_HOME/firstframe/media` or `~/.cache/firstframe/media`; nil without either.
  public static var cacheFolder: String? {
    let environment = ProcessInfo.processInfo.environment
    // A relative path is to be ignored (XDG Base Directory Specification 0.8).
    for (name, below) in [("XDG_CACHE_HOME", ""), ("HOME", "/.cache")] {
      if let base = environment[name], base.hasPrefix("/") {
        return "\(base)\(below)/firstframe/media"
      }
    }
    return nil
  }

  /// The library of a recipe: the cached one of the same recipe and the same ffmpeg, or else one
  /// that is encoded now, rung by rung, with one thread at the lowest priority.
  ///
  /// Blocks its thread for as long as that takes. It is written under another name and renamed, so
  /// that what can be opened is whole; of two processes that make the same one, one throws its own
  /// away. A cached one that is damaged is made again.
  ///
  /// - Parameters:
  ///   - cache: the folder of libraries; nil: ``cacheFolder``. It may be removed at any time.
  ///   - progress: is told what is encoded next, and may end it.
  /// - Throws: `missing` without ffmpeg or libx264, `output` when the cache cannot be written.
  public static func make(
    _ recipe: MediaRecipe, cache: String? = nil, progress: Progress = { _ in }
  ) throws(HarnessFailure) -> MediaLibrary {
    try make(recipe, cache: cache, encoder: try FFmpeg.found(), progress: progress)
  }

  static func make(
    _ recipe: MediaRecipe, cache: String?, encoder: FFmpeg, progress: Progress
  ) throws(HarnessFailure) -> MediaLibrary {
    guard let cache = cache ?? cacheFolder else {
      throw HarnessFailure(
        .output, "HOME: expected a folder for encoded media, got neither it nor XDG_CACHE_HOME")
    }
    let text = "format \(MediaIndex.current)\n\(encoder.identity)\n\(recipe.text)"
    let digest = Checksum.text(text.utf8)
    let place = "\(cache)/\(digest)"
    if let kept = kept(place, recipe: text) { return kept }
    Leftovers.remove(in: cache, after: [prefix]) {
      try? FileManager.default.removeItem(atPath: "\(cache)/\($0)")
    }
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    let work = "\(cache)/\(prefix)\(getpid())-\(number)"
    let teardown = Teardown.ofProcess.add { Leftovers.clear(work) }
    defer {
      Teardown.ofProcess.remove(teardown)
      Leftovers.clear(work)
    }
    let rungs: [Rung]
    do throws(HarnessFailure) {
      rungs = try encode(recipe, encoder: encoder, folder: work, progress: progress)
    } catch {
      // ffmpeg fails in many words when there is no room: whether there is any can be asked.
      try WritableFolder.check(work, as: place)
      throw error
    }
    let index = MediaIndex(
      digest: digest, recipe: text, segmentNanoseconds: recipe.segmentDuration.nanoseconds,
      rungs: rungs.map { MediaIndex.Rung($0) })
    let writer = JSONEncoder()
    writer.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try writer.encode(index).write(to: URL(fileURLWithPath: "\(work)/\(MediaIndex.name)"))
    } catch {
      try WritableFolder.check(work, as: place)
      throw HarnessFailure(.output, "\(place): expected to write it, got \(error)")
    }
    return try publish(work, as: place, recipe: text)
  }

  /// Is told what happens, and may end it.
  public typealias Progress = (String) throws(HarnessFailure) -> Void

  private static let prefix = ".making-"
  private static let serial = Atomic<Int>(0)

  /// The library at a place, if it is whole and of that recipe.
  private static func kept(_ place: String, recipe: String) -> MediaLibrary? {
    guard let text = FileManager.default.contents(atPath: "\(place)/\(MediaIndex.name)"),
      let index = try? JSONReader.decode(MediaIndex.self, from: text), index.recipe == recipe
    else { return nil }
    return try? MediaLibrary(folder: place)
  }

  /// Gives a whole folder its name, unless another process was first.
  private static func publish(
    _ work: String, as place: String, recipe: String
  ) throws(HarnessFailure) -> MediaLibrary {
    // What stands there and cannot be used gives way: first under a name that is nobody's.
    var reason = ""
    for _ in 0..<2 {
      if rename(work, place) == 0 { return try MediaLibrary(folder: place) }
      reason = errorText()
      if let kept = kept(place, recipe: recipe) { return kept }
      let aside = "\(work)-aside"
      if rename(place, aside) == 0 { try? FileManager.default.removeItem(atPath: aside) }
    }
    throw HarnessFailure(.output, "\(place): expected to write it, got \(reason)")
  }

  // MARK: Encoding

  /// Encodes every rung into its folder.
  private static func encode(
    _ recipe: MediaRecipe, encoder: FFmpeg, folder: String, progress: Progress
  ) throws(HarnessFailure) -> [Rung] {
    var rungs: [Rung] = []
    for (number, rate) in recipe.ladder.rates.enumerated() {
      let part = "\(folder)/v\(number)"
      do {
        try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true)
      } catch {
        throw HarnessFailure(.output, "\(part): expected a folder that can be made, got \(error)")
      }
      let (width, height) = recipe.picture(rate)
      try progress(
        "encoding \(rate.bitsPerSecond / 1000) kbit/s, \(width)x\(height), "
          + "\(number + 1) of \(recipe.ladder.count)")
      try encoder.encode(recipe.arguments(rate, folder: part))
      try? FileManager.default.removeItem(atPath: "\(part)/playlist.m3u8")
      rungs.append(try read(part, rate, recipe))
    }
    // All rungs' init segments have the same length, as the catalogue's titles do.
    let longest = rungs.map(\.initSegment.count).max() ?? 0
    if rungs.contains(where: { $0.initSegment.count < longest }) {
      for number in rungs.indices {
        let file = "\(folder)/v\(number)/init.mp4"
        rungs[number] = try pad(rungs[number], to: longest + 8, file: file)
      }
    }
    return rungs
  }

  /// What ffmpeg has written, once it is known to be what players and models count on: segments of
  /// the right number and length, in their place in time, which begin with a key frame.
  private static func read(
    _ folder: String, _ rate: BitRate, _ recipe: MediaRecipe
  ) throws(HarnessFailure) -> Rung {
    func bytes(_ name: String) -> [UInt8] {
      FileManager.default.contents(atPath: "\(folder)/\(name)").map { [UInt8]($0) } ?? []
    }
    let head = bytes("init.mp4")
    let (width, height) = recipe.picture(rate)
    guard let track = MP4Track(head), track.width == width, track.height == height else {
      throw HarnessFailure(
        .system, "ffmpeg: expected an init segment of \(width)x\(height), got another one")
    }
    var segments: [[UInt8]] = []
    for index in 0..<recipe.segmentCount {
      let segment = bytes("seg_\(index).m4s")
      let frames = UInt64(recipe.framesPerSegment)
      let perFrame = track.timescale / UInt64(MediaRecipe.framesPerSecond)
      guard let said = MP4Segment(segment), said.beginsWithKey, said.frames == Int(frames),
        said.duration == frames * perFrame, said.start == UInt64(index) * frames * perFrame
      else {
        throw HarnessFailure(
          .system,
          "ffmpeg: expected segment \(index) to begin with a key frame at "
            + "\(DecimalSeconds.text(recipe.segmentDuration * Int64(index))) s and to have "
            + "\(frames) frames, got another one")
      }
      segments.append(segment)
    }
    return Rung(
      rate: rate, width: width, height: height, codec: track.codec, initSegment: head,
      segments: segments)
  }

  /// Adds a `free` box (ISO/IEC 14496-12 section 8.1.2) that makes an init segment so long.
  private static func pad(
    _ rung: Rung, to length: Int, file: String
  ) throws(HarnessFailure) -> Rung {
    let count = length - rung.initSegment.count
    let size = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
    let blank = [UInt8](repeating: 0, count: count - 8)
    let head = rung.initSegment + size + Array("free".utf8) + blank
    do {
      try Data(head).write(to: URL(fileURLWithPath: file))
    } catch {
      throw HarnessFailure(.output, "\(file): expected to write it, got \(error)")
    }
    return Rung(
      rate: rung.rate, width: rung.width, height: rung.height, codec: rung.codec,
      initSegment: head, segments: rung.segments)
  }
}
