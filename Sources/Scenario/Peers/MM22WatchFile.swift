import Models

/// How long the videos of a session are watched.
struct MM22Sample: Hashable, Sendable {
  var name: String
  /// Milliseconds, one for each video.
  var watch: [Int64]
}

/// The file of `--watch`: a JSON object whose members are samples, each a list of watch times.
enum MM22WatchFile {
  /// The samples in the order of the file; nil after adding a problem.
  /// - Parameter videos: what the times are checked against; nil when that could not be read.
  static func load(
    _ path: String, videos: [NamedMM22Video]?, into problems: inout Problems
  ) -> [MM22Sample]? {
    var found = Problems()
    defer { problems.add(found) }
    guard let bytes = PeerLines.bytes(of: path, into: &found),
      let node = YAMLReader.read(bytes, file: path, into: &found)
    else { return nil }
    guard case .mapping(let entries) = node.content, !entries.isEmpty else {
      found.add(
        Problem(
          .wrongType, at: node.origin, keyPath: "", expected: "an object of samples",
          got: node.excerpt))
      return nil
    }
    var samples: [MM22Sample] = []
    for entry in entries {
      let path = TreePath().key(entry.key)
      let watch = times(entry.value, path, videos: videos, into: &found)
      samples.append(MM22Sample(name: entry.key, watch: watch))
    }
    return found.isEmpty ? samples : nil
  }

  private static func times(
    _ node: Node, _ path: TreePath, videos: [NamedMM22Video]?, into found: inout Problems
  ) -> [Int64] {
    guard case .sequence(let elements) = node.content else {
      found.add(
        Problem(
          .wrongType, at: node.origin, keyPath: path.description,
          expected: "a list of watch times in ms", got: node.excerpt))
      return []
    }
    if let videos, elements.count != videos.count {
      found.add(
        Problem(
          .wrongCount, at: node.origin, keyPath: path.description,
          expected: "\(videos.count) watch times, one for each video",
          got: "\(elements.count)"))
    }
    var times: [Int64] = []
    for (index, element) in elements.enumerated() {
      let video = videos.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      let limit = video?.video.length
      if let time = element.text.flatMap({ try? PlainNumber.integer(of: $0) }),
        (0...(limit ?? Int64.max)).contains(time)
      {
        times.append(time)
        continue
      }
      let most = video.map { " to \($0.video.length), the length of \(Excerpt.oneLine($0.name))" }
      found.add(
        Problem(
          .outOfRange, at: element.origin, keyPath: path.index(index).description,
          expected: "whole milliseconds from 0\(most ?? "")", got: element.excerpt))
    }
    if times.count == elements.count && !times.contains(where: { $0 > 0 }) {
      found.add(
        Problem(
          .inconsistent, at: node.origin, keyPath: path.description,
          expected: "at least one watch time above 0", got: "none"))
    }
    return times
  }
}
