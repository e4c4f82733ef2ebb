import Models

/// Compares a body with what the stand-in serves under its path. A path that the stand-in has not,
/// and a text, are not looked at.
final class StandinBodyCheck: LiveBodyCheck {
  private var check: StandinCheck?
  private var real: [UInt8] = []
  /// Bytes of ``real`` that have come; nil: the body is made up.
  private var count: Int?

  /// - Parameter media: what segments are; nil: bytes that are made up.
  init(_ contents: CatalogueContents, media: MediaLibrary? = nil, path: String) {
    guard case .item(let item, let title, let version) = MediaLayout.resource(at: path),
      title < contents.titleCount,
      let length = StandinCatalogue(contents: contents, base: "").length(item, title)
    else { return }
    if let bytes = media?.bytes(item) {
      (real, count) = (bytes, 0)
    } else {
      check = StandinCheck(StandinContent(item, title: title, version: version, length: length))
    }
  }

  func take(_ bytes: UnsafeRawBufferPointer) {
    check?.add(bytes)
    guard let place = count, place >= 0 else { return }
    let isRight = real.dropFirst(place).prefix(bytes.count).elementsEqual(bytes)
    count = isRight ? place + bytes.count : -1
  }

  func isRight() -> Bool { count.map { $0 == real.count } ?? check?.isWhole ?? true }
}
