/// How a title is packaged.
public enum Packaging: UInt8, Sendable {
  /// Master playlist, media playlist, init segment, segments.
  case hls
  /// One MPD in place of both playlists (VF-048).
  case dash
  /// One file of each rung with its index in front (ISO/IEC 14496-12: `moov` before `mdat`). The
  /// feed's page names the files, so that nothing comes before the media; players ask for ranges of
  /// a segment's length and stay with the rung that they began with. The decoder is set up when the
  /// media for the first frame is there, because the index comes in front of it.
  case progressive
}
