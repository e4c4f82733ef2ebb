import FeedPolicy
import Foundation
import MediaUnits
import Models

/// The texts of the stand-in: playlists (RFC 8216), storyboard (WebVTT with media fragments) and
/// `media_manifest.json`, each as long as the scenario says, unless what it has to say is longer.
struct PlaylistText {
  let contents: CatalogueContents
  /// What stands before paths in `media_manifest.json`; empty: they are relative to the host.
  let base: String
  /// What segments are; nil: bytes that are made up.
  var media: MediaLibrary?

  private var catalogue: CatalogueConfiguration { contents.configuration }

  // MARK: Playlists

  /// The multivariant playlist. `BANDWIDTH` is the largest segment's bit rate and
  /// `AVERAGE-BANDWIDTH` that of all, audio's included (RFC 8216 section 4.3.4.2).
  func master(_ title: UInt32) -> [UInt8] {
    var text = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n"
    let audio = catalogue.audioRate
    if audio != nil {
      text +=
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"main\",DEFAULT=YES,AUTOSELECT=YES,"
        + "URI=\"audio/playlist.m3u8\"\n"
    }
    let entry = contents.entry(title)
    for rung in 0..<catalogue.ladder.count {
      let index = RungIndex(UInt32(rung))
      let sizes = contents.allSegmentBytes(rung: index, title: title)
      var peak = 0.0
      for (segment, bytes) in sizes.enumerated() {
        peak = max(peak, Double(bytes) * 8 / contents.length(of: segment, title: title).seconds)
      }
      let mean = Double(sizes.reduce(0, +)) * 8 / entry.duration.seconds
      let extra = Double(audio?.bitsPerSecond ?? 0)
      text += "#EXT-X-STREAM-INF:BANDWIDTH=\(Int64((peak + extra).rounded(.up))),"
      text += "AVERAGE-BANDWIDTH=\(Int64((mean + extra).rounded(.up))),"
      text += shape(rung)
      text += audio == nil ? "\n" : ",AUDIO=\"a\"\n"
      text += "v\(rung)/playlist.m3u8\n"
    }
    return PlaylistText.padded(text, to: catalogue.masterBytes)
  }

  /// Codecs and picture size of a rung. Real media have no sound.
  private func shape(_ rung: Int) -> String {
    if let real = media?.rungs[rung] {
      return "CODECS=\"\(real.codec)\",RESOLUTION=\(real.width)x\(real.height)"
    }
    let shape = VideoShape(catalogue.ladder.rates[rung])
    return "CODECS=\"\(shape.codec),mp4a.40.2\",RESOLUTION=\(shape.width)x\(shape.height)"
  }

  /// A media playlist; video and audio have the same boundaries (SIG-017).
  func media(_ title: UInt32) -> [UInt8] {
    let entry = contents.entry(title)
    let step = catalogue.segmentDuration
    let target = step.wholeSteps(of: .milliseconds(1))
    var text = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:\((target + 999) / 1000)\n"
    text += "#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-MAP:URI=\"init.mp4\"\n"
    for segment in 0..<entry.segmentCount {
      let length = contents.length(of: segment, title: title)
      text += "#EXTINF:\(DecimalSeconds.text(length)),\nseg_\(segment).m4s\n"
    }
    text += "#EXT-X-ENDLIST\n"
    return PlaylistText.padded(text, to: contents.playlistBytes(title: title))
  }

  /// Comment lines up to a length; an empty line for a single byte.
  private static func padded(_ text: String, to length: Int64) -> [UInt8] {
    var bytes = Array(text.utf8)
    while bytes.count < length {
      let left = Int(min(length, Int64(Int.max))) - bytes.count
      let line = min(left, 80)
      if line > 1 {
        bytes.append(UInt8(ascii: "#"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "."), count: line - 2))
      }
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  // MARK: Storyboard

  /// One cue for each frame, each a part of a sheet, five in a row.
  func storyboard(_ title: UInt32) -> [UInt8] {
    let entry = contents.entry(title)
    let onSheet = max(
      1, catalogue.spriteSpan.nanoseconds / max(1, catalogue.cueSpan.nanoseconds))
    var text = "WEBVTT\n"
    for cue in 0..<Int64(entry.cueCount) {
      let begin = catalogue.cueSpan * cue
      let end = min(catalogue.cueSpan * (cue + 1), entry.duration)
      if begin >= end { break }
      let sheet = min(cue / onSheet, Int64(entry.spriteCount - 1))
      let frame = cue - sheet * onSheet
      text += "\n\(PlaylistText.clock(begin)) --> \(PlaylistText.clock(end))\n"
      text += "sprite_\(sheet).jpg#xywh=\(frame % 5 * 160),\(frame / 5 * 90),160,90\n"
    }
    return Array(text.utf8)
  }

  /// `02:05.000`; hours only where there are any.
  private static func clock(_ time: TimeSpan) -> String {
    let thousandths = time.wholeSteps(of: .milliseconds(1))
    let (minutes, rest) = (thousandths / 60_000, thousandths % 60_000)
    let tail = digits(rest / 1000, 2) + "." + digits(rest % 1000, 3)
    let hours = minutes / 60 == 0 ? "" : digits(minutes / 60, 2) + ":"
    return hours + digits(minutes % 60, 2) + ":" + tail
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  // MARK: Manifest

  /// `media_manifest.json` of a version; blanks at its end make up the length.
  func manifest(_ title: UInt32, version: UInt32) -> [UInt8] {
    func address(_ item: MediaLayout.Item) -> String {
      base + MediaLayout.path(.item(item, title: title, version: version))
    }
    let rungs = catalogue.ladder.rates.map { rate in
      "{\"height\":\(VideoShape(rate).height),\"bitrate\":\(rate.bitsPerSecond)}"
    }
    let duration = contents.entry(title).duration.wholeSteps(of: .milliseconds(1))
    let text =
      "{\"video_id\":\"\(MediaLayout.videoID(title))\",\"duration_ms\":\(duration),"
      + "\"hls_url\":\"\(address(.masterPlaylist))\",\"poster_url\":\"\(address(.poster))\","
      + "\"thumbnail_vtt_url\":\"\(address(.storyboard))\",\"ladder\":["
      + rungs.joined(separator: ",")
      + "],\"loudness_lufs\":-16.0,\"created_at\":\"2025-08-16T12:00:00Z\"}"
    return PlaylistText.blanks(text, to: catalogue.manifestBytes)
  }

  /// JSON and as many blanks behind it as it lacks.
  static func blanks(_ text: String, to length: Int64) -> [UInt8] {
    var bytes = Array(text.utf8)
    let missing = length - Int64(bytes.count)
    if missing > 0 {
      bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Int(missing) - 1))
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}
