import Models

/// A video of the MM22 data under the name of its folder.
struct NamedMM22Video: Hashable, Sendable {
  var name: String
  var video: MM22Video
}

/// Reads the folders of `--data`.
enum MM22Data {
  /// The videos in the order of their names' bytes; nil after adding a problem.
  static func videos(at data: String, into problems: inout Problems) -> [NamedMM22Video]? {
    var found = Problems()
    let folder = PeerFolder.path(data, "short_video_size")
    let names = PeerFolder.entries(at: folder, holding: "video", into: &found)
    var videos: [NamedMM22Video] = []
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let sizes = sizes(at: PeerFolder.path(folder, name), into: &found)
      let retentionPath = PeerFolder.path(PeerFolder.path(data, "user_ret"), name)
      let retention = retention(at: retentionPath, chunks: sizes?.first?.count, into: &found)
      if let sizes, let retention {
        videos.append(
          NamedMM22Video(name: name, video: MM22Video(sizes: sizes, retention: retention)))
      }
    }
    problems.add(found)
    return found.isEmpty ? videos : nil
  }

  /// The traces of a class.
  static func traces(
    at data: String, networkClass: String, into problems: inout Problems
  ) -> [NamedPeerTrace] {
    let folder = PeerFolder.path(PeerFolder.path(data, "network_traces"), networkClass)
    return PeerTraceFile.traces(at: folder, into: &problems)
  }

  private static func sizes(at folder: String, into problems: inout Problems) -> [[Int64]]? {
    let levels = MM22Video.rates.count
    guard let lists = PeerTraceFile.sizes(at: folder, levels: levels, into: &problems) else {
      return nil
    }
    let count = lists[0].sizes.count
    var isWhole = true
    for list in lists where list.sizes.count != count || count == 0 {
      isWhole = false
      let expected = count == 0 ? "at least 1 size" : "\(count) sizes, as at level 0"
      problems.add(
        list.lines.problem(.wrongCount, expected: expected, got: "\(list.sizes.count)"))
    }
    return isWhole ? lists.map(\.sizes) : nil
  }

  /// The shares of viewers by second; nil after adding a problem.
  private static func retention(
    at path: String, chunks: Int?, into problems: inout Problems
  ) -> [Double]? {
    var found = Problems()
    guard let lines = PeerLines.load(path, into: &problems) else { return nil }
    var shares: [Double] = []
    for line in lines.lines {
      if line.fields.count != 2 {
        let got = line.fields.count == 1 ? "1 field" : "\(line.fields.count) fields"
        found.add(
          lines.problem(
            .wrongCount, expected: "a second and a share", got: got, line: line.number))
        continue
      }
      // The rows count the seconds; the column is read for its form only.
      _ = line.fields[0].real("second", in: 0...1e9, into: &found)
      if let share = line.fields[1].real("share", in: 0...1, into: &found) {
        if shares.isEmpty && share == 0 {
          found.add(line.fields[1].problem(.outOfRange, "share", expected: "a share above 0"))
        }
        shares.append(share)
      }
    }
    if let chunks, found.isEmpty, shares.count < max(chunks, 1) {
      found.add(
        lines.problem(
          .wrongCount, expected: "at least \(chunks) rows, one for each chunk",
          got: "\(shares.count)"))
    }
    problems.add(found)
    return found.isEmpty ? shares : nil
  }
}
