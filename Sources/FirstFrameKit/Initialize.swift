import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// `firstframe init`
struct Initialize: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a commented scenario, or a package for a policy of yours, to start from.",
    discussion: """
      Example: firstframe init my-feed && firstframe run my-feed.yaml
      An existing file is never overwritten (exit code 73). The first line says where an editor finds \
      the schema: in a clone of FirstFrame, or in .firstframe/ of this folder or one above, which is \
      written where there is none. Both may be committed: the place is told from the scenario on.

      With --policy-package it is a Swift package: a prefetch policy, its tests, and FirstFrame built \
      with it, which knows the policy's parameters as keys of scenarios. Example:
        firstframe init --policy-package demo && cd demo && swift test
      """)

  @Argument(help: "Name of the scenario; my-feed where there is none.")
  var name: String?

  @Option(
    help: ArgumentHelp(
      "A package with a prefetch policy and a program of this name, in place of a scenario.",
      valueName: "name"))
  var policyPackage: String?

  @Option(
    help: ArgumentHelp(
      "Where the package gets FirstFrame from, in place of the clone that has built this program.",
      valueName: "URL"))
  var from: String?

  @Flag(help: "The package's program has live runs, too; its first build takes some minutes more.")
  var live = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write it; a folder for a package.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The place of the schema for the first line, a path from the scenario's folder or an "
        + "address; none for no such line. Nothing but the scenario is written then.",
      valueName: "place"))
  var schema: String?

  func validate() throws {
    if policyPackage != nil && (name != nil || schema != nil) {
      throw ValidationError(
        "--policy-package: expected no name of a scenario and no --schema beside it, got one")
    }
    if from != nil && policyPackage == nil {
      throw ValidationError("--from: expected --policy-package beside it, got none")
    }
    if live && policyPackage == nil {
      throw ValidationError("--live: expected --policy-package beside it, got none")
    }
    guard let schema, schema.isEmpty || schema.contains(where: \.isWhitespace) else { return }
    throw ValidationError("--schema: expected a place without blanks, got \"\(schema)\"")
  }

  func run() throws {
    if let policyPackage { return try writePackage(policyPackage) }
    let name = name ?? "my-feed"
    let path = output ?? "\(name).yaml"
    let text = StarterScenario.text(name: name)
    do {
      _ = try StudyScenario.parse(text, file: path)
    } catch {
      let faults = error.problems.filter { $0.keyPath == "name" }
      // A name may end the line that it stands in.
      let isPlain = name.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
      }
      if faults.isEmpty && isPlain {
        Console.error("internal error: the starter scenario is rejected\n\(error)")
        throw ExitCode(ExitStatus.internalError)
      }
      let expected =
        faults.first?.expected ?? "a name of letters, digits, - and _ that begins with a letter"
      Console.error("name: expected \(expected), got \(Excerpt.oneLine(name, limit: 60))")
      throw ExitCode(ExitStatus.usage)
    }
    try HeldSignals.during { try write(text, to: path) }
    try emit("\(path) written; next: \(Program.name) run \(path)\n")
  }

  private func writePackage(_ name: String) throws {
    let folder = output ?? name
    do {
      let files = try PolicyPackageFiles(name: name, in: folder, from: from, hasLive: live)
      try HeldSignals.during { try files.write(to: folder) }
      for (path, _, _) in files.files { try emit("\(folder)/\(path)\n") }
    } catch let fault as PolicyPackageFiles.Fault {
      Console.error("\(fault.keyPath): expected \(fault.expected), got \(fault.got)")
      throw ExitCode(ExitStatus.usage)
    } catch let error as RunFolder.WriteError {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    }
    try emit(
      "next: cd \(ShellText.command([folder])) && swift build && swift test && "
        + "swift run \(name) run scenarios/\(name).yaml --short\n")
  }

  /// The first line with its end; empty where none is wanted.
  ///
  /// - Throws: an `ExitCode` after a message.
  private func modeline(of path: String) throws -> String {
    if let schema { return schema == "none" ? "" : SchemaFile.modeline(schema) + "\n" }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    do throws(RunFolder.WriteError) {
      return SchemaFile.modeline(try SchemaFile.place(for: folder)) + "\n"
    } catch {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    }
  }

  /// Writes the scenario, with its first line once it is sure that the file is a new one.
  private func write(_ text: String, to path: String) throws {
    func refuse(_ expected: String) -> ExitCode {
      let reason = Console.errorText()
      Console.error("\(path): expected \(expected), got \(reason)")
      return ExitCode(ExitStatus.cannotWrite)
    }
    let isNew = "a new file that can be written"
    var status = stat()
    if lstat(path, &status) == 0 {
      errno = EEXIST
      throw refuse(isNew)
    }
    let draft = "\(path).\(getpid()).part"
    guard let stream = fopen(draft, "wb") else { throw refuse(isNew) }
    defer { unlink(draft) }
    let line: String
    do {
      line = try modeline(of: path)
    } catch {
      fclose(stream)
      throw error
    }
    let bytes = Array((line + text).utf8)
    let written = fwrite(bytes, 1, bytes.count, stream)
    if fclose(stream) != 0 || written < bytes.count {
      throw refuse("room for \(bytes.count) bytes")
    }
    // A link fails where the file exists by now; some file systems have none.
    if link(draft, path) != 0 && (errno == EEXIST || rename(draft, path) != 0) {
      throw refuse(isNew)
    }
  }
}

