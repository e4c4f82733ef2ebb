import FeedPolicy
import MediaUnits
import Models

/// What a ``MediaLibrary`` is made of: the ladder and the clip that every rung is an encoding of.
///
/// The clip is a moving test pattern with seeded noise over it, 30 frames a second, upright,
/// without sound. The noise makes every rung take its rate.
public struct MediaRecipe: Sendable, Equatable {
  public let ladder: Ladder
  public let segmentDuration: TimeSpan
  public let segmentCount: Int
  /// Of the noise.
  public let seed: UInt32

  static let framesPerSecond: Int64 = 30
  /// A clip that takes longer than minutes to encode is nobody's wish.
  private static let longest = TimeSpan.seconds(600)
  private static let rates: ClosedRange<Int64> = 50_000...50_000_000

  /// - Parameters:
  ///   - length: of the clip; as many segments as hold it.
  /// - Throws: `data` for what cannot be encoded.
  public init(
    _ ladder: Ladder, segmentDuration: TimeSpan, length: TimeSpan, seed: UInt32 = 1
  ) throws(HarnessFailure) {
    let second: Int64 = 1_000_000_000
    if segmentDuration <= .zero
      || segmentDuration.nanoseconds * MediaRecipe.framesPerSecond % second != 0
    {
      throw HarnessFailure(
        .data,
        "catalogue.segmentDuration: expected whole frames of 1/30 s for real media, got "
          + "\(DecimalSeconds.text(segmentDuration)) s")
    }
    if length <= .zero || length > MediaRecipe.longest {
      throw HarnessFailure(
        .data,
        "media: expected a clip of at most 600 s, got \(DecimalSeconds.text(length)) s")
    }
    for rate in ladder.rates where !MediaRecipe.rates.contains(rate.bitsPerSecond) {
      throw HarnessFailure(
        .data,
        "catalogue.ladder: expected 50 to 50000 kbps for real media, got \(rate.bitsPerSecond) bps")
    }
    let count =
      (length.nanoseconds + segmentDuration.nanoseconds - 1) / segmentDuration.nanoseconds
    if count > ObjectLayout.maximumSegments {
      throw HarnessFailure(
        .data,
        "media: expected a clip of at most \(ObjectLayout.maximumSegments) segments, got \(count)")
    }
    self.ladder = ladder
    self.segmentDuration = segmentDuration
    segmentCount = Int(count)
    self.seed = seed
  }

  /// For the titles of a catalogue.
  ///
  /// - Parameter length: of the clip, and so of the longest title.
  public init(
    _ catalogue: CatalogueConfiguration, length: TimeSpan, seed: UInt32 = 1
  ) throws(HarnessFailure) {
    try self.init(
      catalogue.ladder, segmentDuration: catalogue.segmentDuration, length: length, seed: seed)
  }

  /// Frames of a segment.
  var framesPerSegment: Int64 {
    segmentDuration.nanoseconds * MediaRecipe.framesPerSecond / 1_000_000_000
  }

  /// The picture of a rung: the width of upright video is the number of its name, 240 of `240p`;
  /// at most 1080, which a processor still encodes and decodes.
  func picture(_ rate: BitRate) -> (width: Int, height: Int) {
    let width = min(VideoShape(rate).height, 1080)
    return (width, (width * 16 / 9 + 1) / 2 * 2)
  }

  /// The words for ffmpeg that decide a rung's bytes, without the program's name.
  ///
  /// Single-threaded, so that two encodings are the same. Its VBV buffer holds a quarter of a
  /// segment, which keeps segments near the rate; frames are coded in the order in which they are
  /// shown, so that decoding times are presentation times.
  ///
  /// - Parameter folder: where `init.mp4`, `seg_N.m4s` and a playlist go.
  func arguments(_ rate: BitRate, folder: String) -> [String] {
    let (width, height) = picture(rate)
    let bits = String(rate.bitsPerSecond)
    let buffer = rate.bytes(in: segmentDuration).bytes * 8 / 4
    let frames = String(framesPerSegment)
    let source =
      "testsrc2=size=\(width)x\(height):rate=\(MediaRecipe.framesPerSecond),"
      + "noise=alls=12:allf=t:all_seed=\(seed & 0x7FFF_FFFF)"
    return [
      "-hide_banner", "-loglevel", "error", "-nostdin", "-filter_threads", "1", "-f", "lavfi",
      "-i", source, "-frames:v", String(framesPerSegment * Int64(segmentCount)), "-an",
      "-c:v", "libx264", "-preset", "veryfast", "-profile:v", "main", "-pix_fmt", "yuv420p",
      "-threads", "1", "-b:v", bits, "-maxrate", bits, "-bufsize", String(buffer), "-bf", "0",
      "-g", frames, "-keyint_min", frames, "-sc_threshold", "0", "-flags", "+bitexact+cgop",
      "-fflags", "+bitexact", "-map_metadata", "-1", "-f", "hls", "-hls_segment_type", "fmp4",
      "-hls_time", DecimalSeconds.text(segmentDuration), "-hls_playlist_type", "vod",
      "-hls_flags", "independent_segments", "-hls_fmp4_init_filename", "init.mp4",
      "-hls_segment_filename", "\(folder)/seg_%d.m4s", "\(folder)/playlist.m3u8",
    ]
  }

  /// Everything of it that decides bytes.
  var text: String {
    let rungs = ladder.rates.map { arguments($0, folder: "").joined(separator: " ") }
    return (["segments \(segmentCount)"] + rungs).joined(separator: "\n")
  }
}
