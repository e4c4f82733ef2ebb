import Foundation
import Scenario
import Studies

/// The folder of one run: written beside its place and then put there in one step, so that nobody
/// ever sees half of it.
public enum RunFolder {
  /// The folder cannot be written; a caller ends with exit code 73 (contract.md section 2).
  public struct WriteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stable name of this error.
    public static let code = "output.cannot-write"
    /// What was to be written.
    public let path: String
    public let expected: String
    public let got: String

    /// An error about `path`.
    public init(path: String, expected: String, got: String) {
      self.path = path
      self.expected = expected
      self.got = got
    }

    public var description: String { "\(path): expected \(expected), got \(got)" }

    /// The same with the name that was asked for, not the one beside it that is written to first.
    fileprivate func naming(_ path: String, for scratch: String) -> WriteError {
      guard self.path.hasPrefix(scratch) else { return self }
      let name = path + self.path.dropFirst(scratch.count)
      return WriteError(path: name, expected: expected, got: got)
    }
  }

  /// A file of a run folder.
  struct Entry {
    var name: String
    var text: String
  }

  /// Finds out whether ``write(_:provenance:parent:)`` can succeed, and leaves nothing behind.
  public static func check(_ identity: RunIdentity, parent: String) throws(WriteError) {
    try check(identity.folderName, parent: parent)
  }

  /// The same of another folder.
  ///
  /// - Parameter mark: the file by which an earlier one is known.
  static func check(
    _ name: String, mark: String = "result.json", parent: String
  ) throws(WriteError) {
    try refuseForeign(join(parent, name), mark: mark)
    try HeldSignals.during { () throws(WriteError) in
      let created = try makeFolders(parent)
      defer { for path in created.reversed() { rmdir(path) } }
      let probe = try makeScratch(parent, name)
      rmdir(probe)
    }
  }

  /// The folder that an earlier run with the same digest has left; nil when there is none.
  public static func earlier(_ identity: RunIdentity, parent: String) -> String? {
    let path = join(parent, identity.folderName)
    return access(join(path, "result.json"), F_OK) == 0 ? path : nil
  }

  /// Writes the folder `<parent>/<scenario>-<digest>`, replacing what an earlier run left there.
  ///
  /// - Parameters:
  ///   - players: what a browser's players did, a file beside the others.
  ///   - timelines: views that the report names, step by step.
  /// - Returns: the folder's path.
  /// - Throws: ``WriteError`` naming the path; then the earlier folder is as it was.
  public static func write(
    _ result: StudyResult, provenance: Provenance, parent: String, players: PlayerLog? = nil,
    timelines: Timelines? = nil
  ) throws(WriteError) -> String {
    try write(
      result, provenance: provenance, parent: parent,
      more: (players.map { [Entry(name: PlayerLog.fileName, text: $0.text())] } ?? [])
        + entries(timelines))
  }

  private static func entries(_ timelines: Timelines?) -> [Entry] {
    timelines.map { [Entry(name: TimelineRecord.fileName, text: $0.text())] } ?? []
  }

  private static func write(
    _ result: StudyResult, against baseline: BaselineComparison? = nil, provenance: Provenance,
    parent: String, more: [Entry]
  ) throws(WriteError) -> String {
    try write(
      entries(result, against: baseline, provenance, more: more),
      name: RunIdentity(result).folderName, parent: parent)
  }

  /// Writes a folder in one step, in the place of an earlier one.
  ///
  /// - Parameter mark: the file by which an earlier one is known.
  /// - Returns: the folder's path.
  static func write(
    _ entries: [Entry], name: String, mark: String = "result.json", parent: String
  ) throws(WriteError) -> String {
    try HeldSignals.during { () throws(WriteError) -> String in
      try put(entries, name: name, mark: mark, parent: parent)
    }
  }

  /// Writes a folder of such files in one step, in the place of an earlier one.
  ///
  /// - Parameter mark: the file by which an earlier one is known.
  /// - Returns: the folder's path.
  /// - Throws: ``WriteError`` naming the path; then the earlier folder is as it was.
  public static func writeFolder(
    _ files: [(name: String, text: String)], name: String, mark: String, parent: String
  ) throws(WriteError) -> String {
    try write(
      files.map { Entry(name: $0.name, text: $0.text) }, name: name, mark: mark, parent: parent)
  }

  private static func put(
    _ entries: [Entry], name: String, mark: String, parent: String
  ) throws(WriteError) -> String {
    let target = join(parent, name)
    try refuseForeign(target, mark: mark)
    let created = try makeFolders(parent)
    do throws(WriteError) {
      let scratch = try makeScratch(parent, name)
      do throws(WriteError) {
        try fill(scratch, entries)
        try replace(target, by: scratch)
      } catch {
        removeAll(scratch)
        throw error.naming(target, for: scratch)
      }
    } catch {
      for path in created.reversed() { rmdir(path) }
      throw error
    }
    return target
  }

  /// What goes into the folder.
  private static func entries(
    _ result: StudyResult, against baseline: BaselineComparison?, _ provenance: Provenance,
    more: [Entry]
  ) throws(WriteError) -> [Entry] {
    var entries =
      [
        Entry(name: "scenario.resolved.yaml", text: result.scenario.writtenText),
        Entry(name: "result.json", text: ResultDocument.text(result, against: baseline)),
        Entry(name: "provenance.json", text: provenance.text(result)),
        Entry(name: RunNotes.fileName, text: JSONLayout.text(RunNotes(result).json)),
      ] + more + inputs(of: result.scenario)
    entries += try pages { name in entries.first { $0.name == name }?.text }
    for (network, clocks) in result.histograms.enumerated() {
      for (clock, counts) in clocks.enumerated() {
        let metric = ReplicationDigest.Clock.allCases[clock].metric
        var text = "lower_ms,upper_ms,started,censored\n"
        for row in RunRecord.Histogram.usedBuckets(counts) {
          text += "\(row.lower),\(row.upper),\(row.started),\(row.censored)\n"
        }
        entries.append(
          Entry(name: "hist/\(metric).\(result.scenario.networks[network]).csv", text: text))
      }
    }
    return entries
  }

  /// The files that the scenario names, under the names that it uses, so that the resolved
  /// scenario can be run where it lies. What lies outside the scenario's folder is left out.
  private static func inputs(of scenario: StudyScenario) -> [Entry] {
    scenario.inputFiles.compactMap { input in
      guard input.isCopyable, let text = input.text else { return nil }
      return Entry(name: input.name, text: text)
    }
  }

  /// Writes one file in one step, with the folders above it.
  ///
  /// - Throws: ``WriteError`` naming the path; then an earlier file is as it was, and no folder is
  ///   new.
  public static func writeFile(_ text: String, to path: String) throws(WriteError) {
    let scratch = "\(path).\(getpid()).part"
    try HeldSignals.during { () throws(WriteError) in
      var created: [String] = []
      if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        created = try makeFolders(String(path[..<slash]))
      }
      do throws(WriteError) {
        try writeFile(scratch, text)
        if rename(scratch, path) != 0 { throw failure(path, "a file that can be replaced") }
      } catch {
        unlink(scratch)
        for path in created.reversed() { rmdir(path) }
        throw error.naming(path, for: scratch)
      }
    }
  }

  /// Adds to the end of a file, which is created when it is missing.
  public static func appendFile(_ text: String, to path: String) throws(WriteError) {
    try HeldSignals.during { () throws(WriteError) in try append(text, to: path) }
  }

  private static func append(_ text: String, to path: String) throws(WriteError) {
    guard let stream = fopen(path, "ab") else { throw failure(path, "a file to append to") }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, stream)
    if fclose(stream) != 0 || written < bytes.count {
      throw failure(path, "room for \(bytes.count) bytes")
    }
  }

  /// Writes the folder of a gate: that of its run, with `junit.xml` and `metrics.txt`.
  ///
  /// - Parameters:
  ///   - history: what earlier runs of the gate have found, for the page; nil: nobody asks.
  ///   - timelines: views that the report names, step by step.
  public static func write(
    _ gate: GateResult, provenance: Provenance, parent: String, history: GateHistory? = nil,
    timelines: Timelines? = nil
  ) throws(WriteError) -> String {
    var more = entries(timelines)
    more += [
      Entry(name: "junit.xml", text: JUnit.text([gate])),
      Entry(name: "metrics.txt", text: OpenMetrics.text([gate])),
    ]
    if let baseline = gate.baseline {
      more.append(Entry(name: ReportBaseline.fileName, text: ReportBaseline(baseline).text()))
    }
    if let history {
      let shown = ReportHistory(
        history.entries, GateHistory.entry(gate, commit: provenance.commit, at: provenance.end))
      more.append(Entry(name: ReportHistory.fileName, text: shown.text()))
    }
    return try write(
      gate.study, against: gate.baseline, provenance: provenance, parent: parent, more: more)
  }

  /// Writes `report.html` into a run folder again, from the folder's own files, and the page of its
  /// timelines when it has some.
  ///
  /// - Returns: the path of the report.
  /// - Throws: ``HTMLReport/ReadError`` when the files do not make a report, ``WriteError`` when it
  ///   cannot be written; then an earlier report is as it was.
  public static func rewriteReport(_ folder: String) throws -> String {
    func read(_ name: String) -> String? {
      InputFile.text(at: join(folder, name))
    }
    let text = try HTMLReport.text(folder: read)
    if let timelines = try HTMLReport.timelinePage(folder: read) {
      try writeFile(timelines, to: join(folder, TimelinePage.fileName))
    }
    let target = join(folder, HTMLReport.fileName)
    try writeFile(text, to: target)
    return target
  }

  /// The pages of the files that are there so far. What a run has written itself can be read.
  private static func pages(_ read: (String) -> String?) throws(WriteError) -> [Entry] {
    do throws(HTMLReport.ReadError) {
      let report = Entry(name: HTMLReport.fileName, text: try HTMLReport.text(folder: read))
      let timelines = try HTMLReport.timelinePage(folder: read)
      return [report] + (timelines.map { [Entry(name: TimelinePage.fileName, text: $0)] } ?? [])
    } catch {
      throw WriteError(path: error.subject, expected: error.expected, got: error.got)
    }
  }

  /// The path of a file of a folder.
  public static func path(of name: String, in folder: String) -> String { join(folder, name) }

  // MARK: Steps

  private static func join(_ parent: String, _ name: String) -> String {
    parent.hasSuffix("/") ? parent + name : "\(parent)/\(name)"
  }

  private static func failure(_ path: String, _ expected: String) -> WriteError {
    let number = errno
    return WriteError(
      path: path, expected: expected, got: String(cString: strerror(number)).lowercased())
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Only what a run wrote is replaced, never something else of that name.
  private static func refuseForeign(
    _ target: String, mark: String = "result.json"
  ) throws(WriteError) {
    var status = stat()
    if lstat(target, &status) != 0 { return }
    let expected =
      mark == "result.json" ? "a run folder or nothing" : "a folder with \(mark) or nothing"
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw WriteError(path: target, expected: expected, got: "a file")
    }
    if access(join(target, mark), F_OK) != 0 && rmdir(target) != 0 {
      throw WriteError(path: target, expected: expected, got: "a folder without \(mark)")
    }
  }

  /// Creates a folder with those above it.
  /// - Returns: the folders that did not exist before, outermost first.
  static func makeFolders(_ path: String) throws(WriteError) -> [String] {
    var created: [String] = []
    var walked = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      walked += (walked.isEmpty || walked.hasSuffix("/") ? "" : "/") + part
      if mkdir(walked, 0o777) == 0 {
        created.append(walked)
      } else if !isFolder(walked) {
        let error =
          errno == EEXIST
          ? WriteError(path: walked, expected: "a folder for the results", got: "a file")
          : failure(walked, "a folder that can be created")
        for path in created.reversed() { rmdir(path) }
        throw error
      }
    }
    return created
  }

  /// A new hidden folder beside the place of the run folder.
  private static func makeScratch(
    _ parent: String, _ name: String
  ) throws(WriteError) -> String {
    for attempt in 0..<1000 {
      let path = join(parent, ".\(name).\(getpid()).\(attempt)")
      if mkdir(path, 0o777) == 0 { return path }
      if errno != EEXIST { break }
    }
    throw failure(parent, "a folder that can be written to")
  }

  /// Writes files into a folder that is there.
  static func fill(_ folder: String, _ entries: [Entry]) throws(WriteError) {
    for entry in entries {
      let path = join(folder, entry.name)
      try makeFolders(of: entry.name, in: folder)
      try writeFile(path, entry.text)
    }
  }

  /// Creates the folders of a name within one that has to be there: where somebody has removed it
  /// meanwhile, with what was written so far, the rest alone would be half of it.
  private static func makeFolders(of name: String, in folder: String) throws(WriteError) {
    var path = folder
    for part in name.split(separator: "/").dropLast() {
      path = join(path, String(part))
      if mkdir(path, 0o777) != 0 && errno != EEXIST {
        throw failure(path, "a folder that can be created")
      }
    }
  }

  /// Writes one new file whole.
  private static func writeFile(_ path: String, _ text: String) throws(WriteError) {
    guard let stream = fopen(path, "wb") else { throw failure(path, "a file that can be written") }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, stream)
    if written < bytes.count {
      let error = failure(path, "room for \(bytes.count) bytes")
      fclose(stream)
      throw error
    }
    if fclose(stream) != 0 { throw failure(path, "room for \(bytes.count) bytes") }
  }

  /// Puts `scratch` in the place of `target`, in one step where the system can exchange two
  /// folders, otherwise with the old folder moved aside for a moment and moved back on failure.
  private static func replace(_ target: String, by scratch: String) throws(WriteError) {
    if rename(scratch, target) == 0 { return }
    guard isFolder(target) else { throw failure(target, "a folder that can be created") }
    if exchange(scratch, target) {
      removeAll(scratch)
      return
    }
    let aside = scratch + ".old"
    if rename(target, aside) != 0 { throw failure(target, "a folder that can be replaced") }
    if rename(scratch, target) != 0 {
      let error = failure(target, "a folder that can be replaced")
      rename(aside, target)
      throw error
    }
    removeAll(aside)
  }

  /// Linux's `renameat2` with RENAME_EXCHANGE, which the C library's Swift module does not show.
  private static func exchange(_ a: String, _ b: String) -> Bool {
    typealias Rename =
      @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    guard let symbol = dlsym(nil, "renameat2") else { return false }
    let exchanges: UInt32 = 2
    return unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, a, AT_FDCWD, b, exchanges) == 0
  }

  /// Removes what is left over. What cannot be removed stays behind under its hidden name; the run
  /// folder itself is right by then.
  private static func removeAll(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
  }
}
