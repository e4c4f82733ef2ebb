import Foundation
import Models

/// Trace files that a scenario names.
extension ScenarioBuilder {
  /// The traces of an access network, in the order of its files; folders in the order of their
  /// names.
  mutating func recorded(_ part: ResolvedTree) -> [RateTrace] {
    let format = ScenarioTable.traceFormats.value(part, "format")
    let options = TraceOptions(end: ScenarioTable.traceEnds.value(part, "end"))
    var traces: [RateTrace] = []
    for element in part.elements("files") {
      let files = ScenarioBuilder.files(element.text(), in: element.directory())
      if files.isEmpty {
        own.add(
          element.problem(expected: "a file or a folder with files", code: .missingFile))
      }
      inputFiles += files
      for path in files.map(\.path) {
        do throws(InputRejected) {
          for trace in try TraceReader.readAll(path: path, format: format, options: options) {
            if trace.roundTripMs != nil || trace.uplink != nil || trace.loss != nil {
              own.add(
                element.problem(
                  expected: "a trace of the downlink's rate alone: roundTrip, uplink and "
                    + "loss stand in the scenario",
                  got: "\(trace.name) with columns beside it"))
            }
            inputs.append("\(trace.name) \(ScenarioBuilder.digest(trace.rate))")
            traces.append(trace.rate)
          }
        } catch {
          for problem in error.problems { own.add(problem) }
          if error.omitted > 0 {
            own.add(element.problem(expected: "a trace without \(error.omitted) more problems"))
          }
        }
      }
    }
    return traces
  }

  /// The file, or the files of the folder in the order of their names; hidden ones and folders are
  /// left out.
  private static func files(_ name: String, in directory: String) -> [ScenarioInput] {
    let path =
      name.hasPrefix("/") || directory.isEmpty ? name : directory + "/" + name
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
    if !isFolder.boolValue { return [ScenarioInput(name: name, path: path)] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().map {
      ScenarioInput(name: name + "/" + $0, path: path + "/" + $0)
    }.filter { file in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  private static func digest(_ trace: RateTrace) -> String {
    Digest.digest8("\(trace.starts) \(trace.rates.map(\.bitPattern)) \(trace.end)")
  }
}
