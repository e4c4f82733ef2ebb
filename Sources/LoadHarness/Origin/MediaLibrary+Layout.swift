/// A library under the stand-in's paths.
extension MediaLibrary {
  /// Bytes of a part of a rung; nil where there is none.
  func bytes(_ item: MediaLayout.Item) -> [UInt8]? {
    switch item {
    case .initSegment(.video(let rung)): rungs[safe: rung]?.initSegment
    case .segment(.video(let rung), let index): rungs[safe: rung]?.segments[safe: index]
    default: nil
    }
  }
}
