import Models

/// Compares a body with what the stand-in serves under its path. A path that the stand-in has not,
/// and a text, are not looked at.
final class StandinBodyCheck: LiveBodyCheck {
  private var check: StandinCheck?

  init(_ contents: CatalogueContents, path: String) {
    guard case .item(let item, let title, let version) = MediaLayout.resource(at: path),
      title < contents.titleCount,
      let length = StandinCatalogue(contents: contents, base: "").length(item, title)
    else { return }
    check = StandinCheck(StandinContent(item, title: title, version: version, length: length))
  }

  func take(_ bytes: UnsafeRawBufferPointer) { check?.add(bytes) }

  func isRight() -> Bool { check?.isWhole ?? true }
}
