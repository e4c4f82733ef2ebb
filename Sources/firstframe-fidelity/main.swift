import FidelityKit
import Foundation

// Compares the transfer model with measurements and with other programs' models, and fails when one
// of its limits is missed.
// Usage: firstframe-fidelity [--json] [--threads N] [--family NAME] [--published FOLDER] [FOLDER]
// FOLDER holds the reference; by default Tests/Reference. Published sets that are no part of the
// repository lie in another folder, by default ../shared/reference; one that is absent is named.
// Exit codes: 0 every limit is kept, 1 one is missed, 64 usage, 66 the reference is missing.

func fail(_ message: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("firstframe-fidelity: \(message)\n".utf8))
  exit(status)
}

var folder = "Tests/Reference"
var published = "../shared/reference"
var isJSON = false
var threads = 2
var wanted: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--json": isJSON = true
  case "--threads":
    guard let text = arguments.popFirst(), let count = Int(text), (1...256).contains(count) else {
      fail("--threads: expected a whole number in 1...256", 64)
    }
    threads = count
  case "--family":
    guard let name = arguments.popFirst() else { fail("--family: expected a name", 64) }
    wanted.append(name)
  case "--published":
    guard let name = arguments.popFirst() else { fail("--published: expected a folder", 64) }
    published = name
  case _ where argument.hasPrefix("-"):
    fail("expected --json, --threads, --family, --published or a folder, got \(argument)", 64)
  default: folder = argument
  }
}

var families: [Family]
let missing: [String]
do {
  families = try Family.all(Reference(folder))
  let sets = try PublishedSet.families(in: published)
  families += sets.families
  missing = sets.missing
} catch {
  fail("\(error)", 66)
}
let chosen = families.filter { wanted.isEmpty || wanted.contains($0.name) }
if chosen.isEmpty {
  fail("--family: expected one of \(families.map(\.name).joined(separator: ", "))", 64)
}
let reports = await Family.run(chosen, threads: threads)
let text =
  isJSON
  ? FidelityDocument.json(reports, missing: missing)
  : FidelityDocument.text(reports, missing: missing)
FileHandle.standardOutput.write(Data(text.utf8))
let missed = FidelityDocument.missed(reports)
for line in missed {
  FileHandle.standardError.write(Data("firstframe-fidelity: \(line)\n".utf8))
}
exit(missed.isEmpty ? 0 : 1)