/// The scenario that `init` writes: the keys that people change first.
enum StarterScenario {
  static func text(name: String) -> String {
    """
    # A short-video feed, its viewers, its CDN and what must hold.
    # Every key and its default:   firstframe explain FILE
    # Problems, if any:            firstframe validate FILE
    # What a key means:            firstframe keys PATTERN
    version: 1
    name: \(name)
    description: Does the feed start fast enough on Wi-Fi?

    # All random numbers follow from the seed: same seed, same result.
    seed: 1
    # At most this many replications; the run stops after 8, 16 or 32 once every hard budget is
    # decided.
    replications: 64

    network:
      # One or more of: wifi-good wifi-poor 5g lte lte-driving 3g congested-cell.
      # weight is the share of the sessions.
      access:
        - {kind: wifi-good, weight: 1}

    devices:
      - {kind: high, weight: 0.25}
      - {kind: mid, weight: 0.5}
      - {kind: low-end, weight: 0.25}

    audience:
      # The hit ratio follows from this, the catalogue and the lifetimes below: more views per title
      # and day, more hits.
      viewsPerDayPerEdge: 2000000
      # Sessions arrive during this time (simulated).
      window: 18 min

    catalogue:
      titles: 100000
      popularity: {kind: zipf, exponent: 1.0}
      # Declared bit rates, ascending.
      ladder: [300 kbps, 600 kbps, 1100 kbps, 2500 kbps]
      segmentDuration: 2 s

    cdn:
      edges: 1
      edge: {kind: lru, capacity: 4 TB}
      # stationary: caches start as a long run would have left them; cold: empty.
      start: {kind: stationary}
      ttl:
        playlists: {maxAge: 60 s, staleWhileRevalidate: 60 s}
        segments: {maxAge: 30 d}

    policy:
      pool: {size: 3}
      prefetch:
        # Media of the next item fetched ahead; 0 s turns prefetch off.
        headLength: 6 s
        itemsAhead: 3
        concurrency: 2
      startupCap:
        # Most bit rate until playback is under way; none for no cap.
        rate: 600 kbps
      abr: {kind: throughput}
      player:
        startThreshold: 1 s
        forwardBuffer: 20 s


    """ + budgets
  }

  private static let budgets = """
    # What must hold. level: soft reports without failing the run. Whether a mistake would break one
    # of these:                    firstframe audit FILE
    budgets:
      # Of a session's first view; three quarters and nineteen of twenty viewers.
      - {metric: ttff_cold_ms.p75, limit: "< 1200 ms"}
      - {metric: ttff_cold_ms.p95, limit: "< 1450 ms"}
      # From the settle of a swipe: a tenth of a second feels immediate, one in ten may wait.
      - {metric: ttff_swipe_ms.p95, limit: "< 100 ms"}
      - {metric: ready_ratio, limit: ">= 90 %"}
      # Left before the first frame; stalls.
      - {metric: not_started_ratio, limit: "< 0.5 %"}
      - {metric: rebuffer_ratio, limit: "< 1 %"}
      # Media and storyboards answered by the edge, and requests that reach the origin.
      - {metric: "hit_ratio{tier=edge,by=requests}", limit: ">= 98 %"}
      - {metric: origin_request_ratio, limit: "< 15 %"}
      # The startup cap holds, and the rung seldom changes within an item.
      - {metric: top_rung_ratio, limit: "< 25 %"}
      - {metric: switched_ratio, limit: "< 10 %"}
      - {metric: wasted_ratio, limit: "< 70 %", level: soft}

    # From which change on a change matters; 2 %, 10 ms or 0.1 point where nothing is said.
    thresholds:
      - {metric: ttff_waited_ms.p75, absolute: 50 ms}
      - {metric: ttff_waited_ms.p95, absolute: 100 ms}
      - {metric: ttff_cold_ms.p75, absolute: 50 ms}
      - {metric: ttff_cold_ms.p95, absolute: 100 ms}

    # The cut that --short makes, for quick tries and tests.
    short: {window: 60 s, replications: 2}

    """
}
